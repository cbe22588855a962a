// Only compiled: what a user of the synchronous API writes has these types.
import Database, { SqliteError } from 'godwit';

const db = new Database('x.db', { readonly: false, timeout: 10, unsafeIntegers: 'bigint' });
const row: { id: number } | undefined = db.prepare<[number], { id: number }>('SELECT 1 AS id').get(1);
const named = db.prepare<{ a: number }>('SELECT :a');
named.all({ a: 1 });
// @ts-expect-error parameters are checked
named.all({ b: 1 });
for (const each of db.prepare<[], [string]>('SELECT 1').raw().iterate()) each[0].toUpperCase();
const add: (a: number, b: number) => number = db.transaction((a: number, b: number) => a + b).concurrent;
db.function('f', { deterministic: true }, (x: number) => x).aggregate('g', {
  start: 0,
  step: (sum: number, x: number) => sum + x,
});
db.table('t', { columns: ['a'], *rows(n: number) { yield [n]; } });
const pages: Promise<Database.BackupMetadata> = db.backup('y.db', { progress: () => 10 });
const error: SqliteError = new SqliteError('text', 'SQLITE_ERROR');
export { row, add, pages, error };
