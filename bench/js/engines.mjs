// The engines, each with the same few methods: open(path) gives { exec, prepare, pragma, close }, a statement has
// run, get and all with positional parameters. Where an engine has that API already, its own objects are used.
//
// Packages are looked for in bench/js/node_modules and in the folder BENCH_MODULES (one that has node_modules).

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const folders = [here, process.env.BENCH_MODULES].filter(Boolean);

function load(name) {
  for (const folder of folders) {
    const require = createRequire(path.join(folder, 'x.js'));
    let file;
    try {
      file = require.resolve(name);
    } catch {
      continue;
    }
    return { require, file };
  }
  throw new Error(`the package ${name} is not installed`);
}

function versionOf(name) {
  for (const folder of folders) {
    const file = path.join(folder, 'node_modules', name, 'package.json');
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')).version;
  }
  return '?';
}

async function importPackage(name, sub) {
  for (const folder of folders) {
    const file = path.join(folder, 'node_modules', name, sub);
    try {
      return await import(pathToFileURL(file));
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`the package ${name} is not installed`);
}

function betterShaped(Database) {
  return (file, { timeout = 10000 } = {}) => new Database(file, { timeout });
}

function rowsOf(db, sql) {
  const statement = db.prepare(sql);
  return statement.all();
}

// node-sqlite3-wasm takes parameters as an array.
class WasmStatement {
  constructor(statement) {
    this.statement = statement;
  }

  run(...values) {
    return this.statement.run(values);
  }

  get(...values) {
    return this.statement.get(values) ?? undefined;
  }

  all(...values) {
    return this.statement.all(values);
  }
}

const definitions = {
  godwit: async () => {
    const require = createRequire(path.join(here, '..', '..', 'bindings', 'node', 'x.js'));
    const Database = require('./lib/index.js');
    return { open: betterShaped(Database), version: () => require('./package.json').version };
  },
  'better-sqlite3': async () => {
    const { require, file } = load('better-sqlite3');
    const Database = require(file);
    new Database(':memory:').close();
    return { open: betterShaped(Database), version: () => versionOf('better-sqlite3') };
  },
  'node:sqlite': async () => {
    const { DatabaseSync } = await import('node:sqlite');
    return {
      open: (file, { timeout = 10000 } = {}) => new DatabaseSync(file, { timeout }),
      version: () => process.version,
    };
  },
  turso: async () => {
    const { Database } = await importPackage('@tursodatabase/database', 'dist/compat.js');
    return { open: betterShaped(Database), version: () => versionOf('@tursodatabase/database') };
  },
  libsql: async () => {
    const { require, file } = load('libsql');
    const Database = require(file);
    return { open: betterShaped(Database), version: () => versionOf('libsql') };
  },
  'node-sqlite3-wasm': async () => {
    const { require, file } = load('node-sqlite3-wasm');
    const { Database } = require(file);
    return {
      open(name) {
        const db = new Database(name);
        return {
          exec: (sql) => db.exec(sql),
          prepare: (sql) => new WasmStatement(db.prepare(sql)),
          close: () => db.close(),
        };
      },
      version: () => versionOf('node-sqlite3-wasm'),
      noWal: true,
    };
  },
};

export const ENGINES = Object.keys(definitions);

const loaded = new Map();

// Loads an engine; null, with a notice, if it is not there.
export async function engine(name, notice = console.error) {
  if (loaded.has(name)) return loaded.get(name);
  let result = null;
  try {
    if (!Object.hasOwn(definitions, name)) throw new Error('no such engine');
    result = { name, ...(await definitions[name]()) };
  } catch (error) {
    notice(`${name}: skipped (${error.message.split('\n')[0]})`);
  }
  loaded.set(name, result);
  return result;
}

export const DEFAULT_ENGINES = ['godwit', 'better-sqlite3', 'node:sqlite', 'turso', 'libsql'];

// Opens a database in the mode that is asked for.
export function openDatabase(chosen, file, { journal = 'WAL', synchronous = 'NORMAL', cacheKiB = 0, timeout } = {}) {
  if (file === ':memory:') throw new Error('the suites compare databases on disk');
  const db = chosen.open(file, { timeout });
  const pragma = (text) => rowsOf(db, `PRAGMA ${text}`);
  pragma(`journal_mode = ${journal}`);
  db.exec(`PRAGMA synchronous = ${synchronous}`);
  if (cacheKiB) db.exec(`PRAGMA cache_size = -${cacheKiB}`);
  return db;
}

export function pragmaValue(db, name) {
  const [row] = rowsOf(db, `PRAGMA ${name}`);
  return row === undefined ? undefined : Object.values(row)[0];
}
