'use strict';
// An open connection as all the package's APIs use it.

const { native, header, STATUS, ROWS, ROUND } = require('./native');
const { fail, errorOf } = require('./program');

const OPEN_READONLY = 1;
const OPEN_READWRITE = 2;
const OPEN_CREATE = 4;
const OPEN_URI = 0x40;

// A connection that nobody holds is closed when the loop turns.
const abandoned = new FinalizationRegistry(({ slot, generation }) => native.close(slot, generation));

class Connection {
  // Of what open() or openAsync() has just made.
  constructor(slot, timeout) {
    this.slot = slot;
    this.timeout = timeout;
    this.open = true;
    this.integers = ROUND;
    this.unsafe = false;
    this.calls = 0;      // functions written in JavaScript that are running
    this.iterators = 0;  // open iterators
    this.functions = 0;  // functions and tables written in JavaScript that it has
    this.firstOnly = false;   // prepare() takes the first of several statements
    this.plainBytes = false;  // blobs are Uint8Arrays, not Buffers
    this.loose = false;  // bindings as Turso's, see lib/loose.js
    abandoned.register(this, { slot, generation: header[ROWS] }, this);
  }

  static open(path, flags, timeout) {
    const slot = native.open(path, flags, timeout);
    if (header[STATUS] < 0) fail(slot);
    return new Connection(slot, timeout);
  }

  static openAsync(path, flags, timeout) {
    return new Promise((resolve, reject) => {
      native.openAsync(path, flags, timeout, (result) => {
        if (header[STATUS] < 0) reject(errorOf(result));
        else resolve(new Connection(result, timeout));
      });
    });
  }

  close() {
    if (!this.open) return;
    this.open = false;
    abandoned.unregister(this);
    native.close(this.slot);
  }

  closeAsync() {
    if (!this.open) return Promise.resolve();
    this.open = false;
    abandoned.unregister(this);
    return new Promise((resolve) => { native.closeAsync(this.slot, () => resolve()); });
  }

  execAsync(sql) {
    return new Promise((resolve, reject) => {
      native.execAsync(this.slot, sql, (message) => {
        if (header[STATUS] < 0) reject(errorOf(message));
        else resolve();
      });
    });
  }

  exec(sql) {
    const message = native.exec(this.slot, sql);
    if (header[STATUS] < 0) fail(message);
  }

  get inTransaction() {
    return this.open && native.inTransaction(this.slot);
  }

  setIntegers(mode) {
    this.integers = mode;
    native.setIntegers(this.slot, mode);
  }

  // Wraps a function of the user that the engine calls: while it runs, the connection is busy.
  guard(fn) {
    const connection = this;
    return function guarded(...args) {
      ++connection.calls;
      try {
        return Reflect.apply(fn, this, args);
      } finally {
        --connection.calls;
      }
    };
  }

  // Checks what a native call of the connection returned.
  check(result) {
    if (header[STATUS] < 0) fail(result);
    return result;
  }
}

module.exports = { Connection, OPEN_READONLY, OPEN_READWRITE, OPEN_CREATE, OPEN_URI };
