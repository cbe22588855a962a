import promise from './promise.js';

export const { connect, Database, SqliteError, Transaction } = promise;
