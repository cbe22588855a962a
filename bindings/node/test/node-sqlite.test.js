'use strict';
// godwit/node-sqlite beside Node 24's node:sqlite: results, error classes, codes and texts (test/golden.js).

const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { record } = require('./golden');
const sqlite = require('godwit/node-sqlite');
const expected = require('./golden/node-sqlite.json');

const results = record('node-sqlite', sqlite);
for (const [title, text] of Object.entries(expected)) {
  test(title, () => assert.strictEqual(results[title], text));
}

test('backup', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'godwit-node-'));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  const db = new sqlite.DatabaseSync(path.join(dir, 'a.db'));
  db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(100000))');
  const seen = [];
  const progress = ({ totalPages, remainingPages }) => seen.push([totalPages, remainingPages]);
  assert.strictEqual(await sqlite.backup(db, path.join(dir, 'b.db'), { rate: 10, progress }), 26);
  assert.deepStrictEqual(seen, [[26, 16], [26, 6]]);
  await assert.rejects(sqlite.backup(db, path.join(dir, 'c.db'), { source: 'nope' }),
    { code: 'ERR_SQLITE_ERROR', errcode: 1, message: 'unknown database nope' });
  assert.throws(() => sqlite.backup(db, path.join(dir, 'd.db'), { rate: 'x' }), { code: 'ERR_INVALID_ARG_TYPE' });
});

test('statements may write while an iterator is open', () => {
  const db = new sqlite.DatabaseSync(':memory:');
  db.exec('CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES(1, 0), (2, 0), (3, 0)');
  const seen = [];
  for (const { a } of db.prepare('SELECT a, b FROM t').iterate()) {
    seen.push(a);
    db.prepare('UPDATE t SET b = ? WHERE a = ?').run(a, a);
  }
  assert.deepStrictEqual(seen, [1, 2, 3]);
  assert.deepStrictEqual(db.prepare('SELECT sum(b) AS s FROM t').get().s, 6);
});

test('a rowid beyond 2^53 is a bigint', () => {
  const db = new sqlite.DatabaseSync(':memory:');
  db.exec('CREATE TABLE t(a INTEGER PRIMARY KEY)');
  assert.strictEqual(db.prepare('INSERT INTO t VALUES(9007199254740993)').run().lastInsertRowid, 9007199254740993n);
});

test('sessions end with their database', () => {
  const db = new sqlite.DatabaseSync(':memory:');
  db.exec('CREATE TABLE t(a INTEGER PRIMARY KEY)');
  const session = db.createSession();
  db.close();
  assert.throws(() => session.changeset(), { code: 'ERR_INVALID_STATE' });
});
