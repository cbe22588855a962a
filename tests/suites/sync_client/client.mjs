// godwit/sync: what the unmodified @tursodatabase/sync is tested with (sync_server/sync.mjs), and what Godwit adds.
import http from 'node:http';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { assert, checkIntegrity, finish, localFile, serverFile, sleep, sqlite3, test } from './harness.mjs';
import { ask, isGodwit, newDatabase, stopServers } from './servers.mjs';

const { connect, NetworkError } = await import(pathToFileURL(path.join(process.env.GODWIT_PACKAGE, 'lib', 'sync.mjs')));
const open = (address, options = {}) => connect({ path: localFile(), url: address, retry: { delayMs: 10 }, ...options });
const rows = async (db, sql) => (await db.prepare(sql)).all();
const count = async (db, table) => (await rows(db, `SELECT count(*) AS c FROM ${table}`))[0].c;
const dense = isGodwit ? test : () => {};  // what only Godwit's server can do

if (!isGodwit) {
  // A build may know Godwit's own wire alone.
  try {
    await (await open(await newDatabase())).close();
  } catch (error) {
    if (!/not implemented/.test(error.message)) throw error;
    console.log(`skipped: ${error.message}`);
    stopServers();
    process.exit(0);
  }
}

await test('bootstrap of an empty database, DDL, inserts, push; a second client gets them', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, score REAL)');
  for (let i = 1; i <= 50; ++i) await (await a.prepare('INSERT INTO t VALUES (?, ?, ?)')).run(i, `name ${i}`, i / 4);
  await a.push();
  assert.equal(await ask(address, 'SELECT count(*), sum(score) FROM t'), '50|318.75');
  const b = await open(address);
  assert.deepEqual(await rows(b, 'SELECT * FROM t ORDER BY id'), await rows(a, 'SELECT * FROM t ORDER BY id'));
  // Turso's server sends the pages of a push back to its client.
  assert.equal(await a.pull(), !isGodwit);
  await a.close();
  await b.close();
});

await test('the local file is one that sqlite3 reads', async () => {
  const address = await newDatabase();
  const file = localFile();
  const a = await open(address, { path: file });
  await a.exec("CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 'here')");
  await a.sync();
  await a.checkpoint();
  assert.equal(sqlite3(file, 'SELECT x FROM t'), 'here');
  checkIntegrity(file);
  await a.close();
});

await test('updates, deletes and pulls: two clients converge', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, x, y)');
  await a.exec('INSERT INTO t VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)');
  await a.push();
  const b = await open(address);
  await a.exec('UPDATE t SET x = 100 WHERE id = 1; DELETE FROM t WHERE id = 3');
  await b.exec('UPDATE t SET y = 200 WHERE id = 1; INSERT INTO t VALUES (4, 4, 4)');
  await a.push();
  await b.push();
  assert.equal(await a.pull(), true);
  assert.equal(await b.pull(), true);
  const expected = [{ id: 1, x: 100, y: 200 }, { id: 2, x: 2, y: 2 }, { id: 4, x: 4, y: 4 }];
  assert.deepEqual(await rows(a, 'SELECT * FROM t ORDER BY id'), expected);
  assert.deepEqual(await rows(b, 'SELECT * FROM t ORDER BY id'), expected);
  assert.equal(await a.pull(), false);
});

await test('the same row and column: the last push wins, and the other side hears of it', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec("CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 'base')");
  await a.push();
  const b = await open(address);
  const conflicts = [];
  b.on('conflict', (conflict) => conflicts.push(conflict));
  await a.exec("UPDATE t SET x = 'a' WHERE id = 1");
  await b.exec("UPDATE t SET x = 'b' WHERE id = 1");
  await a.push();
  await b.push();
  await a.pull();
  await b.pull();
  assert.equal((await rows(a, 'SELECT x FROM t'))[0].x, 'b');
  assert.equal((await rows(b, 'SELECT x FROM t'))[0].x, 'b');
  if (isGodwit) {
    assert.equal(conflicts[0].kind, 'overwritten');
    assert.equal(conflicts[0].table, 't');
    assert.deepEqual(conflicts[0].key, { id: 1 });
  }
});

await test('an update of a row that another client deleted: deleted', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec("CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 'base')");
  await a.push();
  const b = await open(address);
  await a.exec('DELETE FROM t WHERE id = 1');
  await a.push();
  await b.exec("UPDATE t SET x = 'mine' WHERE id = 1");
  await b.push();
  await b.pull();
  assert.equal(await count(b, 't'), 0);
});

