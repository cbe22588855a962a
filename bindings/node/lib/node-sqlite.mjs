import sqlite from './node-sqlite.js';

export default sqlite;
export const { DatabaseSync, StatementSync, Session, constants, backup } = sqlite;
