// A replica's library and the server that it talks to. Packages are looked for in bench/sync/node_modules and in the folder
// BENCH_MODULES (one that has node_modules).

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '..', '..');

function findPackage(name, file) {
  for (const folder of [here, process.env.BENCH_MODULES].filter(Boolean)) {
    const found = path.join(folder, 'node_modules', name, file);
    if (existsSync(found)) return found;
  }
  throw new Error(`the package ${name} is not installed`);
}

const versionOf = (name) => JSON.parse(readFileSync(findPackage(name, 'package.json'), 'utf8')).version;

async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function waitForPort(port) {
  for (let i = 0; i < 500; ++i) {
    const connected = await new Promise((resolve) => {
      const socket = net.connect({ port, host: '127.0.0.1' });
      socket.on('connect', () => { socket.destroy(); resolve(true); });
      socket.on('error', () => resolve(false));
    });
    if (connected) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`nothing listens on port ${port}`);
}

async function serve(program, args, port) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore'] });
  await waitForPort(port);
  return { port, stop: () => new Promise((resolve) => { child.on('exit', resolve); child.kill(); }) };
}

export const ENGINES = {
  turso: {
    version: () => `@tursodatabase/sync ${versionOf('@tursodatabase/sync')}, turso ${versionOf('turso')}`,
    async load() {
      const { connect } = await import(pathToFileURL(findPackage('@tursodatabase/sync', 'dist/promise.js')));
      return connect;
    },
    async server(folder) {
      const port = await freePort();
      mkdirSync(folder);
      const program = findPackage(`@tursodatabase/cli-${process.platform}-${process.arch}-gnu`, 'tursodb');
      return serve(program, [path.join(folder, 'server.db'), '--sync-server', `127.0.0.1:${port}`], port);
    },
    path: '',
  },
  godwit: {
    version: () => JSON.parse(readFileSync(path.join(root, 'bindings', 'node', 'package.json'), 'utf8')).version,
    async load() {
      const { connect } = await import(pathToFileURL(path.join(root, 'bindings', 'node', 'lib', 'sync.mjs')));
      return connect;
    },
    async server(folder) {
      const port = await freePort();
      const program = process.env.GODWIT_PROGRAM ?? path.join(root, 'build', 'release', 'bin', 'godwit');
      mkdirSync(folder);
      return serve(program, ['server', '--dir', folder, '--listen', `127.0.0.1:${port}`, '--allow-create', '--log-level', 'error'], port);
    },
    path: '/bench',
  },
};
