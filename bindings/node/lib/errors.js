'use strict';
// The error class of the synchronous API, and the names of SQLite's result codes.

const PRIMARY = ['OK', 'ERROR', 'INTERNAL', 'PERM', 'ABORT', 'BUSY', 'LOCKED', 'NOMEM', 'READONLY',
  'INTERRUPT', 'IOERR', 'CORRUPT', 'NOTFOUND', 'FULL', 'CANTOPEN', 'PROTOCOL', 'EMPTY', 'SCHEMA', 'TOOBIG',
  'CONSTRAINT', 'MISMATCH', 'MISUSE', 'NOLFS', 'AUTH', 'FORMAT', 'RANGE', 'NOTADB', 'NOTICE', 'WARNING'];

// Extended codes in the order of their numbers, from 1; '' where a number is not used.
const EXTENDED = {
  ERROR: ['MISSING_COLLSEQ', 'RETRY', 'SNAPSHOT', 'RESERVESIZE', 'KEY', 'UNABLE'],
  ABORT: ['', 'ROLLBACK'],
  BUSY: ['RECOVERY', 'SNAPSHOT', 'TIMEOUT'],
  LOCKED: ['SHAREDCACHE', 'VTAB'],
  READONLY: ['RECOVERY', 'CANTLOCK', 'ROLLBACK', 'DBMOVED', 'CANTINIT', 'DIRECTORY'],
  IOERR: ['READ', 'SHORT_READ', 'WRITE', 'FSYNC', 'DIR_FSYNC', 'TRUNCATE', 'FSTAT', 'UNLOCK', 'RDLOCK', 'DELETE',
    'BLOCKED', 'NOMEM', 'ACCESS', 'CHECKRESERVEDLOCK', 'LOCK', 'CLOSE', 'DIR_CLOSE', 'SHMOPEN', 'SHMSIZE',
    'SHMLOCK', 'SHMMAP', 'SEEK', 'DELETE_NOENT', 'MMAP', 'GETTEMPPATH', 'CONVPATH', 'VNODE', 'AUTH',
    'BEGIN_ATOMIC', 'COMMIT_ATOMIC', 'ROLLBACK_ATOMIC', 'DATA', 'CORRUPTFS', 'IN_PAGE'],
  CORRUPT: ['VTAB', 'SEQUENCE', 'INDEX'],
  CANTOPEN: ['NOTEMPDIR', 'ISDIR', 'FULLPATH', 'CONVPATH', 'DIRTYWAL', 'SYMLINK'],
  CONSTRAINT: ['CHECK', 'COMMITHOOK', 'FOREIGNKEY', 'FUNCTION', 'NOTNULL', 'PRIMARYKEY', 'TRIGGER', 'UNIQUE', 'VTAB',
    'ROWID', 'PINNED', 'DATATYPE'],
  NOTICE: ['RECOVER_WAL', 'RECOVER_ROLLBACK', 'RBU'],
  WARNING: ['AUTOINDEX'],
  AUTH: ['USER'],
};

const names = new Map([[100, 'SQLITE_ROW'], [101, 'SQLITE_DONE']]);
PRIMARY.forEach((name, code) => {
  // SQLITE_NOTICE and SQLITE_WARNING are 27 and 28; the others are their place in the list.
  names.set(code, `SQLITE_${name}`);
  (EXTENDED[name] ?? []).forEach((extended, i) => {
    if (extended) names.set(code | (i + 1) << 8, `SQLITE_${name}_${extended}`);
  });
});

function codeName(code) {
  return names.get(code) ?? names.get(code & 0xff) ?? `UNKNOWN_SQLITE_ERROR_${code}`;
}

function SqliteError(message, code) {
  if (new.target !== SqliteError) return new SqliteError(message, code);
  if (typeof code !== 'string') throw new TypeError('Expected second argument to be a string');
  Error.call(this, message);
  Object.defineProperty(this, 'message',
    { value: String(message), enumerable: false, writable: true, configurable: true });
  Error.captureStackTrace?.(this, SqliteError);
  this.code = code;
}
Object.setPrototypeOf(SqliteError, Error);
Object.setPrototypeOf(SqliteError.prototype, Error.prototype);
Object.defineProperty(SqliteError.prototype, 'name',
  { value: 'SqliteError', enumerable: false, writable: true, configurable: true });

module.exports = { SqliteError, codeName };
