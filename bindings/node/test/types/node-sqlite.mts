// Only compiled: what a user of node:sqlite's API writes has these types.
import { DatabaseSync, backup, constants } from 'godwit/node-sqlite';

const db = new DatabaseSync(':memory:', { readBigInts: true });
const changes: number | bigint = db.prepare('SELECT :a').run({ a: 1 }).changes;
const value = db.prepare('SELECT 1 AS x').get()?.x;
const session = db.createSession({ table: 't' });
const applied: boolean = db.applyChangeset(session.changeset(), { onConflict: () => constants.SQLITE_CHANGESET_OMIT });
const pages: Promise<number> = backup(db, 'x.db', { rate: 5 });
const tagged = db.createTagStore(10).get`SELECT ${1}`;
export { changes, value, applied, pages, tagged };
