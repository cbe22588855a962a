'use strict';
// StatementSync of godwit/node-sqlite.

const { native, header, COLUMNS, NULL, tags, CELLS, AS_BIGINT, THROW_IF_UNSAFE } = require('./native');
const { Program } = require('./program');
const { SqliteError } = require('./errors');

const IteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

// An error with one of Node's codes.
function nodeError(Class, code, message) {
  const error = new Class(message);
  error.code = code;
  return error;
}

const invalidType = (what, kind) =>
  nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `The "${what}" argument must be ${kind}.`);
const invalidState = (message) => nodeError(Error, 'ERR_INVALID_STATE', message);

function sqliteError(message, errcode, errstr) {
  const error = nodeError(Error, 'ERR_SQLITE_ERROR', message);
  error.errcode = errcode;
  if (errstr !== undefined) error.errstr = errstr;
  return error;
}

// Runs what may throw a SqliteError, which becomes node:sqlite's error.
function translated(run) {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof SqliteError)) throw error;
    throw sqliteError(error.message, error.rawCode, native.errorString(error.rawCode & 0xff));
  }
}

function requireBoolean(value, name) {
  if (typeof value !== 'boolean') throw invalidType(name, 'a boolean');
  return value;
}

// The options of prepare(), or what the database has in their place.
function statementOptions(options, defaults) {
  if (options === undefined) return defaults;
  if (typeof options !== 'object' || options === null) throw invalidType('options', 'an object');
  const result = { ...defaults };
  for (const key of Object.keys(defaults)) {
    if (options[key] !== undefined) result[key] = requireBoolean(options[key], `options.${key}`);
  }
  return result;
}

let allowed = false;

class StatementSync {
  #state;
  #program;
  #options;
  #runs = 0; // every run ends the iterators before it

