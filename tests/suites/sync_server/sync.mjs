// @tursodatabase/sync, unmodified: replicas that push, pull and converge.
import { connect } from '@tursodatabase/sync';
import {
  assert, checkIntegrity, finish, localFile, metric, newDatabase, newName, pipeline, serverFile, sleep,
  sqlite3, test, url,
} from './harness.mjs';

const open = (address, options = {}) => connect({ path: localFile(), url: address, ...options });
const rows = async (db, sql) => (await db.prepare(sql)).all();
const count = async (db, table) => (await rows(db, `SELECT count(*) AS c FROM ${table}`))[0].c;

await test('bootstrap of an empty database, DDL, inserts, push; a second client gets them', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, score REAL)');
  for (let i = 1; i <= 50; ++i) {
    await (await a.prepare('INSERT INTO t VALUES (?, ?, ?)')).run(i, `name ${i}`, i / 4);
  }
  await a.push();
  assert.equal(sqlite3(serverFile(address), 'SELECT count(*), sum(score) FROM t'), '50|318.75');
  const b = await open(address);
  assert.deepEqual(await rows(b, 'SELECT * FROM t ORDER BY id'), await rows(a, 'SELECT * FROM t ORDER BY id'));
  await a.close();
  await b.close();
  checkIntegrity(serverFile(address));
});

await test('updates, deletes and pulls: two clients converge', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, x, y)');
  await a.exec('INSERT INTO t VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)');
  await a.push();
  const b = await open(address);
  await a.exec('UPDATE t SET x = 100 WHERE id = 1; DELETE FROM t WHERE id = 3');
  await b.exec('UPDATE t SET y = 200 WHERE id = 1; INSERT INTO t VALUES (4, 4, 4)');
  await a.push();
  await b.push();
  assert.equal(await a.pull(), true);
  assert.equal(await b.pull(), true);
  const expected = [{ id: 1, x: 100, y: 200 }, { id: 2, x: 2, y: 2 }, { id: 4, x: 4, y: 4 }];
  assert.deepEqual(await rows(a, 'SELECT * FROM t ORDER BY id'), expected);
  assert.deepEqual(await rows(b, 'SELECT * FROM t ORDER BY id'), expected);
  // Which of its pushes the server has is a row of the database, and so comes once more.
  await a.pull();
  assert.equal(await a.pull(), false);
  checkIntegrity(serverFile(address));
});

await test('the same row and column: the last push wins', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec("CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 'base')");
  await a.push();
  const b = await open(address);
  await a.exec("UPDATE t SET x = 'a' WHERE id = 1");
  await b.exec("UPDATE t SET x = 'b' WHERE id = 1");
  await a.push();
  await b.push();
  await a.pull();
  await b.pull();
  assert.equal((await rows(a, 'SELECT x FROM t'))[0].x, 'b');
  assert.equal((await rows(b, 'SELECT x FROM t'))[0].x, 'b');
});

await test('an update of a row that another client deleted is set aside, not lost in silence', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec("CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 'base')");
  await a.push();
  const b = await open(address);
  await a.exec('DELETE FROM t WHERE id = 1');
  await a.push();
  await b.exec("UPDATE t SET x = 'mine' WHERE id = 1");
  await b.push();
  await b.pull();
  assert.equal(await count(b, 't'), 0);
  const aside = await rows(b, 'SELECT table_name, row_key, change, error FROM godwit_sync_rejected');
  assert.equal(aside.length, 1);
  assert.equal(aside[0].table_name, 't');
  assert.equal(aside[0].row_key, '{"id":1}');
  assert.match(aside[0].change, /mine/);
});

