'use strict';
// Statements of the synchronous API.

const { Program, requireBindable } = require('./program');
const { AS_BIGINT, ROUND } = require('./native');
const { bindLoosely } = require('./loose');

const NOT_OPEN = 'The database connection is not open';
const CONNECTION_BUSY = 'This database connection is busy executing a query';
const STATEMENT_BUSY = 'This statement is busy executing a query';
const TOO_MANY = 'Too many parameter values were provided';

// db.prepare() sets it: a statement cannot be made in another way.
let allowed = false;

function isPlain(object) {
  const prototype = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

// Arguments of a call as parameters: values in their order, arrays of them, one object with names.
function bindArguments(program, args) {
  program.startBinding();
  const total = program.parameters;
  let given = 0;
  let names = null;
  const { anonymous, named } = program.parameterLayout();
  const add = (value) => {
    if (given >= anonymous.length) {
      requireBindable(value);
      throw new RangeError(TOO_MANY);
    }
    program.put(anonymous[given++], value);
  };
  for (const argument of args) {
    if (typeof argument !== 'object' || argument === null || ArrayBuffer.isView(argument)) {
      add(argument);
    } else if (Array.isArray(argument)) {
      for (let i = 0; i < argument.length; ++i) add(argument[i]);
    } else if (isPlain(argument)) {
      if (names !== null) throw new TypeError('You cannot specify named parameters in two different objects');
      names = argument;
      for (const [k, name] of named) {
        if (!Object.hasOwn(names, name)) throw new RangeError(`Missing named parameter "${name}"`);
        program.put(k, names[name]);
      }
    } else if (argument instanceof Date || argument instanceof ArrayBuffer) {
      add(argument);
    } else {
      throw new TypeError('Named parameters can only be passed within plain objects');
    }
  }
  const bound = given + (names === null ? 0 : named.length);
  if (bound === total) return;
  if (names === null && named.length !== 0) throw new TypeError('Missing named parameters');
  throw new RangeError('Too few parameter values were provided');
}

function toggle(value) {
  if (value === undefined) return true;
  if (typeof value !== 'boolean') throw new TypeError('Expected first argument to be a boolean');
  return value;
}

class Statement {
  #program;
  #connection;
  #iterating = false;
  #bound = null; // arguments of bind(), where bindings are loose

  constructor(database, connection, sql) {
    if (!allowed) throw new TypeError('Statements can only be constructed by the db.prepare() method');
    const program = new Program(connection, sql);
    this.#program = program;
    this.#connection = connection;
    const fixed = (name, value) => Object.defineProperty(this, name, { value, enumerable: true });
    Object.defineProperty(this, 'busy', { get: () => this.#iterating, enumerable: true });
    fixed('reader', program.columns > 0);
    fixed('readonly', program.readonly);
    fixed('source', sql);
    fixed('database', database);
  }

  static create(database, connection, sql) {
    allowed = true;
    try {
      return new Statement(database, connection, sql);
    } finally {
      allowed = false;
    }
  }

  // Refuses what must not run now, binds, and gives the number of parameters in the exchange buffer.
  #start(args, reading) {
    const connection = this.#connection;
    const program = this.#program;
    if (!connection.open) throw new TypeError(NOT_OPEN);
    if (connection.calls !== 0) this.#refuseBusy();
    if (connection.iterators !== 0) {
      if (this.#iterating) throw new TypeError(STATEMENT_BUSY);
      if (!reading && !connection.unsafe) throw new TypeError(CONNECTION_BUSY);
    }
    if (connection.loose) return bindLoosely(program, this.#bound ?? args);
    const count = args.length;
    if (program.bound) {
      if (count !== 0) throw new TypeError('This statement already has bound parameters');
      return 0;
    }
    if (count === program.parameters && count <= 64) {
      if (count === 0) return 0;
      if (this.#bindSimple(args)) return count;
    }
    bindArguments(program, args);
    return program.buffered;
  }

  // The common case: as many plain values as anonymous parameters.
  #bindSimple(args) {
    const program = this.#program;
    if ((program.layout ?? program.parameterLayout()).named.length !== 0) return false;
    program.startBinding();
    for (let i = 0; i < args.length; ++i) {
      const value = args[i];
      if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) return false;
      program.put(i, value);
    }
    return true;
  }

  #refuseBusy() {
    if (!this.#connection.unsafe) throw new TypeError(CONNECTION_BUSY);
  }

  // A statement without a result is asked for rows.
  #runInstead(args, result) {
    if (!this.#connection.loose) throw new TypeError('This statement does not return data. Use run() instead');
    this.run(...args);
    return result;
  }

  run(...args) {
    const count = this.#start(args, false);
    const program = this.#program;
    program.run(count);
    return program.changes();
  }

  get(...args) {
    if (!this.reader) return this.#runInstead(args, undefined);
    return this.#program.get(this.#start(args, true));
  }

  all(...args) {
    if (!this.reader) return this.#runInstead(args, []);
    return this.#program.all(this.#start(args, true));
  }

  iterate(...args) {
    if (!this.reader) return this.#runInstead(args, [])[Symbol.iterator]();
    const count = this.#start(args, true);
    this.#iterating = true;
    ++this.#connection.iterators;
    return StatementIterator.create(this.#program, this.#connection, count, () => {
      this.#iterating = false;
      --this.#connection.iterators;
    });
  }

  #requireIdle() {
    if (this.#iterating) throw new TypeError(STATEMENT_BUSY);
  }

  bind(...args) {
    this.#requireIdle();
    if (this.#connection.loose) {
      this.#bound = args;
      return this;
    }
    if (this.#program.bound) {
      throw new TypeError('The bind() method can only be invoked once per statement object');
    }
    if (!this.#connection.open) throw new TypeError(NOT_OPEN);
    bindArguments(this.#program, args);
    this.#program.bindPermanently(this.#program.buffered);
    return this;
  }

  #shape(name, shape, value) {
    if (!this.reader) throw new TypeError(`The ${name}() method is only for statements that return data`);
    this.#requireIdle();
    const on = toggle(value);
    const program = this.#program;
    if (on) program.setShape(shape);
    else if (program.shape === shape) program.setShape('object');
    return this;
  }

  pluck(on) {
    return this.#shape('pluck', 'first', on);
  }

  expand(on) {
    return this.#shape('expand', 'byTable', on);
  }

  raw(on) {
    return this.#shape('raw', 'array', on);
  }

  safeIntegers(on) {
    this.#requireIdle();
    const mode = toggle(on) ? AS_BIGINT : this.#connection.unsafeIntegers ?? ROUND;
    if (this.#connection.open) this.#program.setIntegers(mode);
    return this;
  }

  columns() {
    if (!this.reader) throw new TypeError('The columns() method is only for statements that return data');
    if (!this.#connection.open) throw new TypeError(NOT_OPEN);
    return this.#program.describeColumns();
  }
}

// Rows are fetched ahead, in batches that grow: one, then 16, then 256, then as many as the buffer holds.
// Where JavaScript could notice (functions of its own, unsafe mode), row by row.
class StatementIterator {
  #program;
  #connection;
  #parameters;
  #end;
  #rows = [];
  #position = 0;
  #limit = 1;
  #more = true;

  constructor(program, connection, parameters, end) {
    if (!allowed) throw new TypeError('Disabled constructor');
    this.#program = program;
    this.#connection = connection;
    this.#parameters = parameters;
    this.#end = end;
    // The first row is fetched here, while the parameters are in the exchange buffer.
    try {
      this.#fetch();
    } catch (error) {
      end();
      throw error;
    }
  }

  static create(...args) {
    allowed = true;
    try {
      return new StatementIterator(...args);
    } finally {
      allowed = false;
    }
  }

  #fetch() {
    this.#rows.length = 0;
    this.#position = 0;
    this.#more = this.#program.fetch(this.#parameters, this.#limit, this.#rows);
    this.#parameters = -1;
    if (!this.#connection.unsafe && this.#connection.functions === 0) {
      this.#limit = Math.min(this.#limit * 16, 4096);
    }
  }

  #finish() {
    if (this.#end === null) return;
    const end = this.#end;
    this.#end = null;
    if (this.#more && this.#connection.open) this.#program.reset();
    this.#rows.length = 0;
    end();
  }

  next() {
    if (this.#end === null) return { value: undefined, done: true };
    if (this.#connection.calls !== 0 && !this.#connection.unsafe) throw new TypeError(CONNECTION_BUSY);
    if (this.#position === this.#rows.length && this.#more) {
      try {
        this.#fetch();
      } catch (error) {
        this.#more = false;
        this.#finish();
        throw error;
      }
    }
    if (this.#position < this.#rows.length) return { value: this.#rows[this.#position++], done: false };
    this.#finish();
    return { value: undefined, done: true };
  }

  return() {
    if (this.#connection.calls !== 0 && !this.#connection.unsafe) throw new TypeError(CONNECTION_BUSY);
    this.#finish();
    return { value: undefined, done: true };
  }

  [Symbol.iterator]() {
    return this;
  }
}

module.exports = { Statement, bindArguments, NOT_OPEN, CONNECTION_BUSY };
