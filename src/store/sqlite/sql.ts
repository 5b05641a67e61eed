import type BetterSqlite3 from 'better-sqlite3';
import { invalidSql, readOnlyError } from '../sql-errors.ts';
import { exactInteger, sqlResult } from '../sql-result.ts';
import type { SqlResult } from '../store.ts';

/** Runs one query on a read-only connection of its own, which the result closes. */
export function sqlSqlite(db: BetterSqlite3.Database, query: string, maxRows: number): SqlResult {
  const statement = prepared(db, query);
  const columns = statement.columns().map((column) => column.name);
  return sqlResult(columns, rowsOf(statement), maxRows, () => db.close());
}

/** The query begins with the first row that is asked for. */
function* rowsOf(statement: BetterSqlite3.Statement): Generator<unknown> {
  for (const row of statement.raw().safeIntegers().iterate())
    yield (row as unknown[]).map((value) => (typeof value === 'bigint' ? exactInteger(value) : value));
}

function prepared(db: BetterSqlite3.Database, query: string): BetterSqlite3.Statement {
  try {
    const statement = db.prepare(query);
    // `attach` and `pragma` count as read-only to SQLite, but give no rows or change the connection.
    if (!statement.readonly || !statement.reader) throw readOnlyError('the statement would write, or gives no rows');
    return statement;
  } catch (error) {
    db.close();
    throw (error as { code?: unknown }).code === 'SQL_READ_ONLY' ? error : invalidSql(error);
  }
}