await test('a UNIQUE clash: the refused row is set aside, the rest of the push is there', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec('CREATE TABLE u(id INTEGER PRIMARY KEY, mail TEXT UNIQUE)');
  await a.push();
  const b = await open(address);
  await a.exec("INSERT INTO u VALUES (1, 'x@example.org')");
  await a.push();
  const before = await metric('godwit_push_rejected_rows_total');
  await b.exec("INSERT INTO u VALUES (2, 'x@example.org'); INSERT INTO u VALUES (3, 'y@example.org')");
  await assert.rejects(b.push(), /UNIQUE constraint failed: u\.mail/);
  assert.equal(await metric('godwit_push_rejected_rows_total'), before + 1);
  assert.equal(sqlite3(serverFile(address), 'SELECT group_concat(id) FROM u'), '1,3');
  assert.equal(
    sqlite3(serverFile(address), 'SELECT table_name, row_key, error FROM godwit_sync_rejected'),
    'u|{"id":2}|UNIQUE constraint failed: u.mail');
  await b.push();  // nothing is sent again
  await b.pull();
  assert.deepEqual((await rows(b, 'SELECT id FROM u ORDER BY id')).map((r) => r.id), [1, 3]);
  checkIntegrity(serverFile(address));
});

await test('schema changes: ADD COLUMN on both sides, index, drop of a quoted name', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE "odd name"(x)');
  await a.push();
  const b = await open(address);
  await a.exec('ALTER TABLE t ADD COLUMN extra; CREATE INDEX t_a ON t(a)');
  await a.push();
  await b.exec('ALTER TABLE t ADD COLUMN extra; INSERT INTO t VALUES (1, 2, 3)');
  await b.push();
  await b.exec('DROP TABLE "odd name"');
  await b.push();
  await a.pull();
  assert.deepEqual(await rows(a, 'SELECT * FROM t'), [{ id: 1, a: 2, extra: 3 }]);
  assert.equal((await rows(a, "SELECT name FROM sqlite_schema WHERE name = 'odd name'")).length, 0);
  checkIntegrity(serverFile(address));
});

await test('triggers are not run twice', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, n); CREATE TABLE log(id INTEGER PRIMARY KEY, what TEXT)');
  await a.exec("CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log(what) VALUES ('insert ' || new.id); END");
  await a.push();
  await a.exec('INSERT INTO t VALUES (1, 1)');
  await a.push();
  assert.equal(sqlite3(serverFile(address), 'SELECT group_concat(what) FROM log'), 'insert 1');
});

await test('transactions: a local rollback leaves nothing, a commit all', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, a)');
  await a.exec('BEGIN; INSERT INTO t VALUES (1, 1); ROLLBACK');
  await a.exec('BEGIN; INSERT INTO t VALUES (2, 2); INSERT INTO t VALUES (3, 3); COMMIT');
  await a.push();
  assert.equal(sqlite3(serverFile(address), 'SELECT group_concat(id) FROM t'), '2,3');
});

await test('a database that C SQLite made, and writes, and checkpoints', async () => {
  const name = newName();
  const address = `${url}/${name}`;
  const file = serverFile(address);
  sqlite3(file, 'CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1)');
  const a = await open(address);
  assert.equal(await count(a, 't'), 1);
  sqlite3(file, 'INSERT INTO t VALUES (2, 2)');
  assert.equal(await a.pull(), true);
  assert.equal(await count(a, 't'), 2);
  await a.exec('INSERT INTO t VALUES (3, 3)');
  await a.push();
  sqlite3(file, 'PRAGMA journal_mode=WAL; INSERT INTO t VALUES (4, 4); PRAGMA wal_checkpoint(TRUNCATE)');
  await a.pull();
  assert.equal(await count(a, 't'), 4);
  sqlite3(file, 'INSERT INTO t VALUES (5, 5); PRAGMA wal_checkpoint(RESTART); INSERT INTO t VALUES (6, 6)');
  await a.pull();
  assert.equal(await count(a, 't'), 6);
  checkIntegrity(file);
});

