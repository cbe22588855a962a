// Types of godwit/node-sqlite: those of node:sqlite.

export type SQLInputValue = null | number | bigint | string | boolean | NodeJS.ArrayBufferView;
export type SQLOutputValue = null | number | bigint | string | Uint8Array;
export type Row = Record<string, SQLOutputValue>;

export interface StatementOptions {
  readBigInts?: boolean;
  returnArrays?: boolean;
  allowBareNamedParameters?: boolean;
  allowUnknownNamedParameters?: boolean;
}
export interface DatabaseSyncOptions extends StatementOptions {
  open?: boolean;
  readOnly?: boolean;
  enableForeignKeyConstraints?: boolean;
  enableDoubleQuotedStringLiterals?: boolean;
  allowExtension?: boolean;
  timeout?: number;
  defensive?: boolean;
  limits?: Partial<Limits>;
}
export interface Limits {
  length: number;
  sqlLength: number;
  column: number;
  exprDepth: number;
  compoundSelect: number;
  vdbeOp: number;
  functionArg: number;
  attach: number;
  likePatternLength: number;
  variableNumber: number;
  triggerDepth: number;
}
export interface FunctionOptions {
  deterministic?: boolean;
  directOnly?: boolean;
  useBigIntArguments?: boolean;
  varargs?: boolean;
}
export interface AggregateOptions<State = any> extends FunctionOptions {
  start: State | (() => State);
  step: (state: State, ...values: any[]) => State;
  result?: (state: State) => SQLInputValue;
  inverse?: (state: State, ...values: any[]) => State;
}
export interface ApplyChangesetOptions {
  filter?: (table: string) => boolean;
  onConflict?: (kind: number) => number;
}
export interface ColumnMetadata {
  column: string | null;
  database: string | null;
  name: string;
  table: string | null;
  type: string | null;
}
export interface RunResult {
  changes: number | bigint;
  lastInsertRowid: number | bigint;
}

type Values = SQLInputValue[];
type Named = Record<string, SQLInputValue>;

export class StatementSync {
  private constructor();
  readonly sourceSQL: string;
  readonly expandedSQL: string;
  run(...values: Values): RunResult;
  run(names: Named, ...values: Values): RunResult;
  get(...values: Values): Row | undefined;
  get(names: Named, ...values: Values): Row | undefined;
  all(...values: Values): Row[];
  all(names: Named, ...values: Values): Row[];
  iterate(...values: Values): IterableIterator<Row>;
  iterate(names: Named, ...values: Values): IterableIterator<Row>;
  columns(): ColumnMetadata[];
  setAllowBareNamedParameters(enabled: boolean): void;
  setAllowUnknownNamedParameters(enabled: boolean): void;
  setReadBigInts(enabled: boolean): void;
  setReturnArrays(enabled: boolean): void;
  close(): void;
}

export class Session {
  private constructor();
  changeset(): Uint8Array;
  patchset(): Uint8Array;
  close(): void;
}

export class SQLTagStore {
  private constructor();
  readonly size: number;
  readonly capacity: number;
  readonly db: DatabaseSync;
  get(strings: TemplateStringsArray, ...values: Values): Row | undefined;
  all(strings: TemplateStringsArray, ...values: Values): Row[];
  iterate(strings: TemplateStringsArray, ...values: Values): IterableIterator<Row>;
  run(strings: TemplateStringsArray, ...values: Values): RunResult;
  clear(): void;
}

export class DatabaseSync {
  constructor(path: string | Uint8Array | URL, options?: DatabaseSyncOptions);
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  readonly limits: Limits;
  open(): void;
  close(): void;
  prepare(sql: string, options?: StatementOptions): StatementSync;
  exec(sql: string): void;
  function(name: string, fn: (...values: any[]) => unknown): void;
  function(name: string, options: FunctionOptions, fn: (...values: any[]) => unknown): void;
  aggregate<State>(name: string, options: AggregateOptions<State>): void;
  createTagStore(capacity?: number): SQLTagStore;
  createSession(options?: { table?: string; db?: string }): Session;
  applyChangeset(changeset: Uint8Array, options?: ApplyChangesetOptions): boolean;
  location(dbName?: string): string | null;
  enableLoadExtension(allow: boolean): void;
  enableDefensive(active: boolean): void;
  loadExtension(path: string, entryPoint?: string): void;
  serialize(dbName?: string): Uint8Array;
  deserialize(buffer: Uint8Array, options?: { dbName?: string }): void;
  setAuthorizer(callback: ((action: number, first: string | null, second: string | null, database: string | null,
    trigger: string | null) => number) | null): void;
}

export interface BackupOptions {
  source?: string;
  target?: string;
  rate?: number;
  progress?: (state: { totalPages: number; remainingPages: number }) => void;
}
export function backup(sourceDb: DatabaseSync, path: string | Uint8Array | URL, options?: BackupOptions): Promise<number>;
export const constants: Record<string, number>;
