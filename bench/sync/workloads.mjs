// The six workloads. prepare() makes what is there before, measure() is what is timed and counted (it says where
// syncing begins), check() sees with a fresh replica that the server has what it should have.

import { strict as assert } from 'node:assert';
import { eventRows, SCHEMA } from './rows.mjs';

const INSERT = 'INSERT INTO event(id, author, body, meta) VALUES (?, ?, ?, ?)';

async function synced(db) {
  await db.push();
  await db.pull();
}

// A replica behind the proxy, and a server that has the table and `count` rows.
async function tableWith(count, { openDirect, openProxied, text }) {
  const other = await openDirect();
  await other.exec(SCHEMA);
  await insertBatched(other, eventRows(count, 5, text), 1000);
  await synced(other);
  await other.close();
  const db = await openProxied();
  await db.pull();
  return db;
}

async function insertBatched(db, rows, size) {
  const insert = await db.prepare(INSERT);
  for (let i = 0; i < rows.length; i += size) {
    await db.exec('BEGIN');
    for (const row of rows.slice(i, i + size)) await insert.run(...row);
    await db.exec('COMMIT');
  }
}

// What the server has, seen by a replica that was not there before.
async function expectRows({ openDirect }, expected) {
  const db = await openDirect();
  await db.pull();
  const rows = await (await db.prepare('SELECT id, author, body, meta FROM event ORDER BY id')).all();
  assert.deepEqual(rows.map(({ id, author, body, meta }) => [id, author, body, meta]), expected);
  await db.close();
}

function inserts(count, write) {
  return {
    async prepare(context) {
      const rows = eventRows(Math.ceil(count * context.scale), 7, context.text);
      const db = await tableWith(0, context);
      const insert = await db.prepare(INSERT);
      const select = await db.prepare('SELECT * FROM event WHERE id = ?');
      return {
        measure: (syncing) => write({ db, rows, insert, select, syncing }),
        check: () => expectRows(context, rows),
      };
    },
  };
}

export const WORKLOADS = {
  'insert 3,000, push': inserts(3000, async ({ db, rows, insert, syncing }) => {
    for (const row of rows) await insert.run(...row);
    syncing();
    await db.push();
  }),
  'insert 3,000 by 500, push': inserts(3000, async ({ db, rows, syncing }) => {
    await insertBatched(db, rows, 500);
    syncing();
    await db.push();
  }),
  '200 write-read cycles, push': inserts(200, async ({ db, rows, insert, select, syncing }) => {
    for (const row of rows) {
      await insert.run(...row);
      assert.equal((await select.get(row[0])).body, row[2]);
    }
    syncing();
    await db.push();
  }),
  '200 write-push-read cycles': inserts(200, async ({ db, rows, insert, select, syncing }) => {
    syncing();
    for (const row of rows) {
      await insert.run(...row);
      await db.push();
      assert.equal((await select.get(row[0])).body, row[2]);
    }
  }),
  'pull 5,000 rows': {
    async prepare(context) {
      const rows = eventRows(Math.ceil(5000 * context.scale), 7, context.text);
      const other = await context.openDirect();
      await other.exec(SCHEMA);
      await insertBatched(other, rows, 1000);
      await synced(other);
      await other.close();
      return {
        async measure(syncing) {
          syncing();
          const db = await context.openProxied();
          await db.pull();
          assert.equal((await (await db.prepare('SELECT count(*) AS n FROM event')).get()).n, rows.length);
        },
        check: () => expectRows(context, rows),
      };
    },
  },
  'update 2,000, push': {
    async prepare(context) {
      const count = Math.ceil(2000 * context.scale);
      const db = await tableWith(count, context);
      const changed = eventRows(count, 11, context.text);
      const update = await db.prepare('UPDATE event SET body = ?, meta = ? WHERE id = ?');
      const before = eventRows(count, 5, context.text);
      return {
        async measure(syncing) {
          for (const [id, , body, meta] of changed) await update.run(body, meta, id);
          syncing();
          await db.push();
        },
        check: () => expectRows(context, changed.map(([id, , body, meta], i) => [id, before[i][1], body, meta])),
      };
    },
  },
};
