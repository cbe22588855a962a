'use strict';
// godwit/compat: where it differs from the main API.

const test = require('node:test');
const assert = require('node:assert');
const { Database, SqliteError } = require('godwit/compat');

test('loose bindings', () => {
  const db = new Database(':memory:');
  assert.deepStrictEqual(db.prepare('SELECT typeof(?), typeof(?), typeof(?)').raw().get(1, true), ['integer', 'integer', 'null']);
  assert.deepStrictEqual(db.prepare('SELECT :a, ?2').raw().get({ a: 'x' }), ['x', null]);
  assert.deepStrictEqual(db.prepare('SELECT ?, ?').raw().all([1, 2, 3]), [[1, 2]]);
  assert.deepStrictEqual(db.prepare('SELECT ?').bind(7).pluck().get(), 7);
});

test('statements without a result may be asked for rows', () => {
  const db = new Database(':memory:');
  db.exec('CREATE TABLE t(a)');
  const insert = db.prepare('INSERT INTO t VALUES(?)');
  assert.strictEqual(insert.get(1), undefined);
  assert.deepStrictEqual(insert.all(2), []);
  assert.deepStrictEqual([...insert.iterate(3)], []);
  assert.deepStrictEqual(db.prepare('SELECT a FROM t').pluck().all(), [1, 2, 3]);
});

test('writes while an iterator is open', () => {
  const db = new Database(':memory:');
  db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)');
  for (const { a } of db.prepare('SELECT a FROM t').iterate()) db.prepare('UPDATE t SET a = -a WHERE a = ?').run(a);
  assert.deepStrictEqual(db.prepare('SELECT a FROM t').pluck().all(), [-1, -2]);
});

test('batch', () => {
  const db = new Database(':memory:');
  db.exec('CREATE TABLE t(a INTEGER PRIMARY KEY)');
  assert.deepStrictEqual(db.batch(['INSERT INTO t VALUES(1)', { sql: 'SELECT a FROM t WHERE a = :a', args: { a: 1 } }]), [
    { columns: [], columnTypes: [], rows: [], rowsAffected: 1 },
    { columns: ['a'], columnTypes: ['INTEGER'], rows: [{ a: 1 }], rowsAffected: 0 }]);
  assert.throws(() => db.batch(['INSERT INTO t VALUES(2)', 'INSERT INTO t VALUES(2)'], 'write'), SqliteError);
  assert.strictEqual(db.prepare('SELECT count(*) FROM t').pluck().get(), 1);
});
