'use strict';
// SQL functions and aggregates written in JavaScript.

const { native, AS_BIGINT } = require('./native');
const { booleanOption, functionOption } = require('./options');

const DETERMINISTIC = 0x800;
const DIRECT_ONLY = 0x80000;
const MAX_ARGUMENTS = 100;

function argumentCount(fn, varargs) {
  if (varargs) return -1;
  const count = fn.length;
  if (!Number.isInteger(count) || count < 0) {
    throw new TypeError('Expected function.length to be a positive integer');
  }
  if (count > MAX_ARGUMENTS) {
    throw new RangeError('User-defined functions cannot have more than 100 arguments');
  }
  return count;
}

function traits(connection, options) {
  const safe = 'safeIntegers' in options ? booleanOption(options, 'safeIntegers') : null;
  const plain = connection.unsafeIntegers ?? 0;
  return {
    integers: safe === null ? connection.integers : safe ? AS_BIGINT : plain,
    flags: (booleanOption(options, 'deterministic') ? DETERMINISTIC : 0) |
      (booleanOption(options, 'directOnly') ? DIRECT_ONLY : 0),
    varargs: booleanOption(options, 'varargs'),
  };
}

function checkName(name) {
  if (typeof name !== 'string') throw new TypeError('Expected first argument to be a string');
  if (!name) throw new TypeError('User-defined function name cannot be an empty string');
}

function defineFunction(connection, name, options, fn) {
  const { integers, flags, varargs } = traits(connection, options);
  const count = argumentCount(fn, varargs);
  ++connection.functions;
  connection.check(native.createFunction(connection.slot, name, count, flags, integers, connection.guard(fn)));
}

// The state of each group is kept here, by the number that the engine's side gives it.
function defineAggregate(connection, name, options, { start, step, inverse, result }) {
  const { integers, flags, varargs } = traits(connection, options);
  const count = Math.max(argumentCount(step, varargs), inverse ? argumentCount(inverse, varargs) : -1);
  // The first argument is the state.
  const parameters = varargs ? -1 : Math.max(count - 1, 0);
  const groups = new Map();
  const initial = () => (typeof start === 'function' ? start() : start);
  const stateOf = (group) => (groups.has(group) ? groups.get(group) : initial());
  const change = (fn) => connection.guard((group, ...args) => {
    const state = stateOf(group);
    const next = fn(state, ...args);
    groups.set(group, next === undefined ? state : next);
  });
  const finish = connection.guard((group, final) => {
    const state = stateOf(group);
    if (final) groups.delete(group);
    return result ? result(state) : state;
  });
  ++connection.functions;
  connection.check(native.createAggregate(connection.slot, name, parameters, flags, integers, change(step),
    inverse ? change(inverse) : null, finish));
}

function checkAggregate(options) {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('Expected second argument to be an options object');
  }
  if (!('step' in options)) throw new TypeError('Missing required option "step"');
  const step = functionOption(options, 'step');
  if (step === null) throw new TypeError('Expected the "step" option to be a function');
  return {
    start: 'start' in options ? options.start : null,
    step,
    inverse: functionOption(options, 'inverse'),
    result: functionOption(options, 'result'),
  };
}

module.exports = { defineFunction, defineAggregate, checkAggregate, checkName };
