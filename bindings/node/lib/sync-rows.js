'use strict';
// Rows as the sync layer writes them (src/sync/row_json.h) and as JavaScript has them: a blob is
// {"base64": "..."} there and a Buffer here; integers beyond 2^53 are bigints.

const BIG_INTEGERS = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;

function markBig(token) {
  if (token[0] === '"' || Number.isSafeInteger(Number(token))) return token;
  return `{"bigint":"${token}"}`;
}

function revive(key, value) {
  if (key === '' || typeof value !== 'object' || value === null) return value;
  if (typeof value.base64 === 'string') return Buffer.from(value.base64, 'base64');
  return typeof value.bigint === 'string' ? BigInt(value.bigint) : value;
}

// Empty: there is no such row.
function parseRow(json) {
  if (json === '') return null;
  return JSON.parse(/\d{16}/.test(json) ? json.replace(BIG_INTEGERS, markBig) : json, revive);
}

function writeValue(value) {
  switch (typeof value) {
    case 'bigint': return String(value);
    case 'number':
      if (Number.isFinite(value)) return JSON.stringify(value);
      return Number.isNaN(value) ? 'null' : value > 0 ? '1e999' : '-1e999';
    case 'string': case 'boolean': return JSON.stringify(value);
    case 'undefined': return 'null';
    default:
  }
  if (value === null) return 'null';
  if (ArrayBuffer.isView(value)) {
    return `{"base64":"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"}`;
  }
  throw new TypeError('A row holds numbers, strings, bigints, buffers, and null');
}

function writeRow(row) {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) {
    throw new TypeError('Expected a row: an object of columns');
  }
  return `{${Object.entries(row).map(([name, value]) => `${JSON.stringify(name)}:${writeValue(value)}`).join(',')}}`;
}

module.exports = { parseRow, writeRow };
