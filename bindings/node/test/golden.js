'use strict';
// Runs the cases of test/cases on an implementation of an API, and gives what each did as text.
//
//     node test/golden.js better-sqlite3 PATH     writes test/golden/better-sqlite3.json
//     node test/golden.js node-sqlite node:sqlite (with Node 24)

const fs = require('fs');
const os = require('os');
const path = require('path');

const CASES = { 'better-sqlite3': ['statements', 'databases'], 'node-sqlite': ['node-sqlite'] };

function describe(result) {
  const text = JSON.stringify(result, (key, value) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (value === undefined) return '<undefined>';
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
    return value;
  });
  return text === undefined ? '<undefined>' : text;
}

function describeError(error) {
  const parts = [error.constructor.name, error.code, error.errcode, error.errstr].filter((part) => part !== undefined);
  return `${parts.join(' ')}: ${error.message}`;
}

function record(api, implementation) {
  const results = {};
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'godwit-node-'));
  try {
    for (const name of CASES[api]) {
      const dir = path.join(base, name);
      fs.mkdirSync(dir);
      require(`./cases/${name}`)(implementation, (title, fn) => {
        let text;
        try {
          text = describe(fn());
        } catch (error) {
          text = describeError(error);
        }
        results[`${name}: ${title}`] = text.replaceAll(base, 'DIR');
      }, dir);
    }
  } finally {
    fs.rmSync(base, { recursive: true });
  }
  return results;
}

module.exports = { record };

if (require.main === module) {
  const [api, implementation] = process.argv.slice(2);
  const results = record(api, require(implementation));
  const file = path.join(__dirname, 'golden', `${api}.json`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
  console.log(`${Object.keys(results).length} cases`);
}
