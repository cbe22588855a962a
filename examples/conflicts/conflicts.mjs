// Two replicas change the same database without knowing of each other, push, and pull.
//
//     node conflicts.mjs [URL]        http://127.0.0.1:8080 if not given; databases are made below it
//
// From npm it is `import { connect } from 'godwit/sync'`.

import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { connect } from '../../bindings/node/lib/sync.mjs';

const server = process.argv[2] ?? 'http://127.0.0.1:8080';
const folder = mkdtempSync(path.join(os.tmpdir(), 'conflicts-'));

async function replica(url, name) {
  const db = await connect({ path: path.join(folder, `${name}-${path.basename(url)}.db`), url, clientName: name });
  db.on('conflict', ({ kind, table, key, theirs }) => {
    console.log(`  ${name} is told: ${table} ${key.id}, ${kind}: there was ${JSON.stringify(theirs)}`);
  });
  return db;
}

async function scenario(title, byAlice, byBob) {
  console.log(title);
  const url = `${server}/conflict${Date.now()}${Math.floor(Math.random() * 1e6)}`;
  const alice = await replica(url, 'alice');
  await alice.exec(`
    CREATE TABLE bird(id INTEGER PRIMARY KEY, name TEXT, seen_at TEXT);
    INSERT INTO bird VALUES (1, 'godwit', 'Alaska'), (2, 'tern', 'Iceland')`);
  await alice.push();
  const bob = await replica(url, 'bob');
  await bob.pull();

  // Both are offline.
  await alice.exec(byAlice);
  await bob.exec(byBob);
  // Alice comes back first.
  await alice.push();
  await bob.push();
  await alice.pull();
  await bob.pull();

  const rows = (db) => db.all('SELECT * FROM bird ORDER BY id');
  for (const { id, name, seen_at: place } of await rows(alice)) console.log(`  ${id} ${name}, ${place}`);
  const same = JSON.stringify(await rows(alice)) === JSON.stringify(await rows(bob));
  console.log(`  both replicas have ${same ? 'the same rows' : 'DIFFERENT ROWS'}`);
  await alice.close();
  await bob.close();
}

await scenario('Different rows: both changes stay',
  "UPDATE bird SET seen_at = 'New Zealand' WHERE id = 1",
  "UPDATE bird SET seen_at = 'Antarctica' WHERE id = 2");
await scenario('The same row, different columns: both changes stay',
  "UPDATE bird SET name = 'bar-tailed godwit' WHERE id = 1",
  "UPDATE bird SET seen_at = 'New Zealand' WHERE id = 1");
await scenario('The same row, the same column: the last push wins, and bob, who pushed it, is told',
  "UPDATE bird SET seen_at = 'Tasmania' WHERE id = 1",
  "UPDATE bird SET seen_at = 'New Zealand' WHERE id = 1");
rmSync(folder, { recursive: true });
