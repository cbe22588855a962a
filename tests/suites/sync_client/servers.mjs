// The two servers that the tests of the client run against: how a database is made, how its server's file is
// looked at, and what they differ in.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { folder, newDatabase as newGodwitDatabase, serverFile as godwitFile, sleep, sqlite3 } from './harness.mjs';

export const isGodwit = process.env.SERVER === 'godwit';
const running = [];

async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// Turso's server has one database: each test starts one.
async function newTursoDatabase() {
  const port = await freePort();
  const file = path.join(fs.mkdtempSync(path.join(folder, 'turso-')), 'server.db');
  const child = spawn(process.env.TURSODB, [file, '--sync-server', `127.0.0.1:${port}`], { stdio: 'ignore' });
  running.push(child);
  const address = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 100; ++i) {
    try {
      await fetch(`${address}/v2/pipeline`, { method: 'POST', body: '{"requests":[]}' });
      break;
    } catch {
      await sleep(50);
    }
  }
  files.set(address, file);
  return address;
}
const files = new Map();

export const newDatabase = isGodwit ? () => newGodwitDatabase() : newTursoDatabase;
// Turso's server has the file to itself: ask it over HTTP.
export async function ask(address, sql) {
  if (isGodwit) return sqlite3(godwitFile(address), sql);
  const answer = await fetch(`${address}/v2/pipeline`, {
    method: 'POST',
    body: JSON.stringify({ baton: null, requests: [{ type: 'execute', stmt: { sql, args: [], named_args: [], want_rows: true } }] }),
  });
  const [{ response }] = (await answer.json()).results;
  return response.result.rows.map((row) => row.map(({ value }) => value ?? '').join('|')).join('\n');
}

export function stopServers() {
  for (const child of running) child.kill();
}
