'use strict';
// transaction(): functions that run in a transaction, or in a savepoint of the one that is open.

function makeTransaction(database, prepare, fn) {
  if (typeof fn !== 'function') throw new TypeError('Expected first argument to be a function');
  const statements = new Map();
  const run = (sql) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = prepare(sql);
      statements.set(sql, statement);
    }
    statement.run();
  };

  const wrap = (begin) => function sqliteTransaction() {
    const nested = database.inTransaction;
    run(nested ? 'SAVEPOINT godwit_nested' : begin);
    try {
      const result = Reflect.apply(fn, this, arguments);
      if (typeof result?.then === 'function') {
        throw new TypeError('Transaction function cannot return a promise');
      }
      run(nested ? 'RELEASE godwit_nested' : 'COMMIT');
      return result;
    } catch (error) {
      // Some errors have ended the transaction by themselves.
      if (database.inTransaction) {
        run(nested ? 'ROLLBACK TO godwit_nested' : 'ROLLBACK');
        if (nested) run('RELEASE godwit_nested');
      }
      throw error;
    }
  };

  const variants = {
    default: wrap('BEGIN'),
    deferred: wrap('BEGIN DEFERRED'),
    immediate: wrap('BEGIN IMMEDIATE'),
    exclusive: wrap('BEGIN EXCLUSIVE'),
    concurrent: wrap('BEGIN CONCURRENT'),
  };
  for (const variant of Object.values(variants)) {
    for (const [name, value] of Object.entries(variants)) Object.defineProperty(variant, name, { value });
    Object.defineProperty(variant, 'database', { value: database, enumerable: true });
  }
  return variants.default;
}

module.exports = { makeTransaction };
