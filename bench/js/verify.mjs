// Proves that every engine does what the suites suppose: reads the pragmas back, sees a -wal file appear, and that
// all give the same answers to the workloads' queries.
//
//     node verify.mjs [--engines a,b]

import { existsSync } from 'node:fs';
import path from 'node:path';
import { dataFolder, parseArguments } from './common.mjs';
import { DEFAULT_ENGINES, engine, openDatabase, pragmaValue } from './engines.mjs';
import { seed } from './workloads.mjs';

const options = parseArguments({ engines: DEFAULT_ENGINES, rows: 1000 });
const folder = dataFolder();
const QUERIES = ['SELECT count(*), total(score), max(age) FROM users', 'SELECT * FROM users WHERE id = 77',
  'SELECT name, amount FROM users u JOIN orders o ON o.user_id = u.id WHERE age = 30 ORDER BY amount LIMIT 20'];

let expected = null;
let failed = false;
console.log('| engine | version | journal_mode | synchronous | -wal file | answers | |');
console.log('|---|---|---|---|---|---|---|');
for (const name of options.engines) {
  const chosen = await engine(name);
  if (chosen === null) continue;
  const file = path.join(folder, `${name.replace(/\W/g, '-')}.db`);
  const db = openDatabase(chosen, file, { journal: chosen.noWal ? 'DELETE' : 'WAL' });
  seed(db, options.rows);
  const journal = String(pragmaValue(db, 'journal_mode'));
  const synchronous = Number(pragmaValue(db, 'synchronous'));
  const wal = existsSync(`${file}-wal`);
  const answers = JSON.stringify(QUERIES.map((sql) => db.prepare(sql).all()));
  expected ??= answers;
  const good = (chosen.noWal || (journal === 'wal' && wal)) && synchronous === 1 && answers === expected;
  failed ||= !good;
  console.log(`| ${name} | ${chosen.version()} | ${journal} | ${synchronous} | ${wal ? 'yes' : 'no'} | ` +
    `${answers === expected ? 'the same' : 'DIFFER'} | ${good ? 'ok' : 'NOT AS EXPECTED'} |`);
  db.close();
}
process.exit(failed ? 1 : 0);
