'use strict';
// The API of node:sqlite (as of Node 24), on Godwit.

const { fileURLToPath } = require('url');
const { native, THROW_IF_UNSAFE, AS_BIGINT } = require('./native');
const { Connection, OPEN_READONLY, OPEN_READWRITE, OPEN_CREATE, OPEN_URI } = require('./connection');
const { runBackup } = require('./backup');
const constants = require('./node-sqlite-constants');
const {
  StatementSync, nodeError, invalidType, invalidState, sqliteError, translated, requireBoolean, statementOptions,
} = require('./node-sqlite-statement');

const CONFIG = { FOREIGN_KEYS: 1002, DEFENSIVE: 1010, DQS_DML: 1013, DQS_DDL: 1014 };
const LIMITS = ['length', 'sqlLength', 'column', 'exprDepth', 'compoundSelect', 'vdbeOp', 'functionArg', 'attach',
  'likePatternLength', 'variableNumber', 'triggerDepth'];
const DETERMINISTIC = 0x800;
const DIRECT_ONLY = 0x80000;
const PATH_KINDS = 'a string, Uint8Array, or URL without null bytes';

const isObject = (value) => typeof value === 'object' && value !== null;

function pathOf(value) {
  let path = value;
  if (value instanceof Uint8Array) path = Buffer.from(value.buffer, value.byteOffset, value.length).toString();
  else if (isObject(value) && typeof value.href === 'string') {
    if (value.protocol !== 'file:') {
      throw nodeError(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file:');
    }
    path = value.search ? value.href : fileURLToPath(value);
  }
  if (typeof path !== 'string' || path.includes('\0')) throw invalidType('path', PATH_KINDS);
  return path;
}

function option(options, key, check, kind, fallback) {
  const value = options[key];
  if (value === undefined) return fallback;
  if (!check(value)) throw invalidType(`options.${key}`, kind);
  return value;
}
const flag = (options, key, fallback) =>
  option(options, key, (value) => typeof value === 'boolean', 'a boolean', fallback);
const text = (options, key, fallback) =>
  option(options, key, (value) => typeof value === 'string', 'a string', fallback);
const callable = (options, key) => option(options, key, (value) => typeof value === 'function', 'a function', null);

function requireOptions(options) {
  if (options !== undefined && !isObject(options)) throw invalidType('options', 'an object');
  return options ?? {};
}

// A function's result; what SQL has no value for is an error of the statement.
function checkResult(value) {
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value) {
    throw sqliteError('BigInt value is too large for SQLite', 1, 'SQL logic error');
  }
  if (value === undefined || value === null || typeof value === 'number' || typeof value === 'string' ||
      typeof value === 'bigint' || ArrayBuffer.isView(value)) {
    return value;
  }
  throw sqliteError(value instanceof Promise ? 'Asynchronous user-defined functions are not supported'
    : 'Returned JavaScript value cannot be converted to a SQLite value', 1, 'SQL logic error');
}

const plainArgument = (value) =>
  (Buffer.isBuffer(value) ? new Uint8Array(value.buffer, value.byteOffset, value.length) : value);

class Session {
  #state;
  #handle;

  constructor(state, handle) {
    this.#state = state;
    this.#handle = handle;
    state.sessions.add(this);
  }

