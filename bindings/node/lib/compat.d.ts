// Types of the synchronous API with the manners of @tursodatabase/database/compat.

import Base = require('./index.js');
import { BatchMode, BatchOptions, BatchStatement, ResultSet } from './promise.js';

export interface CompatOptions {
  readonly?: boolean;
  fileMustExist?: boolean;
  timeout?: number;
  unsafeIntegers?: 'round' | 'bigint' | 'throw';
}

export interface Database extends Base.Database {
  batch(statements: BatchStatement[], options?: BatchMode | BatchOptions): ResultSet[];
}
export declare const Database: { new (path: string, options?: CompatOptions): Database };
export declare const SqliteError: Base.SqliteErrorConstructor;
export type SqliteError = Base.SqliteError;
