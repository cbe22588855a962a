'use strict';
// A prepared statement as all the package's APIs use it: binding by number, running, rows.

const io = require('./native');
const { SqliteError, codeName } = require('./errors');
const { load, unload, makerOf } = require('./rows');

const { native, header, headerBig, headerReal, int32, float64, int64, tags, chars } = io;
const { STATUS, ROWS, CHANGES, ROWID, COLUMNS, PARAMETERS, FLAGS, CELLS, CHARS, MORE_ROWS, PARKED, NOT_INLINE } = io;
const { NULL, TEXT, EXTRA, BIGINT, NUMBER, AS_BIGINT } = io;

// Longer texts are handed over by a call of their own, which is then cheaper than a loop.
const LOOPED_TEXT = 36;
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);
const BATCH_ROWS = 4096;
const INTEGER_REFUSED = 20000; // as in src/addon.h
const CANNOT_BIND = 'SQLite3 can only bind numbers, strings, bigints, buffers, and null';
const TOO_BIG = 'The bound string, buffer, or bigint is too big';

// Statements that nobody holds are freed when the loop turns; until then they may be parked (src/addon.h).
const abandoned = new FinalizationRegistry(({ slot, generation }) => native.finalize(slot, generation));

let usedChars = 0;

// The error that a native call has reported.
function errorOf(message) {
  if (header[STATUS] === -INTEGER_REFUSED) {
    return Object.assign(new RangeError(message), { code: 'ERR_OUT_OF_RANGE' });
  }
  const error = new SqliteError(message, codeName(-header[STATUS]));
  Object.defineProperty(error, 'rawCode', { value: -header[STATUS], configurable: true, writable: true });
  return error;
}

function fail(message) {
  throw errorOf(message);
}

// Quick statements are run on the loop's thread for so many milliseconds, before the loop has to turn.
const INLINE_MS = 2;
let inlineSince = -1;

function spendInline() {
  const now = performance.now();
  if (inlineSince < 0) {
    inlineSince = now;
    setImmediate(() => { inlineSince = -1; });
    return true;
  }
  return now - inlineSince < INLINE_MS;
}

function requireBindable(value) {
  const type = typeof value;
  if (type === 'boolean' || type === 'symbol' || type === 'function' ||
      (type === 'object' && value !== null && !ArrayBuffer.isView(value))) {
    throw new TypeError(CANNOT_BIND);
  }
}

class Program {
  constructor(connection, sql) {
    const slot = native.prepare(connection.slot, sql, connection.firstOnly ? 1 : 0);
    if (header[STATUS] < 0) fail(slot);
    this.connection = connection;
    this.sql = sql;
    this.slot = slot;
    this.columns = header[COLUMNS];
    this.parameters = header[PARAMETERS];
    this.readonly = (header[FLAGS] & 1) !== 0;
    this.integers = connection.integers;
    this.prepared = 0; // how often the engine had compiled it again when `maker` was chosen
    this.shape = 'object';
    this.maker = null;
    this.layout = null;
    this.bound = false;
    abandoned.register(this, { slot, generation: header[ROWS] });
  }

  // After a native call: an error is thrown; true means that it has to be made again.
  check(result) {
    const status = header[STATUS];
    if (status === PARKED) {
      const message = native.prepareAgain(this.slot, this.sql);
      if (header[STATUS] < 0) fail(message);
      return true;
    }
    if (status < 0) fail(result);
    return false;
  }

  ask(method, argument) {
    let result = method(this.slot, argument);
    if (this.check(result)) result = method(this.slot, argument);
    return result;
  }

  setIntegers(mode) {
    this.integers = mode;
    native.setStatementIntegers(this.slot, mode);
  }

  setShape(shape) {
    this.shape = shape;
    this.maker = null;
  }

