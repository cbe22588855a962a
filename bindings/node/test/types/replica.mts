// Only compiled: what a user of replicas writes has these types.
import { connect, Database, NetworkError, retryFetch, type Conflict, type Mutation } from 'godwit/sync';

const db: Database = await connect({
  path: 'x.db',
  url: () => null,
  authToken: async () => 'token',
  clientName: 'phone',
  longPollTimeoutMs: 1000,
  counters: ['stock.amount'],
  transform: (mutation: Mutation) => (mutation.tableName === 'draft' ? { operation: 'skip' } : null),
  onConflict: ({ mine, theirs }: Conflict) => ({ ...theirs, ...mine }),
  autoSync: { intervalMs: 60000 },
  fetch: retryFetch({ attempts: 5 }),
});
db.on('conflict', ({ table, key }) => console.log(table, key)).once('syncError', (error) => error instanceof NetworkError);
const statement = await db.prepare('SELECT 1');
const rows: any[] = await statement.all();
await db.push({ signal: AbortSignal.timeout(1000) });
const pulled: boolean = await db.pull();
for (const change of await db.pending()) {
  if (change.kind === 'schema') console.log(change.statement);
  else await db.discard(change);
}
const seconds: number | null = (await db.stats()).lastPushUnixTime;
export { rows, pulled, seconds };