  #open() {
    if (!this.#state.connection) throw invalidState('database is not open');
    if (this.#handle === null) throw invalidState('session is not open');
    return this.#handle;
  }

  #changes(patchset) {
    const handle = this.#open();
    return plainArgument(translated(() => this.#state.connection.check(native.sessionChanges(handle, patchset))));
  }

  changeset() {
    return this.#changes(0);
  }

  patchset() {
    return this.#changes(1);
  }

  close() {
    native.sessionDelete(this.#open());
    this.#handle = null;
    this.#state.sessions.delete(this);
  }

  [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
    if (this.#handle !== null) this.close();
  }
}

// Statements by the text around the values of a template.
class SQLTagStore {
  #database;
  #capacity;
  #statements = new Map();

  constructor(database, capacity) {
    this.#database = database;
    this.#capacity = capacity;
  }

  get db() {
    return this.#database;
  }

  get size() {
    return this.#statements.size;
  }

  get capacity() {
    return this.#capacity;
  }

  #statement(strings) {
    const sql = strings.join('?');
    let statement = this.#statements.get(sql);
    if (statement === undefined) statement = this.#database.prepare(sql);
    else this.#statements.delete(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > this.#capacity) this.#statements.delete(this.#statements.keys().next().value);
    return statement;
  }

  get(strings, ...values) {
    return this.#statement(strings).get(...values);
  }

  all(strings, ...values) {
    return this.#statement(strings).all(...values);
  }

  iterate(strings, ...values) {
    return this.#statement(strings).iterate(...values);
  }

  run(strings, ...values) {
    return this.#statement(strings).run(...values);
  }

  clear() {
    this.#statements.clear();
  }
}

function parseOptions(options) {
  const parsed = {
    open: flag(options, 'open', true),
    readOnly: flag(options, 'readOnly', false),
    foreignKeys: flag(options, 'enableForeignKeyConstraints', true),
    doubleQuoted: flag(options, 'enableDoubleQuotedStringLiterals', false),
    allowExtension: flag(options, 'allowExtension', false),
    timeout: option(options, 'timeout', Number.isInteger, 'an integer', 0),
    defensive: flag(options, 'defensive', true),
    limits: option(options, 'limits', isObject, 'an object', null),
    statement: {
      readBigInts: flag(options, 'readBigInts', false),
      returnArrays: flag(options, 'returnArrays', false),
      allowBareNamedParameters: flag(options, 'allowBareNamedParameters', true),
      allowUnknownNamedParameters: flag(options, 'allowUnknownNamedParameters', false),
    },
  };
  return parsed;
}

const STATE = Symbol('godwit');

function openState(database) {
  const state = database[STATE];
  if (state.connection === null) throw invalidState('database is not open');
  return state;
}

function limitsObject(state) {
  const limits = {};
  LIMITS.forEach((name, id) => {
    Object.defineProperty(limits, name, {
      enumerable: true,
      get: () => native.limit(state.connection.slot, id, -1),
      set(value) {
        if (!Number.isInteger(value)) throw invalidType(name, 'an integer');
        if (value < 0) throw nodeError(RangeError, 'ERR_OUT_OF_RANGE', 'Limit value must be non-negative.');
        native.limit(state.connection.slot, id, value);
      },
    });
  });
  return limits;
}

function DatabaseSync(path, options) {
  if (new.target === undefined) {
    throw nodeError(TypeError, 'ERR_CONSTRUCT_CALL_REQUIRED', 'Cannot call constructor without `new`');
  }
  const state = { path: pathOf(path), options: null, connection: null, sessions: new Set(), loading: false };
  state.options = parseOptions(requireOptions(options));
  state.loading = state.options.allowExtension;
  Object.defineProperty(this, STATE, { value: state });
  const getter = (name, get) => Object.defineProperty(this, name, { get, enumerable: true });
  getter('isOpen', () => state.connection !== null);
  getter('isTransaction', () => openState(this).connection.inTransaction);
  const limits = limitsObject(state);
  getter('limits', () => openState(this) && limits);
  Object.defineProperty(this, Symbol.for('sqlite-type'), { value: 'node:sqlite' });
  if (state.options.open) this.open();
}

function functionFlags(options) {
  return {
    integers: flag(options, 'useBigIntArguments', false) ? AS_BIGINT : THROW_IF_UNSAFE,
    varargs: flag(options, 'varargs', false),
    flags: (flag(options, 'deterministic', false) ? DETERMINISTIC : 0) |
      (flag(options, 'directOnly', false) ? DIRECT_ONLY : 0),
  };
}

function bytesArgument(value, name) {
  if (!(value instanceof Uint8Array)) throw invalidType(name, 'a Uint8Array');
  return value;
}

const methods = {
  open() {
    const state = this[STATE];
    if (state.connection !== null) throw invalidState('database is already open');
    const { options } = state;
    const flags = (options.readOnly ? OPEN_READONLY : OPEN_READWRITE | OPEN_CREATE) | OPEN_URI;
    const connection = translated(() => Connection.open(state.path, flags, options.timeout));
    connection.firstOnly = true;
    connection.plainBytes = true;
    state.connection = connection;
    native.config(connection.slot, CONFIG.FOREIGN_KEYS, options.foreignKeys ? 1 : 0);
    native.config(connection.slot, CONFIG.DQS_DML, options.doubleQuoted ? 1 : 0);
    native.config(connection.slot, CONFIG.DQS_DDL, options.doubleQuoted ? 1 : 0);
    native.config(connection.slot, CONFIG.DEFENSIVE, options.defensive ? 1 : 0);
    if (options.limits) Object.assign(this.limits, options.limits);
  },

  close() {
    const state = openState(this);
    for (const session of [...state.sessions]) session.close();
    const { connection } = state;
    state.connection = null;
    connection.close();
  },

  prepare(sql, options) {
    const state = openState(this);
    if (typeof sql !== 'string') throw invalidType('sql', 'a string');
    return StatementSync.create(state, sql, statementOptions(options, state.options.statement));
  },

  exec(sql) {
    const state = openState(this);
    if (typeof sql !== 'string') throw invalidType('sql', 'a string');
    translated(() => state.connection.exec(sql));
  },

  function(name, options, fn) {
    const { connection } = openState(this);
    if (typeof name !== 'string') throw invalidType('name', 'a string');
    if (fn === undefined && typeof options === 'function') {
      fn = options;
      options = {};
    }
    if (typeof fn !== 'function') throw invalidType('function', 'a function');
    const { integers, varargs, flags } = functionFlags(requireOptions(options));
    const call = (...args) => checkResult(fn(...args.map(plainArgument)));
    translated(() => connection.check(
      native.createFunction(connection.slot, name, varargs ? -1 : fn.length, flags, integers, call)));
  },

  createTagStore(capacity = 1000) {
    openState(this);
    return new SQLTagStore(this, capacity);
  },

  location(name) {
    const { connection } = openState(this);
    if (name !== undefined && typeof name !== 'string') throw invalidType('dbName', 'a string');
    return native.filename(connection.slot, name ?? 'main') || null;
  },

  aggregate(name, options) {
    const { connection } = openState(this);
    const start = options.start;
    const { step, result, inverse } = options;
    if (start === undefined || isObject(start)) {
      if (start !== null) throw invalidType('options.start', 'a function or a primitive value');
    }
    if (typeof step !== 'function') throw invalidType('options.step', 'a function');
    callable(options, 'result');
    callable(options, 'inverse');
    if (typeof name !== 'string') throw invalidType('name', 'a string');
    const { integers, varargs, flags } = functionFlags(options);
    const longest = Math.max(step.length, inverse ? inverse.length : 0);
    const groups = new Map();
    const stateOf = (group) => (groups.has(group) ? groups.get(group) : typeof start === 'function' ? start() : start);
    const change = (fn) => (group, ...args) => { groups.set(group, fn(stateOf(group), ...args.map(plainArgument))); };
    const finish = (group, final) => {
      const state = stateOf(group);
      if (final) groups.delete(group);
      return checkResult(result ? result(state) : state);
    };
    translated(() => connection.check(native.createAggregate(connection.slot, name,
      varargs ? -1 : Math.max(longest - 1, 0), flags, integers, change(step), inverse ? change(inverse) : null, finish)));
  },

  createSession(options) {
    const given = requireOptions(options);
    const table = text(given, 'table', '');
    const schema = text(given, 'db', 'main');
    const state = openState(this);
    const handle = translated(() =>
      state.connection.check(native.sessionCreate(state.connection.slot, schema, table)));
    return new Session(state, handle);
  },

  applyChangeset(changeset, options) {
    const { connection } = openState(this);
    bytesArgument(changeset, 'changeset');
    const given = requireOptions(options);
    const conflict = callable(given, 'onConflict');
    const filter = callable(given, 'filter');
    try {
      return connection.check(native.changesetApply(connection.slot, changeset, conflict, filter));
    } catch (error) {
      if (error.rawCode === undefined) throw error;
      throw sqliteError(native.errorString(error.rawCode & 0xff), error.rawCode);
    }
  },

  enableLoadExtension(allow) {
    const state = openState(this);
    requireBoolean(allow, 'allow');
    if (allow && !state.options.allowExtension) {
      throw invalidState('Cannot enable extension loading because it was disabled at database creation.');
    }
    state.loading = allow;
  },

  enableDefensive(active) {
    const { connection } = openState(this);
    native.config(connection.slot, CONFIG.DEFENSIVE, requireBoolean(active, 'active') ? 1 : 0);
  },

  loadExtension(path, entryPoint) {
    const { connection, loading } = openState(this);
    if (!loading) throw invalidState('extension loading is not allowed');
    if (typeof path !== 'string') throw invalidType('path', 'a string');
    try {
      connection.check(native.loadExtension(connection.slot, path, entryPoint ?? ''));
    } catch (error) {
      throw nodeError(Error, 'ERR_LOAD_SQLITE_EXTENSION', error.message);
    }
  },

  serialize(name = 'main') {
    const { connection } = openState(this);
    if (typeof name !== 'string') throw invalidType('dbName', 'a string');
    return plainArgument(translated(() => connection.check(native.serialize(connection.slot, name))));
  },

  deserialize(buffer, options) {
    const { connection } = openState(this);
    bytesArgument(buffer, 'buffer');
    const name = text(requireOptions(options), 'dbName', 'main');
    translated(() => connection.check(native.deserialize(connection.slot, buffer, 0, name)));
  },

  setAuthorizer(callback) {
    const { connection } = openState(this);
    if (callback !== null && typeof callback !== 'function') throw invalidType('callback', 'a function or null');
    native.authorizer(connection.slot, callback && ((...args) => {
      const verdict = callback(...args);
      if (!Number.isInteger(verdict)) {
        throw new TypeError('Authorizer callback must return an integer authorization code');
      }
      if (verdict < 0 || verdict > 2) {
        throw new RangeError('Authorizer callback returned a invalid authorization code');
      }
      return verdict;
    }));
  },

  [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
    if (this[STATE].connection !== null) this.close();
  },
};
for (const key of Reflect.ownKeys(methods)) {
  Object.defineProperty(DatabaseSync.prototype, key, { value: methods[key], writable: true, configurable: true });
}

// Copies a database page by page; the promise gives the number of pages.
function backup(sourceDb, path, options) {
  if (!isObject(sourceDb) || sourceDb[STATE] === undefined) throw invalidType('sourceDb', 'an object');
  const { connection } = openState(sourceDb);
  const target = pathOf(path);
  const given = requireOptions(options);
  const rate = option(given, 'rate', Number.isInteger, 'an integer', 100);
  const source = text(given, 'source', 'main');
  const into = text(given, 'target', 'main');
  const progress = callable(given, 'progress');
  return (async () => {
    let handle;
    try {
      handle = connection.check(native.backupOpen(connection.slot, source, target, 0, into));
    } catch (error) {
      throw sqliteError(error.message, error.rawCode, native.errorString(error.rawCode & 0xff));
    }
    let begun = false;
    const { totalPages } = await runBackup(connection, handle, (state) => {
      if (begun && progress) progress(state);
      begun = true;
    }, rate);
    return totalPages;
  })();
}

module.exports = { DatabaseSync, StatementSync, Session, constants, backup };
