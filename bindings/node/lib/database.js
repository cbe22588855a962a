'use strict';
// The synchronous API: the Database of better-sqlite3.

const fs = require('fs');
const path = require('path');
const io = require('./native');
const { Connection, OPEN_READONLY, OPEN_READWRITE, OPEN_CREATE } = require('./connection');
const { Statement, NOT_OPEN, CONNECTION_BUSY } = require('./statement');
const { SqliteError } = require('./errors');
const { booleanOption } = require('./options');
const { makeTransaction } = require('./transaction');
const { defineFunction, defineAggregate, checkAggregate, checkName } = require('./functions');
const { defineTable } = require('./table');
const { backup } = require('./backup');

const { native } = io;
const CORE = Symbol('godwit');
const UNSAFE_INTEGERS = { round: io.ROUND, bigint: io.BIGINT_IF_UNSAFE, throw: io.THROW_IF_UNSAFE };

function checkOptions(options) {
  if ('readOnly' in options) throw new TypeError('Misspelled option "readOnly" should be "readonly"');
  if ('memory' in options) {
    throw new TypeError('Option "memory" was removed in v7.0.0 (use ":memory:" filename instead)');
  }
  const timeout = 'timeout' in options ? options.timeout : 5000;
  if (!Number.isInteger(timeout) || timeout < 0) {
    throw new TypeError('Expected the "timeout" option to be a positive integer');
  }
  if (timeout > 0x7fffffff) throw new RangeError('Option "timeout" cannot be greater than 2147483647');
  const verbose = 'verbose' in options ? options.verbose : null;
  if (verbose != null && typeof verbose !== 'function') {
    throw new TypeError('Expected the "verbose" option to be a function');
  }
  const binding = 'nativeBinding' in options ? options.nativeBinding : null;
  if (binding != null && typeof binding !== 'string' && typeof binding !== 'object') {
    throw new TypeError('Expected the "nativeBinding" option to be a string or addon object');
  }
  const unsafe = options.unsafeIntegers ?? 'round';
  if (!Object.hasOwn(UNSAFE_INTEGERS, unsafe)) {
    throw new TypeError('Expected the "unsafeIntegers" option to be "round", "bigint" or "throw"');
  }
  return { timeout, verbose, unsafeIntegers: UNSAFE_INTEGERS[unsafe] };
}

function Database(filename, options) {
  if (new.target == null) return new Database(filename, options);
  let bytes = null;
  if (Buffer.isBuffer(filename)) {
    bytes = filename;
    filename = ':memory:';
  }
  if (filename == null) filename = '';
  if (options == null) options = {};
  if (typeof filename !== 'string') throw new TypeError('Expected first argument to be a string');
  if (typeof options !== 'object') throw new TypeError('Expected second argument to be an options object');
  const given = checkOptions(options);
  const name = filename.trim();
  const memory = name === '' || name === ':memory:';
  const readonly = booleanOption(options, 'readonly');
  const mustExist = booleanOption(options, 'fileMustExist');
  if (readonly && memory && !bytes) throw new TypeError('In-memory/temporary databases cannot be readonly');
  if (!memory && !name.startsWith('file:') && !fs.existsSync(path.dirname(name))) {
    throw new TypeError('Cannot open database because the directory does not exist');
  }
  let flags = OPEN_READWRITE | OPEN_CREATE;
  if (readonly && !bytes) flags = OPEN_READONLY;
  else if (mustExist && !memory) flags = OPEN_READWRITE;
  const connection = Connection.open(name, flags, given.timeout);
  connection.unsafeIntegers = given.unsafeIntegers;
  connection.setIntegers(given.unsafeIntegers);
  // load_extension() of SQL stays off: SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION is for loadExtension().
  if (bytes) connection.check(native.deserialize(connection.slot, bytes, readonly ? 1 : 0, 'main'));
  if (given.verbose) native.trace(connection.slot, connection.guard((sql) => { given.verbose(sql); }));
  Object.defineProperty(this, CORE, { value: connection });
  const getter = (key, get) => Object.defineProperty(this, key, { get, enumerable: true });
  getter('name', () => filename);
  getter('open', () => connection.open);
  getter('inTransaction', () => connection.inTransaction);
  getter('readonly', () => readonly);
  getter('memory', () => memory);
}

function openConnection(database) {
  const connection = database[CORE];
  if (!connection.open) throw new TypeError(NOT_OPEN);
  return connection;
}

// For what must not happen while a query runs or an iterator is open.
function idleConnection(database) {
  const connection = openConnection(database);
  if (connection.calls !== 0 || connection.iterators !== 0) {
    if (!connection.unsafe) throw new TypeError(CONNECTION_BUSY);
  }
  return connection;
}

