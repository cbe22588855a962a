'use strict';
// The asynchronous API: what @tursodatabase/database's does, and what it must not do to the loop.

const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { Worker } = require('node:worker_threads');
const Sync = require('godwit');
const { connect, Database, SqliteError, Transaction } = require('godwit/promise');

const ENDLESS = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';

async function table() {
  const db = await connect(':memory:');
  await db.exec('CREATE TABLE t(a INTEGER PRIMARY KEY, b)');
  return db;
}

function temporary(t, name) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'godwit-node-'));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  return path.join(dir, name);
}

test('run, get, all, iterate, exec, on statements and on the database', async () => {
  const db = await table();
  const insert = db.prepare('INSERT INTO t(b) VALUES(?)');
  assert.deepStrictEqual(await insert.run('x'), { changes: 1, lastInsertRowid: 1 });
  assert.deepStrictEqual(await db.run('INSERT INTO t(b) VALUES(?), (?)', 'y', 'z'), { changes: 2, lastInsertRowid: 3 });
  assert.deepStrictEqual(await db.prepare('SELECT * FROM t WHERE a = ?').get(2), { a: 2, b: 'y' });
  assert.strictEqual(await db.get('SELECT * FROM t WHERE a = 9'), undefined);
  assert.deepStrictEqual(await db.prepare('SELECT b FROM t').pluck().all(), ['x', 'y', 'z']);
  assert.deepStrictEqual(await db.prepare('SELECT a, b FROM t').raw().all(), [[1, 'x'], [2, 'y'], [3, 'z']]);
  const seen = [];
  for await (const row of db.iterate('SELECT b FROM t WHERE a > :low', { low: 1 })) seen.push(row.b);
  assert.deepStrictEqual(seen, ['y', 'z']);
  assert.deepStrictEqual(await insert.all('w'), []);
  assert.deepStrictEqual(await db.get('DELETE FROM t WHERE a = 4 RETURNING b'), { b: 'w' });
  assert.strictEqual(await db.exec('SELECT 1; SELECT 2'), undefined);
});

test('values are bound as Turso binds them', async () => {
  const db = await table();
  const types = db.prepare('SELECT typeof(?), typeof(?), typeof(?), typeof(?), typeof(?), typeof(?)').raw();
  assert.deepStrictEqual(await types.get(1, 1.5, 'x', 2n, true, new Uint8Array(1)),
    ['integer', 'real', 'text', 'integer', 'integer', 'blob']);
  assert.deepStrictEqual(await types.get([2 ** 40, null]), ['integer', 'null', 'null', 'null', 'null', 'null']);
  assert.deepStrictEqual(await db.prepare('SELECT :a, @b, $c').raw().get({ a: 1, b: 'two' }), [1, 'two', null]);
  assert.deepStrictEqual(await db.prepare('SELECT ?').bind(5).raw().get(), [5]);
  await assert.rejects(db.get('SELECT ?', new Date()), TypeError);
});

test('integers beyond 2^53', async () => {
  const big = 2n ** 53n + 1n;
  const sql = `SELECT ${big} AS x`;
  assert.strictEqual((await (await connect(':memory:')).get(sql)).x, Number(big));
  assert.strictEqual((await (await connect(':memory:', { unsafeIntegers: 'bigint' })).get(sql)).x, big);
  await assert.rejects((await connect(':memory:', { unsafeIntegers: 'throw' })).get(sql), { code: 'ERR_OUT_OF_RANGE' });
  const db = await connect(':memory:');
  assert.deepStrictEqual(await db.prepare('SELECT 1').safeIntegers().raw().get(), [1n]);
  db.defaultSafeIntegers();
  assert.deepStrictEqual(await db.prepare('SELECT 1').raw().get(), [1n]);
});

