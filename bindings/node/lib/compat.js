'use strict';
// The synchronous API with the manners of @tursodatabase/database/compat: loose bindings (lib/loose.js), batch(),
// statements that may run while an iterator is open, and no waiting for locks unless `timeout` says so.

const Base = require('./database');
const { SqliteError } = require('./errors');

const BATCH_MODES = { write: 'IMMEDIATE', read: 'DEFERRED' };

class Database extends Base {
  constructor(path, options) {
    if (typeof path !== 'string') throw new TypeError('Expected first argument to be a string');
    const { readonly = false, fileMustExist = false, timeout = 0, unsafeIntegers } = options ?? {};
    super(path, { readonly, fileMustExist, timeout, unsafeIntegers });
    this[Base.CORE].loose = true;
    this[Base.CORE].unsafe = true;
  }

  // Each statement's columns, rows and count. With a mode all or none of them take effect.
  batch(statements, options) {
    if (!Array.isArray(statements)) throw new TypeError('Expected first argument to be an array of statements');
    const { mode, raw = false } = typeof options === 'string' ? { mode: options } : options ?? {};
    const atomic = mode !== undefined && !this.inTransaction;
    if (atomic) this.exec(`BEGIN ${BATCH_MODES[mode] ?? mode}`);
    try {
      const results = statements.map((statement) => this.#batchOne(statement, raw));
      if (atomic) this.exec('COMMIT');
      return results;
    } catch (error) {
      if (atomic && this.inTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  #batchOne(given, raw) {
    const { sql, args = [] } = typeof given === 'string' ? { sql: given } : given;
    const statement = this.prepare(sql);
    if (!statement.reader) {
      const { changes } = statement.run(args);
      return { columns: [], columnTypes: [], rows: [], rowsAffected: changes };
    }
    const described = statement.columns();
    const rows = statement.raw(raw).all(args);
    return {
      columns: described.map(({ name }) => name),
      columnTypes: described.map(({ type }) => type ?? ''),
      rows,
      rowsAffected: statement.readonly ? 0 : rows.length,
    };
  }
}

module.exports = { Database, SqliteError };
