// Four groups of single statements in autocommit, each in DELETE and in WAL mode: insert random data, select by an
// index, select without one, insert then select. Runs under Deno and under Node:
//
//     deno run -A deno.mjs [--engines a,b] [--iterations 3000] [--modes DELETE,WAL] [--json FILE]
//
// synchronous is left as it is, as in the suite that this follows.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { dataFolder, parseArguments, random, removeDatabase, summarize } from './common.mjs';
import { engine } from './engines.mjs';
import { comparison, table, time } from './report.mjs';

const options = parseArguments({
  engines: ['godwit', 'node:sqlite', 'libsql', 'node-sqlite3-wasm'], iterations: 3000, modes: ['DELETE', 'WAL'], json: '',
});
const folder = dataFolder();
// An insert of node-sqlite3-wasm, and any in DELETE mode, takes milliseconds.
const LIMIT_MS = 3000;

function measure(run) {
  for (let i = 0; i < 20; ++i) run();
  const times = [];
  const end = performance.now() + LIMIT_MS;
  for (let i = 0; i < options.iterations && performance.now() < end; ++i) {
    const start = process.hrtime.bigint();
    run();
    times.push(Number(process.hrtime.bigint() - start));
  }
  return summarize(times);
}

const results = [];
for (const mode of options.modes) {
  for (const name of options.engines) {
    const chosen = await engine(name);
    if (chosen === null || (mode === 'WAL' && chosen.noWal)) continue;
    const file = path.join(folder, 'deno.db');
    removeDatabase(file);
    const db = chosen.open(file);
    db.exec('CREATE TABLE foobar(id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL)');
    db.exec('CREATE INDEX foobar_number ON foobar(number)');
    if (mode === 'WAL') db.prepare('PRAGMA journal_mode = WAL').all();
    const insert = db.prepare('INSERT INTO foobar(name, number) VALUES(?, ?)');
    const indexed = db.prepare('SELECT * FROM foobar WHERE number > ? LIMIT 1');
    const unindexed = db.prepare('SELECT * FROM foobar WHERE name = ? LIMIT 1');
    const next = random(1);
    const add = () => { const r = next(); insert.run(`name-${r}`, r); };
    // The same number of rows for all, however many the inserts came to in their time.
    const fill = () => {
      const [{ n }] = db.prepare('SELECT count(*) AS n FROM foobar').all();
      db.exec('BEGIN');
      for (let i = Number(n); i < options.iterations + 100; ++i) add();
      db.exec('COMMIT');
    };
    const groups = [['insert random data', add],
      ['select random data (indexed)', () => indexed.get(next())],
      ['select random data (unindexed)', () => unindexed.get(`name-${next()}`)],
      ['insert then select', () => { add(); indexed.get(next()); }]];
    for (const [group, run] of groups) {
      results.push({ suite: 'deno', engine: name, mode, group, spread: 0, ...measure(run) });
      if (run === add) fill();
    }
    db.close();
  }
}
const runtime = globalThis.Deno ? `Deno ${globalThis.Deno.version.deno}` : `Node ${process.version}`;
if (options.json) writeFileSync(options.json, JSON.stringify(results));
console.log(`${runtime}\n`);
console.log(table(['mode', 'group', 'engine', 'mean', 'p50', 'p95', 'p99', 'p99.9'], results.map((r) => [r.mode, r.group, r.engine,
  time(r.mean), time(r.p50), time(r.p95), time(r.p99), time(r.p999)])));
console.log(`\n${comparison(results, (r) => `${r.mode}: ${r.group}`, 'mean', true)}`);
process.exit(0);
