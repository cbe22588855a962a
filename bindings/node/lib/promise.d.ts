// Types of the asynchronous API: @tursodatabase/database's, with what Godwit adds.

import { SqliteErrorConstructor, SqliteError as SqliteErrorType, ColumnDefinition, BackupOptions, BackupMetadata } from './index.js';

export declare const SqliteError: SqliteErrorConstructor;
export type SqliteError = SqliteErrorType;

export interface DatabaseOpts {
  readonly?: boolean;
  fileMustExist?: boolean;
  /** Milliseconds to wait for a lock; 0 if not given. */
  timeout?: number;
  /** Milliseconds after which a call is interrupted, unless it says otherwise. */
  defaultQueryTimeout?: number;
  /** What an integer beyond 2^53 becomes where bigints are not asked for; "round" if not given. */
  unsafeIntegers?: 'round' | 'bigint' | 'throw';
}

/** May be the last argument of a call. */
export interface QueryOptions {
  queryTimeout?: number;
  signal?: AbortSignal;
}

export type BatchMode = 'write' | 'read' | 'deferred' | 'immediate' | 'exclusive' | 'concurrent' | string;
export interface BatchOptions {
  mode?: BatchMode;
  raw?: boolean;
}
export type BatchStatement = string | { sql: string; args?: any[] | Record<string, any> };
export interface ResultSet {
  columns: string[];
  columnTypes: string[];
  rows: Array<Record<string, any> | any[]>;
  rowsAffected: number;
}
export interface RunResult {
  changes: number;
  lastInsertRowid: number | bigint;
}

interface Executor {
  exec(sql: string, options?: QueryOptions): Promise<void>;
  run(sql: string, ...parameters: any[]): Promise<RunResult>;
  get(sql: string, ...parameters: any[]): Promise<any>;
  all(sql: string, ...parameters: any[]): Promise<any[]>;
  iterate(sql: string, ...parameters: any[]): AsyncGenerator<any, void, unknown>;
  batch(statements: BatchStatement[], options?: BatchMode | BatchOptions): Promise<ResultSet[]>;
}

export interface Statement {
  readonly source: string;
  readonly reader: boolean;
  readonly database: unknown;
  run(...parameters: any[]): Promise<RunResult>;
  get(...parameters: any[]): Promise<any>;
  all(...parameters: any[]): Promise<any[]>;
  iterate(...parameters: any[]): AsyncGenerator<any, void, unknown>;
  bind(...parameters: any[]): this;
  raw(on?: boolean): this;
  pluck(on?: boolean): this;
  safeIntegers(on?: boolean): this;
  columns(): ColumnDefinition[];
  interrupt(): void;
  io(): Promise<void>;
  close(): void;
}

export declare class Transaction implements Executor {
  private constructor();
  readonly open: boolean;
  prepare(sql: string): Promise<Statement>;
  exec(sql: string, options?: QueryOptions): Promise<void>;
  run(sql: string, ...parameters: any[]): Promise<RunResult>;
  get(sql: string, ...parameters: any[]): Promise<any>;
  all(sql: string, ...parameters: any[]): Promise<any[]>;
  iterate(sql: string, ...parameters: any[]): AsyncGenerator<any, void, unknown>;
  batch(statements: BatchStatement[], options?: BatchMode | BatchOptions): Promise<ResultSet[]>;
}

export type AsyncTransactionFunction<A extends any[], R> = {
  (...args: A): Promise<R>;
  readonly default: AsyncTransactionFunction<A, R>;
  readonly deferred: AsyncTransactionFunction<A, R>;
  readonly concurrent: AsyncTransactionFunction<A, R>;
  readonly immediate: AsyncTransactionFunction<A, R>;
  readonly exclusive: AsyncTransactionFunction<A, R>;
  readonly database: Database;
};

export declare class Database implements Executor {
  constructor(path: string, options?: DatabaseOpts);
  readonly name: string;
  readonly readonly: boolean;
  readonly open: boolean;
  readonly memory: boolean;
  readonly inTransaction: boolean;
  connect(): Promise<void>;
  prepare(sql: string): Statement;
  transaction<A extends any[], R>(fn: (...args: A) => Promise<R>): AsyncTransactionFunction<A, R>;
  transactionAsync<A extends any[], R>(fn: (txn: Transaction, ...args: A) => Promise<R>): AsyncTransactionFunction<A, R>;
  exec(sql: string, options?: QueryOptions): Promise<void>;
  run(sql: string, ...parameters: any[]): Promise<RunResult>;
  get(sql: string, ...parameters: any[]): Promise<any>;
  all(sql: string, ...parameters: any[]): Promise<any[]>;
  iterate(sql: string, ...parameters: any[]): AsyncGenerator<any, void, unknown>;
  batch(statements: BatchStatement[], options?: BatchMode | BatchOptions): Promise<ResultSet[]>;
  pragma(source: string, options?: { simple?: boolean }): Promise<any>;
  backup(path: string, options?: BackupOptions): Promise<BackupMetadata>;
  serialize(options?: { attached?: string }): Promise<Buffer>;
  loadExtension(path: string, entryPoint?: string): Promise<void>;
  interrupt(): void;
  defaultSafeIntegers(on?: boolean): void;
  close(): Promise<void>;
  io(): Promise<void>;
}

export declare function connect(path: string, options?: DatabaseOpts): Promise<Database>;
