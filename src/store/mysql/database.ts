import { Kysely, MysqlDialect, sql } from 'kysely';
import mysql, { type Pool } from 'mysql2';
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2/promise';
import { decodeCredential, StoreError } from '../../core/index.ts';
import { storeError } from '../errors.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from '../migrations.ts';
import { refuseLeavingPages } from '../orphaned-store.ts';
import type { SchemaDialect } from '../ports.ts';
import { COLUMNS, MAX_CHARS, type Row, type Tables, type WrittenTable } from '../schema.ts';
import { Lease } from './lease.ts';
import { type Claim, checkOwner, claimDatabase } from './owner.ts';
import { mysqlPlace, parseMysqlUrl } from './url.ts';

/** Number of connections for reading. */
export const READERS = 4;
const CONNECT_MS = 10_000;
/** A machine that was switched off answers nothing. The system notices it ten probes, a second apart, later. */
const KEEP_ALIVE_MS = 10_000;
/** Time to wait if another program is creating the tables of the same database. */
const MIGRATION_WAIT_MS = 60_000;
const TABLE_OPTIONS = 'engine=InnoDB default charset=utf8mb4 collate=utf8mb4_bin';

export const mysqlSchema: SchemaDialect = {
  types: {
    ...({ id: 'bigint', int: 'int', big: 'bigint', real: 'double', blob: 'longblob' } as const),
    ...{ word: `varchar(${MAX_CHARS.word})`, host: `varchar(${MAX_CHARS.host})`, name: `varchar(${MAX_CHARS.name})` },
    ...({ text: 'text', long: 'mediumtext' } as const),
  },
  tableOptions: TABLE_OPTIONS,
  keyedTableOptions: TABLE_OPTIONS,
  repeatsIndexes: false,
  dropTemporary: 'drop temporary table if exists ',
  insertAbsent: 'insert ignore',
  // With the rights of the creator, the views would break once that user is deleted.
  viewOptions: 'sql security invoker',
  tableNames: `select table_name as name from information_schema.tables
    where table_schema = database() and table_type = 'BASE TABLE'`,
  minuteOf: (column) =>
    `date_format(timestampadd(second, floor(${column} / 1000), '1970-01-01 00:00:00'), '%Y-%m-%d %H:%i')`,
};

/**
 * Statements that start every connection. A server may be set to another SQL dialect, to no autocommit, or to an
 * isolation level that lets a transaction see later commits, so that a search would see only part of them.
 */
const SESSION: readonly string[] = [
  `set session sql_mode = 'STRICT_TRANS_TABLES', session time_zone = '+00:00', session autocommit = 1`,
  'set session transaction isolation level repeatable read',
];

/** Returns the options of every connection: UTF-8, and numbers as numbers. */
export function connectionOptions(text: string): ConnectionOptions {
  const url = parseMysqlUrl(text);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 3306 : Number(url.port),
    user: decodeCredential(url.username) || 'root',
    password: decodeCredential(url.password),
    database: decodeCredential(url.pathname.slice(1)),
    charset: 'utf8mb4_bin',
    connectTimeout: CONNECT_MS,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    supportBigNumbers: true,
    decimalNumbers: true,
  };
}

/** Opens one connection with Bingo's session settings. */
export async function connectMysql(url: string): Promise<Connection> {
  const connection = await connect(connectionOptions(url));
  for (const statement of SESSION) await connection.query(statement);
  return connection;
}

/** Losing an idle connection would end the process without a listener. The next statement reports the loss. */
async function connect(options: ConnectionOptions): Promise<Connection> {
  const connection = await createConnection(options);
  connection.on('error', () => {});
  return connection;
}

/** Writes one row over its own connection. */
export async function insertMysql(url: string, table: WrittenTable, row: Row): Promise<void> {
  const connection = await connectMysql(url);
  try {
    await connection.query(`insert into ${table} (${COLUMNS[table]}) values ?`, [[row]]);
  } finally {
    connection.destroy();
  }
}

/**
 * Creates the database if missing and permitted, migrates its schema, and makes the workspace its owner.
 * @throws StoreError `STORE_ELSEWHERE` if the database is empty and the workspace has its pages in another store,
 * `STORE_BUSY` if another process does the same or writes, and has not finished after `waitMs`
 */
