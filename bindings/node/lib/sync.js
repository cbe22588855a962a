'use strict';
// Replicas: the database of lib/promise.js, whose changes go to a server with push() and whose server's come
// with pull(). The API is @tursodatabase/sync's, and more. What is kept and by which rule changes meet is the
// sync layer's (src/sync/replica.h); here are its turns, its timer, and its network (lib/sync-transport.js).
//
// Steps that work on the file take the connection's turn, so that statements and steps never find each other's
// locks; while the network is waited for, statements run. Pushes and pulls follow each other. A pull that only waits
// for news (long poll) makes way for a push and goes on after it.

const { EventEmitter } = require('events');
const fs = require('fs');
const os = require('os');
const path = require('path');
const io = require('./native');
const promise = require('./promise');
const { Gate } = require('./gate');
const { errorOf } = require('./program');
const { parseRow, writeRow } = require('./sync-rows');
const { NetworkError, Transport, retryFetch } = require('./sync-transport');

const { native, header, STATUS } = io;
const { SqliteError, Transaction } = promise;
const KINDS = { I: 'insert', U: 'update', D: 'delete', S: 'schema' };
const CORE = Symbol.for('godwit core'); // of lib/promise.js
const RAW_KEY = Symbol('key as the replica writes it');
const YIELDED = Symbol('the pull makes way');

const isAbsent = (value) => value === undefined || value === null || value === '';

function conflictOf({ kind, table, key, mine, theirs, base, error }) {
  return {
    kind, table, key: parseRow(key), mine: parseRow(mine), theirs: parseRow(theirs), base: parseRow(base),
    error: error === '' ? null : error,
  };
}

// What the hooks say, in the words of src/replica.cc; undefined if they throw.
function makeHook({ transform, onConflict }, keepError) {
  return (isConflict, question) => {
    try {
      if (isConflict) {
        const row = onConflict(conflictOf(question));
        return row === undefined || row === null ? '' : writeRow(row);
      }
      const { table, kind, id, before, after, updates } = question;
      const mutation = { tableName: table, id: Number(id), changeType: KINDS[kind] };
      if (before !== '') mutation.before = parseRow(before);
      if (after !== '') mutation.after = parseRow(after);
      if (updates !== '') mutation.updates = parseRow(updates);
      const outcome = transform(mutation);
      if (outcome === undefined || outcome === null) return '';
      if (outcome.operation === 'skip') return 'skip';
      if (outcome.operation === 'rewrite' && outcome.row) return writeRow(outcome.row);
      throw new TypeError("transform() gives null, { operation: 'skip' }, or { operation: 'rewrite', row: { column: value } }");
    } catch (error) {
      keepError(error);
      return undefined;
    }
  };
}

class Database extends promise.Database {
  #options;
  #file;
  #temporary = null;
  #handle = null;
  #connecting = null;
  #steps = new Gate();     // pieces of work on the replica
  #exchanges = new Gate(); // pushes and pulls
  #transport;
  #events = new EventEmitter();
  #hookError = null;
  #running = null;         // AbortController of the push or pull under way
  #givesWay = false;       // it is a pull that waits for news
  #timer = null;
  #syncing = null;
  #lastSync = null;
  #lastError = null;
  #isClosed = false;

