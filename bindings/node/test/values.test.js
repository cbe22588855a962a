'use strict';
// Values at the edge between the two languages: 64-bit integers, texts, buffers, rows of all shapes.

const test = require('node:test');
const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const Database = require('godwit');

const memory = (options) => new Database(':memory:', options);
const BIG = 2n ** 53n + 1n;

const INTEGERS = [0n, -1n, 2n ** 31n, -(2n ** 31n) - 1n, 2n ** 53n - 1n, 2n ** 53n, BIG, -(2n ** 63n), 2n ** 63n - 1n];

test('bigints of 64 bits come back as they were given', () => {
  const bound = memory().prepare('SELECT ?, typeof(?)').raw().safeIntegers();
  for (const value of INTEGERS) assert.deepStrictEqual(bound.get(value, value), [value, 'integer']);
});

test('a bigint beyond 64 bits is refused', () => {
  for (const value of [2n ** 63n, -(2n ** 63n) - 1n, 2n ** 200n]) {
    assert.throws(() => memory().prepare('SELECT ?').get(value), RangeError);
  }
});

// Each way that an integer of the database takes into JavaScript.
const PATHS = {
  get: (db) => db.prepare(`SELECT ${BIG} AS x`).get().x,
  all: (db) => db.prepare(`SELECT ${BIG} AS x`).all()[0].x,
  iterate: (db) => [...db.prepare(`SELECT ${BIG} AS x`).iterate()][0].x,
  pluck: (db) => db.prepare(`SELECT ${BIG}`).pluck().get(),
  raw: (db) => db.prepare(`SELECT ${BIG}`).raw().get()[0],
  expand: (db) => db.prepare(`SELECT ${BIG} AS x`).expand().get().$.x,
  returning(db) {
    db.exec('CREATE TABLE r(x)');
    return db.prepare('INSERT INTO r VALUES(?) RETURNING x').get(BIG).x;
  },
  argument(db) {
    let seen;
    db.function('see', (x) => { seen = x; });
    db.prepare(`SELECT see(${BIG})`).get();
    return seen;
  },
  aggregate(db) {
    let seen;
    db.aggregate('fold', { step: (state, x) => { seen = x; } });
    db.prepare(`SELECT fold(${BIG})`).get();
    return seen;
  },
  table(db) {
    let seen;
    db.table('rows_of', { columns: ['a'], *rows(x) { seen = x; yield [1]; } });
    db.prepare(`SELECT * FROM rows_of(${BIG})`).all();
    return seen;
  },
  lastInsertRowid(db) {
    db.exec('CREATE TABLE i(a INTEGER PRIMARY KEY)');
    return db.prepare('INSERT INTO i VALUES(?)').run(BIG).lastInsertRowid;
  },
};

for (const [name, read] of Object.entries(PATHS)) {
  test(`unsafeIntegers decides about integers beyond 2^53: ${name}`, () => {
    assert.strictEqual(read(memory()), Number(BIG));
    assert.strictEqual(read(memory({ unsafeIntegers: 'bigint' })), BIG);
    assert.strictEqual(read(memory().defaultSafeIntegers()), BIG);
    if (name === 'lastInsertRowid') return;
    assert.throws(() => read(memory({ unsafeIntegers: 'throw' })), { name: 'RangeError', code: 'ERR_OUT_OF_RANGE' });
  });
}

test('safe integers are numbers, whatever unsafeIntegers says', () => {
  for (const unsafeIntegers of ['round', 'bigint', 'throw']) {
    const row = memory({ unsafeIntegers }).prepare('SELECT 1, -2147483649, 9007199254740991').raw().get();
    assert.deepStrictEqual(row, [1, -2147483649, 9007199254740991]);
  }
});

const TEXTS = ['', 'a', 'ä', 'naïve', '漢字', '😀', 'a\0b', 'x'.repeat(47), 'x'.repeat(48), 'x'.repeat(49), 'y'.repeat(511),
  'y'.repeat(513), 'z'.repeat(100_000), `${'x'.repeat(40)}é`, 'é'.repeat(3000)];

test('texts of all kinds come back as they were given', () => {
  const db = memory();
  const one = db.prepare('SELECT ?').pluck();
  for (const text of TEXTS) assert.strictEqual(one.get(text), text);
  const marks = TEXTS.map(() => '?').join();
  assert.deepStrictEqual(db.prepare(`SELECT ${marks}`).raw().get(TEXTS), TEXTS);
  const rows = db.prepare(`SELECT * FROM (VALUES ${TEXTS.map(() => '(?)').join()})`).pluck();
  assert.deepStrictEqual(rows.all(TEXTS), TEXTS);
  assert.deepStrictEqual([...rows.iterate(TEXTS)], TEXTS);
});

