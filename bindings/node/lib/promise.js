'use strict';
// The asynchronous API: the promises of @tursodatabase/database. SQL runs on the pool; the loop is never
// blocked by it. A connection does one thing at a time, in the order of the calls. Calls that come from within
// the callback of a transaction belong to it (AsyncLocalStorage tells), all others wait for its end.

const { AsyncLocalStorage } = require('async_hooks');
const io = require('./native');
const { Connection, OPEN_READONLY, OPEN_READWRITE, OPEN_CREATE } = require('./connection');
const { Program } = require('./program');
const { SqliteError } = require('./errors');
const { Gate } = require('./gate');
const { bindLoosely } = require('./loose');
const { NOT_OPEN } = require('./statement');
const { backup } = require('./backup');

const { native } = io;
const BATCH_MODES = { write: 'IMMEDIATE', read: 'DEFERRED' };
const ITERATED_ROWS = 1000;
const SCHEMA_ATTEMPTS = 10;

// The transaction that the running code is part of. Made at the first transaction, as it is not free.
let current = null;

const delayed = (value) => value !== undefined && value !== 0;

// Splits query options off the arguments of a call.
function splitOptions(args) {
  const last = args[args.length - 1];
  if (args.length > 0 && typeof last === 'object' && last !== null && !Array.isArray(last) &&
      ('queryTimeout' in last || 'signal' in last)) {
    const given = args.slice(0, -1);
    return [given.length === 1 && given[0] === undefined ? [] : given, last];
  }
  return [args, undefined];
}

class Core {
  constructor(path, options) {
    this.path = path;
    this.options = options;
    this.gate = new Gate();
    this.connection = null;
    this.connecting = null;
    this.closed = false;
    this.integers = io.ROUND;
  }

  connect() {
    this.connecting ??= this.#open();
    return this.connecting;
  }

  async #open() {
    const { options } = this;
    const flags = options.readonly ? OPEN_READONLY
      : options.fileMustExist ? OPEN_READWRITE : OPEN_READWRITE | OPEN_CREATE;
    const connection = await Connection.openAsync(this.path, flags, options.timeout ?? 0);
    const modes = { round: io.ROUND, bigint: io.BIGINT_IF_UNSAFE, throw: io.THROW_IF_UNSAFE };
    connection.unsafeIntegers = modes[options.unsafeIntegers ?? 'round'];
    connection.setIntegers(this.integers === io.ROUND ? connection.unsafeIntegers : this.integers);
    // The schema is read now, on the pool; if that fails, the first statement tells.
    await connection.execAsync('SELECT 1 FROM sqlite_schema LIMIT 1').catch(() => {});
    this.connection = connection;
  }

  requireOpen() {
    if (this.closed || (this.connection !== null && !this.connection.open)) throw new TypeError(NOT_OPEN);
  }

  // Compiles here, without waiting for a lock: if another process holds the schema, null.
  prepareNow(sql) {
    const { connection } = this;
    native.setTimeout(connection.slot, 0);
    try {
      return new Program(connection, sql);
    } catch (error) {
      if (error.code?.startsWith('SQLITE_BUSY')) return null;
      throw error;
    } finally {
      native.setTimeout(connection.slot, connection.timeout);
    }
  }

  async prepare(sql) {
    for (let attempt = 0; attempt < SCHEMA_ATTEMPTS; ++attempt) {
      const program = this.prepareNow(sql);
      if (program !== null) return program;
      await this.connection.execAsync('SELECT 1 FROM sqlite_schema LIMIT 1');
    }
    return new Program(this.connection, sql);
  }

  // Runs `task` in its turn, under the timeout and the signal of `query`.
  async perform(scope, query, task) {
    const signal = query?.signal;
    signal?.throwIfAborted();
    this.requireOpen();
    const transaction = scope ?? current?.getStore();
    const gate = transaction?.core === this && transaction.open ? transaction.gate : this.gate;
    const turn = gate.enter(signal);
    if (turn !== undefined) await turn;
    try {
      if (this.connection === null) await this.connect();
      this.requireOpen();
      const timeout = query?.queryTimeout ?? this.options.defaultQueryTimeout;
      if (!delayed(timeout) && signal === undefined) return await task(this.connection);
      return await this.#watch(timeout, signal, task);
    } finally {
      gate.leave();
    }
  }

  async #watch(timeout, signal, task) {
    const { connection } = this;
    const stop = () => { if (connection.open) native.interrupt(connection.slot); };
    // Work that has not begun on its thread yet does not see an interrupt: it is repeated.
    let repeated;
    const begin = () => {
      stop();
      repeated ??= setInterval(stop, 5);
    };
    const timer = delayed(timeout) ? setTimeout(begin, timeout) : undefined;
    signal?.addEventListener('abort', begin, { once: true });
    try {
      return await task(connection);
    } catch (error) {
      if (signal?.aborted && error.code === 'SQLITE_INTERRUPT') throw signal.reason;
      throw error;
    } finally {
      clearTimeout(timer);
      clearInterval(repeated);
      signal?.removeEventListener('abort', begin);
    }
  }
}