  // Chooses the rows' maker, for the columns that the statement has now.
  shapeRows() {
    this.columns = header[COLUMNS];
    this.prepared = header[FLAGS];
    const kept = [header[STATUS], header[ROWS], header[io.EXTRAS]];
    const names = this.ask(native.columns, 0);
    const tables = this.shape === 'byTable' ? this.ask(native.columns, 3) : null;
    [header[STATUS], header[ROWS], header[io.EXTRAS]] = kept;
    this.maker = makerOf(this.shape, names, tables);
  }

  // Numbers of the anonymous parameters, and [number, name] of the others.
  parameterLayout() {
    if (this.layout === null) {
      const names = this.ask(native.parameters);
      const anonymous = [];
      const named = [];
      names.forEach((name, i) => {
        if (name === null) anonymous.push(i);
        else named.push([i, name.slice(1), name]);
      });
      this.layout = { anonymous, named };
    }
    return this.layout;
  }

  // Before the first value of a run.
  startBinding() {
    usedChars = 0;
  }

  // Puts a value where parameter number k (from 0) is taken from.
  put(k, value) {
    if (k >= CELLS) return this.putAside(k, value);
    switch (typeof value) {
      case 'number':
        float64[k] = value;
        tags[k] = NUMBER;
        return undefined;
      case 'string':
        return this.putText(k, value);
      case 'bigint':
        if (value > MAX_INT64 || value < MIN_INT64) throw new RangeError(TOO_BIG);
        int64[k] = value;
        tags[k] = BIGINT;
        return undefined;
      case 'undefined':
        tags[k] = NULL;
        return undefined;
      case 'object':
        if (value === null) {
          tags[k] = NULL;
          return undefined;
        }
        if (ArrayBuffer.isView(value)) return this.putAside(k, value);
      // falls through
      default:
        throw new TypeError(CANNOT_BIND);
    }
  }

  putText(k, value) {
    const length = value.length;
    if (length <= LOOPED_TEXT && usedChars + length <= CHARS) {
      let i = 0;
      for (; i < length; ++i) {
        const unit = value.charCodeAt(i);
        if (unit > 127) break;
        chars[usedChars + i] = unit;
      }
      if (i === length) {
        int32[k * 2] = usedChars;
        int32[k * 2 + 1] = length;
        tags[k] = TEXT;
        usedChars += length;
        return;
      }
    }
    this.putAside(k, value);
  }

  putAside(k, value) {
    requireBindable(value);
    native.bindValue(this.slot, k + 1, value);
    if (header[STATUS] === PARKED) {
      this.check();
      native.bindValue(this.slot, k + 1, value);
    }
    if (header[STATUS] === -18) throw new RangeError(TOO_BIG);
    if (header[STATUS] < 0) throw new Error('An unexpected error occured while trying to bind parameters');
    if (k < CELLS) tags[k] = EXTRA;
  }

  // How many parameters a run takes from the exchange buffer.
  get buffered() {
    return this.parameters < CELLS ? this.parameters : CELLS;
  }

  bindPermanently(count) {
    if (this.check(native.bind(this.slot, count))) native.bind(this.slot, count);
    native.pin(this.slot);
    this.bound = true;
  }

  run(count) {
    let result = native.run(this.slot, count);
    if (header[STATUS] !== 0 && this.check(result)) {
      result = native.run(this.slot, count);
      if (header[STATUS] < 0) fail(result);
    }
  }

  // What run() changed, as better-sqlite3 reports it.
  changes() {
    return { changes: header[CHANGES], lastInsertRowid: this.lastRowid() };
  }

  lastRowid() {
    if (this.integers === AS_BIGINT) return headerBig[ROWID / 2];
    if (header[ROWID + 1] === 0 && header[ROWID] >= 0) return header[ROWID];
    const rowid = headerReal[ROWID / 2 + 1];
    if (this.integers !== 0 && !Number.isSafeInteger(rowid)) return headerBig[ROWID / 2];
    return rowid;
  }

  // What makes the rows that are in the buffer.
  readyMaker() {
    if (this.maker === null || header[FLAGS] !== this.prepared) this.shapeRows();
    if (this.maker.cold) this.maker.warm(header[ROWS]);
    return this.maker.make;
  }

