'use strict';
// An open connection as all the package's APIs use it.

const { native, header, STATUS, ROWS, ROUND } = require('./native');
const { fail } = require('./program');

const OPEN_READONLY = 1;
const OPEN_READWRITE = 2;
const OPEN_CREATE = 4;
const OPEN_URI = 0x40;

// A connection that nobody holds is closed when the loop turns.
const abandoned = new FinalizationRegistry(({ slot, generation }) => native.close(slot, generation));

class Connection {
  constructor(path, flags, timeout) {
    const slot = native.open(path, flags, timeout);
    if (header[STATUS] < 0) fail(slot);
    this.slot = slot;
    this.open = true;
    this.integers = ROUND;
    this.unsafe = false;
    this.calls = 0;      // functions written in JavaScript that are running
    this.iterators = 0;  // open iterators
    this.functions = 0;  // functions and tables written in JavaScript that it has
    abandoned.register(this, { slot, generation: header[ROWS] }, this);
  }

  close() {
    if (!this.open) return;
    this.open = false;
    abandoned.unregister(this);
    native.close(this.slot);
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
