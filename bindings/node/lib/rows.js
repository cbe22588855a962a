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

// Takes up what a native call returned.
function load(result) {
  textEnd = 0;
  if (header[EXTRAS] === 0) {
    text = result ?? ''; // there may be empty texts only
    extras = undefined;
  } else {
    text = result[0] ?? '';
    extras = result;
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
      if (names[i] === '__proto__') define(row, names[i], value);
      else row[names[i]] = value;
    }
    return row;
  };
}

// Each maker takes the number of a row's first cell.
const makers = {
  object(names) {
    if (names.length <= COMPILED_COLUMNS) {
      const fields = names.map((name, i) => `${keyOf(name)}: ${read(i)}`);
      const compiled = compile(`(k) => ({ ${fields.join(', ')} })`);
      if (compiled) return compiled;
    }
    return objectLoop(names, true);
  },
  // Rows of node:sqlite have no prototype.
  bare(names) {
    if (names.length <= COMPILED_COLUMNS && !names.includes('__proto__')) {
      const fields = names.map((name, i) => `, ${keyOf(name)}: ${read(i)}`);
      const compiled = compile(`(k) => ({ __proto__: null${fields.join('')} })`);
      if (compiled) return compiled;
    }
    return objectLoop(names, false);
  },
  array(names) {
    if (names.length <= COMPILED_COLUMNS) {
      const compiled = compile(`(k) => [${names.map((_, i) => read(i)).join(', ')}]`);
      if (compiled) return compiled;
    }
    return (k) => names.map((_, i) => cell(k + i));
  },
  first(names) {
    if (names.length === 1) return cell;
    return (k) => {
      const value = cell(k);
      for (let i = 1; i < names.length; ++i) cell(k + i);
      return value;
    };
  },
  // Columns by table; those of no table under `$`.
  byTable(names, tables) {
    return (k) => {
      const row = {};
      for (let i = 0; i < names.length; ++i) {
        const table = tables[i] ?? '$';
        if (!Object.hasOwn(row, table)) define(row, table, {});
        define(row[table], names[i], cell(k + i));
      }
      return row;
    };
  },
};

module.exports = { load, unload, makers };
