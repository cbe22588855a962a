import Database from './index.js';

export default Database;
export const { SqliteError, connect } = Database;
