import type { Connection, RowDataPacket } from 'mysql2/promise';
import { StoreError } from '../../core/index.ts';
import { storeError } from '../errors.ts';
import { connectionOptions, connectMysql, prepareMysql } from './database.ts';
import { Lease } from './lease.ts';
import { mysqlPlace } from './url.ts';

/** Rows of `meta` that say whose database it is, and which tables it has. */
const OWN = ['schema_version', 'workspace', 'workspace_folder', 'workspace_host'];

/**
 * Copies a database into another one on the same server, which is made, and which belongs to a workspace of its own
 * from then on. Interrupted, it can be repeated.
 * @throws StoreError `STORE_TAKEN` if the other database belongs to another workspace
 */
export async function copyMysql(from: string, to: string, workspace: string): Promise<void> {
  await prepareMysql(to, workspace);
  const source = connectionOptions(from).database!;
  let connection: Connection | undefined;
  try {
    connection = await connectMysql(to);
    const lease = await Lease.claim(connection, mysqlPlace(to), 0);
    for (const table of await commonTables(connection, source)) await copyTable(connection, source, table);
    await lease.release(connection);
  } catch (error) {
    throw storeError(error, mysqlPlace(to));
  } finally {
    connection?.destroy();
  }
}

async function commonTables(connection: Connection, source: string): Promise<readonly string[]> {
  const [rows] = await connection.query<RowDataPacket[]>(
    `select one.table_name as name from information_schema.tables one
      join information_schema.tables other on other.table_name = one.table_name and other.table_schema = ?
      where one.table_schema = database() and one.table_type = 'BASE TABLE' and one.table_name <> 'lease'`,
    [source],
  );
  return rows.map(({ name }) => String(name));
}

/** One table per transaction: a copy that was interrupted is made again. */
async function copyTable(connection: Connection, source: string, table: string): Promise<void> {
  const [rows] = await connection.query<RowDataPacket[]>(
    'select column_name as name from information_schema.columns where table_schema = database() and table_name = ?',
    [table],
  );
  const columns = rows.map(({ name }) => String(name));
  if (columns.length === 0) throw new StoreError({ code: 'STORE_GONE', message: `The table ${table} was removed.` });
  const isMeta = table === 'meta';
  await connection.query('start transaction');
  await connection.query(`delete from ??${isMeta ? ' where name not in (?)' : ''}`, isMeta ? [table, OWN] : [table]);
  await connection.query(
    `insert into ?? (??) select ?? from ??.??${isMeta ? ' where name not in (?)' : ''}`,
    isMeta ? [table, columns, columns, source, table, OWN] : [table, columns, columns, source, table],
  );
  await connection.query('commit');
}
