'use strict';
// Makes rows of the cells that a native call has left in the exchange buffer.
//
// A row's object literal is compiled for its statement, so that all its rows have one hidden class and no
// key is looked up. Where code generation from strings is off, a loop does the same more slowly. The ASCII
// texts of a batch come as one string, from which each is cut in turn: a row has to be read in the order of
// its cells, and only once.

const { header, int32, float64, int64, tags, EXTRAS } = require('./native');

let text = '';
let textEnd = 0;
let extras;
let nextExtra = 0;

const plain = (bytes) => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);

// Takes up what a native call returned. With `plainBytes` blobs are no Buffers.
function load(result, plainBytes) {
  textEnd = 0;
  if (header[EXTRAS] === 0) {
    text = result ?? ''; // there may be empty texts only
    extras = undefined;
  } else {
    text = result[0] ?? '';
    extras = plainBytes ? result.map((extra) => (typeof extra === 'object' ? plain(extra) : extra)) : result;
    nextExtra = 1;
  }
}

// Lets go of the last batch's values.
function unload() {
  text = '';
  extras = undefined;
}

function cell(k) {
  switch (tags[k]) {
    case 0: return int32[k * 2];
    case 1: return null;
    case 2: {
      const start = textEnd;
      textEnd = float64[k];
      return text.substring(start, textEnd);
    }
    case 3: return extras[nextExtra++];
    case 4: return int64[k];
    default: return float64[k];
  }
}

let compiling = true;

function compile(source) {
  if (!compiling) return null;
  try {
    return new Function('tags', 'int32', 'cell', `'use strict'; return ${source};`)(tags, int32, cell);
  } catch {
    compiling = false; // --disallow-code-generation-from-strings
    return null;
  }
}

// [key]: also right for __proto__.
const keyOf = (name) => (name === '__proto__' ? '["__proto__"]' : JSON.stringify(name));
const read = (i) => (i === 0 ? '(tags[k] === 0 ? int32[k * 2] : cell(k))'
  : `(tags[k + ${i}] === 0 ? int32[k * 2 + ${i * 2}] : cell(k + ${i}))`);

// More columns than this are not compiled: the code would not be optimized anyway.
const COMPILED_COLUMNS = 200;

function define(row, name, value) {
  Object.defineProperty(row, name, { value, enumerable: true, writable: true, configurable: true });
}

function objectLoop(names, prototype) {
  return (k) => {
    const row = prototype ? {} : Object.create(null);
    for (let i = 0; i < names.length; ++i) {
      const value = cell(k + i);
      if (prototype && names[i] === '__proto__') define(row, names[i], value);
      else row[names[i]] = value;
    }
    return row;
  };
}

function arrayLoop(names) {
  return (k) => names.map((_, i) => cell(k + i));
}

// Columns by table; those of no table under `$`.
function byTable(names, tables) {
  return (k) => {
    const row = {};
    for (let i = 0; i < names.length; ++i) {
      const table = tables[i] ?? '$';
      if (!Object.hasOwn(row, table)) define(row, table, {});
      define(row[table], names[i], cell(k + i));
    }
    return row;
  };
}

// The first column; the others' texts and extras are passed by.
function firstOnly(names) {
  if (names.length === 1) return cell;
  return (k) => {
    const value = cell(k);
    for (let i = 1; i < names.length; ++i) cell(k + i);
    return value;
  };
}

// A shape's loop, and the source of the function that does the same, if there is one.
const shapes = {
  object: {
    loop: (names) => objectLoop(names, true),
    source: (names) => `({ ${names.map((name, i) => `${keyOf(name)}: ${read(i)}`).join(', ')} })`,
  },
  // Rows of node:sqlite have no prototype.
  bare: {
    loop: (names) => objectLoop(names, false),
    source: (names) => `({ __proto__: null${names.map((name, i) => `, ${keyOf(name)}: ${read(i)}`).join('')} })`,
  },
  array: {
    loop: arrayLoop,
    source: (names) => `[${names.map((_, i) => read(i)).join(', ')}]`,
  },
  first: { loop: firstOnly },
  byTable: { loop: byTable },
};

// Compiling takes longer than making a few rows with a loop, and many statements have the same columns.
const ROWS_BEFORE_COMPILING = 8;
const KEPT_MAKERS = 1000;
const kept = new Map();

// Makes the rows of one shape and list of columns. `make` takes the number of a row's first cell.
class Maker {
  constructor(shape, names, tables) {
    this.names = names;
    this.source = names.length <= COMPILED_COLUMNS ? shapes[shape].source : undefined;
    this.make = shapes[shape].loop(names, tables);
    this.cold = this.source !== undefined; // not compiled yet
    this.rows = 0;
  }

  // Before `rows` more are made.
  warm(rows) {
    this.rows += rows;
    if (this.rows <= ROWS_BEFORE_COMPILING) return;
    this.cold = false;
    this.make = compile(`(k) => ${this.source(this.names)}`) ?? this.make;
  }
}

function makerOf(shape, names, tables) {
  if (tables) return new Maker(shape, names, tables);
  const key = `${shape}\0${names.join('\0')}`;
  let maker = kept.get(key);
  if (maker === undefined) {
    if (kept.size >= KEPT_MAKERS) kept.delete(kept.keys().next().value);
    maker = new Maker(shape, names, tables);
    kept.set(key, maker);
  }
  return maker;
}

module.exports = { load, unload, makerOf };
