'use strict';
// Runs the cases of test/cases on an implementation of the synchronous API, and gives what each did as text.
//
//     node test/golden.js PATH_OF_BETTER_SQLITE3     writes test/golden/better-sqlite3.json

const fs = require('fs');
const os = require('os');
const path = require('path');

function describe(result) {
  const text = JSON.stringify(result, (key, value) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (value === undefined) return '<undefined>';
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    return value;
  });
  return text === undefined ? '<undefined>' : text;
}

function record(Database) {
  const results = {};
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'godwit-node-'));
  try {
    for (const name of ['statements', 'databases']) {
      const dir = path.join(base, name);
      fs.mkdirSync(dir);
      require(`./cases/${name}`)(Database, (title, fn) => {
        let text;
        try {
          text = describe(fn());
        } catch (error) {
          text = `${error.constructor.name} ${error.code ?? ''}: ${error.message}`;
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
  const results = record(require(process.argv[2]));
  const file = path.join(__dirname, 'golden', 'better-sqlite3.json');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
  console.log(`${Object.keys(results).length} cases`);
}
