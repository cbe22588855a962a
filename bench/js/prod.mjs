// The profile of an application: a billing service on a database larger than the page cache, several threads, each
// with a connection of its own, for a fixed time. What counts is throughput and the tail of the latencies.
//
//     node prod.mjs [--engines a,b] [--scale small|medium|large] [--threads 4] [--duration 15] [--cache 65536]
//                   [--fresh] [--json FILE]
//
// The data is made once, as a template file that is copied for each engine: all read the same pages.
// --cache is cache_size in KiB.

import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { below, dataFolder, parseArguments, random, removeDatabase, summarize } from './common.mjs';
import { DEFAULT_ENGINES, engine, openDatabase } from './engines.mjs';
import { prodTable } from './report.mjs';

const SCALES = { tiny: [2000, 8000], small: [100_000, 400_000], medium: [400_000, 2_000_000], large: [1_000_000, 6_000_000] };
const STATUSES = ['open', 'paid', 'shipped', 'returned'];
const YEAR = 31_536_000;
const START = 1_700_000_000;

const SCHEMA = `
  CREATE TABLE customers(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL, plan TEXT NOT NULL,
                         created_at INTEGER NOT NULL, profile TEXT NOT NULL);
  CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), status TEXT NOT NULL,
                      amount REAL NOT NULL, created_at INTEGER NOT NULL, note TEXT NOT NULL);
  CREATE INDEX orders_customer ON orders(customer_id, created_at);
  CREATE INDEX orders_status ON orders(status, created_at, id);
`;

function seed(db, [customers, orders]) {
  const next = random(2026);
  db.exec(SCHEMA);
  const filler = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor. '.repeat(4);
  const customer = db.prepare('INSERT INTO customers VALUES(?, ?, ?, ?, ?, ?)');
  const order = db.prepare('INSERT INTO orders VALUES(?, ?, ?, ?, ?, ?)');
  db.exec('BEGIN');
  for (let i = 1; i <= customers; ++i) {
    customer.run(i, `customer${i}@example.com`, `Customer ${i}`, i % 7 ? 'basic' : 'pro', START + below(next, YEAR),
      filler.slice(0, 200 + below(next, 100)));
  }
  for (let i = 1; i <= orders; ++i) {
    order.run(i, 1 + below(next, customers), STATUSES[below(next, 4)], Math.round(next() * 50000) / 100,
      START + below(next, YEAR), filler.slice(0, 40 + below(next, 60)));
  }
  db.exec('COMMIT');
}

// The mix: name, weight, and what it does.
function queries(db, [customers, orders], next) {
  const byId = db.prepare('SELECT * FROM customers WHERE id = ?');
  const byEmail = db.prepare('SELECT id, name, plan FROM customers WHERE email = ?');
  const recent = db.prepare('SELECT id, status, amount, created_at FROM orders WHERE customer_id = ? ' +
    'ORDER BY created_at DESC LIMIT 20');
  const page = db.prepare('SELECT id, customer_id, amount, created_at FROM orders ' +
    'WHERE status = ? AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT 50');
  const revenue = db.prepare('SELECT status, count(*) AS orders, sum(amount) AS revenue FROM orders ' +
    'WHERE created_at BETWEEN ? AND ? AND status IN (\'paid\', \'shipped\') GROUP BY status');
  const insert = db.prepare('INSERT INTO orders(customer_id, status, amount, created_at, note) VALUES(?, ?, ?, ?, ?)');
  const update = db.prepare('UPDATE orders SET status = ? WHERE id = ?');
  const now = () => START + below(next, YEAR);
  return [
    ['customer_by_id', 35, () => byId.get(1 + below(next, customers))],
    ['customer_by_email', 15, () => byEmail.get(`customer${1 + below(next, customers)}@example.com`)],
    ['recent_orders', 15, () => recent.all(1 + below(next, customers))],
    ['order_page', 10, () => page.all(STATUSES[below(next, 4)], now(), 0)],
    ['revenue_dashboard', 10, () => { const from = now(); return revenue.all(from, from + 86400 * 7); }],
    ['insert_order', 8, () => insert.run(1 + below(next, customers), 'open', below(next, 50000) / 100, now(), 'a new order')],
    ['update_status', 7, () => update.run(STATUSES[below(next, 4)], 1 + below(next, orders))],
  ];
}

export const WRITES = ['insert_order', 'update_status'];