// lib/sync.js takes its turns there too.
const CORE = Symbol.for('godwit core');

class Statement {
  #core;
  #scope;
  #sql;
  #database;
  #program = null;
  #shape = 'object';
  #integers = null;
  #bound = null;
  #closed = false;

  constructor(database, core, scope, sql, program) {
    this.#database = database;
    this.#core = core;
    this.#scope = scope;
    this.#sql = sql;
    this.#program = program;
  }

  raw(on) {
    return this.#setShape('array', on);
  }

  pluck(on) {
    return this.#setShape('first', on);
  }

  #setShape(shape, on) {
    if (on !== false) this.#shape = shape;
    else if (this.#shape === shape) this.#shape = 'object';
    return this;
  }

  safeIntegers(on) {
    this.#integers = on === false ? io.ROUND : io.AS_BIGINT;
    return this;
  }

  bind(...args) {
    this.#bound = args;
    return this;
  }

  get source() {
    return this.#sql;
  }

  get database() {
    return this.#database;
  }

  get reader() {
    return this.#known().columns > 0;
  }

  columns() {
    return this.#known().describeColumns();
  }

  #known() {
    if (this.#core.connection === null) throw new Error('The database connection is not open yet');
    this.#core.requireOpen();
    this.#program ??= new Program(this.#core.connection, this.#sql);
    return this.#program;
  }