  get(count) {
    let result = native.get(this.slot, count);
    if (header[STATUS] !== 0 && this.check(result)) {
      result = native.get(this.slot, count);
      if (header[STATUS] < 0) fail(result);
    }
    if (header[ROWS] === 0) return undefined;
    const make = this.readyMaker();
    load(result, this.connection.plainBytes);
    return make(0);
  }

  all(count) {
    const rows = [];
    let more = this.fetch(count, BATCH_ROWS, rows);
    while (more) more = this.fetch(-1, BATCH_ROWS, rows);
    return rows;
  }

  // Adds at most `limit` rows; true if there may be more. -1 parameters: goes on.
  fetch(count, limit, rows) {
    let result = native.fetch(this.slot, count, limit);
    if (header[STATUS] !== 0 && this.check(result)) {
      result = native.fetch(this.slot, count, limit);
      if (header[STATUS] < 0) fail(result);
    }
    const more = header[STATUS] === MORE_ROWS;
    this.take(result, rows);
    return more;
  }

  // Adds the rows that are in the exchange buffer.
  take(result, rows) {
    const make = this.readyMaker();
    load(result, this.connection.plainBytes);
    const { columns } = this;
    const end = header[ROWS] * columns;
    for (let k = 0; k < end; k += columns) rows.push(make(k));
    unload();
  }

  // What it changed, or a promise of that. What is known to be quick is done at once.
  runAsync(count) {
    if (spendInline()) {
      const result = native.runInline(this.slot, count);
      if (header[STATUS] < 0) return Promise.reject(errorOf(result));
      if (header[STATUS] !== NOT_INLINE) return this.changes();
    }
    return new Promise((resolve, reject) => {
      const done = (result) => {
        if (header[STATUS] < 0) reject(errorOf(result));
        else resolve(this.changes());
      };
      const refused = native.runAsync(this.slot, count, done);
      if (header[STATUS] !== 0 && this.check(refused)) native.runAsync(this.slot, count, done);
    });
  }

  // Adds at most `limit` rows to the list; true if there may be more, or a promise of that. -1 parameters:
  // goes on. What is known to be quick is done at once.
  fetchAsync(count, limit, rows) {
    if (count >= 0 && spendInline()) {
      const result = native.fetchInline(this.slot, count, limit);
      if (header[STATUS] < 0) return Promise.reject(errorOf(result));
      if (header[STATUS] !== NOT_INLINE) {
        const more = header[STATUS] === MORE_ROWS;
        this.take(result, rows);
        return more;
      }
    }
    return new Promise((resolve, reject) => {
      const done = (result) => {
        if (header[STATUS] < 0) {
          reject(errorOf(result));
          return;
        }
        const more = header[STATUS] === MORE_ROWS;
        const last = header[PARAMETERS] !== 0;
        this.take(result, rows);
        if (last) resolve(more);
      };
      const refused = native.fetchAsync(this.slot, count, limit, done);
      if (header[STATUS] !== 0 && this.check(refused)) native.fetchAsync(this.slot, count, limit, done);
    });
  }

  async allAsync(count) {
    const rows = [];
    let more = await this.fetchAsync(count, BATCH_ROWS * 8, rows);
    while (more) more = await this.fetchAsync(-1, BATCH_ROWS * 8, rows);
    return rows;
  }

  async getAsync(count) {
    const rows = [];
    if (await this.fetchAsync(count, 1, rows)) this.reset();
    return rows[0];
  }

  reset() {
    native.reset(this.slot);
  }

  describeColumns() {
    const names = this.ask(native.columns, 0);
    const types = this.ask(native.columns, 1);
    const columns = this.ask(native.columns, 2);
    const tables = this.ask(native.columns, 3);
    const databases = this.ask(native.columns, 4);
    return names.map((name, i) => ({
      name, column: columns[i], table: tables[i], database: databases[i], type: types[i],
    }));
  }
}

module.exports = { Program, fail, errorOf, requireBindable };