test('errors are SqliteErrors with a code', async () => {
  const db = await table();
  assert.throws(() => db.prepare('selec'), { name: 'SqliteError', code: 'SQLITE_ERROR' });
  await assert.rejects(db.exec('selec'), SqliteError);
  await db.run('INSERT INTO t VALUES(1, 1)');
  await assert.rejects(db.run('INSERT INTO t VALUES(1, 1)'),
    { code: 'SQLITE_CONSTRAINT_PRIMARYKEY', message: 'UNIQUE constraint failed: t.a' });
  await assert.rejects(connect('/no/such/folder/x.db'), { code: 'SQLITE_CANTOPEN' });
  assert.throws(() => db.function('f', () => 1), /not implemented/);
});

test('calls of one statement at the same time have bindings of their own', async () => {
  const db = await table();
  const one = db.prepare('SELECT ? AS x');
  const rows = await Promise.all(Array.from({ length: 50 }, (_, i) => one.get(i)));
  assert.deepStrictEqual(rows.map((row) => row.x), Array.from({ length: 50 }, (_, i) => i));
});

test('results of many batches', async () => {
  const db = await table();
  await db.exec("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 50000) INSERT INTO t SELECT x, 'row ' || x FROM c");
  const rows = await db.all('SELECT * FROM t');
  assert.strictEqual(rows.length, 50000);
  assert.deepStrictEqual(rows[49999], { a: 50000, b: 'row 50000' });
  let count = 0;
  for await (const row of db.iterate('SELECT * FROM t')) {
    count += row.a === count + 1 ? 1 : NaN;
    if (count === 10000) await db.run('UPDATE t SET b = 0 WHERE a = 1');
  }
  assert.strictEqual(count, 50000);
});

test('an iteration that is left lets go of the statement', async () => {
  const db = await table();
  await db.exec('INSERT INTO t(b) VALUES(1), (2), (3)');
  for await (const row of db.iterate('SELECT * FROM t')) if (row.a === 2) break;
  await db.exec('DROP TABLE t');
});

test('a transaction keeps others out until its promise settles', async () => {
  const db = await table();
  const order = [];
  const insert = db.prepare('INSERT INTO t(b) VALUES(?)');
  const work = db.transactionAsync(async (txn, name) => {
    assert.ok(txn instanceof Transaction);
    await txn.run('INSERT INTO t(b) VALUES(?)', name);
    await new Promise((resolve) => { setTimeout(resolve, 20); });
    order.push(name);
    if (name === 'bad') throw new Error('undo');
    return name;
  });
  const outside = insert.run('outside').then(() => order.push('outside'));
  const results = await Promise.allSettled([work('one'), work('bad'), work.immediate('two'), insert.run('last')]);
  await outside;
  assert.deepStrictEqual(results.map((r) => r.value ?? r.reason.message), ['one', 'undo', 'two', { changes: 1, lastInsertRowid: 4 }]);
  assert.deepStrictEqual(order, ['outside', 'one', 'bad', 'two']);
  assert.deepStrictEqual(await db.prepare('SELECT b FROM t').pluck().all(), ['outside', 'one', 'two', 'last']);
});

test('calls of the database within the callback belong to the transaction', async () => {
  const db = await table();
  const insert = db.prepare('INSERT INTO t(b) VALUES(?)');
  const work = db.transaction(async (fails) => {
    await insert.run(1);
    await db.transaction(async () => { await insert.run(2); throw new Error('inner'); })().catch(() => {});
    assert.strictEqual((await db.get('SELECT count(*) AS n FROM t')).n, 1);
    if (fails) throw new Error('outer');
    return db.inTransaction;
  });
  await assert.rejects(work(true), /outer/);
  assert.strictEqual((await db.get('SELECT count(*) AS n FROM t')).n, 0);
  assert.strictEqual(await work(false), true);
  assert.strictEqual((await db.get('SELECT count(*) AS n FROM t')).n, 1);
});

