import compat from './compat.js';

export const { Database, SqliteError } = compat;
