'use strict';
// Bindings as @tursodatabase/database has them: integral numbers and booleans are INTEGER, an array or the
// arguments themselves give values in their order, an object gives them by name. What is not given is NULL.

const { INT32, int32, tags, CELLS } = require('./native');

function value(program, k, given) {
  if (typeof given === 'boolean') given = given ? 1 : 0;
  if (typeof given === 'number' && Number.isInteger(given) && !Object.is(given, -0)) {
    if (k < CELLS && given === (given | 0)) {
      int32[k * 2] = given;
      tags[k] = INT32;
      return;
    }
    if (Number.isSafeInteger(given)) given = BigInt(given);
  }
  program.put(k, given instanceof ArrayBuffer ? new Uint8Array(given) : given);
}

function isNames(argument) {
  return typeof argument === 'object' && argument !== null && !Array.isArray(argument) &&
    !ArrayBuffer.isView(argument) && !(argument instanceof ArrayBuffer) && !(argument instanceof Date);
}

// The number of parameters in the exchange buffer.
function bindLoosely(program, args) {
  program.startBinding();
  const total = program.parameters;
  if (total === 0) return 0;
  const first = args[0];
  if (args.length === 1 && isNames(first)) {
    const { anonymous, named } = program.parameterLayout();
    for (const k of anonymous) value(program, k, first[k + 1]);
    for (const [k, name, whole] of named) value(program, k, first[name] !== undefined ? first[name] : first[whole]);
    return program.buffered;
  }
  const values = args.length === 1 && Array.isArray(first) ? first : args;
  for (let k = 0; k < total; ++k) value(program, k, k < values.length ? values[k] : null);
  return program.buffered;
}

module.exports = { bindLoosely };
