// Each part of better-sqlite3's interface, a line of output per step: name, then result or error.
'use strict';
const fs = require('fs');
const [packageFolder, nativeBinding] = process.argv.slice(2);
const Database = require(packageFolder);

const show = (value) => JSON.stringify(value, (key, v) => {
  if (typeof v === 'bigint') return `${v}n`;
  if (v && v.type === 'Buffer') return `buffer ${Buffer.from(v.data).toString('hex')}`;
  return v === undefined ? 'undefined' : Number.isNaN(v) ? 'NaN' : v;
});
const step = (name, action) => {
  try {
    console.log(`${name}: ${show(action())}`);
  } catch (error) {
    console.log(`${name}: throws ${error.constructor.name} ${error.code || ''} ${error.message}`);
  }
};
const open = (path, options) => new Database(path, { nativeBinding, ...options });

const db = open('main.db');
step('open', () => [db.name, db.open, db.readonly, db.memory, db.inTransaction]);
step('pragma journal', () => [db.pragma('journal_mode = WAL'), db.pragma('journal_mode', { simple: true })]);
step('exec', () => db.exec('CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT UNIQUE, c REAL, d BLOB)') === db);
const insert = db.prepare('INSERT INTO t(b, c, d) VALUES (?, ?, ?)');
step('insert', () => [insert.run('one', 1.5, Buffer.from('00ff', 'hex')), insert.run('two', null, null)]);
step('insert many', () => insert.run(['three', 3, Buffer.alloc(0)]));
step('unique', () => insert.run('one', 1, null));
step('bind count', () => insert.run('x'));
step('bind type', () => insert.run({}, 1, 2));
step('bind boolean', () => insert.run(true, 1, 2));
step('syntax', () => db.prepare('SELEKT 1'));
step('no table', () => db.prepare('SELECT * FROM missing'));
step('two statements', () => db.prepare('SELECT 1; SELECT 2'));
step('empty', () => db.prepare('  -- nothing'));
step('get', () => db.prepare('SELECT * FROM t WHERE a = ?').get(1));
step('get none', () => db.prepare('SELECT * FROM t WHERE a = ?').get(99));
step('all', () => db.prepare('SELECT * FROM t ORDER BY a').all());
step('iterate', () => [...db.prepare('SELECT a, b FROM t ORDER BY a').iterate()]);
step('iterate return', () => { for (const row of db.prepare('SELECT a FROM t').iterate()) return [row, db.prepare('SELECT 1 AS x').get()]; });
step('busy while iterating', () => { for (const row of db.prepare('SELECT a FROM t').iterate()) db.exec('DELETE FROM t'); });
step('named', () => db.prepare('SELECT @a AS a, $b AS b, :c AS c').get({ a: 1, b: 'x', c: null }));
step('named missing', () => db.prepare('SELECT @a AS a').get({ b: 1 }));
step('mixed', () => db.prepare('SELECT ? AS x, @a AS a').get('x', { a: 1 }));
step('pluck', () => db.prepare('SELECT b FROM t ORDER BY a').pluck().all());
step('raw', () => db.prepare('SELECT a, b FROM t ORDER BY a').raw().all());
step('expand', () => db.prepare('SELECT t.a, u.a FROM t JOIN t u USING(a) LIMIT 1').expand().get());
step('columns', () => db.prepare('SELECT a, b AS other, c + 1, t.d FROM t').columns());
step('bind once', () => { const s = db.prepare('SELECT ? + 1').pluck().bind(41); return [s.get(), s.reader, s.readonly, s.source, s.database === db]; });
step('bind twice', () => db.prepare('SELECT ?').bind(1).bind(2));
step('run a query', () => db.prepare('SELECT 1').run());
step('get of a change', () => db.prepare('DELETE FROM t WHERE a = 99').get());
step('returning', () => db.prepare("INSERT INTO t(b) VALUES('r1'), ('r2') RETURNING a, b").all());
step('integers', () => [db.prepare('SELECT 9007199254740993').pluck().safeIntegers().get(), db.prepare('SELECT 5').pluck().get()]);
step('big integer', () => db.prepare('SELECT ? AS x, typeof(?2) AS y').safeIntegers().get(9223372036854775807n, 12n));
step('too big', () => db.prepare('SELECT ?').get(9223372036854775808n));
step('integer range', () => db.prepare('SELECT 9007199254740993').pluck().get());
step('defaultSafeIntegers', () => { db.defaultSafeIntegers(true); const x = db.prepare('SELECT 1').pluck().get(); db.defaultSafeIntegers(false); return x; });
step('transaction', () => { const many = db.transaction((names) => { for (const n of names) insert.run(n, 0, null); return db.inTransaction; }); return [many(['t1', 't2']), many.immediate(['t3']), many.exclusive(['t4']), many.deferred(['t5']), db.inTransaction]; });
step('transaction fails', () => db.transaction(() => { insert.run('t6', 0, null); insert.run('one', 0, null); })());
step('nothing left', () => db.prepare("SELECT count(*) FROM t WHERE b = 't6'").pluck().get());
step('nested transaction', () => db.transaction(() => { insert.run('n1', 0, null); try { db.transaction(() => { insert.run('n2', 0, null); throw new Error('inner'); })(); } catch (e) { /* goes on */ } return db.prepare("SELECT group_concat(b) FROM t WHERE b LIKE 'n_'").pluck().get(); })());
step('function', () => { db.function('add2', (a, b) => a + b); return db.prepare("SELECT add2(12, 4), add2('a', 'b'), add2(1.5, NULL)").raw().get(); });
step('function options', () => { db.function('v', { varargs: true, deterministic: true, safeIntegers: true }, (...args) => `${args.length}${typeof args[0]}`); return db.prepare('SELECT v(), v(1), v(1, 2)').raw().get(); });
step('function throws', () => { db.function('fail', () => { throw new RangeError('no'); }); return db.prepare('SELECT fail()').get(); });
step('function result', () => { db.function('obj', () => ({})); return db.prepare('SELECT obj()').get(); });
step('function buffer', () => { db.function('buf', () => Buffer.from('abc')); return db.prepare('SELECT buf()').pluck().get(); });
step('direct only', () => { db.function('danger', { directOnly: true }, () => 1); db.exec('CREATE TEMP VIEW w AS SELECT danger()'); return db.prepare('SELECT * FROM w').all(); });
step('aggregate', () => { db.aggregate('addAll', { start: 0, step: (total, next) => total + next }); return db.prepare('SELECT addAll(a) FROM t').pluck().get(); });
step('aggregate window', () => { db.aggregate('mean', { start: () => [], step: (array, value) => { array.push(value); }, inverse: (array, dropped) => { array.splice(array.indexOf(dropped), 1); }, result: (array) => array.reduce((x, y) => x + y) / array.length }); return db.prepare('SELECT a, mean(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t LIMIT 3').raw().all(); });
step('aggregate throws', () => { db.aggregate('bad', { start: 0, step: () => { throw new Error('step'); } }); return db.prepare('SELECT bad(a) FROM t').get(); });
step('table', () => { db.table('numbers', { columns: ['value', 'square'], parameters: ['upto'], rows: function* (upto) { for (let i = 1; i <= upto; ++i) yield { value: i, square: i * i }; } }); return db.prepare('SELECT * FROM numbers(3)').all(); });
step('table arrays', () => { db.table('pairs', { columns: ['x', 'y'], rows: function* () { yield [1, 'a']; yield [2, null]; } }); return db.prepare('SELECT * FROM pairs WHERE x > 1').all(); });
step('table factory', () => { db.table('seq', (n) => ({ columns: ['v'], rows: function* () { for (let i = 0; i < Number(n); ++i) yield [i]; } })); db.exec('CREATE VIRTUAL TABLE s USING seq(4)'); return db.prepare('SELECT sum(v) FROM s').pluck().get(); });
step('table throws', () => { db.table('broken', { columns: ['x'], rows: function* () { throw new TypeError('rows'); } }); return db.prepare('SELECT * FROM broken').all(); });
step('table bad column', () => { db.table('wrong', { columns: ['x'], rows: function* () { yield { y: 1 }; } }); return db.prepare('SELECT * FROM wrong').all(); });
step('table join', () => db.prepare('SELECT t.a, n.square FROM t JOIN numbers(2) n ON n.value = t.a').raw().all());
step('serialize', () => { const bytes = db.serialize(); const copy = open(bytes); const out = [bytes.length % 4096, copy.memory, copy.prepare('SELECT count(*) FROM t').pluck().get()]; copy.close(); return out; });
step('serialize none', () => db.serialize({ attached: 'none' }));
step('attach', () => { db.exec("ATTACH ':memory:' AS extra; CREATE TABLE extra.e(x); INSERT INTO extra.e VALUES(7)"); const bytes = db.serialize({ attached: 'extra' }); return bytes.length > 0 ? db.prepare('SELECT * FROM extra.e').all() : 0; });
step('readonly', () => { const reader = open('main.db', { readonly: true }); try { return [reader.readonly, reader.prepare('SELECT count(*) FROM t').pluck().get(), reader.exec('DELETE FROM t')]; } finally { reader.close(); } });
step('must exist', () => open('absent.db', { fileMustExist: true }));
step('no folder', () => open('absent/x.db'));
step('timeout', () => { const other = open('main.db', { timeout: 1 }); try { db.exec('BEGIN IMMEDIATE'); return other.exec("INSERT INTO t(b) VALUES('locked')"); } finally { db.exec('ROLLBACK'); other.close(); } });
step('verbose', () => { const log = []; const other = open(':memory:', { verbose: (sql) => log.push(sql) }); other.exec('CREATE TABLE v(x)'); other.prepare('INSERT INTO v VALUES(?)').run("it's"); other.close(); return log; });
step('unsafe mode', () => { db.unsafeMode(true); let n = 0; for (const row of db.prepare('SELECT a FROM t').iterate()) { db.prepare('UPDATE t SET c = 1 WHERE a = ?').run(row.a); ++n; } db.unsafeMode(false); return n; });
step('defensive', () => { db.exec('PRAGMA writable_schema = 1'); return db.prepare("UPDATE sqlite_master SET name = 'x' WHERE 0").run(); });
step('full text', () => { db.exec("CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES('the quick fox'), ('lazy dog')"); return db.prepare("SELECT highlight(f, 0, '[', ']') AS h FROM f('quick OR dog') ORDER BY rank").all(); });
step('r-tree', () => { db.exec('CREATE VIRTUAL TABLE r USING rtree(id, x0, x1); INSERT INTO r VALUES(1, 0, 5), (2, 7, 9)'); return db.prepare('SELECT * FROM r WHERE x0 > 3').all(); });
step('json', () => db.prepare(`SELECT value FROM json_each('[1,{"a":2}]')`).pluck().all());
step('math', () => db.prepare('SELECT pow(2, 10), floor(2.7)').raw().get());
step('strings', () => db.prepare("SELECT '\u00e9\u{1F600}' || ?, length(?)").raw().get('\u4e2d\0x', 'a\0b'));
step('long text', () => db.prepare('SELECT length(?)').pluck().get('x'.repeat(300000)));
step('blobs', () => db.prepare('SELECT hex(?), typeof(?)').raw().get(new Uint8Array([1, 2]), Buffer.from('x')));
step('checkpoint', () => db.pragma('wal_checkpoint(TRUNCATE)'));
step('load extension', () => db.loadExtension('./missing'));
step('interrupt order', () => db.prepare('WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1000) SELECT sum(x) FROM c').pluck().get());

const finish = () => {
  step('close', () => [db.close() === db, db.open]);
  step('after close', () => db.prepare('SELECT 1'));
  step('statement after close', () => insert.run('z', 1, null));
  step('file', () => fs.existsSync('main.db-wal'));
  const again = open('main.db');
  step('integrity', () => [again.pragma('integrity_check', { simple: true }), again.prepare('SELECT count(*) FROM t').pluck().get()]);
  again.close();
};
db.backup('copy.db', { progress: ({ totalPages, remainingPages }) => 100 }).then((result) => {
  console.log(`backup: ${show(result.remainingPages)}`);
  const copy = open('copy.db');
  step('backup content', () => copy.prepare('SELECT count(*) FROM t').pluck().get());
  copy.close();
  finish();
}, (error) => {
  console.log(`backup: throws ${error.message}`);
  finish();
});
