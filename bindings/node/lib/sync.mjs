import sync from './sync.js';

export const { connect, Database, NetworkError, SqliteError, Transaction, retryFetch } = sync;
