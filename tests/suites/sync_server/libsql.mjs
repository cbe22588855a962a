// @libsql/client, unmodified, over http.
import { createClient } from '@libsql/client';
import { assert, checkIntegrity, finish, newDatabase, serverFile, test } from './harness.mjs';

const address = await newDatabase();
const client = createClient({ url: `${address}/` });

await test('execute: DDL, rows, affected rows, last rowid', async () => {
  await client.execute('CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b REAL, c BLOB)');
  const inserted = await client.execute({
    sql: 'INSERT INTO t(a, b, c) VALUES (?, ?, ?)',
    args: ['x', 1.5, new Uint8Array([1, 2, 255])],
  });
  assert.equal(inserted.rowsAffected, 1);
  assert.equal(inserted.lastInsertRowid, 1n);
  const result = await client.execute('SELECT id, a, b, c, NULL AS n FROM t');
  assert.deepEqual(result.columns, ['id', 'a', 'b', 'c', 'n']);
  assert.deepEqual(result.columnTypes, ['INTEGER', 'TEXT', 'REAL', 'BLOB', '']);
  const row = result.rows[0];
  assert.equal(row.id, 1);
  assert.equal(row.a, 'x');
  assert.equal(row.b, 1.5);
  assert.deepEqual([...new Uint8Array(row.c)], [1, 2, 255]);
  assert.equal(row.n, null);
});

await test('values: 64-bit integers, text with quotes and NUL, infinities, empty blobs', async () => {
  const big = createClient({ url: `${address}/`, intMode: 'bigint' });
  const result = await big.execute({
    sql: 'SELECT ? AS a, ? AS b, ? AS c, 9e999 AS d, ? AS e, -9223372036854775807 - 1 AS f',
    args: [9223372036854775807n, 'a"\\/\n\u0000ü€😀', true, new Uint8Array(0)],
  });
  const row = result.rows[0];
  assert.equal(row.a, 9223372036854775807n);
  assert.equal(row.b, 'a"\\/\n\u0000ü€😀');
  assert.equal(row.c, 1n);
  assert.equal(row.d, Infinity);
  assert.equal(row.e.byteLength, 0);
  assert.equal(row.f, -9223372036854775808n);
});

await test('named arguments, with all prefixes', async () => {
  const result = await client.execute({
    sql: 'SELECT :v AS a, @w AS b, $x AS c',
    args: { v: 1, w: 'two', x: null },
  });
  assert.deepEqual({ ...result.rows[0] }, { a: 1, b: 'two', c: null });
});

await test("errors have SQLite's code and text", async () => {
  await client.execute('CREATE TABLE u(n UNIQUE)');
  await client.execute('INSERT INTO u VALUES (1)');
  await assert.rejects(client.execute('INSERT INTO u VALUES (1)'), (error) => {
    assert.equal(error.code, 'SQLITE_CONSTRAINT');
    assert.match(error.message, /UNIQUE constraint failed: u\.n/);
    return true;
  });
  await assert.rejects(client.execute('SELECT * FROM nope'), /no such table: nope/);
});

await test('batch: all or nothing', async () => {
  await client.execute('CREATE TABLE b(n INTEGER PRIMARY KEY)');
  const results = await client.batch(
    [{ sql: 'INSERT INTO b VALUES (?)', args: [1] }, 'INSERT INTO b VALUES (2)', 'SELECT count(*) AS c FROM b'],
    'write');
  assert.equal(results[2].rows[0].c, 2);
  await assert.rejects(client.batch(['INSERT INTO b VALUES (3)', 'INSERT INTO b VALUES (1)'], 'write'));
  assert.equal((await client.execute('SELECT count(*) AS c FROM b')).rows[0].c, 2);
});

await test('interactive transaction: commit, rollback, isolation', async () => {
  const tx = await client.transaction('write');
  await tx.execute('INSERT INTO b VALUES (10)');
  assert.equal((await tx.execute('SELECT count(*) AS c FROM b')).rows[0].c, 3);
  assert.equal((await client.execute('SELECT count(*) AS c FROM b')).rows[0].c, 2);
  await tx.commit();
  const second = await client.transaction('write');
  await second.execute('DELETE FROM b');
  await second.rollback();
  assert.equal((await client.execute('SELECT count(*) AS c FROM b')).rows[0].c, 3);
});

await test('executeMultiple and migrate', async () => {
  await client.executeMultiple("CREATE TABLE m(a); INSERT INTO m VALUES ('x;y'); INSERT INTO m VALUES (2);");
  assert.equal((await client.execute('SELECT count(*) AS c FROM m')).rows[0].c, 2);
  await client.migrate(['ALTER TABLE m ADD COLUMN z', 'UPDATE m SET z = 5']);
  assert.equal((await client.execute('SELECT sum(z) AS s FROM m')).rows[0].s, 10);
});

await test('many clients at once', async () => {
  await client.execute('CREATE TABLE many(a, b)');
  const clients = Array.from({ length: 20 }, () => createClient({ url: `${address}/` }));
  await Promise.all(clients.map(async (c, i) => {
    for (let k = 0; k < 10; ++k) await c.execute({ sql: 'INSERT INTO many VALUES (?, ?)', args: [i, k] });
  }));
  assert.equal((await client.execute('SELECT count(*) AS c FROM many')).rows[0].c, 200);
});

await test('a large result comes whole', async () => {
  const result = await client.execute(
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i, 'row ' || i AS t FROM n");
  assert.equal(result.rows.length, 20000);
  assert.equal(result.rows[19999].t, 'row 20000');
});

checkIntegrity(serverFile(address));
finish();
