'use strict';
// The same for databases: opening, virtual tables, pragmas, transactions, serialization, errors.

const fs = require('fs');
const path = require('path');

module.exports = function databases(Database, t, dir) {
  let db = new Database(':memory:');
  t('tbl', () => {
    db.table('s', {
      columns: ['v', 'w'],
      parameters: ['a', 'b'],
      *rows(...args) {
        yield [JSON.stringify(args), 1];
        yield { v: 'o', w: 2 };
      },
    });
    return db.prepare('select * from s(1)').all();
  });
  t('tbl2', () => db.prepare('select v,a,b from s(1,2)').all());
  t('tbl3', () => db.prepare('select v,a,b from s where b=5').all());
  t('tbl4', () => db.prepare('select v,a,b from s where b>5').all());
  t('tbl5', () => db.prepare('select v from s(1,2,3)').all());
  t('tbl6', () => db.prepare('select v from s').all());
  t('tbl join', () =>
    db.prepare('select x.column1,s.v from (values(1),(2)) x, s(x.column1) where s.w=1').all(),
  );
  t('tbl eponymous create', () => db.exec('create virtual table q using s'));
  t('tbl rowid', () => db.prepare('select rowid,v from s').all());
  t('tbl arr short', () => {
    db.table('s2', {
      columns: ['v', 'w'],
      *rows() {
        yield [1];
      },
    });
    return db.prepare('select * from s2').all();
  });
  t('tbl obj miss', () => {
    db.table('s3', {
      columns: ['v', 'w'],
      *rows() {
        yield { v: 1 };
      },
    });
    return db.prepare('select * from s3').all();
  });
  t('tbl obj extra', () => {
    db.table('s4', {
      columns: ['v'],
      *rows() {
        yield { v: 1, z: 2 };
      },
    });
    return db.prepare('select * from s4').all();
  });
  t('tbl scalar', () => {
    db.table('s5', {
      columns: ['v'],
      *rows() {
        yield 5;
      },
    });
    return db.prepare('select * from s5').all();
  });
  t('tbl bad', () => {
    db.table('s6', {
      columns: ['v'],
      *rows() {
        yield [{}];
      },
    });
    return db.prepare('select * from s6').all();
  });
  t('tbl throw', () => {
    db.table('s7', {
      columns: ['v'],
      *rows() {
        yield [1];
        throw new RangeError('z');
      },
    });
    return db.prepare('select * from s7').all();
  });
  t('tbl default params', () => {
    db.table('s8', {
      columns: ['v'],
      *rows(a, b, c = 5) {
        yield [[a, b, c].join()];
      },
    });
    return db.prepare('select * from s8(1,2)').all();
  });
  t('tbl params', () => {
    db.table('s9', {
      columns: ['v'],
      *rows($1, $2) {
        yield [1];
      },
    });
    return db.prepare('select $1,$2 from s9(8)').all();
  });
  t('factory', () => {
    db.table('fac', (...args) => ({
      columns: ['v'],
      *rows() {
        yield [JSON.stringify(args)];
      },
    }));
    db.exec("create virtual table ft using fac(a, 'b c', d)");
    return db.prepare('select * from ft').all();
  });
  t('factory epon', () => db.prepare('select * from fac').all());
  t('factory this', () => {
    db.table('fac2', function (...args) {
      return {
        columns: ['v'],
        rows: function* () {
          yield [JSON.stringify([this === undefined, args])];
        },
      };
    });
    db.exec('create virtual table ft2 using fac2()');
    return db.prepare('select * from ft2').all();
  });
  t('factory throw', () => {
    db.table('fac3', () => {
      throw new TypeError('ff');
    });
    db.exec('create virtual table ft3 using fac3');
  });
  t('factory bad', () => {
    db.table('fac4', () => 5);
    db.exec('create virtual table ft4 using fac4');
  });
  t('factory cols', () => {
    db.table('fac5', () => ({ rows: function* () {} }));
    db.exec('create virtual table ft5 using fac5');
  });
  for (const [k, d] of Object.entries({
    a: undefined,
    b: null,
    c: 5,
    d: {},
    e: { columns: 5, rows: function* () {} },
    f: { columns: [], rows: function* () {} },
    g: { columns: ['a'], rows: () => {} },
    h: { columns: ['a', 'a'], rows: function* () {} },
    i: { columns: ['a'], parameters: ['a'], rows: function* () {} },
    j: { columns: ['a'], parameters: 5, rows: function* () {} },
    k: { columns: ['a'], parameters: ['b', 'b'], rows: function* () {} },
    l: { columns: ['a'], parameters: Array.from({ length: 33 }, (_, i) => 'p' + i), rows: function* () {} },
    m: { columns: ['a'], directOnly: 1, rows: function* () {} },
    n: { columns: ['a'], safeIntegers: 1, rows: function* () {} },
    o: { columns: [5], rows: function* () {} },
    p: {
      get columns() {
        return ['a'];
      },
      rows: function* () {},
    },
    q: Object.assign(Object.create({ rows: function* () {} }), { columns: ['x'] }),
  }))
    t('tbl def ' + k, () => db.table('x' + k, d) === db);
  t('tbl name', () => db.table('', {}));
  t('tbl name2', () => db.table(5, {}));
  t('tbl name3', () => db.table('z'));
  t('direct', () => {
    db.table('dd', {
      columns: ['v'],
      directOnly: true,
      *rows() {
        yield [1];
      },
    });
    db.exec('create view vv as select * from dd');
    return db.prepare('select * from vv').all();
  });
  t('write', () => db.exec('insert into s values(1,2)'));
  t('nested in rows', () => {
    db.table('nn', {
      columns: ['v'],
      *rows() {
        yield [db.prepare('select 1').pluck().get()];
      },
    });
    return db.prepare('select * from nn').all();
  });
  t('big', () => {
    db.table('bb', {
      columns: ['v'],
      *rows() {
        yield [2n ** 64n];
      },
    });
    return db.prepare('select * from bb').all();
  });
  t('blob undefined', () => {
    db.table('bu', {
      columns: ['v', 'w'],
      *rows() {
        yield [Buffer.from('x'), undefined];
      },
    });
    return db.prepare('select hex(v),w from bu').all();
  });
  // open
  const f = path.join(dir, 'a.db');
  const o = (n, ...a) =>
    t('open ' + n, () => {
      const d = new Database(...a);
      const r = [d.name === a[0] || d.name, d.open, d.memory, d.readonly, d.inTransaction];
      d.close();
      return [...r, d.open];
    });
  o('file', f);
  o('none');
  o('empty', '');
  o('mem', ':memory:');
  o('null', null);
  o('undef', undefined);
  o('num', 5);
  o('opts num', f, 5);
  o('opts null', f, null);
  o('ro', f, { readonly: true });
  o('ro mem', ':memory:', { readonly: true });
  o('ro miss', f + 'x', { readonly: true });
  o('must', f + 'y', { fileMustExist: true });
  o('must mem', '', { fileMustExist: true });
  o('nodir', path.join(dir, 'no/such.db'));
  o('ro2', f, { readOnly: true });
  o('memopt', f, { memory: true });
  o('to', f, { timeout: -1 });
  o('to2', f, { timeout: 1.5 });
  o('to3', f, { timeout: 2 ** 31 });
  o('to4', f, { timeout: '1' });
  o('verb', f, { verbose: 5 });
  o('nb', f, { nativeBinding: 5 });
  o('ro type', f, { readonly: 1 });
  o('fme type', f, { fileMustExist: 1 });
  o('trim', '  :memory:  ');
  o('dir', dir);
  fs.writeFileSync(path.join(dir, 'junk.db'), 'x'.repeat(5000));
  t('junk', () => {
    const d = new Database(path.join(dir, 'junk.db'));
    return d.prepare('select * from sqlite_master').all();
  });
  t('call', () => {
    const d = Database(f);
    return d instanceof Database;
  });
  t('subclass', () => {
    class X extends Database {}
    const d = new X(f);
    return d instanceof X && d instanceof Database;
  });
  t('closed', () => {
    const d = new Database(f);
    const s = d.prepare('select 1');
    d.close();
    d.close();
    return s.get();
  });
  for (const m of [
    'prepare',
    'exec',
    'pragma',
    'function',
    'aggregate',
    'table',
    'serialize',
    'loadExtension',
    'backup',
    'transaction',
    'defaultSafeIntegers',
    'unsafeMode',
  ])
    t('closed ' + m, () => {
      const d = new Database(f);
      d.close();
      const a = {
        prepare: ['select 1'],
        exec: ['select 1'],
        pragma: ['user_version'],
        function: ['x', () => 1],
        aggregate: ['x', { step() {} }],
        table: ['x', { columns: ['a'], *rows() {} }],
        serialize: [],
        loadExtension: ['x'],
        backup: [f + '2'],
        transaction: [() => 1],
        defaultSafeIntegers: [],
        unsafeMode: [],
      }[m];
      const r = d[m](...a);
      if (r && r.catch) r.catch(() => {});
      return typeof r;
    });
  t('closed stmt', () => {
    const d = new Database(f);
    const s = d.prepare('select 1');
    d.close();
    return [s.busy, s.reader, s.source];
  });
  for (const m of [
    'run',
    'get',
    'all',
    'iterate',
    'bind',
    'pluck',
    'raw',
    'expand',
    'safeIntegers',
    'columns',
  ])
    t('closed stmt ' + m, () => {
      const d = new Database(f);
      const s = d.prepare('select 1');
      d.close();
      const r = s[m]();
      return typeof r;
    });
  t('readonly write', () => {
    const d = new Database(f, { readonly: true });
    d.exec('create table zz(a)');
  });
  t('pragma', () => {
    const d = new Database(f);
    return [
      d.pragma('user_version'),
      d.pragma('user_version', { simple: true }),
      d.pragma('journal_mode = wal', { simple: true }),
      d.pragma('cache_size=-100'),
      d.pragma('database_list', { simple: true }),
      d.pragma('nope', { simple: true }),
      d.pragma('wal_checkpoint(TRUNCATE)'),
    ];
  });
  t('pragma e1', () => db.pragma());
  t('pragma e2', () => db.pragma(5));
  t('pragma e3', () => db.pragma('x', 5));
  t('pragma e4', () => db.pragma('user_version', { simple: 1 }));
  t('pragma e5', () => db.pragma('user_version; select 1'));
  t('defsafe', () => {
    const d = new Database(':memory:');
    const r = [d.defaultSafeIntegers() === d];
    r.push(d.prepare('select 1').pluck().get());
    d.defaultSafeIntegers(false);
    r.push(d.prepare('select 1').pluck().get());
    r.push(d.prepare('select 1').safeIntegers().pluck().get());
    d.exec('create table t(a)');
    r.push(d.prepare('insert into t values(1)').safeIntegers().run());
    d.defaultSafeIntegers(1);
  });
  t('unsafe', () => {
    const d = new Database(':memory:');
    d.exec('create table t(a);insert into t values(1),(2)');
    d.unsafeMode();
    const s = d.prepare('select * from t');
    let n = 0;
    for (const r of s.iterate()) {
      d.prepare('delete from t where a=?').run(99);
      n++;
    }
    return [n, d.unsafeMode(false) === d, d.unsafeMode(1)];
  });
  t('tx', () => {
    const d = new Database(':memory:');
    d.exec('create table t(a unique)');
    const ins = d.prepare('insert into t values(?)');
    const f = d.transaction((x, y) => {
      ins.run(x);
      ins.run(y);
      return [x, y, d.inTransaction];
    });
    const r = [f(1, 2)];
    try {
      f(3, 3);
    } catch (e) {
      r.push(e.code);
    }
    r.push(
      d.prepare('select count(*) from t').pluck().get(),
      Object.keys(f),
      f.length,
      f.name,
      f.database === d,
      f.immediate === f.default.immediate,
      f.default === f,
      f.deferred === f,
    );
    const nest = d.transaction(() => {
      ins.run(10);
      try {
        f(11, 11);
      } catch (e) {}
      ins.run(12);
    });
    nest();
    r.push(d.prepare('select a from t').pluck().all());
    return r;
  });
  t('tx this', () => {
    const d = new Database(':memory:');
    const o = {
      f: d.transaction(function () {
        return this === o;
      }),
    };
    return o.f();
  });
  t('tx promise', () => {
    const d = new Database(':memory:');
    d.transaction(async () => {})();
  });
  t('tx promise after', () => {
    const d = new Database(':memory:');
    try {
      d.transaction(async () => {})();
    } catch {}
    return d.inTransaction;
  });
  t('tx e', () => db.transaction(5));
  t('tx e2', () => db.transaction());
  t('tx rollback inside', () => {
    const d = new Database(':memory:');
    d.exec('create table t(a unique)');
    const f = d.transaction(() => {
      d.exec('insert into t values(1)');
      d.exec('rollback');
      throw new Error('zz');
    });
    f();
  });
  t('tx rollback inside ok', () => {
    const d = new Database(':memory:');
    const f = d.transaction(() => {
      d.exec('rollback');
    });
    f();
  });
  t('tx imm in tx', () => {
    const d = new Database(':memory:');
    const f = d.transaction(() => d.inTransaction);
    return d.transaction(() => [f.immediate(), f.exclusive(), f.deferred()])();
  });
  t('tx props', () => Object.getOwnPropertyNames(Object.getPrototypeOf(db.transaction(() => 1)))[0]);
  t('ser', () => {
    const d = new Database(':memory:');
    d.exec('create table t(a);insert into t values(7)');
    const b = d.serialize();
    const e = new Database(b);
    const r = [Buffer.isBuffer(b), b.length, e.prepare('select a from t').pluck().get(), e.name, e.memory];
    e.exec('insert into t values(8)');
    r.push(e.prepare('select count(*) from t').pluck().get());
    return r;
  });
  t('ser ro', () => {
    const d = new Database(':memory:');
    d.exec('create table t(a);insert into t values(7)');
    const e = new Database(d.serialize(), { readonly: true });
    try {
      e.exec('insert into t values(8)');
    } catch (x) {
      return [x.code, x.message, e.readonly];
    }
  });
  t('ser e', () => db.serialize(5));
  t('ser e2', () => db.serialize({ attached: 5 }));
  t('ser e3', () => db.serialize({ attached: '' }));
  t('ser empty', () => new Database(':memory:').serialize().length);
  t('deser bad', () => new Database(Buffer.from('garbage')).prepare('select * from sqlite_master').all());
  t('deser empty', () => new Database(Buffer.alloc(0)).prepare('select * from sqlite_master').all());
  t('le', () => db.loadExtension(5));
  t('le2', () => db.loadExtension());
  t('le3', () => db.loadExtension('/nope/x'));
  t('le4', () => db.loadExtension('x', 5));
  t('le5', () => db.prepare("select load_extension('/nope/x')").get());
  t('verbose', () => {
    const l = [];
    const d = new Database(':memory:', { verbose: (...a) => l.push(a) });
    d.exec('create table t(a);select 1');
    d.prepare('insert into t values(?)').run('x');
    d.prepare('select ?').get(5);
    d.transaction(() => 1)();
    d.pragma('user_version');
    return l;
  });
  t('err', () => {
    const E = Database.SqliteError;
    const e = new E('m', 'C');
    return [
      e instanceof Error,
      e.name,
      e.message,
      e.code,
      Object.prototype.hasOwnProperty.call(e, 'name'),
      Object.keys(e),
      E.length,
      String(e),
      Object.prototype.toString.call(e),
      e.stack.split('\n')[0],
      E('x', 'y') instanceof E,
    ];
  });
  t('err2', () => new Database.SqliteError('x'));
  t('err3', () => new Database.SqliteError('x', 5));
  t('err4', () => new Database.SqliteError(5, 'x').message);
  t('iter run select', () => {
    const d = new Database(':memory:');
    d.exec('create table t(a)');
    const it = d.prepare('select 1 union select 2').iterate();
    it.next();
    return d.prepare('select 5').run();
  });
  t('iter get ret', () => {
    const d = new Database(':memory:');
    d.exec('create table t(a)');
    const it = d.prepare('select 1 union select 2').iterate();
    it.next();
    return d.prepare('insert into t values(1) returning a').get();
  });
  t('iter ret iter', () => {
    const d = new Database(':memory:');
    d.exec('create table t(a)');
    const it = d.prepare('insert into t values(1),(2) returning a').iterate();
    it.next();
    return d.prepare('select 1').get();
  });
  t('iter ret iter write', () => {
    const d = new Database(':memory:');
    d.exec('create table t(a)');
    const it = d.prepare('insert into t values(1),(2) returning a').iterate();
    it.next();
    return d.prepare('delete from t').run();
  });
  t('iter pluck', () => {
    const d = new Database(':memory:');
    const s = d.prepare('select 1 union select 2');
    const it = s.iterate();
    it.next();
    return s.pluck();
  });
  for (const m of [
    'function',
    'aggregate',
    'table',
    'serialize',
    'loadExtension',
    'backup',
    'unsafeMode',
    'defaultSafeIntegers',
  ])
    t('iter ' + m, () => {
      const d = new Database(':memory:');
      const it = d.prepare('select 1').iterate();
      const a = {
        function: ['x', () => 1],
        aggregate: ['x', { step() {} }],
        table: ['x', { columns: ['a'], *rows() {} }],
        serialize: [],
        loadExtension: ['x'],
        backup: [f + '2'],
        defaultSafeIntegers: [],
        unsafeMode: [],
      }[m];
      const r = d[m](...a);
      if (r && r.catch) r.catch(() => {});
      return typeof r;
    });
  for (const m of ['bind', 'pluck', 'raw', 'expand', 'safeIntegers', 'columns', 'run'])
    t('iter stmt ' + m, () => {
      const d = new Database(':memory:');
      const s = d.prepare('select 1');
      const it = s.iterate();
      const r = s[m]();
      return typeof r;
    });
};
