'use strict';
// Virtual tables written in JavaScript: checks of their definitions, and of the rows that they yield.

const { native, AS_BIGINT } = require('./native');

const MAX_PARAMETERS = 32;
const Generator = Object.getPrototypeOf(function* () {});

const quote = (name) => `"${name.replaceAll('"', '""')}"`;
const isStrings = (value) => Array.isArray(value) && value.every((item) => typeof item === 'string');

// Names of parameters that the rows function implies by its length.
const implied = (count) => Array.from({ length: count }, (_, i) => `$${i + 1}`);

function checkDefinition(definition, verb, name) {
  const table = `Virtual table module "${name}"`;
  const bad = (what) => new TypeError(`${table} ${verb} a table definition ${what}`);
  if (typeof definition !== 'object' || definition === null) {
    throw new TypeError(`${table} did not return a table definition object`);
  }
  if (!Object.hasOwn(definition, 'rows')) throw bad('without a "rows" property');
  if (!Object.hasOwn(definition, 'columns')) throw bad('without a "columns" property');
  const { rows } = definition;
  if (typeof rows !== 'function' || Object.getPrototypeOf(rows) !== Generator) {
    throw bad('with an invalid "rows" property (should be a generator function)');
  }
  const { columns } = definition;
  if (!isStrings(columns)) throw bad('with an invalid "columns" property (should be an array of strings)');
  if (new Set(columns).size !== columns.length) throw bad('with duplicate column names');
  if (columns.length === 0) {
    throw new RangeError(`${table} ${verb} a table definition with zero columns`);
  }
  let parameters;
  if (Object.hasOwn(definition, 'parameters')) {
    ({ parameters } = definition);
    if (!isStrings(parameters)) {
      throw bad('with an invalid "parameters" property (should be an array of strings)');
    }
  } else {
    parameters = implied(rows.length);
  }
  if (new Set(parameters).size !== parameters.length) throw bad('with duplicate parameter names');
  if (parameters.length > MAX_PARAMETERS) {
    throw new RangeError(
      `${table} ${verb} a table definition with more than the maximum number of 32 parameters`);
  }
  const both = parameters.find((parameter) => columns.includes(parameter));
  if (both !== undefined) {
    throw bad(`with column "${both}" which was ambiguously defined as both a column and parameter`);
  }
  for (const key of ['safeIntegers', 'directOnly']) {
    if (Object.hasOwn(definition, key) && typeof definition[key] !== 'boolean') {
      throw bad(`with an invalid "${key}" property (should be a boolean)`);
    }
  }
  return {
    rows,
    columns: [...columns],
    parameters: [...parameters],
    safeIntegers: Object.hasOwn(definition, 'safeIntegers') ? definition.safeIntegers : undefined,
    directOnly: Object.hasOwn(definition, 'directOnly') && definition.directOnly,
  };
}

function makeRowReader(columns, name) {
  const table = `Virtual table module "${name}" yielded`;
  const places = new Map(columns.map((column, i) => [column, i]));
  return (row) => {
    if (Array.isArray(row)) {
      if (row.length !== columns.length) {
        throw new TypeError(`${table} a row with an incorrect number of columns`);
      }
      return row;
    }
    if (typeof row !== 'object' || row === null) {
      throw new TypeError(`${table} something that isn't a valid row object`);
    }
    const values = new Array(columns.length);
    let count = 0;
    for (const key of Object.keys(row)) {
      const place = places.get(key);
      if (place === undefined) throw new TypeError(`${table} a row with an undeclared column "${key}"`);
      values[place] = row[key];
      ++count;
    }
    if (count !== columns.length) throw new TypeError(`${table} a row with missing columns`);
    return values;
  };
}

// What src/table.cc takes a table for.
function compile(connection, checked, name) {
  const { rows, columns, parameters, safeIntegers, directOnly } = checked;
  const declaration = `CREATE TABLE x(${columns.map(quote).concat(
    parameters.map((parameter) => `${quote(parameter)} HIDDEN`)).join(', ')});`;
  const integers = safeIntegers === undefined ? connection.integers
    : safeIntegers ? AS_BIGINT : connection.unsafeIntegers ?? 0;
  const read = makeRowReader(columns, name);
  const open = connection.guard((...args) => {
    const generator = rows(...args);
    return connection.guard(() => {
      const { value, done } = generator.next();
      return done ? undefined : read(value);
    });
  });
  return [declaration, columns.length, parameters, directOnly ? 1 : 0, integers, open];
}

function defineTable(connection, name, factory) {
  if (typeof name !== 'string') throw new TypeError('Expected first argument to be a string');
  if (!name) throw new TypeError('Virtual table module name cannot be an empty string');
  const eponymous = typeof factory === 'object' && factory !== null;
  if (!eponymous && typeof factory !== 'function') {
    throw new TypeError('Expected second argument to be a function or a table definition object');
  }
  let connect;
  if (eponymous) {
    const checked = checkDefinition(factory, 'used', name);
    connect = () => compile(connection, checked, name);
  } else {
    connect = connection.guard((...args) => {
      const thisObject = { module: name };
      const definition = Reflect.apply(factory, thisObject, args);
      return compile(connection, checkDefinition(definition, 'returned', name), name);
    });
  }
  ++connection.functions;
  connection.check(native.createModule(connection.slot, name, eponymous ? 1 : 0, connect));
}

module.exports = { defineTable };