  constructor(state, sql, options) {
    if (!allowed) throw nodeError(Error, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    this.#state = state;
    this.#options = options;
    try {
      this.#program = translated(() => new Program(state.connection, sql));
    } catch (error) {
      if (!error.message.endsWith('contains no statements')) throw error;
      throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', 'The SQL query contains no statements.');
    }
    this.#program.setIntegers(options.readBigInts ? AS_BIGINT : THROW_IF_UNSAFE);
    this.#program.setShape(options.returnArrays ? 'array' : 'bare');
    const getter = (name, get) => Object.defineProperty(this, name, { get, enumerable: true, configurable: true });
    getter('sourceSQL', () => this.#open().sql);
    getter('expandedSQL', () => {
      const program = this.#open();
      return program.ask(native.expandedSql);
    });
  }

  static create(state, sql, options) {
    allowed = true;
    try {
      return new StatementSync(state, sql, options);
    } finally {
      allowed = false;
    }
  }

  #open() {
    if (this.#program === null || !this.#program.connection.open) throw invalidState('statement has been finalized');
    return this.#program;
  }

  #put(program, k, value) {
    if (typeof value === 'boolean') value = value ? 1 : 0;
    if (typeof value === 'bigint' && (value > MAX_INT64 || value < MIN_INT64)) {
      throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', 'BigInt value is too large to bind.');
    }
    if (value === undefined || typeof value === 'symbol' || typeof value === 'function' ||
        (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))) {
      throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE',
        `Provided value cannot be bound to SQLite parameter ${k + 1}.`);
    }
    program.put(k, value);
  }

  // Numbers of the parameters by their names, with and without their first character.
  #names(program) {
    const whole = new Map();
    const bare = new Map();
    for (const [k, name, full] of program.parameterLayout().named) {
      if (!whole.has(full)) whole.set(full, k);
      const other = bare.get(name);
      if (other !== undefined && other.full !== full && this.#options.allowBareNamedParameters) {
        throw invalidState(`Cannot create bare named parameter '${name}' because of conflicting names ` +
          `'${other.full}' and '${full}'.`);
      }
      if (other === undefined) bare.set(name, { k, full });
    }
    return { whole, bare };
  }

  // Binds, and gives the number of parameters in the exchange buffer. What is not given is NULL.
  #bind(args) {
    const program = this.#open();
    ++this.#runs;
    program.startBinding();
    const count = program.buffered;
    if (args.length === 1 && program.parameters === 1 && typeof args[0] !== 'object' && typeof args[0] !== 'function') {
      this.#put(program, 0, args[0]);
      return count;
    }
    tags.fill(NULL, 0, count);
    for (let k = CELLS; k < program.parameters; ++k) program.put(k, null);
    let first = 0;
    const names = args[0];
    if ((typeof names === 'object' || typeof names === 'function') && names !== null && !ArrayBuffer.isView(names)) {
      first = 1;
      this.#bindNames(program, names);
    }
    if (first === args.length) return count;
    const { anonymous } = program.parameterLayout();
    for (let i = first; i < args.length; ++i) {
      const k = anonymous[i - first];
      if (k === undefined) throw sqliteError('column index out of range', 25, 'column index out of range');
      this.#put(program, k, args[i]);
    }
    return count;
  }

  #bindNames(program, values) {
    const { whole, bare } = this.#names(program);
    for (const name of Object.keys(values)) {
      const k = whole.get(name) ?? (this.#options.allowBareNamedParameters ? bare.get(name)?.k : undefined);
      if (k !== undefined) this.#put(program, k, values[name]);
      else if (!this.#options.allowUnknownNamedParameters) throw invalidState(`Unknown named parameter '${name}'`);
    }
  }

  run(...args) {
    const count = this.#bind(args);
    const program = this.#program;
    return translated(() => {
      program.run(count);
      const changes = header[COLUMNS];
      const lastInsertRowid = program.lastRowid();
      return { changes: this.#options.readBigInts ? BigInt(changes) : changes, lastInsertRowid };
    });
  }

  get(...args) {
    const count = this.#bind(args);
    return translated(() => this.#program.get(count));
  }

  all(...args) {
    const count = this.#bind(args);
    return translated(() => this.#program.all(count));
  }

  // Row by row: statements may write while an iterator is open, and their changes are seen.
  iterate(...args) {
    let count = this.#bind(args);
    const program = this.#program;
    const run = this.#runs;
    const rows = [];
    let more = true;
    const end = () => ({ done: true, value: null });
    const iterator = Object.create(IteratorPrototype);
    iterator.next = () => {
      this.#open();
      if (!more) return end();
      if (run !== this.#runs) throw invalidState('iterator was invalidated');
      if (count > 0) this.#rebind(args);
      more = translated(() => program.fetch(count, 1, rows));
      count = -1;
      return rows.length === 0 ? end() : { done: false, value: rows.pop() };
    };
    iterator.return = () => {
      if (more && run === this.#runs && program.connection.open) program.reset();
      more = false;
      return end();
    };
    return iterator;
  }

  // Before the first row: other calls may have used the exchange buffer since iterate().
  #rebind(args) {
    this.#bind(args);
    --this.#runs;
  }

  columns() {
    this.#open();
    return translated(() => this.#program.describeColumns().map(({ column, database, name, table, type }) =>
      Object.assign(Object.create(null), { column, database, name, table, type })));
  }

  setAllowBareNamedParameters(enabled) {
    this.#open();
    this.#options = { ...this.#options, allowBareNamedParameters: requireBoolean(enabled, 'allowBareNamedParameters') };
  }

  setAllowUnknownNamedParameters(enabled) {
    this.#open();
    this.#options = { ...this.#options, allowUnknownNamedParameters: requireBoolean(enabled, 'enabled') };
  }

  setReadBigInts(enabled) {
    this.#open();
    this.#options = { ...this.#options, readBigInts: requireBoolean(enabled, 'readBigInts') };
    this.#program.setIntegers(enabled ? AS_BIGINT : THROW_IF_UNSAFE);
  }

  setReturnArrays(enabled) {
    this.#open();
    this.#options = { ...this.#options, returnArrays: requireBoolean(enabled, 'returnArrays') };
    this.#program.setShape(enabled ? 'array' : 'bare');
  }

  close() {
    this.#open();
    if (this.#program.connection.open) this.#program.reset();
    this.#program = null;
  }
}

module.exports = {
  StatementSync, nodeError, invalidType, invalidState, sqliteError, translated, requireBoolean, statementOptions,
};