function optionsArgument(options, position) {
  if (options == null) return {};
  if (typeof options !== 'object') throw new TypeError(`Expected ${position} argument to be an options object`);
  return options;
}

function flag(value) {
  if (value === undefined) return true;
  if (typeof value !== 'boolean') throw new TypeError('Expected first argument to be a boolean');
  return value;
}

function prepare(database, sql) {
  const connection = openConnection(database);
  if (connection.calls !== 0 && !connection.unsafe) throw new TypeError(CONNECTION_BUSY);
  return Statement.create(database, connection, sql);
}

const methods = {
  prepare(sql) {
    if (typeof sql !== 'string') throw new TypeError('Expected first argument to be a string');
    return prepare(this, sql);
  },

  transaction(fn) {
    if (typeof fn !== 'function') throw new TypeError('Expected first argument to be a function');
    openConnection(this);
    return makeTransaction(this, (sql) => prepare(this, sql), fn);
  },

  pragma(source, options) {
    options = optionsArgument(options, 'second');
    if (typeof source !== 'string') throw new TypeError('Expected first argument to be a string');
    const simple = booleanOption(options, 'simple');
    const statement = prepare(this, `PRAGMA ${source}`);
    idleConnection(this);
    if (!statement.reader) {
      statement.run();
      return simple ? undefined : [];
    }
    return simple ? statement.pluck().get() : statement.all();
  },

  backup(filename, options) {
    return backup(this[CORE], filename, options);
  },

  serialize(options) {
    options = optionsArgument(options, 'first');
    const attached = 'attached' in options ? options.attached : 'main';
    if (typeof attached !== 'string') throw new TypeError('Expected the "attached" option to be a string');
    if (!attached) throw new TypeError('The "attached" option cannot be an empty string');
    const connection = idleConnection(this);
    return connection.check(native.serialize(connection.slot, attached));
  },

  function(name, options, fn) {
    if (options == null) options = {};
    if (typeof options === 'function') {
      fn = options;
      options = {};
    }
    if (typeof name !== 'string') throw new TypeError('Expected first argument to be a string');
    if (typeof fn !== 'function') throw new TypeError('Expected last argument to be a function');
    if (typeof options !== 'object') throw new TypeError('Expected second argument to be an options object');
    checkName(name);
    defineFunction(idleConnection(this), name, options, fn);
    return this;
  },

  aggregate(name, options) {
    if (typeof name !== 'string') throw new TypeError('Expected first argument to be a string');
    if (typeof options !== 'object' || options === null) {
      throw new TypeError('Expected second argument to be an options object');
    }
    checkName(name);
    const parts = checkAggregate(options);
    defineAggregate(idleConnection(this), name, options, parts);
    return this;
  },

  table(name, factory) {
    const connection = idleConnection(this);
    defineTable(connection, name, factory);
    return this;
  },

  loadExtension(file, entryPoint) {
    if (typeof file !== 'string') throw new TypeError('Expected first argument to be a string');
    if (entryPoint != null && typeof entryPoint !== 'string') {
      throw new TypeError('Expected second argument to be a string');
    }
    const connection = idleConnection(this);
    connection.check(native.loadExtension(connection.slot, file, entryPoint ?? ''));
    return this;
  },

  exec(sql) {
    if (typeof sql !== 'string') throw new TypeError('Expected first argument to be a string');
    idleConnection(this).exec(sql);
    return this;
  },

  close() {
    if (this[CORE].open) idleConnection(this).close();
    return this;
  },

  // Ends what runs on this connection, in whichever thread, with SQLITE_INTERRUPT.
  interrupt() {
    native.interrupt(openConnection(this).slot);
    return this;
  },

  defaultSafeIntegers(on) {
    const connection = this[CORE];
    const mode = flag(on) ? io.AS_BIGINT : connection.unsafeIntegers;
    if (connection.open) connection.setIntegers(mode);
    return this;
  },

  unsafeMode(on) {
    this[CORE].unsafe = flag(on);
    if (this[CORE].open) native.config(this[CORE].slot, 1010, this[CORE].unsafe ? 0 : 1);
    return this;
  },
};
for (const [name, value] of Object.entries(methods)) {
  Object.defineProperty(Database.prototype, name, { value, writable: true, configurable: true });
}
Object.defineProperty(Database, 'SqliteError', { value: SqliteError, enumerable: true });
Object.defineProperty(Database.prototype, Symbol.dispose ?? Symbol.for('Symbol.dispose'),
  { value() { this.close(); }, configurable: true });

// For lib/compat.js.
Database.CORE = CORE;
Object.defineProperty(Database, 'CORE', { enumerable: false, writable: false });

module.exports = Database;
