// Only compiled: what a user of the asynchronous API writes has these types.
import { connect } from 'godwit';
import { Database, SqliteError, Transaction } from 'godwit/promise';
import { Database as Compat } from 'godwit/compat';

const db: Database = await connect('x.db', { defaultQueryTimeout: 100 });
const rows: any[] = await db.prepare('SELECT ?').all(1, { signal: AbortSignal.timeout(5) });
const add = db.transactionAsync(async (txn: Transaction, n: number) => (await txn.run('SELECT ?', n)).changes);
const changes: number = await add.immediate(1);
for await (const row of db.iterate('SELECT 1')) rows.push(row);
const results = new Compat('y.db').batch(['SELECT 1', { sql: 'SELECT ?', args: [1] }], 'write');
const columns: string[] = results[0].columns;
export { rows, changes, columns, SqliteError };
