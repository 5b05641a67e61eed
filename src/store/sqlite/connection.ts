import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { StoreError } from '../../core/index.ts';
import { refuseLeavingPages, SQLITE_FILE, sizeOf } from '../left-behind.ts';
import { COLUMNS, type Row, type WrittenTable } from '../schema.ts';
import { isUnwritable, ReadableCopies } from './readable-copy.ts';

/** Readers never wait in WAL mode; only another writer, or a checkpoint of one, makes us wait. */
const BUSY_MS = 5_000;

/** Pages that a connection keeps, in KB: one that reads, and the writer's, which looks most things up in tables of its own. */
const CACHE_KB = 16_000;
const WRITER_CACHE_KB = 8_000;
/** Those of one that reads beside a writer: every commit makes it forget them. */
export const CACHE_BESIDE_WRITER_KB = 2_000;

const copies = new ReadableCopies();

export function sqliteFile(workspace: string): string {
  return join(workspace, SQLITE_FILE);
}

/**
 * The writer's connection. With `synchronous = normal` in WAL mode a commit outlives the process (kill -9) but the last
 * ones may not outlive a loss of power; the database stays whole in both cases, and the crawl goes on from where it
 * ends. A commit that also survives power loss costs a disk flush each.
 */
export function openSqliteWriter(file: string, maxBytes: number | undefined): BetterSqlite3.Database {
  const db = new BetterSqlite3(file, { timeout: BUSY_MS, fileMustExist: true });
  db.pragma('synchronous = normal');
  db.pragma(`cache_size = -${WRITER_CACHE_KB}`);
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

/**
 * A connection that only reads, and sees what is committed while it is open; where SQLite cannot keep its locks beside the file, what was
 * committed when the process first asked.
 */
export function openSqliteReader(file: string, cacheKb: number = CACHE_KB): BetterSqlite3.Database {
  assertHeld(file);
  try {
    return openToRead(file, cacheKb);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return openToRead(copies.of(file), cacheKb);
  }
}

function openToRead(file: string, cacheKb: number): BetterSqlite3.Database {
  const db = new BetterSqlite3(file, { readonly: true, timeout: BUSY_MS });
  try {
    // The first word that touches the file.
    db.pragma('schema_version');
    db.pragma('query_only = on');
    db.pragma(`cache_size = -${cacheKb}`);
    db.pragma('temp_store = memory');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** @throws StoreError when there is no file, or nothing in it */
function assertHeld(file: string): void {
  assertNotEmptied(file);
  if (sizeOf(file) > 0) return;
  refuseLeavingPages(dirname(file), 'sqlite', file);
  throw missingStore(file);
}

/**
 * SQLite takes an empty file for a new database and removes the log beside it, in which pages may be left.
 * @throws StoreError `STORE_DAMAGED` when the file is empty and its log is not, `STORE_NO_FILE` when there is something else
 */
export function assertNotEmptied(file: string): void {
  const log = `${file}-wal`;
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new StoreError({
      code: 'STORE_NO_FILE',
      message: `The store ${file} is no file${statSync(file).isDirectory() ? ', but a folder' : ''}.`,
      hint: 'Nothing was changed. Move it away: the next crawl makes the file.',
    });
  if (!existsSync(file) || sizeOf(file) > 0 || sizeOf(log) === 0) return;
  throw new StoreError({
    code: 'STORE_DAMAGED',
    message: `The store ${file} failed: the file is empty, though pages were written to ${log}.`,
    hint: 'Nothing was changed. Put back a copy of it, or move both away and crawl again.',
  });
}

export function missingStore(file: string): StoreError {
  return new StoreError({
    code: 'STORE_MISSING',
    message: `There is no store yet: ${file} ${existsSync(file) ? 'is empty' : 'does not exist'}.`,
    hint: 'Crawl first: bingo crawl DIR',
  });
}
