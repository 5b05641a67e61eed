import mysql, { type Connection, type TypeCastField, type TypeCastNext } from 'mysql2';
import { isFullDisk, isLostConnection, storeError } from '../errors.ts';
import { invalidSql, readOnlyError } from '../sql-errors.ts';
import { exactInteger, sqlResult } from '../sql-result.ts';
import type { SqlResult } from '../store.ts';
import { beginSession, connectionOptions } from './database.ts';
import { mysqlPlace } from './url.ts';

/** Statements that only read. A read-only transaction alone would still allow `shutdown` or `kill`. */
const READING = /^\(*\s*(select|with|show|explain|describe|desc|values|table)\b/i;
/** Maximum number of rows buffered between server and reader. */
const HIGH_WATER = 100;

/**
 * Runs one query in a read-only transaction, over its own connection, which closes with the result.
 * @param running holds that connection until then
 */
export async function sqlMysql(
  url: string,
  query: string,
  { maxRows, running }: { readonly maxRows: number; readonly running: Set<Connection> },
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
  await connection
    .promise()
    .query('start transaction read only')
    .catch((error: unknown) => {
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
