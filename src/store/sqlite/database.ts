import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { type BingoError, StoreError } from '../../core/index.ts';
import { storeError } from '../errors.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from '../migrations.ts';
import { refuseLeavingPages, sizeOf } from '../orphaned-store.ts';
import type { SchemaDialect } from '../ports.ts';
import type { Tables } from '../schema.ts';
import { assertNotEmptied, missingStore, PAGE_BYTES } from './connection.ts';
import { lockHolder } from './lock-holder.ts';

/** Shorter wait while opening, when nothing can be lost. */
const OPENING_BUSY_MS = 1_000;

export const sqliteSchema: SchemaDialect = {
  types: {
    ...({ id: 'integer', int: 'integer', big: 'integer', real: 'real', blob: 'blob' } as const),
    ...({ word: 'text', host: 'text', name: 'text', text: 'text', long: 'text' } as const),
  },
  tableOptions: '',
  keyedTableOptions: 'without rowid',
  repeatsIndexes: true,
  dropTemporary: 'drop table if exists temp.',
  insertAbsent: 'insert or ignore',
  viewOptions: '',
  tableNames: `select name from sqlite_master where type = 'table'`,
  minuteOf: (column) => `strftime('%Y-%m-%d %H:%M', ${column} / 1000, 'unixepoch')`,
};

/**
 * Creates a missing database and migrates its schema.
 * @throws StoreError `STORE_ELSEWHERE` if it is missing and the workspace has its pages on a server
 */
export async function prepareSqlite(file: string): Promise<void> {
  let db: BetterSqlite3.Database | undefined;
  try {
    assertNotEmptied(file);
    if (sizeOf(file) === 0) refuseLeavingPages(dirname(file), 'sqlite', file);
    mkdirSync(dirname(file), { recursive: true });
    db = new BetterSqlite3(file, { timeout: OPENING_BUSY_MS });
    // The database of another program stays as it is.
    await checkSqlite(db, file).catch((error: BingoError) => {
      if (error.code !== 'STORE_MISSING') throw error;
    });
    db.pragma(`page_size = ${PAGE_BYTES}`);
    db.pragma('journal_mode = wal');
    db.exec('begin immediate');
    await migrate(kyselyOver(db) as unknown as Kysely<unknown>, sqliteSchema, file);
    // The first statement that fails on a read-only disk: `begin immediate` silently starts only a read there.
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
    db.exec('commit');
  } catch (error) {
    throw held(storeError(error, file), file);
  } finally {
    db?.close();
  }
}

/** Names the program that holds the file locked, if that is the error. */
function held(error: BingoError, file: string): BingoError {
  const holder = error.code === 'STORE_BUSY' ? lockHolder(file) : undefined;
  if (holder === undefined) return error;
  const { code, hint } = error;
  return new StoreError({ code, message: `The store ${file} is locked by ${holder}.`, hint, cause: error });
}

/** @throws StoreError if this program cannot read the database */
export async function checkSqlite(db: BetterSqlite3.Database, file: string): Promise<void> {
  const version = await schemaVersion(kyselyOver(db) as unknown as Kysely<unknown>, sqliteSchema, file);
  if (version === 0) throw missingStore(file);
}

export function kyselyOver(db: BetterSqlite3.Database): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: db }) });
}