test('a lone surrogate becomes U+FFFD', () => {
  const one = memory().prepare('SELECT ?, hex(?)').raw();
  assert.deepStrictEqual(one.get('a\ud800b', 'a\ud800b'), ['a\ufffdb', '61EFBFBD62']);
  assert.deepStrictEqual(one.get('\udc00', '\udc00'), ['\ufffd', 'EFBFBD']);
  assert.strictEqual(memory().prepare("SELECT '\ud83d'").pluck().get(), '\ufffd');
});

test('bytes that are not UTF-8 are read with U+FFFD', () => {
  assert.strictEqual(memory().prepare("SELECT CAST(x'61ff62' AS TEXT)").pluck().get(), 'a\ufffdb');
});

test('buffers, views and detached memory', () => {
  const hex = memory().prepare('SELECT hex(?), typeof(?)').raw();
  const bytes = new Uint8Array([1, 2, 255]);
  assert.deepStrictEqual(hex.get(bytes, bytes), ['0102FF', 'blob']);
  assert.deepStrictEqual(hex.get(bytes.subarray(1), new DataView(bytes.buffer, 1, 1)), ['02FF', 'blob']);
  assert.deepStrictEqual(hex.get(new Uint16Array([258]), Buffer.alloc(0)), ['0201', 'blob']);
  const detached = new Uint8Array(8);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  assert.deepStrictEqual(hex.get(detached, detached), ['', 'blob']);
  assert.throws(() => hex.get(bytes.buffer, 1), TypeError);
});

test('blobs are copies', () => {
  const db = memory();
  db.exec("CREATE TABLE b(x); INSERT INTO b VALUES(x'0102'), (x''), (zeroblob(5000))");
  const rows = db.prepare('SELECT x FROM b').pluck().all();
  assert.deepStrictEqual(rows.map((row) => row.length), [2, 0, 5000]);
  rows[0][0] = 9;
  assert.deepStrictEqual([...db.prepare('SELECT x FROM b').pluck().get()], [1, 2]);
});

test('mixed rows of many columns and many rows', () => {
  const db = memory();
  const names = Array.from({ length: 300 }, (_, i) => `c${i}`);
  db.exec(`CREATE TABLE wide(${names.join()})`);
  const make = (r) => names.map((_, i) => [i * r, null, `t${i}:${r}`, i / 7, Buffer.from([i & 255]), `é${r}`][i % 6]);
  const insert = db.prepare(`INSERT INTO wide VALUES(${names.map(() => '?').join()})`);
  for (let r = 0; r < 50; ++r) insert.run(make(r));
  const rows = db.prepare('SELECT * FROM wide').raw().all();
  rows.forEach((row, r) => assert.deepStrictEqual(row, make(r)));
  const objects = [...db.prepare('SELECT * FROM wide').iterate()];
  assert.deepStrictEqual(Object.values(objects[49]), make(49));
});

test('more parameters than the buffer has cells', () => {
  const values = Array.from({ length: 5000 }, (_, i) => (i % 3 ? i : `v${i}`));
  const sql = `SELECT count(*), sum(typeof(column1) = 'text') FROM (VALUES ${values.map(() => '(?)').join()})`;
  assert.deepStrictEqual(memory().prepare(sql).raw().get(values), [5000, 1667]);
});

test('odd column names', () => {
  const row = memory().prepare('SELECT 1 AS "__proto__", 2 AS "a""b", 3 AS "constructor", 4 AS "7"').get();
  assert.deepStrictEqual(Object.entries(row), [['7', 4], ['__proto__', 1], ['a"b', 2], ['constructor', 3]]);
  assert.strictEqual(Object.getPrototypeOf(row), Object.prototype);
});

test('rows follow a change of the schema', () => {
  const db = memory();
  db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(1)');
  const statement = db.prepare('SELECT * FROM t');
  assert.deepStrictEqual(statement.get(), { a: 1 });
  db.exec('ALTER TABLE t ADD COLUMN b DEFAULT 5');
  assert.deepStrictEqual(statement.get(), { a: 1, b: 5 });
  db.exec('ALTER TABLE t RENAME COLUMN a TO z');
  assert.deepStrictEqual(statement.all(), [{ z: 1, b: 5 }]);
});

test('code generation from strings may be off', () => {
  const script = `
    const db = new (require(${JSON.stringify(require.resolve('godwit'))}))(':memory:');
    console.log(JSON.stringify(db.prepare("SELECT 1 AS a, 'x' AS b, 3 AS a").all()));`;
  const output = execFileSync(process.execPath, ['--disallow-code-generation-from-strings', '-e', script]);
  assert.strictEqual(String(output), '[{"a":3,"b":"x"}]\n');
});