await dense('a UNIQUE clash: nothing of the push is applied, and what is pending can be mended', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec('CREATE TABLE u(id INTEGER PRIMARY KEY, mail TEXT UNIQUE)');
  await a.push();
  const b = await open(address);
  await a.exec("INSERT INTO u VALUES (1, 'x@example.org')");
  await a.push();
  await b.exec("INSERT INTO u VALUES (2, 'x@example.org'); INSERT INTO u VALUES (3, 'y@example.org')");
  await assert.rejects(b.push(), (error) => error.code.startsWith('SQLITE_CONSTRAINT') && /UNIQUE constraint failed: u\.mail/.test(error.message));
  assert.equal(await ask(address, 'SELECT group_concat(id) FROM u'), '1');
  const pending = await b.pending();
  assert.deepEqual(pending.map(({ kind, key }) => [kind, key.id]), [['insert', 2], ['insert', 3]]);
  await b.discard(pending[0]);
  await b.push();
  await b.pull();
  assert.deepEqual((await rows(b, 'SELECT id FROM u ORDER BY id')).map((row) => row.id), [1, 3]);
  assert.deepEqual(await b.pending(), []);
});

await test('schema changes: ADD COLUMN on both sides, index, drop of a quoted name', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE "odd name"(x)');
  await a.push();
  const b = await open(address);
  await a.exec('ALTER TABLE t ADD COLUMN extra; CREATE INDEX t_a ON t(a)');
  await a.push();
  await b.exec('ALTER TABLE t ADD COLUMN extra; INSERT INTO t VALUES (1, 2, 3)');
  await b.push();
  await b.exec('DROP TABLE "odd name"');
  await b.push();
  await a.pull();
  assert.deepEqual(await rows(a, 'SELECT * FROM t'), [{ id: 1, a: 2, extra: 3 }]);
  assert.equal((await rows(a, "SELECT name FROM sqlite_schema WHERE name = 'odd name'")).length, 0);
});

await test('triggers are not run twice', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, n); CREATE TABLE log(id INTEGER PRIMARY KEY, what TEXT)');
  await a.exec("CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log(what) VALUES ('insert ' || new.id); END");
  await a.push();
  await a.exec('INSERT INTO t VALUES (1, 1)');
  await a.push();
  assert.equal(await ask(address, 'SELECT group_concat(what) FROM log'), 'insert 1');
});

await test('transactions: a local rollback leaves nothing, a commit all', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, a)');
  await a.exec('BEGIN; INSERT INTO t VALUES (1, 1); ROLLBACK');
  await a.exec('BEGIN; INSERT INTO t VALUES (2, 2); INSERT INTO t VALUES (3, 3); COMMIT');
  await a.transactionAsync(async (txn, id) => { await txn.run('INSERT INTO t VALUES (?, 4)', id); })(4);
  await a.batch([{ sql: 'INSERT INTO t VALUES (?, 5)', args: [5] }, 'INSERT INTO t VALUES (6, 6)'], 'write');
  await a.push();
  assert.equal(await ask(address, 'SELECT group_concat(id) FROM t'), '2,3,4,5,6');
  await a.exec('BEGIN');
  await assert.rejects(a.pull(), { code: 'SQLITE_BUSY' });
  await a.exec('COMMIT');
  await a.pull();
});

await dense('a database that C SQLite made, and writes, and checkpoints', async () => {
  const address = await newDatabase();
  const file = serverFile(address);
  sqlite3(file, 'CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1)');
  const a = await open(address);
  assert.equal(await count(a, 't'), 1);
  sqlite3(file, 'INSERT INTO t VALUES (2, 2)');
  assert.equal(await a.pull(), true);
  assert.equal(await count(a, 't'), 2);
  await a.exec('INSERT INTO t VALUES (3, 3)');
  await a.push();
  sqlite3(file, 'PRAGMA journal_mode=WAL; INSERT INTO t VALUES (4, 4); PRAGMA wal_checkpoint(TRUNCATE)');
  await a.pull();
  assert.equal(await count(a, 't'), 4);
  checkIntegrity(file);
});

await dense('long poll: woken by a push, gives way to a push of its own', async () => {
  const address = await newDatabase();
  const a = await open(address, { longPollTimeoutMs: 20000 });
  const b = await open(address);
  await b.exec('CREATE TABLE t(a)');
  await b.push();
  await a.pull();
  const pulled = a.pull();
  await sleep(200);
  const start = Date.now();
  await a.exec('INSERT INTO t VALUES (1)');
  await a.push();
  assert.ok(Date.now() - start < 5000);
  await b.exec('INSERT INTO t VALUES (2)');
  await b.push();
  // News of its own push may end the waiting too.
  if (!await pulled) await a.pull();
  assert.ok(Date.now() - start < 10000);
  await a.pull({ signal: AbortSignal.timeout(300) }).catch(() => {});
  assert.equal(await count(a, 't'), 2);
  await a.close();
});

