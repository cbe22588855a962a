// Types of the synchronous API: better-sqlite3's, with what Godwit adds.

declare namespace Database {
  type Value = null | string | number | bigint | Buffer;
  type Bindable = null | undefined | string | number | bigint | NodeJS.ArrayBufferView;
  type Parameters = Array<Bindable | Bindable[] | Record<string, Bindable>>;

  interface RunResult {
    changes: number;
    lastInsertRowid: number | bigint;
  }

  interface ColumnDefinition {
    name: string;
    column: string | null;
    table: string | null;
    database: string | null;
    type: string | null;
  }

  interface Statement<P extends unknown[] | {} = unknown[], Row = unknown> {
    readonly database: Database;
    readonly source: string;
    readonly reader: boolean;
    readonly readonly: boolean;
    readonly busy: boolean;
    run(...parameters: P extends unknown[] ? P : [P]): RunResult;
    get(...parameters: P extends unknown[] ? P : [P]): Row | undefined;
    all(...parameters: P extends unknown[] ? P : [P]): Row[];
    iterate(...parameters: P extends unknown[] ? P : [P]): IterableIterator<Row>;
    bind(...parameters: P extends unknown[] ? P : [P]): this;
    pluck(on?: boolean): this;
    expand(on?: boolean): this;
    raw(on?: boolean): this;
    safeIntegers(on?: boolean): this;
    columns(): ColumnDefinition[];
  }

  interface Transaction<F extends (...args: any[]) => unknown> {
    (...args: Parameters_<F>): ReturnType<F>;
    readonly database: Database;
    readonly default: Transaction<F>;
    readonly deferred: Transaction<F>;
    readonly immediate: Transaction<F>;
    readonly exclusive: Transaction<F>;
    /** BEGIN CONCURRENT */
    readonly concurrent: Transaction<F>;
  }
  type Parameters_<F> = F extends (...args: infer A) => unknown ? A : never;

  interface Options {
    readonly?: boolean;
    fileMustExist?: boolean;
    /** Milliseconds to wait for a lock; 5000 if not given. */
    timeout?: number;
    verbose?: ((sql?: unknown, ...more: unknown[]) => void) | null;
    nativeBinding?: string | object | null;
    /** What an integer beyond 2^53 becomes where bigints are not asked for; "round" if not given. */
    unsafeIntegers?: 'round' | 'bigint' | 'throw';
  }

  interface FunctionOptions {
    varargs?: boolean;
    deterministic?: boolean;
    directOnly?: boolean;
    safeIntegers?: boolean;
  }

  interface AggregateOptions<State> extends FunctionOptions {
    start?: State | (() => State);
    step: (state: State, ...values: any[]) => State | void;
    inverse?: (state: State, ...values: any[]) => State | void;
    result?: (state: State) => Bindable;
  }

  interface TableDefinition {
    columns: string[];
    parameters?: string[];
    safeIntegers?: boolean;
    directOnly?: boolean;
    rows: (...parameters: any[]) => Generator<Bindable[] | Record<string, Bindable>, void, void>;
  }

  interface BackupMetadata {
    totalPages: number;
    remainingPages: number;
  }

  interface BackupOptions {
    attached?: string;
    progress?: (state: BackupMetadata) => number | void;
  }

  interface Database {
    readonly name: string;
    readonly open: boolean;
    readonly memory: boolean;
    readonly readonly: boolean;
    readonly inTransaction: boolean;
    prepare<P extends unknown[] | {} = unknown[], Row = unknown>(sql: string): Statement<P, Row>;
    transaction<F extends (...args: any[]) => unknown>(fn: F): Transaction<F>;
    exec(sql: string): this;
    pragma(source: string, options?: { simple?: boolean }): unknown;
    function(name: string, fn: (...values: any[]) => unknown): this;
    function(name: string, options: FunctionOptions, fn: (...values: any[]) => unknown): this;
    aggregate<State>(name: string, options: AggregateOptions<State>): this;
    table(name: string, definition: TableDefinition | ((...args: string[]) => TableDefinition)): this;
    backup(path: string, options?: BackupOptions): Promise<BackupMetadata>;
    serialize(options?: { attached?: string }): Buffer;
    loadExtension(path: string, entryPoint?: string): this;
    defaultSafeIntegers(on?: boolean): this;
    unsafeMode(on?: boolean): this;
    /** Ends what runs on this connection with SQLITE_INTERRUPT. */
    interrupt(): this;
    close(): this;
  }

  interface SqliteError extends Error {
    code: string;
  }

  interface SqliteErrorConstructor {
    new (message: string, code: string): SqliteError;
    (message: string, code: string): SqliteError;
    readonly prototype: SqliteError;
  }
}

interface DatabaseConstructor {
  new (path?: string | Buffer | null, options?: Database.Options | null): Database.Database;
  (path?: string | Buffer | null, options?: Database.Options | null): Database.Database;
  readonly prototype: Database.Database;
  readonly SqliteError: Database.SqliteErrorConstructor;
  /** The asynchronous API, as `godwit/promise`. */
  readonly connect: typeof import('./promise.js').connect;
}

declare const Database: DatabaseConstructor;
export = Database;