test('a transaction handle ends with its transaction', async () => {
  const db = await table();
  let kept;
  let statement;
  await db.transactionAsync(async (txn) => {
    kept = txn;
    statement = await txn.prepare('SELECT 7 AS x');
    assert.deepStrictEqual(await statement.get(), { x: 7 });
  })();
  assert.strictEqual(kept.open, false);
  await assert.rejects(kept.run('SELECT 1'), /already completed/);
  assert.throws(() => db.transactionAsync(async () => {}), TypeError);
});

test('batch: results of each statement, all or nothing with a mode', async () => {
  const db = await table();
  const results = await db.batch(['INSERT INTO t VALUES(1, 2)', { sql: 'SELECT a, b FROM t WHERE a = ?', args: [1] }]);
  assert.deepStrictEqual(results, [
    { columns: [], columnTypes: [], rows: [], rowsAffected: 1 },
    { columns: ['a', 'b'], columnTypes: ['INTEGER', ''], rows: [{ a: 1, b: 2 }], rowsAffected: 0 }]);
  const twice = ['INSERT INTO t VALUES(5, 0)', 'INSERT INTO t VALUES(5, 0)'];
  await assert.rejects(db.batch(twice, 'immediate'), SqliteError);
  assert.strictEqual(await db.get('SELECT 1 FROM t WHERE a = 5'), undefined);
  await assert.rejects(db.batch(twice), SqliteError);
  assert.deepStrictEqual((await db.batch(['SELECT a FROM t'], { raw: true, mode: 'read' }))[0].rows, [[1], [5]]);
});

test('timeouts, signals and interrupt end what runs', async () => {
  const db = await connect(':memory:');
  await assert.rejects(db.prepare(ENDLESS).get(undefined, { queryTimeout: 30 }), { code: 'SQLITE_INTERRUPT' });
  await assert.rejects(db.exec(ENDLESS, { queryTimeout: 30 }), { code: 'SQLITE_INTERRUPT' });
  const reason = new Error('enough');
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 30);
  await assert.rejects(db.all(ENDLESS, { signal: controller.signal }), (error) => error === reason);
  await assert.rejects(db.all('SELECT 1', { signal: controller.signal }), (error) => error === reason);
  const running = db.all(ENDLESS);
  const waiting = new AbortController();
  const queued = db.all('SELECT 1', { signal: waiting.signal });
  waiting.abort(reason);
  await assert.rejects(queued, (error) => error === reason);
  setTimeout(() => db.interrupt(), 30);
  await assert.rejects(running, { code: 'SQLITE_INTERRUPT' });
  assert.deepStrictEqual(await db.get('SELECT 1 AS x', { queryTimeout: 1000 }), { x: 1 });
  const limited = await connect(':memory:', { defaultQueryTimeout: 30 });
  await assert.rejects(limited.get(ENDLESS), { code: 'SQLITE_INTERRUPT' });
});

test('the loop goes on while SQL runs', async () => {
  const db = await connect(':memory:');
  let ticks = 0;
  const timer = setInterval(() => { ++ticks; }, 5);
  await assert.rejects(db.get(ENDLESS, { queryTimeout: 200 }), { code: 'SQLITE_INTERRUPT' });
  clearInterval(timer);
  assert.ok(ticks >= 10, `${ticks} ticks`);
});

test('waiting for a lock does not block the loop', async (t) => {
  const file = temporary(t, 'locked.db');
  const holder = new Sync(file);
  holder.exec('CREATE TABLE t(a); BEGIN EXCLUSIVE');
  const db = await connect(file, { timeout: 5000 });
  let ticks = 0;
  const timer = setInterval(() => { if (++ticks === 10) holder.exec('COMMIT'); }, 5);
  assert.deepStrictEqual(await db.prepare('INSERT INTO t VALUES(1)').run(), { changes: 1, lastInsertRowid: 1 });
  clearInterval(timer);
  assert.ok(ticks >= 10);
  holder.exec('BEGIN IMMEDIATE');
  const hasty = await connect(file);
  await assert.rejects(hasty.run('INSERT INTO t VALUES(2)'), { code: 'SQLITE_BUSY' });
  holder.exec('COMMIT');
});

