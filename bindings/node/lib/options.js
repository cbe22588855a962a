'use strict';
// Checks of options that several methods share.

function booleanOption(options, key) {
  if (!(key in options)) return false;
  const value = options[key];
  if (typeof value !== 'boolean') throw new TypeError(`Expected the "${key}" option to be a boolean`);
  return value;
}

function functionOption(options, key) {
  if (!(key in options)) return null;
  const value = options[key];
  if (typeof value === 'function') return value;
  if (value == null) return null;
  throw new TypeError(`Expected the "${key}" option to be a function`);
}

module.exports = { booleanOption, functionOption };
