'use strict';
// Ends of all kinds: close with things open, garbage, workers, forks of control out of callbacks.

const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { Worker } = require('node:worker_threads');
const Database = require('godwit');

const memory = () => new Database(':memory:');
const library = JSON.stringify(require.resolve('godwit'));

function run(script, ...flags) {
  const result = spawnSync(process.execPath, [...flags, '-e', script], { encoding: 'utf8', timeout: 60_000 });
  assert.strictEqual(result.signal, null, result.stderr);
  assert.strictEqual(result.status, 0, result.stderr);
  return result.stdout.trim();
}

function temporary(t) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'godwit-node-'));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('an iterator left open keeps the connection busy until it is ended', () => {
  const db = memory();
  db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(1), (2), (3)');
  const statement = db.prepare('SELECT a FROM t');
  const iterator = statement.iterate();
  assert.deepStrictEqual(iterator.next(), { value: { a: 1 }, done: false });
  assert.throws(() => db.exec('DELETE FROM t'), /busy executing a query/);
  assert.throws(() => db.close(), /busy executing a query/);
  assert.strictEqual(statement.busy, true);
  iterator.return();
  assert.strictEqual(statement.busy, false);
  db.exec('DELETE FROM t');
  db.close();
});

test('break and exceptions end an iterator', () => {
  const db = memory();
  const statement = db.prepare('SELECT column1 FROM (VALUES (1), (2), (3))');
  for (const row of statement.iterate()) if (row.column1 === 2) break;
  assert.throws(() => {
    for (const row of statement.iterate()) throw new Error(String(row.column1));
  }, /^Error: 1$/);
  db.close();
});

test('a process may end with everything open', () => {
  assert.strictEqual(run(`
    const db = new (require(${library}))(':memory:');
    db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)');
    db.function('f', () => 1);
    globalThis.kept = db.prepare('SELECT a FROM t').iterate();
    kept.next();
    console.log('end');`), 'end');
});

test('finalizers that run after close do nothing', () => {
  assert.strictEqual(run(`
    const Database = require(${library});
    (async () => {
      for (let i = 0; i < 20; ++i) {
        let db = new Database(':memory:');
        for (let j = 0; j < 50; ++j) db.prepare('SELECT ' + j).get();
        db.function('f', () => 1);
        if (i % 2) db.close();
        db = null;
        gc();
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      console.log(new Database(':memory:').prepare('SELECT 5').pluck().get());
    })();`, '--expose-gc'), '5');
});

test('many statements at once: idle ones are parked, and work when they are used again', () => {
  const db = memory();
  db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)');
  const statements = [];
  for (let i = 0; i < 5000; ++i) statements.push(db.prepare(`SELECT a + ${i} AS x FROM t WHERE a = ?`));
  const bound = db.prepare('SELECT ?').pluck().bind('kept');
  const iterator = db.prepare('SELECT a FROM t').iterate();
  iterator.next();
  for (let i = 0; i < 3000; ++i) db.prepare(`SELECT ${i}`).pluck().get();
  statements.forEach((statement, i) => assert.strictEqual(statement.get(2).x, 2 + i));
  assert.strictEqual(bound.get(), 'kept');
  assert.deepStrictEqual(iterator.next().value, { a: 2 });
  iterator.return();
});

test('a loop that prepares for ever does not grow', () => {
  const grown = run(`
    const db = new (require(${library}))(':memory:');
    db.exec('CREATE TABLE t(a INTEGER PRIMARY KEY, b)');
    const work = () => { for (let i = 0; i < 20000; ++i) db.prepare('SELECT * FROM t WHERE a = ' + i).get(); };
    work();
    const before = process.memoryUsage().rss;
    work();
    console.log(Math.round((process.memoryUsage().rss - before) / 1e6));`);
  assert.ok(Number(grown) < 60, `grew by ${grown} MB`);
});

test('an exception of a callback reaches the caller as it is', () => {
  const db = memory();
  const thrown = { not: 'an error' };
  db.function('fail_now', () => { throw thrown; });
  for (const method of ['get', 'all', 'run']) {
    assert.throws(() => db.prepare('SELECT fail_now()')[method](), (error) => error === thrown);
  }
  assert.throws(() => [...db.prepare('SELECT fail_now()').iterate()], (error) => error === thrown);
  assert.throws(() => db.exec('SELECT fail_now()'), (error) => error === thrown);
  assert.strictEqual(db.prepare('SELECT 1').pluck().get(), 1);
});

test('a callback cannot use the connection that calls it', () => {
  const db = memory();
  const other = memory();
  db.function('same', () => db.prepare('SELECT 1').pluck().get());
  db.function('other', () => other.prepare('SELECT 7').pluck().get());
  assert.throws(() => db.prepare('SELECT same()').get(), /busy executing a query/);
  assert.throws(() => {
    db.function('closer', () => db.close());
    db.prepare('SELECT closer()').get();
  }, /busy executing a query/);
  assert.deepStrictEqual(db.prepare("SELECT other(), 'text', other()").raw().all(), [[7, 'text', 7]]);
});

test('workers have connections of their own to one file', async (t) => {
  const file = path.join(temporary(t), 'workers.db');
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec('CREATE TABLE t(worker, n)');
  const script = `
    const { workerData } = require('worker_threads');
    const db = new (require(${library}))(workerData.file, { timeout: 60000 });
    db.pragma('synchronous = OFF');
    const insert = db.prepare('INSERT INTO t VALUES(?, ?)');
    for (let i = 0; i < 200; ++i) insert.run(workerData.id, i);`;
  await Promise.all([1, 2, 3, 4].map((id) => new Promise((resolve, reject) => {
    const worker = new Worker(script, { eval: true, workerData: { file, id } });
    worker.on('error', reject);
    worker.on('exit', resolve);
  })));
  assert.deepStrictEqual(db.prepare('SELECT worker, count(*), sum(n) FROM t GROUP BY 1').raw().all(),
    [1, 2, 3, 4].map((id) => [id, 200, 19900]));
  assert.strictEqual(db.pragma('integrity_check', { simple: true }), 'ok');
});

test('a worker that is terminated gives its locks back', async (t) => {
  const file = path.join(temporary(t), 'terminated.db');
  const db = new Database(file, { timeout: 2000 });
  db.exec('CREATE TABLE t(a)');
  const worker = new Worker(`
    const { parentPort } = require('worker_threads');
    const db = new (require(${library}))(${JSON.stringify(file)});
    db.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES(1)');
    globalThis.iterator = db.prepare('SELECT * FROM t').iterate();
    iterator.next();
    parentPort.postMessage('locked');
    for (;;) ;`, { eval: true });
  await new Promise((resolve) => { worker.once('message', resolve); });
  assert.throws(() => new Database(file, { timeout: 0 }).exec('BEGIN IMMEDIATE'), { code: 'SQLITE_BUSY' });
  await worker.terminate();
  db.exec('INSERT INTO t VALUES(2)');
  assert.deepStrictEqual(db.prepare('SELECT a FROM t').pluck().all(), [2]);
});

test('async functions are refused by transaction()', () => {
  const db = memory();
  db.exec('CREATE TABLE t(a)');
  const insert = db.prepare('INSERT INTO t VALUES(1)');
  assert.throws(() => db.transaction(async () => { insert.run(); })(), /cannot return a promise/);
  assert.strictEqual(db.inTransaction, false);
  assert.strictEqual(db.prepare('SELECT count(*) FROM t').pluck().get(), 0);
});
