// Only compiled: the same from CommonJS.
import Database = require('godwit');

const db: Database.Database = new Database(':memory:');
const statement: Database.Statement = db.prepare('SELECT 1');
const code: string = new Database.SqliteError('a', 'b').code;
export = { statement, code };