async function work() {
  const { file, scale, duration, cache, id } = workerData;
  const shared = new Int32Array(workerData.shared);
  const chosen = await engine(workerData.engine);
  const db = openDatabase(chosen, file, { cacheKiB: cache, timeout: 10000 });
  const next = random(1000 + id);
  const mix = queries(db, SCALES[scale], next);
  const deck = mix.flatMap(([, weight], i) => Array(weight).fill(i));
  for (const [, , run] of mix) run();
  const times = mix.map(() => []);
  let errors = 0;
  Atomics.add(shared, 0, 1);
  Atomics.wait(shared, 1, 0);
  const begin = process.hrtime.bigint();
  const end = begin + BigInt(Math.round(duration * 1e9));
  let now = begin;
  while (now < end) {
    const i = deck[below(next, deck.length)];
    try {
      mix[i][2]();
    } catch (error) {
      if (!/busy|locked/i.test(`${error.code} ${error.message}`)) throw error;
      ++errors;
    }
    const after = process.hrtime.bigint();
    times[i].push(Number(after - now));
    now = after;
  }
  db.close();
  parentPort.postMessage({ names: mix.map(([name]) => name), times, errors, elapsed: Number(now - begin) });
}

async function template(options) {
  const folder = process.env.BENCH_DATA_DIR ?? os.tmpdir();
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `godwit-bench-template-${options.scale}.db`);
  if (existsSync(file) && !options.fresh) return file;
  removeDatabase(file);
  // Made by another engine than Godwit, if there is one.
  for (const name of ['better-sqlite3', 'node:sqlite', 'godwit']) {
    const chosen = await engine(name, () => {});
    if (chosen === null) continue;
    const db = openDatabase(chosen, file, { synchronous: 'OFF', cacheKiB: 262144 });
    seed(db, SCALES[options.scale]);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    return file;
  }
  throw new Error('no engine to make the data with');
}

async function profile(chosen, options, source, folder) {
  const file = path.join(folder, 'prod.db');
  removeDatabase(file);
  copyFileSync(source, file);
  const shared = new SharedArrayBuffer(8);
  const words = new Int32Array(shared);
  const workers = Array.from({ length: options.threads }, (_, id) => new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { ...options, shared, engine: chosen.name, file, id } });
    worker.once('message', resolve);
    worker.once('error', reject);
  }));
  const failed = Promise.race(workers.map((worker) => worker.then(() => {})));
  while (Atomics.load(words, 0) < options.threads) {
    await Promise.race([new Promise((resolve) => { setTimeout(resolve, 5); }), failed]);
  }
  const usage = process.cpuUsage();
  Atomics.store(words, 1, 1);
  Atomics.notify(words, 1);
  const done = await Promise.all(workers);
  const { user, system } = process.cpuUsage(usage);
  const all = done.reduce((sum, { times }) => sum + times.reduce((n, list) => n + list.length, 0), 0);
  const elapsed = Math.max(...done.map((result) => result.elapsed));
  const merged = (wanted) => done.flatMap(({ names, times }) => times.filter((_, i) => wanted(names[i])).flat());
  const groups = [['all', () => true], ['reads', (name) => !WRITES.includes(name)], ['writes', (name) => WRITES.includes(name)],
    ...done[0].names.map((name) => [name, (other) => other === name])];
  return groups.map(([query, wanted]) => {
    const times = merged(wanted);
    return {
      suite: 'prod', engine: chosen.name, query, scale: options.scale, threads: options.threads,
      ...summarize(times), perSecond: times.length / (elapsed / 1e9), cpu: ((user + system) * 1000) / all,
      errors: done.reduce((sum, result) => sum + result.errors, 0), megabytes: Math.round(statSync(file).size / 1e6),
    };
  });
}

async function main() {
  const options = parseArguments({
    engines: DEFAULT_ENGINES, scale: 'small', threads: 4, duration: 15, cache: 65536, fresh: false, json: '',
  });
  const source = await template(options);
  const folder = dataFolder();
  const results = [];
  for (const name of options.engines) {
    const chosen = await engine(name);
    if (chosen === null || chosen.noWal) continue;
    results.push(...await profile(chosen, options, source, folder));
  }
  if (options.json) writeFileSync(options.json, JSON.stringify(results));
  else console.log(prodTable(results));
}

if (isMainThread) await main();
else await work();