test('close comes after what was called before; later calls are refused', async () => {
  const db = await table();
  const before = db.run('INSERT INTO t(b) VALUES(1)');
  const statement = db.prepare('SELECT 1');
  const closing = db.close();
  assert.deepStrictEqual(await before, { changes: 1, lastInsertRowid: 1 });
  await closing;
  assert.strictEqual(db.open, false);
  await db.close();
  assert.throws(() => db.prepare('SELECT 1'), /not open/);
  await assert.rejects(statement.get(), /not open/);
  await assert.rejects(db.exec('SELECT 1'), /not open/);
});

test('a database that is not connected connects with its first call', async () => {
  const db = new Database(':memory:');
  assert.strictEqual(db.open, false);
  assert.deepStrictEqual(await db.prepare('SELECT 1 AS x').get(), { x: 1 });
  assert.strictEqual(db.open, true);
});

test('a worker that exits while SQL runs on the pool', async () => {
  const script = `
    const { connect } = require(${JSON.stringify(require.resolve('godwit/promise'))});
    (async () => {
      const db = await connect(':memory:');
      db.all(${JSON.stringify(ENDLESS.replace('FROM c)', 'FROM c WHERE x < 300000)'))});
      process.exit(0);
    })();`;
  const code = await new Promise((resolve) => { new Worker(script, { eval: true }).on('exit', resolve); });
  assert.strictEqual(code, 0);
  const child = spawnSync(process.execPath, ['-e', script], { timeout: 60_000 });
  assert.strictEqual(child.status, 0, String(child.stderr));
});

test('garbage while work is on the pool', () => {
  const script = `
    const { connect } = require(${JSON.stringify(require.resolve('godwit/promise'))});
    (async () => {
      for (let round = 0; round < 20; ++round) {
        const db = await connect(':memory:');
        const work = [];
        for (let i = 0; i < 20; ++i) work.push(db.prepare('SELECT ' + i + ' AS x').get());
        gc();
        const rows = await Promise.all(work);
        if (rows.some((row, i) => row.x !== i)) process.exit(1);
        if (round % 2) await db.close();
      }
    })();`;
  const child = spawnSync(process.execPath, ['--expose-gc', '-e', script], { timeout: 60_000 });
  assert.strictEqual(child.status, 0, String(child.stderr));
});

test('quick statements may run at once, slow ones and locks still leave the loop free', async (t) => {
  const file = temporary(t, 'quick.db');
  const db = await connect(file, { timeout: 5000 });
  await db.exec("CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES(1, 'x')");
  const one = db.prepare('SELECT b FROM t WHERE a = ?').pluck();
  for (let i = 0; i < 200; ++i) assert.strictEqual(await one.get(1), 'x');
  // The same statement gets slow.
  const count = db.prepare('WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < ?) SELECT count(*) FROM c').pluck();
  for (let i = 0; i < 50; ++i) assert.strictEqual(await count.get(3), 3);
  let ticks = 0;
  const timer = setInterval(() => { ++ticks; }, 1);
  assert.strictEqual(await count.get(1_000_000), 1_000_000);
  assert.ok(ticks > 3, `${ticks} ticks`);
  await assert.rejects(count.get(1e12, { queryTimeout: 30 }), { code: 'SQLITE_INTERRUPT' });
  // A lock comes into its way.
  const holder = new Sync(file);
  holder.exec('BEGIN EXCLUSIVE');
  setTimeout(() => holder.exec('COMMIT'), 30);
  ticks = 0;
  assert.strictEqual(await one.get(1), 'x');
  assert.ok(ticks > 3, `${ticks} ticks`);
  // A loop of quick calls lets timers run.
  ticks = 0;
  const end = Date.now() + 50;
  while (Date.now() < end) await one.get(1);
  assert.ok(ticks > 3, `${ticks} ticks`);
  clearInterval(timer);
});
