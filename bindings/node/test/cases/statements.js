'use strict';
// What statements, parameters, functions and aggregates of the synchronous API do, right or wrong, case by case:
// test/better-sqlite3.test.js compares it with what better-sqlite3 does.

module.exports = function statements(Database, t) {
  const db = new Database(':memory:');
  t('typeof 1', () => db.prepare('select typeof(?) x').get(1));
  t('typeof 1n', () => db.prepare('select typeof(?) x').get(1n));
  t('bool', () => db.prepare('select ? x').get(true));
  t('undef', () => db.prepare('select ? x').get(undefined));
  t('date', () => db.prepare('select ? x').get(new Date()));
  t('symbol', () => db.prepare('select ? x').get(Symbol()));
  t('fn', () => db.prepare('select ? x').get(() => 1));
  t('u8', () => db.prepare('select typeof(?) x').get(new Uint8Array(3)));
  t('buf', () => db.prepare('select typeof(?) x').get(Buffer.alloc(3)));
  t('ab', () => db.prepare('select typeof(?) x').get(new ArrayBuffer(3)));
  t('f64a', () => db.prepare('select hex(?) x').get(new Float64Array([1])));
  t('dv', () => db.prepare('select hex(?) x').get(new DataView(new ArrayBuffer(2))));
  t('null', () => db.prepare('select typeof(?) x').get(null));
  t('few', () => db.prepare('select ?,? x').get(1));
  t('many', () => db.prepare('select ?,? x').get(1, 2, 3));
  t('many0', () => db.prepare('select 1').get(1));
  t('named0', () => db.prepare('select 1').get({ a: 1 }));
  t('named miss', () => db.prepare('select :a,:b').get({ a: 1 }));
  t('named none', () => db.prepare('select :a,:b').get());
  t('named extra', () => db.prepare('select :a').get({ a: 1, b: 2 }));
  t('named two', () => db.prepare('select :a').get({ a: 1 }, { b: 2 }));
  t('named class', () => {
    class A {
      constructor() {
        this.a = 1;
      }
    }
    return db.prepare('select :a').get(new A());
  });
  t('named nullproto', () => db.prepare('select :a').get(Object.assign(Object.create(null), { a: 1 })));
  t('mixed', () => db.prepare('select :a,? ,@c,$d').get({ a: 1, c: 2, d: 3 }, 9));
  t('mixed2', () => db.prepare('select :a,? ,@c,$d').get(9, { a: 1, c: 2, d: 3 }));
  t('?1', () => db.prepare('select ?1,?2').get(9, 8));
  t('?1 obj', () => db.prepare('select ?1,?2').get({ 1: 9, 2: 8 }));
  t('?2', () => db.prepare('select ?2').get(9));
  t('?2b', () => db.prepare('select ?2').get(9, 8));
  t('?,?3', () => db.prepare('select ?,?3').get(9, { 3: 8 }));
  t('arr', () => db.prepare('select ?,?').get([1, 2]));
  t('arr2', () => db.prepare('select ?,?').get([1], [2]));
  t('arr nested', () => db.prepare('select ?,?').get([1, [2]]));
  t('arr obj', () => db.prepare('select ?,:a').get([1, { a: 3 }]));
  t('bigint big', () => db.prepare('select ?').get(2n ** 63n));
  t('bigint min', () => db.prepare('select ?').get(-(2n ** 63n)));
  t('named undef', () => db.prepare('select :a').get({ a: undefined }));
  t('named bad', () => db.prepare('select :a').get({ a: true }));
  t('named proto', () => db.prepare('select :toString').get({}));
  t('dupkeys', () => db.prepare('select 1 a,2 b,3 a').get());
  t('dupkeys keys', () => Object.keys(db.prepare('select 1 a,2 b,3 a').get()));
  t('raw dup', () => db.prepare('select 1 a,2 b,3 a').raw().get());
  t('expand', () => {
    db.exec('create table q(a,b);insert into q values(1,2)');
    return db.prepare('select q.*,p.a,1+1 as z from q join q p').expand().all();
  });
  t('pluck off', () => db.prepare('select 5').pluck().pluck(false).get());
  t('pluck arg', () => db.prepare('select 5').pluck(1));
  t('raw arg', () => db.prepare('select 5').raw('x'));
  t('pluck nonreader', () => db.prepare('insert into q values(1,1)').pluck());
  t('safe arg', () => db.prepare('insert into q values(1,1)').safeIntegers(2));
  t('cols', () => db.prepare('select a,b as z,1+1 from q').columns());
  t('cols nr', () => db.prepare('insert into q values(1,1)').columns());
  t('run sel', () => db.prepare('select 5').run());
  t('get ins', () => db.prepare('insert into q values(1,1)').get());
  t('all ins', () => db.prepare('insert into q values(1,1)').all());
  t('iter ins', () => db.prepare('insert into q values(1,1)').iterate());
  t('run', () => db.prepare('insert into q values(1,1)').run());
  t('ret', () => db.prepare('insert into q values(5,1) returning a').get());
  t('ret run', () => db.prepare('insert into q values(5,1),(6,6) returning a').run());
  t('empty', () => db.prepare(''));
  t('empty2', () => db.prepare(' -- x'));
  t('two', () => db.prepare('select 1;select 2'));
  t('trail', () => db.prepare('select 1; -- x\n ;/* y */ ').get());
  t('prep num', () => db.prepare(1));
  t('prep none', () => db.prepare());
  t('exec num', () => db.exec(1));
  t('exec ret', () => db.exec('select 1') === db);
  t('exec err', () => db.exec('select 1; foo; select'));
  t('syntax', () => db.prepare('selec'));
  t('notable', () => db.prepare('select * from nope'));
  t('uniq', () => {
    db.exec('create table u(a unique)');
    db.prepare('insert into u values(1)').run();
    db.prepare('insert into u values(1)').run();
  });
  t('bind', () => db.prepare('select ?').bind(3).get());
  t('bind2', () => db.prepare('select ?').bind(3).bind(3));
  t('bind3', () => db.prepare('select ?').bind(3).get(3));
  t('bind3b', () => db.prepare('select ?').bind(3).get({}));
  t('bindfew', () => db.prepare('select ?').bind());
  t('iter busy', () => {
    const s = db.prepare('select 1 union select 2');
    const it = s.iterate();
    it.next();
    return s.get();
  });
  t('iter busy2', () => {
    return db.prepare('select 1').get();
  });
  t('iter busy run', () => db.prepare('insert into q values(1,1)').run());
  t('iter busy exec', () => db.exec('select 1'));
  t('iter busy prep', () => db.prepare('select 1').reader);
  t('iter busy pragma', () => db.pragma('user_version'));
  t('iter busy close', () => db.close());
  const { constructor: It } = db.prepare('select 1').iterate();
  t('iterctor', () => new It());
  t('props', () => [db.name, db.open, db.memory, db.readonly, db.inTransaction]);
  t('stmt props', () => {
    const s = db.prepare('select 1 -- x');
    return [s.source, s.reader, s.readonly, s.busy, s.database === db];
  });
  t('set prop', () => {
    'use strict';
    db.open = 3;
  });
  t('set prop2', () => {
    'use strict';
    db.prepare('select 1').source = 3;
  });
  t('stmt ctor', () => new (db.prepare('select 1').constructor)());
  const db2 = new Database(':memory:');
  t('iter done', () => {
    const s = db2.prepare('select 1 x union select 2');
    const it = s.iterate();
    return [it.next(), it.next(), it.next(), it.next(), it.return(), it[Symbol.iterator]() === it, s.busy];
  });
  t('iter ret', () => {
    const s = db2.prepare('select 1 x union select 2');
    const it = s.iterate();
    return [it.return(), it.next(), s.busy];
  });
  t('iter bind args', () => {
    const s = db2.prepare('select ?');
    return [...s.iterate(4)];
  });
  t('fn', () => {
    db2.function('f', (a, b) => a + b);
    return db2.prepare("select f(1,2),f('a',3)").raw().get();
  });
  t('fn throw', () => {
    db2.function('g', () => {
      throw new RangeError('hey');
    });
    return db2.prepare('select g()').get();
  });
  t('fn throw x', () => {
    db2.function('g2', () => {
      throw 5;
    });
    try {
      return db2.prepare('select g2()').get();
    } catch (e) {
      return ['caught', e];
    }
  });
  t('fn bad', () => {
    db2.function('h', () => ({}));
    return db2.prepare('select h()').get();
  });
  t('fn bool', () => {
    db2.function('h3', () => true);
    return db2.prepare('select h3()').get();
  });
  t('fn undef', () => {
    db2.function('h4', () => undefined);
    return db2.prepare('select h4()').get();
  });
  t('fn big', () => {
    db2.function('h2', () => 2n ** 70n);
    return db2.prepare('select h2()').get();
  });
  t('fn nested', () => {
    db2.function('n', () => db2.prepare('select 3').pluck().get());
    return db2.prepare('select n()').get();
  });
  t('fn nested run', () => {
    db2.exec('create table r(a)');
    db2.function('n2', () => db2.prepare('insert into r values(1)').run().changes);
    return db2.prepare('select n2()').get();
  });
  t('fn nested iter', () => {
    let r = [];
    for (const x of db2.prepare('select n() from (select 1 union select 2)').iterate()) r.push(x);
    return r;
  });
  t('fn nested exec', () => {
    db2.function('n4', () => {
      db2.exec('select 1');
      return 1;
    });
    return db2.prepare('select n4()').get();
  });
  t('fn nested close', () => {
    db2.function('n5', () => {
      db2.close();
      return 1;
    });
    return db2.prepare('select n5()').get();
  });
  t('fn nested prep', () => {
    db2.function('n6', () => {
      return db2.prepare('select 1').reader ? 1 : 0;
    });
    return db2.prepare('select n6()').get();
  });
  t('fn nested busy', () => {
    let s;
    db2.function('n7', () => {
      return s.busy ? 1 : 0;
    });
    s = db2.prepare('select n7()');
    return s.get();
  });
  t('fn nested self', () => {
    let s;
    let d = 0;
    db2.function('n8', () => {
      return d++ ? 1 : s.pluck().get();
    });
    s = db2.prepare('select n8()');
    return s.get();
  });
  t('fn args', () => db2.prepare('select f(1)').get());
  t('fn name', () => db2.function(''));
  t('fn name2', () => db2.function(1));
  t('fn f', () => db2.function('x'));
  t('fn o', () => db2.function('x', 1, () => 1));
  t('fn o2', () => db2.function('x', { varargs: 1 }, () => 1));
  t('fn o3', () => db2.function('x', { deterministic: 1 }, () => 1));
  t('fn o4', () => db2.function('x', { directOnly: 1 }, () => 1));
  t('fn o5', () => db2.function('x', { safeIntegers: 1 }, () => 1));
  t('fn len', () => {
    const f = (...a) => a.length;
    db2.function('va', { varargs: true }, f);
    return db2.prepare('select va(),va(1,2,3)').get();
  });
  t('fn len2', () => {
    const f = () => 1;
    Object.defineProperty(f, 'length', { value: -1 });
    db2.function('va2', f);
  });
  t('fn len3', () => {
    const f = () => 1;
    Object.defineProperty(f, 'length', { value: 101 });
    db2.function('va2', f);
  });
  t('fn blob', () => {
    db2.function('bl', (b) => (Buffer.isBuffer(b) ? b : 'no'));
    return db2.prepare("select hex(bl(x'0102'))").get();
  });
  t('fn real', () => {
    db2.function('tp', (b) => typeof b + b);
    return db2.prepare("select tp(9007199254740993),tp(1.5),tp(null),tp('x')").get();
  });
  t('fn ret num', () => {
    db2.function('one', () => 1);
    return db2.prepare('select typeof(one())').get();
  });
  t('agg', () => {
    db2.aggregate('ad', { start: 0, step: (t, n) => t + n });
    return db2.prepare('select ad(column1) from (values(1),(2))').get();
  });
  t('agg nostart', () => {
    db2.aggregate('ad0', { step: (t, n) => [t, n] + '' });
    return db2.prepare('select ad0(column1) from (values(1),(2))').get();
  });
  t('agg empty', () => db2.prepare('select ad(1) from (select 1 where 0)').get());
  t('agg undef', () => {
    db2.aggregate('ad1', {
      start: () => [],
      step: (t, n) => {
        t.push(n);
      },
      result: (t) => t.join(),
    });
    return db2.prepare('select ad1(column1) from (values(1),(2))').get();
  });
  t('agg win', () => {
    db2.aggregate('ad2', {
      start: 0,
      step: (t, n) => t + n,
      inverse: (t, n) => t - n,
      result: (t) => t * 10,
    });
    return db2.prepare('select ad2(column1) over (rows 1 preceding) from (values(1),(2),(3))').pluck().all();
  });
  t('agg nowin', () =>
    db2.prepare('select ad(column1) over (rows 1 preceding) from (values(1),(2),(3))').pluck().all(),
  );
  t('agg throw', () => {
    db2.aggregate('ad3', {
      start: () => {
        throw new Error('s');
      },
      step: (t, n) => t + n,
    });
    return db2.prepare('select ad3(1)').get();
  });
  t('agg throw2', () => {
    db2.aggregate('ad4', {
      step: (t, n) => {
        throw new Error('st');
      },
    });
    return db2.prepare('select ad4(1)').get();
  });
  t('agg throw3', () => {
    db2.aggregate('ad5', {
      step: (t, n) => 1,
      result() {
        throw new Error('re');
      },
    });
    return db2.prepare('select ad5(1)').get();
  });
  t('agg bad', () => {
    db2.aggregate('ad6', {
      step: (t, n) => 1,
      result() {
        return {};
      },
    });
    return db2.prepare('select ad6(1)').get();
  });
  t('agg e1', () => db2.aggregate('x'));
  t('agg e2', () => db2.aggregate('x', {}));
  t('agg e3', () => db2.aggregate('x', { step: 1 }));
  t('agg e4', () => db2.aggregate('x', { step() {}, inverse: 2 }));
  t('agg e5', () => db2.aggregate('x', { step() {}, result: 2 }));
  t('agg e6', () => db2.aggregate('', { step() {} }));
  t('agg e7', () => db2.aggregate(2, { step() {} }));
};
