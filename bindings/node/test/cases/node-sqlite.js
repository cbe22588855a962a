'use strict';
// What the API of node:sqlite does, right or wrong, case by case: test/node-sqlite.test.js compares it with Node 24's own.

module.exports = function nodeSqlite(s, t, dir) {
  const { DatabaseSync, StatementSync } = s;
  t('ctor none', () => new DatabaseSync());
  t('ctor num', () => new DatabaseSync(5));
  t('ctor call', () => DatabaseSync(':memory:'));
  t('ctor opt', () => new DatabaseSync(':memory:', 5));
  for (const o of [
    'open',
    'readOnly',
    'enableForeignKeyConstraints',
    'enableDoubleQuotedStringLiterals',
    'allowExtension',
    'timeout',
    'readBigInts',
    'returnArrays',
    'allowBareNamedParameters',
    'allowUnknownNamedParameters',
    'defensive',
    'limits',
  ])
    t('ctor opt ' + o, () => new DatabaseSync(':memory:', { [o]: 'x' }));
  t('nul', () => new DatabaseSync('a\0b'));
  t('url', () => {
    const d = new DatabaseSync(new URL('file://' + dir + '/u.db'));
    return d.location();
  });
  t('buf', () => {
    const d = new DatabaseSync(Buffer.from(dir + '/v.db'));
    return d.location();
  });
  t('http url', () => new DatabaseSync(new URL('http://x/y')));
  t('missing dir', () => new DatabaseSync(dir + '/no/x.db'));
  t('ro missing', () => new DatabaseSync(dir + '/no.db', { readOnly: true }));
  const db = new DatabaseSync(':memory:');
  t('sqlite-type', () => [db[Symbol.for('sqlite-type')]]);
  t('exec', () => db.exec('create table t(a integer primary key,b)'));
  t('exec num', () => db.exec(5));
  t('exec bad', () => db.exec('selec'));
  t('open twice', () => db.open());
  t('run', () => db.prepare('insert into t values(?,?)').run(1, 'x'));
  t('run2', () => db.prepare('insert into t(b) values(:b)').run({ b: 2 }));
  t('run3', () => db.prepare('insert into t(b) values(:b)').run({ ':b': 2 }));
  t('get', () => db.prepare('select * from t where a=?').get(1));
  t('get proto', () => Object.getPrototypeOf(db.prepare('select * from t where a=?').get(1)));
  t('all', () => db.prepare('select * from t').all());
  t('none', () => db.prepare('select 1 where 0').get());
  t('get ins', () => db.prepare('insert into t(b) values(5)').get());
  t('all ins', () => db.prepare('insert into t(b) values(5)').all());
  t('run sel', () => db.prepare('select 1').run());
  t('iter', () => [...db.prepare('select a from t').iterate()]);
  t('iter next', () => {
    const i = db.prepare('select a from t').iterate();
    return [
      i.next(),
      i.return(),
      i.next(),
    ];
  });
  t('iter ins', () => [...db.prepare('insert into t(b) values(6)').iterate()]);
  t('iter reset', () => {
    const st = db.prepare('select a from t');
    const i = st.iterate();
    i.next();
    st.get();
    return i.next();
  });
  t('few', () => db.prepare('select ?,?').get(1));
  t('many', () => db.prepare('select ?').get(1, 2));
  t('named unknown', () => db.prepare('select :a').get({ b: 1 }));
  t('named missing', () => db.prepare('select :a x,:b y').get({ a: 1 }));
  t('mixed', () => db.prepare('select :a x,? y').get({ a: 1 }, 2));
  t('arr', () => db.prepare('select ? x').get([1]));
  t('keep', () => {
    const st = db.prepare('select ? x');
    st.get(5);
    return st.get();
  });
  t('types', () =>
    db
      .prepare('select typeof(?) a,typeof(?) b,typeof(?) c,typeof(?) d')
      .get(1, 1n, null, new Uint8Array([1])),
  );
  t('bool', () => db.prepare('select ?').get(true));
  t('undef', () => db.prepare('select ?').get(undefined));
  t('date', () => db.prepare('select ?').get(new Date(0)));
  t('sym', () => db.prepare('select ?').get(Symbol('x')));
  t('fn', () => db.prepare('select ?').get(() => 1));
  t('big', () => db.prepare('select ?').get(2n ** 63n));
  t('big read', () => db.prepare('select 9007199254740993 x').get());
  t('big arg named', () => db.prepare('select :a x').get({ a: true }));
  t('setReadBigInts', () => {
    const st = db.prepare('select 1 x');
    const r = st.setReadBigInts(true);
    return [r, st.get()];
  });
  t('setReadBigInts bad', () => db.prepare('select 1').setReadBigInts(1));
  t('run big', () => {
    const st = db.prepare('insert into t(b) values(1)');
    st.setReadBigInts(true);
    return st.run();
  });
  t('setReturnArrays', () => {
    const st = db.prepare('select 1 x,2 y');
    st.setReturnArrays(true);
    return [st.get(), st.all(), [...st.iterate()]];
  });
  t('setReturnArrays bad', () => db.prepare('select 1').setReturnArrays(1));
  t('bare off', () => {
    const st = db.prepare('select :a x');
    st.setAllowBareNamedParameters(false);
    return st.get({ a: 1 });
  });
  t('bare bad', () => db.prepare('select 1').setAllowBareNamedParameters(1));
  t('unknown on', () => {
    const st = db.prepare('select :a x');
    st.setAllowUnknownNamedParameters(true);
    return st.get({ a: 1, z: 3 });
  });
  t('unknown bad', () => db.prepare('select 1').setAllowUnknownNamedParameters(1));
  t('ambiguous bare', () => db.prepare('select :a x,@a y').get({ a: 1 }));
  t('ambiguous ok', () => db.prepare('select :a x,@a y').get({ ':a': 1, '@a': 2 }));
  t('same twice', () => db.prepare('select :a x,:a y').get({ a: 1 }));
  t('sourceSQL', () => {
    const st = db.prepare('select ? x');
    st.get('q');
    return [st.sourceSQL, st.expandedSQL];
  });
  t('columns', () => db.prepare('select a,b z,1 from t').columns());
  t('prep num', () => db.prepare(5));
  t('prep bad', () => db.prepare('selec'));
  t('prep empty', () => db.prepare('').get());
  t('prep two', () => db.prepare('select 1 x; select 2').get());
  t('prep opts', () => db.prepare('select 1 x', { returnArrays: true, readBigInts: true }).get());
  t('prep opts bad', () => db.prepare('select 1 x', { returnArrays: 1 }));
  t('stmt ctor', () => new StatementSync());
  t('uniq', () => db.exec('insert into t values(1,1)'));
  t('uniq2', () => db.prepare('insert into t values(1,1)').run());
  t('fn', () => {
    const r = db.function('f', (a, b) => a + b);
    return [r, db.prepare('select f(1,2) x').get()];
  });
  t('fn len', () => db.prepare('select f(1)').get());
  t('fn varargs', () => {
    db.function('v', { varargs: true }, (...a) => a.length);
    return db.prepare('select v() a,v(1,2) b').get();
  });
  t('fn e1', () => db.function());
  t('fn e2', () => db.function('x'));
  t('fn e3', () => db.function('x', 5));
  t('fn e4', () => db.function('x', {}, 5));
  for (const o of ['varargs', 'deterministic', 'directOnly', 'useBigIntArguments'])
    t('fn opt ' + o, () => db.function('x', { [o]: 1 }, () => 1));
  t('fn throw', () => {
    db.function('th', () => {
      throw new RangeError('zz');
    });
    db.prepare('select th()').get();
  });
  t('fn big', () => {
    db.function('bg', { useBigIntArguments: true }, (a) => typeof a);
    return db.prepare('select bg(1) x').get();
  });
  t('fn unsafe', () => {
    db.function('us', (a) => 1);
    return db.prepare('select us(9007199254740993)').get();
  });
  t('fn ret', () => {
    const o = [];
    for (const v of [undefined, null, 1, 1.5, 's', 5n, new Uint8Array([7])]) {
      db.function('rr', () => v);
      o.push(db.prepare('select rr() x,typeof(rr()) t').get());
    }
    return o;
  });
  for (const v of [true, {}, Promise.resolve(1), Symbol('q'), 2n ** 70n])
    t('fn ret ' + typeof v + String(v?.constructor?.name), () => {
      db.function('rr', () => v);
      return db.prepare('select rr()').get();
    });
  t('fn blob arg', () => {
    db.function('ba', (a) => a.constructor.name);
    return db.prepare("select ba(x'01') x").get();
  });
  t('agg', () => {
    db.aggregate('ad', { start: 0, step: (a, v) => a + v });
    return db.prepare('select ad(column1) x from (values(1),(2))').get();
  });
  t('agg fn start', () => {
    db.aggregate('ad2', { start: () => [], step: (a, v) => [...a, v], result: (a) => a.join() });
    return db.prepare('select ad2(column1) x from (values(1),(2))').get();
  });
  t('agg undefined step', () => {
    db.aggregate('ad5', { start: 1, step: (a, v) => {} });
    return db.prepare('select ad5(column1) x from (values(1),(2))').get();
  });
  t('agg win', () => {
    db.aggregate('ad3', { start: 0, step: (a, v) => a + v, inverse: (a, v) => a - v });
    return db.prepare('select ad3(column1) over (rows 1 preceding) x from (values(1),(2),(3))').all();
  });
  t('agg e2', () => db.aggregate('x', {}));
  t('agg e3', () => db.aggregate('x', { start: 0 }));
  t('agg e4', () => db.aggregate('x', { start: 0, step: 1 }));
  t('agg throw', () => {
    db.aggregate('ad4', {
      start: 0,
      step() {
        throw new Error('st');
      },
    });
    db.prepare('select ad4(1)').get();
  });
  t('isTransaction', () => {
    db.exec('begin');
    const r = db.isTransaction;
    db.exec('rollback');
    return [r, db.isTransaction];
  });
  t('location', () => [db.location(), db.location('main'), new DatabaseSync(dir + '/l.db').location()]);
  t('location bad', () => db.location('nope'));
  t('location num', () => db.location(5));
  t('session', () => {
    const d = new DatabaseSync(':memory:'),
      e = new DatabaseSync(':memory:');
    for (const x of [d, e]) x.exec('create table t(a integer primary key,b)');
    const ss = d.createSession();
    d.exec("insert into t values(1,'x')");
    const c = ss.changeset();
    return [
      c.constructor.name,
      c.length > 0,
      e.applyChangeset(c),
      e.prepare('select * from t').all(),
      ss.patchset().length,
      ss.close(),
    ];
  });
  t('session opts', () => {
    const d = new DatabaseSync(':memory:');
    d.exec('create table t(a integer primary key);create table u(a integer primary key)');
    const ss = d.createSession({ table: 'u' });
    d.exec('insert into t values(1)');
    return [ss.changeset().length];
  });
  t('session conflict', () => {
    const d = new DatabaseSync(':memory:'),
      e = new DatabaseSync(':memory:');
    for (const x of [d, e]) x.exec('create table t(a integer primary key,b)');
    e.exec('insert into t values(1,9)');
    const ss = d.createSession();
    d.exec("insert into t values(1,'x')");
    const c = ss.changeset();
    const seen = [];
    return [
      e.applyChangeset(c),
      e.applyChangeset(c, {
        onConflict: (k) => {
          seen.push(k);
          return s.constants.SQLITE_CHANGESET_REPLACE;
        },
      }),
      e.prepare('select * from t').all(),
      seen,
      e.applyChangeset(c, {
        filter: (n) => {
          seen.push(n);
          return false;
        },
      }),
      seen,
    ];
  });
  t('session conflict bad', () => {
    const d = new DatabaseSync(':memory:'),
      e = new DatabaseSync(':memory:');
    for (const x of [d, e]) x.exec('create table t(a integer primary key,b)');
    e.exec('insert into t values(1,9)');
    const ss = d.createSession();
    d.exec("insert into t values(1,'x')");
    return e.applyChangeset(ss.changeset(), { onConflict: () => -7 });
  });
  t('session conflict throw', () => {
    const d = new DatabaseSync(':memory:'),
      e = new DatabaseSync(':memory:');
    for (const x of [d, e]) x.exec('create table t(a integer primary key,b)');
    e.exec('insert into t values(1,9)');
    const ss = d.createSession();
    d.exec("insert into t values(1,'x')");
    return e.applyChangeset(ss.changeset(), {
      onConflict: () => {
        throw new Error('cc');
      },
    });
  });
  t('session e', () => db.createSession(5));
  t('session e2', () => db.createSession({ table: 5 }));
  t('session e3', () => db.createSession({ db: 5 }));
  t('apply e', () => db.applyChangeset(5));
  t('apply e2', () => db.applyChangeset(new Uint8Array(1), 5));
  t('apply e3', () => db.applyChangeset(new Uint8Array(1), { onConflict: 5 }));
  t('apply e4', () => db.applyChangeset(new Uint8Array(1), { filter: 5 }));
  t('apply junk', () => db.applyChangeset(new Uint8Array([1, 2, 3])));
  t('session closed', () => {
    const ss = db.createSession();
    ss.close();
    ss.changeset();
  });
  t('session close2', () => {
    const ss = db.createSession();
    ss.close();
    ss.close();
  });
  t('session db closed', () => {
    const d = new DatabaseSync(':memory:');
    const ss = d.createSession();
    d.close();
    ss.changeset();
  });
  t('closed', () => {
    const d = new DatabaseSync(':memory:');
    const st = d.prepare('select 1');
    d.close();
    return st.get();
  });
  for (const m of [
    'close',
    'prepare',
    'exec',
    'function',
    'aggregate',
    'createSession',
    'applyChangeset',
    'location',
    'loadExtension',
    'enableLoadExtension',
  ])
    t('closed ' + m, () => {
      const d = new DatabaseSync(':memory:');
      d.close();
      return d[m]('select 1', () => 1);
    });
  t('not open', () => {
    const d = new DatabaseSync(':memory:', { open: false });
    return [d.isOpen, d.open(), d.isOpen];
  });
  t('not open exec', () => new DatabaseSync(':memory:', { open: false }).exec('select 1'));
  t('fk', () => [
    db.prepare('pragma foreign_keys').get(),
    new DatabaseSync(':memory:', { enableForeignKeyConstraints: false }).prepare('pragma foreign_keys').get(),
  ]);
  t('dqs', () => db.prepare('select "x" a').get());
  t('dqs on', () =>
    new DatabaseSync(':memory:', { enableDoubleQuotedStringLiterals: true }).prepare('select "x" a').get(),
  );
  t('le', () => db.loadExtension('x'));
  t('ele', () => db.enableLoadExtension(true));
  t('ele2', () => {
    const d = new DatabaseSync(':memory:', { allowExtension: true });
    return [d.enableLoadExtension(false), d.enableLoadExtension(true)];
  });
  t('le miss', () => {
    const d = new DatabaseSync(':memory:', { allowExtension: true });
    d.loadExtension('/nope');
  });
  t('db opts', () =>
    new DatabaseSync(':memory:', { returnArrays: true, readBigInts: true }).prepare('select 1').get(),
  );
  t('blob', () => {
    const r = db.prepare("select x'0102' b").get();
    return [r.b.constructor.name, r];
  });
  t('auth', () => {
    const d = new DatabaseSync(':memory:');
    const l = [];
    d.setAuthorizer((...a) => {
      l.push(a);
      return s.constants.SQLITE_OK;
    });
    d.prepare('select 1').get();
    d.setAuthorizer(null);
    return l;
  });
  t('auth deny', () => {
    const d = new DatabaseSync(':memory:');
    d.setAuthorizer(() => s.constants.SQLITE_DENY);
    d.prepare('select 1');
  });
  t('auth bad', () => db.setAuthorizer(5));
  t('auth throw', () => {
    const d = new DatabaseSync(':memory:');
    d.setAuthorizer(() => {
      throw new Error('au');
    });
    d.prepare('select 1');
  });
  t('auth ret', () => {
    const d = new DatabaseSync(':memory:');
    d.setAuthorizer(() => 'x');
    d.prepare('select 1');
  });
  t('auth ret2', () => {
    const d = new DatabaseSync(':memory:');
    d.setAuthorizer(() => 77);
    d.prepare('select 1');
  });
  t('defensive', () => [db.enableDefensive(true), db.enableDefensive(false)]);
  t('defensive bad', () => db.enableDefensive(1));
  t('serialize', () => {
    const d = new DatabaseSync(':memory:');
    d.exec('create table t(a);insert into t values(3)');
    const b = d.serialize();
    const e = new DatabaseSync(':memory:');
    e.deserialize(b);
    return [b.constructor.name, b.length, e.prepare('select a from t').all()];
  });
  t('deser bad', () => db.deserialize(5));
  t('tag', () => {
    const sql = db.createTagStore();
    const o = [];
    sql.run`insert into t(b) values(${'tagged'})`;
    o.push(
      sql.get`select b from t where b=${'tagged'}`,
      sql.all`select ${1} x`,
      [...sql.iterate`select ${2} x`],
      sql.size,
      sql.capacity,
      sql.db === db,
    );
    sql.clear();
    o.push(sql.size);
    return o;
  });
  t('limits', () => {
    return [db.limits && Object.keys(db.limits), db.limits?.length];
  });
  t('limits set', () => {
    db.limits.attach = 3;
    return db.limits.attach;
  });
  t('limits bad', () => {
    db.limits.attach = -3;
  });
  t('stmt close', () => {
    const st = db.prepare('select 1');
    st.close();
    return st.get();
  });
};