export async function prepareMysql(url: string, workspace: string, waitMs: number = MIGRATION_WAIT_MS): Promise<void> {
  const { database, ...server } = connectionOptions(url);
  let connection: Connection | undefined;
  try {
    connection = await connect(server);
    const refuse = (): void => refuseLeavingPages(workspace, url, mysqlPlace(url));
    await makeDatabase(connection, database!, refuse);
    await connection.query('use ??', [database]);
    const pool = openMysqlPool(url);
    try {
      const claim = { db: kyselyOver(pool) as unknown as Kysely<unknown>, workspace, place: mysqlPlace(url) };
      // Check the owner first: the database of another workspace must not be migrated.
      const version = await schemaVersion(claim.db, mysqlSchema, claim.place);
      if (version > 0) await checkOwner(claim);
      else await refuseIfEmpty(claim.db, refuse);
      if (version < SCHEMA_VERSION) await migrateAlone(connection, claim, waitMs);
      else await claimDatabase(claim);
    } finally {
      await closePool(pool);
    }
  } catch (error) {
    throw storeError(error, mysqlPlace(url));
  } finally {
    connection?.destroy();
  }
}

/** Migrates a database while no other process writes to it. */
async function migrateAlone(connection: Connection, claim: Claim, waitMs: number): Promise<void> {
  const lease = await Lease.claim(connection, claim.place, waitMs);
  const endKeeping = lease.keep(() => lease.renew(connection));
  try {
    await migrate(claim.db, mysqlSchema, claim.place);
    await claimDatabase(claim);
  } finally {
    endKeeping();
    await lease.release(connection);
  }
}

/** Drops a database if this workspace made it; one of another owner stays. */
export async function dropMysql(url: string, workspace: string): Promise<void> {
  const pool = openMysqlPool(url);
  try {
    await checkMysql(pool, url, workspace);
    await pool.promise().query('drop database ??', [connectionOptions(url).database]);
  } catch (error) {
    if (!(error instanceof StoreError) || !['STORE_MISSING', 'STORE_TAKEN'].includes(error.code)) throw error;
  } finally {
    await closePool(pool);
  }
}

/** @throws StoreError if this program cannot read the database for this workspace */
export async function checkMysql(pool: Pool, url: string, workspace: string): Promise<void> {
  const place = mysqlPlace(url);
  const db = kyselyOver(pool) as unknown as Kysely<unknown>;
  const version = await schemaVersion(db, mysqlSchema, place).catch((error: unknown) => {
    if ((error as { readonly code?: unknown }).code !== 'ER_BAD_DB_ERROR') throw storeError(error, place);
    refuseLeavingPages(workspace, url, place);
    throw missingStore(place);
  });
  if (version === 0) {
    await refuseIfEmpty(db, () => refuseLeavingPages(workspace, url, place));
    throw missingStore(place);
  }
  await checkOwner({ db, workspace, place });
}

/** A store whose creation was interrupted has tables, and its workspace has an id. It is completed. */
async function refuseIfEmpty(db: Kysely<unknown>, refuse: () => void): Promise<void> {
  if ((await sql.raw(mysqlSchema.tableNames).execute(db)).rows.length === 0) refuse();
}

export function openMysqlPool(url: string): Pool {
  const pool = mysql.createPool({
    ...connectionOptions(url),
    connectionLimit: READERS,
  } as mysql.PoolOptions);
  pool.on('connection', beginSession);
  return pool;
}

/**
 * Sends the session settings before any queued statement. If the connection is lost meanwhile, the next statement
 * reports it.
 */
export function beginSession(connection: Pick<mysql.Connection, 'query'>): void {
  for (const statement of SESSION) connection.query(statement, () => {});
}

export async function closePool(pool: Pool): Promise<void> {
  await pool.promise().end();
}

export function kyselyOver(pool: Pool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new MysqlDialect({ pool }) });
}

/** A user without the right to create databases can use one that an administrator created. */
async function makeDatabase(connection: Connection, database: string, refuse: () => void): Promise<void> {
  const known = await connection.query('select 1 from information_schema.schemata where schema_name = ?', [database]);
  if ((known[0] as unknown[]).length > 0) return;
  refuse();
  await connection.query('create database if not exists ?? character set utf8mb4 collate utf8mb4_bin', [database]);
}

function missingStore(place: string): StoreError {
  return new StoreError({
    code: 'STORE_MISSING',
    message: `No store yet in ${place}.`,
    hint: 'Crawl first: bingo crawl DIR',
  });
}