// Stands between a client and the server, and spoils answers as it is told to.
async function spoiler(address) {
  const target = new URL(address);
  const state = { lose: 0, status: [], authorizations: [], requests: 0 };
  const server = http.createServer((request, response) => {
    ++state.requests;
    state.authorizations.push(request.headers.authorization);
    const status = state.status.shift();
    if (status) {
      request.resume();
      response.writeHead(status).end();
      return;
    }
    const onward = http.request({ host: target.hostname, port: target.port, path: request.url, method: request.method, headers: request.headers }, (answer) => {
      if (state.lose > 0) {
        --state.lose;
        answer.resume();
        answer.on('end', () => request.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${server.address().port}${target.pathname.replace(/\/$/, '')}`;
  state.close = () => server.close();
  return state;
}

await test('a push whose answer is lost is applied once', async () => {
  const address = await newDatabase();
  const between = await spoiler(address);
  const a = await open(between.url);
  await a.exec('CREATE TABLE t(x)');
  await a.push();
  await a.exec('INSERT INTO t VALUES (1)');
  between.lose = 1;
  await a.push();
  await a.exec('INSERT INTO t VALUES (2)');
  between.lose = 100;
  await assert.rejects(a.push({ attempts: 2 }), NetworkError);
  between.lose = 0;
  await a.sync();
  assert.equal(await ask(address, 'SELECT group_concat(x) FROM t'), '1,2');
  assert.deepEqual(await a.pending(), []);
  await a.close();
  between.close();
});

await test('refused for now: tried again; 401: the token is asked for again', async () => {
  const address = await newDatabase();
  const between = await spoiler(address);
  let tokens = 0;
  const a = await open(between.url, { authToken: async () => `token ${++tokens}` });
  assert.equal(tokens, 1);
  await a.exec('CREATE TABLE t(x)');
  between.status = [503, 429];
  await a.push();
  between.status = [401];
  await a.pull();
  assert.equal(tokens, 2);
  assert.equal(between.authorizations.at(-1), 'Bearer token 2');
  between.status = [401, 401];
  await assert.rejects(a.pull(), { code: isGodwit ? 'SQLITE_AUTH' : /.*/ });
  assert.equal(await ask(address, "SELECT count(*) FROM sqlite_schema WHERE name = 't'"), '1');
  await a.close();
  between.close();
});

await test('offline from the first open; the url is known later', async () => {
  const address = await newDatabase();
  let url = null;
  const a = await open(() => url, {});
  await a.exec("CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 'offline')");
  await assert.rejects(a.push(), /url is empty/);
  url = address;
  await a.sync();
  assert.equal(await ask(address, 'SELECT x FROM t'), 'offline');
  const b = await open('http://127.0.0.1:9', { retry: { attempts: 1 } });
  assert.ok(b.lastError instanceof NetworkError);
  await b.push();  // there is nothing to push
  await b.exec('CREATE TABLE t(x)');
  await assert.rejects(b.push(), NetworkError);
  await a.close();
  await b.close();
});

await test('a file with data: refused, adopted with the option', async () => {
  const address = await newDatabase();
  const file = localFile();
  sqlite3(file, "CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 'old')");
  await assert.rejects(open(address, { path: file }), /never synced/);
  const a = await open(address, { path: file, adopt: true });
  await a.sync();
  assert.equal(await ask(address, 'SELECT x FROM t'), 'old');
  await a.close();
});

await dense('counters add up', async () => {
  const address = await newDatabase();
  const a = await open(address, { counters: ['t.n'] });
  await a.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, n); INSERT INTO t VALUES (1, 10)');
  await a.push();
  const b = await open(address, { counters: ['t.n'] });
  await a.exec('UPDATE t SET n = n + 1');
  await b.exec('UPDATE t SET n = n + 5');
  await a.push();
  await b.push();
  await a.pull();
  await b.pull();
  for (const db of [a, b]) assert.deepEqual(await rows(db, 'SELECT n FROM t'), [{ n: 16 }]);
});

await dense('onConflict decides on a row that both sides changed', async () => {
  const address = await newDatabase();
  const a = await open(address);
  await a.exec("CREATE TABLE t(id INTEGER PRIMARY KEY, tags TEXT, big); INSERT INTO t VALUES (1, 'base', 9007199254740993)");
  await a.push();
  const b = await open(address, {
    onConflict: ({ mine, theirs, base }) => ({ ...theirs, tags: `${theirs.tags}+${mine.tags} of ${base.tags}` }),
  });
  await a.exec("UPDATE t SET tags = 'a'");
  await b.exec("UPDATE t SET tags = 'b'");
  await a.push();
  await b.pull();
  await b.push();
  await a.pull();
  for (const db of [a, b]) {
    const row = await (await db.prepare('SELECT tags, big FROM t')).safeIntegers().get();
    assert.deepEqual(row, { tags: 'a+b of base', big: 9007199254740993n });
  }
});

await test('transform: skips, rewrites, and may throw', async () => {
  const address = await newDatabase();
  let fails = false;
  const a = await open(address, {
    transform({ tableName, changeType, after }) {
      if (fails) throw new RangeError('not now');
      if (tableName === 'draft') return { operation: 'skip' };
      return changeType === 'insert' ? { operation: 'rewrite', row: { x: after.x.toUpperCase() } } : null;
    },
  });
  await a.exec("CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE TABLE draft(id INTEGER PRIMARY KEY)");
  await a.exec("INSERT INTO t VALUES (1, 'loud'); INSERT INTO draft VALUES (1)");
  fails = true;
  await assert.rejects(a.push(), RangeError);
  fails = false;
  await a.push();
  assert.equal(await ask(address, 'SELECT x, (SELECT count(*) FROM draft) FROM t'), 'LOUD|0');
});

await test('background sync, events, stats', async () => {
  const address = await newDatabase();
  const awake = setInterval(() => {}, 1000);  // the timer of syncs lets a program end
  const a = await open(address, { autoSync: { intervalMs: 30 } });
  const b = await open(address);
  await a.exec('CREATE TABLE t(x); INSERT INTO t VALUES (1)');
  for (let i = 0; i < 200 && (await a.pending()).length > 0; ++i) await sleep(20);
  await new Promise((resolve) => a.once('sync', resolve));
  clearInterval(awake);
  assert.ok(a.lastSync instanceof Date);
  assert.equal(a.lastError, null);
  await b.pull();
  assert.equal(await count(b, 't'), 1);
  const stats = await a.stats();
  assert.equal(stats.pendingChanges, 0);
  assert.ok(stats.networkSentBytes > 0 && stats.networkReceivedBytes > 0 && stats.lastPushUnixTime > 0 && stats.revision !== '');
  await a.close();
  await assert.rejects(a.push(), TypeError);
});

await test('fetch carries the requests, if it is given', async () => {
  const address = await newDatabase();
  let calls = 0;
  const a = await open(address, { fetch: (...args) => { ++calls; return fetch(...args); } });
  await a.exec('CREATE TABLE t(x); INSERT INTO t VALUES (1)');
  await a.push();
  assert.ok(calls >= 2);
  assert.equal(await ask(address, 'SELECT count(*) FROM t'), '1');
});

await dense('ten thousand rows down, with progress; statements go on meanwhile', async () => {
  const address = await newDatabase();
  sqlite3(serverFile(address),
    "CREATE TABLE big(id INTEGER PRIMARY KEY, pad TEXT); WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) INSERT INTO big SELECT i, hex(randomblob(100)) FROM n");
  const seen = [];
  const a = await open(address, { bootstrapIfEmpty: false, onProgress: (progress) => seen.push(progress) });
  await a.exec("CREATE TABLE mine(x); INSERT INTO mine VALUES ('kept')");
  const pulling = a.pull();
  assert.equal((await rows(a, 'SELECT x FROM mine'))[0].x, 'kept');
  assert.equal(await pulling, true);
  assert.equal(await count(a, 'big'), 10000);
  assert.equal((await rows(a, 'SELECT x FROM mine'))[0].x, 'kept');
  assert.ok(seen.length > 1 && seen.at(-1).received > seen[0].received);
});

await test('many replicas at once', async () => {
  const address = await newDatabase();
  const first = await open(address);
  await first.exec('CREATE TABLE t(id TEXT PRIMARY KEY, n)');
  await first.push();
  const replicas = await Promise.all(Array.from({ length: 8 }, () => open(address)));
  await Promise.all(replicas.map(async (db, i) => {
    for (let k = 0; k < 5; ++k) {
      await (await db.prepare('INSERT INTO t VALUES (?, ?)')).run(`${i}-${k}`, k);
      await db.push();
      await db.pull();
    }
  }));
  await Promise.all(replicas.map((db) => db.pull()));
  for (const db of replicas) assert.equal(await count(db, 't'), 40);
});

stopServers();
finish();
