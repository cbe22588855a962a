'use strict';
// backup(): progress, errors, and what a failed one leaves.

const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const Database = require('godwit');

function setup(t) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'godwit-node-'));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  const db = new Database(path.join(dir, 'source.db'));
  db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(1000000))');
  return { db, file: path.join(dir, 'copy.db'), dir };
}

test('a backup tells its progress and takes as many pages as it is told', async (t) => {
  const { db, file } = setup(t);
  const seen = [];
  const result = await db.backup(file, {
    progress({ totalPages, remainingPages }) {
      seen.push(totalPages - remainingPages);
      return seen.length === 3 ? 50 : undefined;
    },
  });
  assert.deepStrictEqual(result, { totalPages: 246, remainingPages: 0 });
  assert.deepStrictEqual(seen, [0, 100, 200]);
  const copy = new Database(file, { readonly: true });
  assert.strictEqual(copy.prepare('SELECT length(a) FROM t').pluck().get(), 1000000);
  assert.strictEqual(copy.pragma('integrity_check', { simple: true }), 'ok');
});

test('writes of the same connection reach the copy', async (t) => {
  const { db, file } = setup(t);
  let written = false;
  await db.backup(file, {
    progress() {
      if (!written) db.exec('INSERT INTO t VALUES(7)');
      written = true;
    },
  });
  assert.strictEqual(new Database(file).prepare('SELECT count(*) FROM t').pluck().get(), 2);
});

test('a backup that fails leaves no new file', async (t) => {
  const { db, file } = setup(t);
  await assert.rejects(db.backup(file, { progress() { throw new Error('no'); } }), /^Error: no$/);
  assert.strictEqual(fs.existsSync(file), false);
  await assert.rejects(db.backup(file, { progress: () => 'x' }), /Expected progress callback to return a number/);
  await assert.rejects(db.backup(file, { attached: 'nope' }), /unknown database nope/);
});

test('closing the connection ends its backup', async (t) => {
  const { db, file } = setup(t);
  const running = db.backup(file, { progress: () => 1 });
  setTimeout(() => db.close(), 5);
  await assert.rejects(running, /The database connection is not open/);
  assert.strictEqual(fs.existsSync(file), false);
});

test('arguments are checked', async (t) => {
  const { db, dir } = setup(t);
  const refused = [[[], 'Expected first argument to be a string'], [[''], 'Backup filename cannot be an empty string'],
    [[':memory:'], 'Invalid backup filename ":memory:"'], [['x', 5], 'Expected second argument to be an options object'],
    [['x', { progress: 5 }], 'Expected the "progress" option to be a function'],
    [['x', { attached: 5 }], 'Expected the "attached" option to be a string'],
    [[path.join(dir, 'a', 'b')], 'Cannot save backup because the directory does not exist']];
  for (const [args, message] of refused) await assert.rejects(db.backup(...args), { name: 'TypeError', message });
});
