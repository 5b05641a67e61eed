import mysql, { type Connection, type TypeCastField, type TypeCastNext } from 'mysql2';
import { isFullDisk, isLostConnection, storeError } from '../errors.ts';
import { makingOf } from '../in-sql/scratch.ts';
import type { QueryOptions } from '../reading-dialect.ts';
import { invalidSql, readOnlyError } from '../sql-errors.ts';
import { exactInteger, sqlResult } from '../sql-result.ts';
import type { SqlResult } from '../store.ts';
import type { TemporaryTable } from '../temporary-table.ts';
import { beginSession, connectionOptions, mysqlSchema } from './database.ts';
import { mysqlPlace } from './url.ts';

/** Statements that only read. A read-only transaction alone would still allow `shutdown` or `kill`. */
const READING = /^\(*\s*(select|with|show|explain|describe|desc|values|table)\b/i;
/** Maximum number of rows buffered between server and reader. */
const HIGH_WATER = 100;
const ROWS_AT_ONCE = 1_000;

/**
 * Runs one query in a read-only transaction, over its own connection, which closes with the result.
 * @param running holds that connection until then
 */
export async function sqlMysql(
  url: string,
  query: string,
  { maxRows, tables, running }: QueryOptions & { readonly running: Set<Connection> },
): Promise<SqlResult> {
  refuseWriting(query);
  const connection = mysql.createConnection({
    ...connectionOptions(url),
    rowsAsArray: true,
    typeCast: numberOf,
  } as mysql.ConnectionOptions);
  const failed = (error: unknown): Error => storeError(error, mysqlPlace(url));
  connection.on('error', () => {});
  running.add(connection);
  const close = (): void => {
    running.delete(connection);
    connection.destroy();
  };
  beginSession(connection);
  await beginReading(connection, tables).catch((error: unknown) => {
    close();
    throw failed(error);
  });
  const command = connection.query(query);
  const stream = command.stream({ highWaterMark: HIGH_WATER });
  // The driver reports a loss only on the connection; without this, the reader of the rows would wait forever.
  connection.on('error', (error) => stream.destroy(failed(error)));
  const columns = await new Promise<string[]>((resolve, reject) => {
    command.once('fields', (fields: { readonly name: string }[]) => resolve((fields ?? []).map((field) => field.name)));
    stream.once('error', (error: unknown) => {
      close();
      reject(isLostConnection(error) || isFullDisk(error) ? failed(error) : invalidSql(error));
    });
  });
  return sqlResult(columns, stream, maxRows, close);
}

/** Begins a read-only transaction, after making tables that vanish with the connection. */
async function beginReading(connection: Connection, tables: readonly TemporaryTable[]): Promise<void> {
  const ask = connection.promise();
  for (const table of tables)
    await addTable(ask, table).catch((error: { readonly code?: unknown }) => {
      if (table.isView !== true || error.code !== 'ER_DBACCESS_DENIED_ERROR') throw error;
    });
  await ask.query('start transaction read only');
}

async function addTable(
  ask: ReturnType<Connection['promise']>,
  { name, table, rows, completed }: TemporaryTable,
): Promise<void> {
  for (const statement of makingOf(name, table, mysqlSchema)) await ask.query(statement);
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    await ask.query(`insert into ${name} values ?`, [rows.slice(at, at + ROWS_AT_ONCE)]);
  if (completed !== undefined) await ask.query(completed);
}

/** Reads integers as numbers, including sums computed by the server. */
function numberOf(field: TypeCastField, next: TypeCastNext): unknown {
  if (field.type !== 'LONGLONG' && field.type !== 'NEWDECIMAL') return next();
  const text = field.string();
  if (text === null) return null;
  return text.includes('.') ? Number(text) : exactInteger(BigInt(text));
}

function refuseWriting(query: string): void {
  // MySQL executes the content of comments of this form.
  if (/\/\*(!|M!)/.test(query)) throw readOnlyError('the server runs comments of the form /*!');
  const bare = withoutTextAndComments(query).trim();
  if (!READING.test(bare)) throw readOnlyError(`it does not run "${bare.split(/\s/)[0] ?? ''}"`);
  if (/\binto\s+(outfile|dumpfile|@)/i.test(bare)) throw readOnlyError('"into" writes');
  if (/;\s*\S/.test(bare)) throw readOnlyError('one statement at a time');
}

/** Empties quoted texts and drops comments, so that only the words of the statement are checked. */
function withoutTextAndComments(query: string): string {
  return query.replace(
    /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`|\/\*[\s\S]*?\*\/|--[ \t][^\n]*|--$|#[^\n]*/g,
    (part) => (/^['"`]/.test(part) ? `${part[0]}${part[0]}` : ' '),
  );
}
