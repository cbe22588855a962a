'use strict';
// The synchronous API beside better-sqlite3 12.11: results, error classes, codes and texts (test/golden.js).

const test = require('node:test');
const assert = require('node:assert');
const { record } = require('./golden');
const expected = require('./golden/better-sqlite3.json');

const results = record('better-sqlite3', require('godwit'));
for (const [title, text] of Object.entries(expected)) {
  test(title, () => assert.strictEqual(results[title], text));
}
