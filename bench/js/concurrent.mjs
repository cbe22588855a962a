// Threads of one process on one database file, each with a connection of its own, let go at the same moment.
//
//     node concurrent.mjs [--engines a,b] [--scenario write-contention,read-write-mix] [--threads 1,2,4,8]
//                         [--ops 2000] [--batchSize 1] [--timeout 10000] [--rows 10000] [--json FILE]
//
// write-contention: all threads insert. read-write-mix: as many readers as threads, and one writer that goes on
// until they are done. Throughput of a role is measured over that role's own time.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { below, dataFolder, parseArguments, random, removeDatabase, summarize } from './common.mjs';
import { DEFAULT_ENGINES, engine, openDatabase } from './engines.mjs';
import { concurrentTable } from './report.mjs';
import { seed } from './workloads.mjs';

// Words of the shared memory.
const READY = 0;
const GO = 1;
const READERS_LEFT = 2;

function writer(db, { batchSize, id, rows }) {
  const insert = db.prepare('INSERT INTO events(user_id, kind, payload, at) VALUES(?, ?, ?, ?)');
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  return (i) => {
    if (batchSize > 1) begin.run();
    for (let k = 0; k < batchSize; ++k) insert.run(i % rows, 'thread', `payload ${id}-${i}-${k}`, 1700000000 + i);
    if (batchSize > 1) commit.run();
  };
}

function reader(db, { id, rows }) {
  const select = db.prepare('SELECT * FROM users WHERE id = ?');
  const next = random(100 + id);
  return () => {
    if (select.get(1 + below(next, rows)) === undefined) throw new Error('no such user');
  };
}

async function work() {
  const shared = new Int32Array(workerData.shared);
  const chosen = await engine(workerData.engine);
  const db = openDatabase(chosen, workerData.file, { timeout: workerData.timeout });
  const run = (workerData.role === 'writer' ? writer : reader)(db, workerData);
  Atomics.add(shared, READY, 1);
  Atomics.notify(shared, READY);
  Atomics.wait(shared, GO, 0);
  const times = [];
  let errors = 0;
  const begin = process.hrtime.bigint();
  for (let i = 0; workerData.open ? Atomics.load(shared, READERS_LEFT) > 0 : i < workerData.ops; ++i) {
    const start = process.hrtime.bigint();
    try {
      run(i);
    } catch (error) {
      if (!/busy|locked/i.test(`${error.code} ${error.message}`)) throw error;
      ++errors;
    }
    times.push(Number(process.hrtime.bigint() - start));
  }
  const elapsed = Number(process.hrtime.bigint() - begin);
  if (workerData.role === 'reader') Atomics.sub(shared, READERS_LEFT, 1);
  db.close();
  parentPort.postMessage({ role: workerData.role, times, elapsed, errors });
}

async function scenario(chosen, name, threads, options, file) {
  const shared = new SharedArrayBuffer(16);
  const words = new Int32Array(shared);
  const roles = name === 'write-contention' ? Array(threads).fill('writer') : [...Array(threads).fill('reader'), 'writer'];
  words[READERS_LEFT] = roles.filter((role) => role === 'reader').length;
  const open = name === 'read-write-mix';
  const results = roles.map((role, id) => new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { ...options, shared, engine: chosen.name, file, role, id, open: open && role === 'writer' },
    });
    worker.once('message', resolve);
    worker.once('error', reject);
  }));
  while (Atomics.load(words, READY) < roles.length) await new Promise((resolve) => { setTimeout(resolve, 5); });
  Atomics.store(words, GO, 1);
  Atomics.notify(words, GO);
  const done = await Promise.all(results);
  return [...new Set(roles)].map((role) => {
    const mine = done.filter((result) => result.role === role);
    const times = mine.flatMap((result) => result.times);
    const elapsed = Math.max(...mine.map((result) => result.elapsed));
    const perOperation = role === 'writer' ? options.batchSize : 1;
    return {
      suite: 'concurrent', engine: chosen.name, scenario: name, threads, role, ...summarize(times),
      perSecond: (times.length * perOperation) / (elapsed / 1e9), errors: mine.reduce((sum, result) => sum + result.errors, 0),
    };
  });
}

async function main() {
  const options = parseArguments({
    engines: DEFAULT_ENGINES, scenario: ['write-contention', 'read-write-mix'], threads: [1, 2, 4, 8], ops: 2000,
    batchSize: 1, timeout: 10000, rows: 10000, json: '',
  });
  const folder = dataFolder();
  const results = [];
  for (const name of options.engines) {
    const chosen = await engine(name);
    if (chosen === null || chosen.noWal) continue;
    for (const which of options.scenario) {
      for (const threads of options.threads) {
        const file = path.join(folder, 'concurrent.db');
        removeDatabase(file);
        const db = openDatabase(chosen, file);
        seed(db, options.rows);
        db.close();
        results.push(...await scenario(chosen, which, threads, options, file));
      }
    }
  }
  if (options.json) writeFileSync(options.json, JSON.stringify(results));
  else console.log(concurrentTable(results));
}

if (isMainThread) await main();
else await work();