  constructor(options) {
    if (typeof options === 'string') options = { path: options };
    if (typeof options?.path !== 'string') throw new TypeError('Expected options with a path');
    let file = options.path;
    let temporary = null;
    if ((file === ':memory:' || file === '') && options.url !== undefined) {
      // The replica and the application have a connection each.
      temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'godwit-'));
      file = path.join(temporary, 'replica.db');
    }
    super(file, { timeout: 5000, ...options });
    this.#file = file;
    this.#temporary = temporary;
    this.#options = { ...options };
    if (options.onProgress) this.#events.on('progress', options.onProgress);
  }

  get name() {
    return this.#options.path;
  }

  get memory() {
    return this.#options.path === ':memory:' || this.#options.path === '';
  }

  connect() {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  async #connect() {
    if (this.#options.url !== undefined) await this.#openReplica();
    await super.connect();
    if (this.#handle === null) return;
    if (this.#options.bootstrapIfEmpty !== false) await this.#bootstrap();
    const interval = this.#options.autoSync?.intervalMs;
    if (interval > 0) this.#schedule(interval);
  }

  async #openReplica() {
    if (native.replicaOpen === undefined) throw new Error('This build of godwit has no sync: zstd was missing');
    const { transform, onConflict, counters = [], clientName, wire, adopt, acceptOtherDatabase, updateWins, longPollTimeoutMs } = this.#options;
    this.#transport = new Transport(this.#options);
    const options = {
      url: '', clientName: clientName ?? 'godwit-js', wire: wire ?? '', adopt: adopt === true, acceptOtherDatabase: acceptOtherDatabase === true,
      updateWins: updateWins === true, longPollTimeoutMs: longPollTimeoutMs ?? 0, counters,
      transforms: typeof transform === 'function', decides: typeof onConflict === 'function',
    };
    const hook = makeHook(this.#options, (error) => { this.#hookError ??= error; });
    let handle;
    await this.#work((callback) => { handle = native.replicaOpen(this.#file, options, hook, callback); });
    this.#handle = handle;
  }

  // The rows of the server, if this replica has never had any. Without a network it begins empty.
  async #bootstrap() {
    if ((await this.#url()) === '' || (await this.stats()).revision !== '') return;
    try {
      await this.#exchange(true, { attempts: 1 });
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      this.#lastError = error;
    }
  }

  // ---- steps

  // A native call that reports to a callback.
  async #work(start) {
    const turn = this.#steps.enter();
    if (turn !== undefined) await turn;
    try {
      const result = await new Promise((resolve, reject) => {
        start((answer) => {
          if (header[STATUS] < 0) reject(Object.assign(errorOf(answer.message), { conflicts: answer.conflicts }));
          else resolve(answer);
        });
      });
      this.#report(result);
      return result;
    } catch (error) {
      this.#report(error);
      const thrown = this.#hookError;
      this.#hookError = null;
      throw thrown ?? error;
    } finally {
      this.#steps.leave();
    }
  }

  // As #work, in the connection's turn.
  #step(start) {
    this.#requireReplica();
    return this[CORE].perform(undefined, undefined, (connection) => {
      if (connection.inTransaction) throw new SqliteError('Database is busy: a transaction is open', 'SQLITE_BUSY');
      return this.#work(start);
    });
  }

  #requireReplica() {
    if (this.#isClosed) throw new TypeError('The database connection is not open');
    if (this.#handle === null) throw new Error('This database has no url: there is nothing to sync with');
  }

  #report({ conflicts, done, total }) {
    for (const conflict of conflicts ?? []) this.#emit('conflict', conflictOf(conflict));
    if (done > 0) this.#emit('progress', { received: done, total: total || null });
  }

  #emit(name, value) {
    // A listener that throws is not a failure of the sync.
    try {
      this.#events.emit(name, value);
    } catch (error) {
      queueMicrotask(() => { throw error; });
    }
  }

  async #url() {
    const { url } = this.#options;
    const known = typeof url === 'function' ? await url() : url;
    return isAbsent(known) ? '' : String(known);
  }

  // ---- push and pull

  async push(options) {
    this.#requireReplica();
    if (this.#givesWay) this.#running.abort(YIELDED);
    await this.#exchange(false, options);
  }

  // True if rows changed.
  async pull(options) {
    this.#requireReplica();
    return this.#exchange(true, options);
  }

  // Pushes, then pulls. Calls while it runs share it.
  sync(options) {
    this.#syncing ??= this.#sync(options).finally(() => { this.#syncing = null; });
    return this.#syncing;
  }

  async #sync(options) {
    try {
      await this.push(options);
      const pulled = await this.pull(options);
      this.#lastSync = new Date();
      this.#lastError = null;
      this.#emit('sync', { pulled });
      return pulled;
    } catch (error) {
      this.#lastError = error;
      this.#emit('syncError', error);
      throw error;
    }
  }

  async #exchange(isPull, options) {
    for (;;) {
      const turn = this.#exchanges.enter(options?.signal);
      if (turn !== undefined) await turn;
      try {
        return await this.#runExchange(isPull, options ?? {});
      } catch (error) {
        if (error !== YIELDED) throw error;
      } finally {
        this.#exchanges.leave();
      }
    }
  }

  async #runExchange(isPull, { signal, attempts }) {
    signal?.throwIfAborted();
    const url = await this.#url();
    if (url === '') throw new Error('The url is empty: sync is paused');
    const stop = this.#running = new AbortController();
    const onAbort = () => stop.abort(signal.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      let next = await this.#step((callback) => {
        native.replicaSetUrl(this.#handle, url);
        native.replicaBegin(this.#handle, isPull, callback);
      });
      while (next.url !== undefined) {
        this.#givesWay = isPull && this.#options.longPollTimeoutMs > 0;
        await this.#transport.send(next, {
          signal: stop.signal,
          attempts,
          begun: () => { this.#givesWay = false; },
          take: async (status, bytes, isLast) => {
            next = await this.#step((callback) => native.replicaAnswer(this.#handle, status, bytes, isLast, callback));
          },
        });
      }
      return next.changed;
    } catch (error) {
      await this.#work((callback) => native.replicaDrop(this.#handle, callback));
      throw error;
    } finally {
      this.#givesWay = false;
      this.#running = null;
      signal?.removeEventListener('abort', onAbort);
    }
  }

  // ---- what is pending

  // The local changes that the server does not have yet.
  async pending() {
    const { changes } = await this.#step((callback) => native.replicaPending(this.#handle, callback));
    return changes.map(({ seq, table, key, kind, isSent }) => {
      if (kind === 'S') return { seq, kind: 'schema', statement: key, isSent };
      const change = { seq, kind: KINDS[kind], table, key: parseRow(key), isSent };
      return Object.defineProperty(change, RAW_KEY, { value: key });
    });
  }

  // Undoes the pending changes of a row: one that pending() gave, or { table, key }.
  async discard(change) {
    if (typeof change?.table !== 'string') throw new TypeError('Expected a change of a row: { table, key }');
    const key = change[RAW_KEY] ?? writeRow(change.key);
    await this.#step((callback) => native.replicaDiscard(this.#handle, change.table, key, callback));
  }

  async checkpoint() {
    if (this.#handle === null) {
      await this.pragma('wal_checkpoint(TRUNCATE)');
      return;
    }
    await this.#step((callback) => native.replicaCheckpoint(this.#handle, callback));
  }

  async stats() {
    this.#requireReplica();
    const stats = await this.#work((callback) => native.replicaStats(this.#handle, callback));
    const time = (seconds) => (seconds === 0 ? null : seconds);
    return {
      pendingChanges: stats.pendingChanges,
      cdcOperations: stats.pendingChanges,
      mainWalSize: stats.mainWalSize,
      revertWalSize: 0,
      lastPullUnixTime: time(stats.lastPullUnixTime),
      lastPushUnixTime: time(stats.lastPushUnixTime),
      revision: stats.revision,
      networkSentBytes: stats.networkSentBytes,
      networkReceivedBytes: stats.networkReceivedBytes,
    };
  }

  // ---- in the background

  // When sync() last ended well; null: never, since the replica was opened.
  get lastSync() {
    return this.#lastSync;
  }

  // What the last sync() failed with; null: it did not.
  get lastError() {
    return this.#lastError;
  }

  #schedule(interval) {
    this.#timer = setTimeout(() => {
      this.sync().catch(() => {}).finally(() => {
        if (!this.#isClosed) this.#schedule(interval);
      });
    }, interval);
    // It does not keep the program from ending.
    this.#timer.unref();
  }

  on(name, listener) {
    this.#events.on(name, listener);
    return this;
  }

  once(name, listener) {
    this.#events.once(name, listener);
    return this;
  }

  off(name, listener) {
    this.#events.off(name, listener);
    return this;
  }

  // ---- as the plain database, otherwise

  async prepare(sql) {
    await this.connect();
    return super.prepare(sql);
  }

  // What runs on the network is given up.
  async close() {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    if (this.#connecting !== null) await this.#connecting.catch(() => {});
    this.#isClosed = true;
    this.#running?.abort(new Error('The database connection was closed'));
    const turn = this.#exchanges.enter();
    if (turn !== undefined) await turn;
    if (this.#handle !== null) await this.#work((callback) => native.replicaClose(this.#handle, callback));
    this.#transport?.close();
    await super.close();
    this.#exchanges.leave();
    if (this.#temporary !== null) fs.rmSync(this.#temporary, { recursive: true, force: true });
  }
}

async function connect(options) {
  const database = new Database(options);
  try {
    await database.connect();
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

module.exports = { connect, Database, NetworkError, SqliteError, Transaction, retryFetch };
