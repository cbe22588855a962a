import Database = require('./index.js');

export default Database;
export declare const SqliteError: Database.SqliteErrorConstructor;
export type SqliteError = Database.SqliteError;
export { connect } from './promise.js';