  async #ready(fresh) {
    if (this.#closed) throw new TypeError('The statement has been finalized');
    let program = fresh ? null : this.#program;
    if (program === null) {
      program = await this.#core.prepare(this.#sql);
      if (!fresh) this.#program = program;
    }
    if (program.shape !== this.#shape) program.setShape(this.#shape);
    const { connection } = this.#core;
    const integers = this.#integers === null || this.#integers === io.ROUND
      ? (this.#integers === null ? connection.integers : connection.unsafeIntegers) : this.#integers;
    if (program.integers !== integers) program.setIntegers(integers);
    return program;
  }

  #perform(args, run) {
    const [given, query] = splitOptions(args);
    return this.#core.perform(this.#scope, query, async () => {
      const program = await this.#ready(false);
      return run(program, bindLoosely(program, this.#bound ?? given));
    });
  }

  run(...args) {
    return this.#perform(args, (program, count) => program.runAsync(count));
  }

  get(...args) {
    return this.#perform(args, (program, count) => program.getAsync(count));
  }

  all(...args) {
    return this.#perform(args, (program, count) => program.allAsync(count));
  }

  // Rows come in batches; between these, other calls get their turn on the connection.
  async *iterate(...args) {
    const [given, query] = splitOptions(args);
    let program = null;
    let more = true;
    try {
      while (more) {
        const rows = [];
        more = await this.#core.perform(this.#scope, query, async () => {
          if (program !== null) return program.fetchAsync(-1, ITERATED_ROWS, rows);
          program = await this.#ready(true);
          return program.fetchAsync(bindLoosely(program, this.#bound ?? given), ITERATED_ROWS, rows);
        });
        yield* rows;
      }
    } finally {
      if (more && program !== null && this.#core.connection.open) {
        await this.#core.perform(this.#scope, undefined, () => { program.reset(); });
      }
    }
  }

  interrupt() {
    this.#core.requireOpen();
    if (this.#core.connection !== null) native.interrupt(this.#core.connection.slot);
  }

  async io() {}

  close() {
    this.#closed = true;
    this.#program = null;
  }
}

// What Database and Transaction have in common: each runs SQL in its scope.
class Executor {
  #statement(sql) {
    return new Statement(this, this[CORE], this[SCOPE]?.(), sql, null);
  }

  async run(sql, ...args) {
    return this.#statement(sql).run(...args);
  }

  async get(sql, ...args) {
    return this.#statement(sql).get(...args);
  }

  async all(sql, ...args) {
    return this.#statement(sql).all(...args);
  }

  iterate(sql, ...args) {
    return this.#statement(sql).iterate(...args);
  }

  async exec(sql, query) {
    if (typeof sql !== 'string') throw new TypeError('Expected first argument to be a string');
    return this[CORE].perform(this[SCOPE]?.(), query, (connection) => connection.execAsync(sql));
  }

  // Each statement's columns, rows and count. With a mode all or none of them take effect.
  async batch(statements, options) {
    if (!Array.isArray(statements)) throw new TypeError('Expected first argument to be an array of statements');
    const { mode, raw } = typeof options === 'string' ? { mode: options } : options ?? {};
    const core = this[CORE];
    return core.perform(this[SCOPE]?.(), undefined, async (connection) => {
      const atomic = mode !== undefined && !connection.inTransaction;
      if (atomic) await connection.execAsync(`BEGIN ${BATCH_MODES[mode] ?? mode}`);
      try {
        const results = [];
        for (const statement of statements) results.push(await batchOne(core, statement, raw));
        if (atomic) await connection.execAsync('COMMIT');
        return results;
      } catch (error) {
        if (atomic && connection.inTransaction) await connection.execAsync('ROLLBACK');
        throw error;
      }
    });
  }
}

const SCOPE = Symbol('godwit scope');

async function batchOne(core, statement, raw) {
  const { sql, args = [] } = typeof statement === 'string' ? { sql: statement } : statement;
  const program = await core.prepare(sql);
  program.setShape(raw ? 'array' : 'object');
  const count = bindLoosely(program, [args]);
  if (program.columns === 0) {
    const { changes } = await program.runAsync(count);
    return { columns: [], columnTypes: [], rows: [], rowsAffected: changes };
  }
  const described = program.describeColumns();
  const rows = await program.allAsync(count);
  return {
    columns: described.map(({ name }) => name),
    columnTypes: described.map(({ type }) => type ?? ''),
    rows,
    rowsAffected: program.readonly ? 0 : rows.length,
  };
}

// The handle of an open transaction.
class Transaction extends Executor {
  #state;

  constructor(state) {
    super();
    this.#state = state;
    Object.defineProperty(this, CORE, { value: state.core });
  }

  get open() {
    return this.#state.open;
  }

  [SCOPE]() {
    if (!this.#state.open) throw new TypeError('The transaction has already completed');
    return this.#state;
  }

  async prepare(sql) {
    const scope = this[SCOPE]();
    const core = this[CORE];
    const program = await core.perform(scope, undefined, () => core.prepare(sql));
    return new Statement(this, core, scope, sql, program);
  }
}

async function runTransaction(core, begin, body) {
  current ??= new AsyncLocalStorage();
  const outer = current.getStore();
  if (outer?.core === core && outer.open) return runNested(core, outer, body);
  const state = { core, gate: new Gate(), open: true };
  return core.perform(undefined, undefined, async (connection) => {
    await connection.execAsync(begin);
    try {
      const result = await current.run(state, body, state);
      await settle(state);
      await connection.execAsync('COMMIT');
      return result;
    } catch (error) {
      await settle(state);
      if (connection.inTransaction) await connection.execAsync('ROLLBACK');
      throw error;
    }
  });
}

// Lets what the callback has begun, and did not wait for, come to its end.
async function settle(state) {
  if (!state.open) return;
  const turn = state.gate.enter();
  if (turn !== undefined) await turn;
  state.open = false;
}

async function runNested(core, outer, body) {
  const control = (sql) => core.perform(outer, undefined, (connection) => connection.execAsync(sql));
  await control('SAVEPOINT godwit_nested');
  try {
    const result = await body(outer);
    await control('RELEASE godwit_nested');
    return result;
  } catch (error) {
    if (core.connection.inTransaction) await control('ROLLBACK TO godwit_nested; RELEASE godwit_nested');
    throw error;
  }
}

// A function with its variants for the ways to begin.
function transactionFunctions(database, call) {
  const wrap = (begin) => function sqliteTransaction(...args) {
    return runTransaction(database[CORE], begin, (state) => call.call(this, state, args));
  };
  const variants = { default: wrap('BEGIN') };
  for (const mode of ['deferred', 'concurrent', 'immediate', 'exclusive']) {
    variants[mode] = wrap(`BEGIN ${mode.toUpperCase()}`);
  }
  for (const variant of Object.values(variants)) {
    for (const [name, value] of Object.entries(variants)) Object.defineProperty(variant, name, { value });
    Object.defineProperty(variant, 'database', { value: database, enumerable: true });
  }
  return variants.default;
}

class Database extends Executor {
  constructor(path, options) {
    super();
    if (typeof path !== 'string') throw new TypeError('Expected first argument to be a string');
    Object.defineProperty(this, CORE, { value: new Core(path, options ?? {}) });
  }

