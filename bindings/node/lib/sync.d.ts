// Types of replicas: @tursodatabase/sync's, with what Godwit adds.

import { AgentOptions } from 'node:https';
import { Database as PlainDatabase, DatabaseOpts, Statement } from './promise.js';

export { SqliteError, Transaction } from './promise.js';

/** Values by column. Blobs are Buffers, integers beyond 2^53 bigints. */
export type Row = Record<string, any>;

/** A change that is about to be sent, or rebased. */
export interface Mutation {
  tableName: string;
  /** The rowid. */
  id: number;
  changeType: 'insert' | 'update' | 'delete';
  before?: Row;
  after?: Row;
  /** The columns that an update changed. */
  updates?: Row;
}
export type Transformed = null | undefined | { operation: 'skip' } | { operation: 'rewrite'; row: Row };

export interface Conflict {
  kind: 'overwritten' | 'dropped' | 'moved' | 'refused' | 'set aside';
  table: string;
  key: Row | null;
  /** The rows of the two sides, and what both came from; null: there is none, or it is not known. */
  mine: Row | null;
  theirs: Row | null;
  base: Row | null;
  error: string | null;
}

export type PendingChange =
  | { seq: number; kind: 'insert' | 'update' | 'delete'; table: string; key: Row; isSent: boolean }
  | { seq: number; kind: 'schema'; statement: string; isSent: boolean };

export interface Progress {
  /** Bytes of the answer so far. */
  received: number;
  /** Of all of it; null: not known. */
  total: number | null;
}

export interface SyncOpts extends DatabaseOpts {
  path: string;
  /** Where the server has the database; a function may give null for as long as it is not known. */
  url?: string | (() => string | null | undefined | Promise<string | null | undefined>);
  /** A bearer token. A function is asked once, and again when the server refuses what it gave. */
  authToken?: string | (() => string | null | undefined | Promise<string | null | undefined>);
  /** How the id of this replica begins. */
  clientName?: string;
  /** What the server speaks; found out if not given. */
  wire?: 'godwit' | 'turso';
  /** Whether connect() fetches the rows of a server that this file never had; true if not given. */
  bootstrapIfEmpty?: boolean;
  /** How long a pull waits for news. */
  longPollTimeoutMs?: number;
  /** A file with tables that was never synced: makes its rows pending changes. */
  adopt?: boolean;
  /** The server has another database than at the last sync: starts over from it, keeping what is pending. */
  acceptOtherDatabase?: boolean;
  /** A row that one side updates and the other deletes stays. */
  updateWins?: boolean;
  /** "table.column": changes of both sides are added up. */
  counters?: string[];
  transform?: (mutation: Mutation) => Transformed;
  /** Decides on a row that both sides changed: the new row, or nothing for the rule. */
  onConflict?: (conflict: Conflict) => Row | null | undefined;
  onProgress?: (progress: Progress) => void;
  /** Pushes and pulls in the background. */
  autoSync?: { intervalMs: number };
  retry?: { attempts?: number; delayMs?: number; backoff?: number };
  /** Without a byte from the server for so long, a request fails; 30,000 if not given. */
  requestTimeoutMs?: number;
  /** Carries the requests in place of node:http. */
  fetch?: typeof fetch;
  /** Options of the https.Agent: `ca`, `rejectUnauthorized`, ... */
  tls?: AgentOptions;
}

export interface ExchangeOptions {
  signal?: AbortSignal;
  /** How often a request is tried; `retry.attempts` if not given. */
  attempts?: number;
}

export interface DatabaseStats {
  /** Local transactions that the server does not have yet. */
  pendingChanges: number;
  /** The same, under Turso's name. */
  cdcOperations: number;
  mainWalSize: number;
  /** Turso's; always 0. */
  revertWalSize: number;
  lastPullUnixTime: number | null;
  lastPushUnixTime: number | null;
  /** Of the server's database that the rows here are; empty: there was no pull. */
  revision: string;
  /** Bodies, since the replica was opened. */
  networkSentBytes: number;
  networkReceivedBytes: number;
}

interface SyncEvents {
  conflict: (conflict: Conflict) => void;
  progress: (progress: Progress) => void;
  sync: (result: { pulled: boolean }) => void;
  syncError: (error: Error) => void;
}

// prepare() gives a promise, as in @tursodatabase/sync.
declare const Base: new (options: SyncOpts | string) => Omit<PlainDatabase, 'prepare'>;

export declare class Database extends Base {
  constructor(options: SyncOpts | string);
  prepare(sql: string): Promise<Statement>;
  /** Sends the local changes. */
  push(options?: ExchangeOptions): Promise<void>;
  /** Fetches the server's; true if rows changed. */
  pull(options?: ExchangeOptions): Promise<boolean>;
  /** push(), then pull(). Calls while it runs share it. */
  sync(options?: ExchangeOptions): Promise<boolean>;
  /** The local changes that the server does not have yet. */
  pending(): Promise<PendingChange[]>;
  /** Undoes the pending changes of a row, as if they had never been made. */
  discard(change: { table: string; key: Row }): Promise<void>;
  checkpoint(): Promise<void>;
  stats(): Promise<DatabaseStats>;
  /** When sync() last ended well. */
  readonly lastSync: Date | null;
  /** What the last sync() failed with, or the first download in connect(). */
  readonly lastError: Error | null;
  on<E extends keyof SyncEvents>(name: E, listener: SyncEvents[E]): this;
  once<E extends keyof SyncEvents>(name: E, listener: SyncEvents[E]): this;
  off<E extends keyof SyncEvents>(name: E, listener: SyncEvents[E]): this;
}

/** The network failed; what is pending is sent next time. */
export declare class NetworkError extends Error {
  code: string;
}

export declare function connect(options: SyncOpts): Promise<Database>;

/** A fetch that repeats after network errors, 429 and 5xx. */
export declare function retryFetch(options?: {
  attempts?: number; delayMs?: number; backoff?: number; fetch?: typeof fetch;
}): typeof fetch;