async function filled(size) {
  const address = await newDatabase();
  await pipeline(address, [
    { type: 'execute', stmt: { sql: 'CREATE TABLE big(id INTEGER PRIMARY KEY, pad TEXT)' } },
    { type: 'execute', stmt: { sql:
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${size}) ` +
      "INSERT INTO big SELECT i, i || ' ' || hex(zeroblob(100)) FROM n" } },
    { type: 'close' }]);
  return address;
}
const partial = (length) => ({
  partialSyncExperimental: { bootstrapStrategy: { kind: 'prefix', length }, segmentSize: 16384 },
});

await test('partial sync (prefix): pages are fetched when they are read, as of the bootstrap', async () => {
  const address = await filled(5000);
  const a = await open(address, partial(65536));
  // The server goes on, and every page changes.
  await pipeline(address, [
    { type: 'execute', stmt: { sql: "UPDATE big SET pad = 'new ' || id" } },
    { type: 'execute', stmt: { sql: 'PRAGMA wal_checkpoint(TRUNCATE)' } }, { type: 'close' }]);
  const old = await rows(a, 'SELECT count(*) AS c, min(length(pad)) AS l FROM big');
  assert.deepEqual(old, [{ c: 5000, l: 202 }]);
  await a.pull();
  const news = await rows(a, "SELECT count(*) AS c FROM big WHERE pad LIKE 'new %'");
  assert.equal(news[0].c, 5000);
});

await test('partial sync (query): the pages that a query touches', async () => {
  const address = await filled(5000);
  const a = await open(address, {
    partialSyncExperimental: {
      bootstrapStrategy: { kind: 'query', query: 'SELECT * FROM big WHERE id = 2500' }, segmentSize: 16384,
    },
  });
  const received = (await a.stats()).networkReceivedBytes;
  assert.equal((await rows(a, 'SELECT id FROM big WHERE id = 2500'))[0].id, 2500);
  assert.equal((await a.stats()).networkReceivedBytes, received);
  assert.ok(received < 100000, `${received} bytes`);
  assert.equal(await count(a, 'big'), 5000);
});

await test('chunked bootstrap', async () => {
  const address = await filled(5000);
  const a = await open(address, { pullBytesThreshold: 65536 });
  assert.equal(await count(a, 'big'), 5000);
  await a.exec("INSERT INTO big VALUES (9999, 'x')");
  await a.push();
  assert.equal(sqlite3(serverFile(address), 'SELECT count(*) FROM big'), '5001');
});

await test('long poll: woken by a push, and by another process', async () => {
  const address = await newDatabase();
  const a = await open(address, { longPollTimeoutMs: 20000 });
  const b = await open(address);
  await b.exec('CREATE TABLE t(a)');
  await b.push();
  await a.pull();
  for (const write of [
    async () => { await b.exec('INSERT INTO t VALUES (1)'); await b.push(); },
    async () => sqlite3(serverFile(address), 'INSERT INTO t VALUES (2)')]) {
    const pulled = a.pull();
    await sleep(300);
    const start = Date.now();
    await write();
    assert.equal(await pulled, true);
    assert.ok(Date.now() - start < 5000);
  }
  const short = await open(address, { longPollTimeoutMs: 500 });
  await short.pull();
  const start = Date.now();
  assert.equal(await short.pull(), false);
  assert.ok(Date.now() - start >= 450);
});

await test('a push that is sent twice is applied once', async () => {
  const address = await newDatabase();
  let twice = false;
  const a = await connect({
    path: localFile(), url: address,
    fetch: async (target, options) => {
      const request = new Request(target, options);
      const copy = request.clone();
      const answer = await fetch(request);
      if (twice && target.toString().endsWith('/pipeline')) return fetch(copy);
      return answer;
    },
  });
  await a.exec('CREATE TABLE t(x); CREATE TABLE k(id INTEGER PRIMARY KEY, n)');
  await a.push();
  twice = true;
  await a.exec('INSERT INTO t VALUES (1); INSERT INTO k VALUES (1, 1)');
  await a.push();
  assert.equal(sqlite3(serverFile(address), 'SELECT count(*) FROM t'), '1');
  assert.ok(await metric('godwit_pushes_repeated_total') > 0);
});

await test('many replicas at once', async () => {
  const address = await newDatabase();
  const first = await open(address);
  await first.exec('CREATE TABLE t(id TEXT PRIMARY KEY, n)');
  await first.push();
  const replicas = await Promise.all(Array.from({ length: 8 }, () => open(address)));
  await Promise.all(replicas.map(async (db, i) => {
    for (let k = 0; k < 5; ++k) {
      await (await db.prepare('INSERT INTO t VALUES (?, ?)')).run(`${i}-${k}`, k);
      await db.push();
      await db.pull();
    }
  }));
  await Promise.all(replicas.map((db) => db.pull()));
  for (const db of replicas) assert.equal(await count(db, 't'), 40);
  checkIntegrity(serverFile(address));
});

finish();
