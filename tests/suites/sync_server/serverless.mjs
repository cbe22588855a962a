// @tursodatabase/serverless, unmodified.
import { connect } from '@tursodatabase/serverless';
import { assert, checkIntegrity, finish, newDatabase, serverFile, test } from './harness.mjs';

const address = await newDatabase();
const db = connect({ url: address });

await test('exec, run, get, all', async () => {
  await db.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t(name) VALUES (\'a\'), (\'b\')');
  const insert = await db.prepare('INSERT INTO t(name) VALUES (?)');
  const result = await insert.run(['c']);
  assert.equal(result.changes, 1);
  assert.equal(Number(result.lastInsertRowid), 3);
  const select = await db.prepare('SELECT * FROM t WHERE id = ?');
  assert.equal((await select.get([2])).name, 'b');
  const all = await (await db.prepare('SELECT name FROM t ORDER BY id')).all();
  assert.deepEqual(all.map((row) => row.name), ['a', 'b', 'c']);
});

await test('iterate: rows as they come', async () => {
  const statement = await db.prepare(
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n');
  let sum = 0;
  for await (const row of statement.iterate()) sum += row.i;
  assert.equal(sum, 12502500);
});

await test('batch', async () => {
  await db.batch(['INSERT INTO t(name) VALUES (\'d\')', 'INSERT INTO t(name) VALUES (\'e\')']);
  const row = await (await db.prepare('SELECT count(*) AS c FROM t')).get();
  assert.equal(row.c, 5);
});

await test('transaction on one stream', async () => {
  const other = connect({ url: address });
  await db.exec('BEGIN');
  await db.exec("INSERT INTO t(name) VALUES ('in transaction')");
  const before = await (await other.prepare('SELECT count(*) AS c FROM t')).get();
  assert.equal(before.c, 5);
  await db.exec('COMMIT');
  const after = await (await other.prepare('SELECT count(*) AS c FROM t')).get();
  assert.equal(after.c, 6);
});

await test('errors', async () => {
  await assert.rejects(db.exec('SELECT * FROM nope'), /no such table: nope/);
  const statement = await db.prepare('INSERT INTO t(id, name) VALUES (1, ?)');
  await assert.rejects(statement.run(['x']), /UNIQUE constraint failed/);
  const row = await (await db.prepare('SELECT count(*) AS c FROM t')).get();
  assert.equal(row.c, 6);
});

checkIntegrity(serverFile(address));
finish();
