import type BetterSqlite3 from 'better-sqlite3';
import { storeError } from '../errors.ts';
import { makingOf } from '../in-sql/scratch.ts';
import type { QueryOptions } from '../reading-dialect.ts';
import { invalidSql, readOnlyError } from '../sql-errors.ts';
import { exactInteger, sqlResult } from '../sql-result.ts';
import type { SqlResult } from '../store.ts';
import type { TemporaryTable } from '../temporary-table.ts';
import { sqliteSchema } from './database.ts';
import { Statements } from './statements.ts';

/** Runs one query over its own read-only connection, which closes with the result. */
export function sqlSqlite(db: BetterSqlite3.Database, query: string, { maxRows, tables }: QueryOptions): SqlResult {
  if (tables.length > 0) addTables(db, tables);
  const statement = prepared(db, query);
  const columns = statement.columns().map((column) => column.name);
  return sqlResult(columns, rowsOf(statement, db.name), maxRows, () => db.close());
}

/** Makes tables that belong to this connection and vanish with it. */
function addTables(db: BetterSqlite3.Database, tables: readonly TemporaryTable[]): void {
  // The file stays read-only; temporary tables are in a file of their own.
  db.pragma('query_only = off');
  db.pragma('temp_store = file');
  const statements = new Statements(db);
  for (const { name, table, rows, completed } of tables) {
    for (const statement of makingOf(name, table, sqliteSchema)) statements.of(statement).run();
    db.transaction(() => statements.insert(`insert into temp.${name}`, rows))();
    if (completed !== undefined) statements.of(completed).run();
  }
  db.pragma('query_only = on');
}

/** The query starts when the first row is requested. */
function* rowsOf(statement: BetterSqlite3.Statement, file: string): Generator<unknown> {
  try {
    for (const row of statement.raw().safeIntegers().iterate())
      yield (row as unknown[]).map((value) => (typeof value === 'bigint' ? exactInteger(value) : value));
  } catch (error) {
    throw failed(error, file);
  }
}

/** Failures of the file are not mistakes of the query. */
const OF_FILE = /^SQLITE_(?:CORRUPT|NOTADB|IOERR|CANTOPEN|FULL|BUSY|LOCKED|PROTOCOL)/;

function failed(error: unknown, file: string): Error {
  return OF_FILE.test(String((error as { code?: unknown }).code)) ? storeError(error, file) : invalidSql(error);
}

function prepared(db: BetterSqlite3.Database, query: string): BetterSqlite3.Statement {
  try {
    const statement = db.prepare(query);
    // SQLite counts `attach` and `pragma` as read-only, but they return no rows or change the connection.
    if (!statement.readonly || !statement.reader) throw readOnlyError('the statement would write, or returns no rows');
    return statement;
  } catch (error) {
    db.close();
    throw (error as { readonly code?: unknown }).code === 'SQL_READ_ONLY' ? error : failed(error, db.name);
  }
}
