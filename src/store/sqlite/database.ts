import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { StoreError } from '../../core/index.ts';
import { storeError } from '../errors.ts';
import { migrate, SCHEMA_VERSION, type SchemaDialect, schemaVersion } from '../migrations.ts';
import { COLUMNS, type Row, type Tables, type WrittenTable } from '../schema.ts';

/** Name of the database file in its workspace. */
const FILE = 'store.db';
/** Readers never wait in WAL mode; only another writer, or a checkpoint of one, makes us wait. */
const BUSY_MS = 5_000;
/** When opening, nothing is lost by giving up sooner. */
const OPENING_BUSY_MS = 1_000;

export const sqliteSchema: SchemaDialect = {
  name: 'sqlite',
  types: {
    ...({ id: 'integer', int: 'integer', big: 'integer', real: 'real', blob: 'blob' } as const),
    ...({ word: 'text', host: 'text', name: 'text', text: 'text', long: 'text' } as const),
  },
  tableOptions: '',
  tableNames: `select name from sqlite_master where type = 'table'`,
  minuteOf: (column) => `strftime('%Y-%m-%d %H:%M', ${column} / 1000, 'unixepoch')`,
};

export function sqliteFile(workspace: string): string {
  return join(workspace, FILE);
}

/** Makes the database if there is none, and brings its schema up to date. */
export async function prepareSqlite(file: string): Promise<void> {
  let db: BetterSqlite3.Database | undefined;
  try {
    mkdirSync(join(file, '..'), { recursive: true });
    db = new BetterSqlite3(file, { timeout: OPENING_BUSY_MS });
    db.pragma('journal_mode = wal');
    db.exec('begin immediate');
    await migrate(kyselyOver(db) as unknown as Kysely<unknown>, sqliteSchema, file);
    // On a read-only disk all before this passes: `begin immediate` quietly begins to read.
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
    db.exec('commit');
  } catch (error) {
    throw storeError(error, file);
  } finally {
    db?.close();
  }
}

/**
 * The writer's connection. With `synchronous = normal` in WAL mode a commit outlives the process (kill -9) but the last
 * ones may not outlive a loss of power; the database stays whole in both cases, and the crawl goes on from where it
 * ends. A commit that also survives power loss costs a disk flush each.
 */
export function openSqliteWriter(file: string, maxBytes: number | undefined): BetterSqlite3.Database {
  const db = new BetterSqlite3(file, { timeout: BUSY_MS, fileMustExist: true });
  db.pragma('synchronous = normal');
  db.pragma('cache_size = -32000');
  db.pragma('temp_store = memory');
  db.pragma('wal_autocheckpoint = 4000');
  db.pragma('journal_size_limit = 67108864');
  if (maxBytes !== undefined) {
    const pageSize = db.pragma('page_size', { simple: true }) as number;
    db.pragma(`max_page_count = ${Math.max(1, Math.floor(maxBytes / pageSize))}`);
  }
  return db;
}

/** Writes one row on a connection of its own. */
export function insertSqlite(file: string, table: WrittenTable, row: Row): void {
  const db = new BetterSqlite3(file, { timeout: BUSY_MS, fileMustExist: true });
  try {
    db.pragma('synchronous = normal');
    db.prepare(`insert into ${table} (${COLUMNS[table]}) values (${row.map(() => '?')})`).run(row);
  } finally {
    db.close();
  }
}

/** A connection that only reads, and sees what is committed while it is open. */
export function openSqliteReader(file: string): BetterSqlite3.Database {
  if (!existsSync(file)) throw missingStore(file);
  const db = new BetterSqlite3(file, { readonly: true, timeout: BUSY_MS });
  try {
    db.pragma('query_only = on');
    db.pragma('cache_size = -32000');
    db.pragma('temp_store = memory');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** @throws StoreError when the database is not one that this program can read */
export async function checkSqlite(db: BetterSqlite3.Database, file: string): Promise<void> {
  const version = await schemaVersion(kyselyOver(db) as unknown as Kysely<unknown>, sqliteSchema, file);
  if (version === 0) throw missingStore(file);
}

export function kyselyOver(db: BetterSqlite3.Database): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: db }) });
}

function missingStore(file: string): StoreError {
  return new StoreError({
    code: 'STORE_MISSING',
    message: `There is no store yet: ${file} does not exist.`,
    hint: 'Crawl first: bingo crawl DIR.',
  });
}
