// What the test programs of all clients share: the server's address, checks, and a summary.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export { assert };
export const url = process.env.GODWIT_URL;
export const folder = process.env.GODWIT_WORK;
let failures = 0;
let passed = 0;

let names = 0;
export const newName = () => `db${process.pid}n${++names}`;
// Makes a database, gives its address.
export async function newDatabase(name = newName()) {
  const answer = await fetch(`${url}/v1/databases/${name}`, { method: 'POST' });
  assert.equal(answer.status, 201);
  return `${url}/${name}`;
}

export async function test(name, body) {
  try {
    await body();
    passed += 1;
    console.log(`ok   ${name}`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL ${name}\n${error.stack}`);
  }
}

export function finish() {
  console.log(`${passed} passed, ${failures} failed`);
  process.exit(failures === 0 ? 0 : 1);
}

// With C SQLite, on the server's file (or another).
export function sqlite3(file, sql) {
  return execFileSync('sqlite3', [file, sql], { encoding: 'utf8' }).trim();
}
export const serverFile = (address) => path.join(folder, 'data', `${address.split('/').pop()}.db`);
export function checkIntegrity(...files) {
  for (const file of files) assert.equal(sqlite3(file, 'PRAGMA integrity_check'), 'ok', file);
}
export function localFile() {
  const directory = fs.mkdtempSync(path.join(folder, 'local-'));
  return path.join(directory, 'local.db');
}
export async function metric(name) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((l) => l.startsWith(`${name} `));
  return Number(line.split(' ')[1]);
}
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
// One pipeline request, for what no client does by itself.
export async function pipeline(address, requests, baton = undefined, version = 'v2') {
  const answer = await fetch(`${address}/${version}/pipeline`, {
    method: 'POST',
    body: JSON.stringify({ baton, requests }),
  });
  return { status: answer.status, body: await answer.json() };
}