  get name() {
    return this[CORE].path;
  }

  get open() {
    return this[CORE].connection !== null && this[CORE].connection.open;
  }

  get memory() {
    return this[CORE].path === ':memory:' || this[CORE].path === '';
  }

  get readonly() {
    return this[CORE].options.readonly === true;
  }

  get inTransaction() {
    return this[CORE].connection !== null && this[CORE].connection.inTransaction;
  }

  async connect() {
    await this[CORE].connect();
  }

  // Compiled at once if nothing else runs on the connection, else in its turn.
  prepare(sql) {
    const core = this[CORE];
    core.requireOpen();
    if (typeof sql !== 'string') throw new TypeError('Expected first argument to be a string');
    const now = core.connection !== null && core.gate.free;
    return new Statement(this, core, undefined, sql, now ? core.prepareNow(sql) : null);
  }

  transaction(fn) {
    if (typeof fn !== 'function') throw new TypeError('Expected first argument to be a function');
    return transactionFunctions(this, function call(state, args) { return fn.apply(this, args); });
  }

  transactionAsync(fn) {
    if (typeof fn !== 'function') throw new TypeError('Expected first argument to be a function');
    if (fn.length === 0) {
      throw new TypeError('transactionAsync() callbacks take the Transaction handle as their first parameter, ' +
        'and have to declare it: async (txn, ...args) => { ... }');
    }
    return transactionFunctions(this, function call(state, args) {
      return fn.call(this, new Transaction(state), ...args);
    });
  }

  async pragma(source, options) {
    if (typeof source !== 'string') throw new TypeError('Expected first argument to be a string');
    const rows = await this.all(`PRAGMA ${source}`);
    if (!options?.simple) return rows;
    return rows.length === 0 ? undefined : Object.values(rows[0])[0];
  }

  async backup(filename, options) {
    return this[CORE].perform(undefined, undefined, (connection) => backup(connection, filename, options));
  }

  async serialize(options) {
    return this[CORE].perform(undefined, undefined,
      (connection) => connection.check(native.serialize(connection.slot, options?.attached ?? 'main')));
  }

  async loadExtension(path, entryPoint) {
    return this[CORE].perform(undefined, undefined, (connection) => {
      connection.check(native.loadExtension(connection.slot, path, entryPoint ?? ''));
    });
  }

  // SQL runs on other threads, where JavaScript cannot be called.
  function() {
    throw new Error('not implemented');
  }

  aggregate() {
    throw new Error('not implemented');
  }

  table() {
    throw new Error('not implemented');
  }

  interrupt() {
    const core = this[CORE];
    core.requireOpen();
    if (core.connection !== null) native.interrupt(core.connection.slot);
  }

  defaultSafeIntegers(on) {
    const core = this[CORE];
    core.integers = on === false ? io.ROUND : io.AS_BIGINT;
    if (core.connection?.open) {
      core.connection.setIntegers(on === false ? core.connection.unsafeIntegers : io.AS_BIGINT);
    }
  }

  // After what was called before.
  async close() {
    const core = this[CORE];
    if (core.closed) return;
    const turn = core.gate.enter();
    if (turn !== undefined) await turn;
    core.closed = true;
    core.gate.leave();
    if (core.connection !== null) await core.connection.closeAsync();
  }

  async io() {}
}

async function connect(path, options) {
  const database = new Database(path, options);
  await database.connect();
  return database;
}

module.exports = { connect, Database, SqliteError, Transaction };
