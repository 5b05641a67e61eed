import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { StoreError } from '../../core/index.ts';
import { refuseLeavingPages, SQLITE_FILE, sizeOf } from '../orphaned-store.ts';
import { COLUMNS, type Row, type WrittenTable } from '../schema.ts';
import { isUnwritable, ReadableCopies } from './readable-copy.ts';

/** Readers never wait in WAL mode; only another writer, or its checkpoint, makes us wait. */
const BUSY_MS = 5_000;

/** Page cache of a connection that reads, in KB; also of the writer, which mostly looks things up in its own tables. */
const CACHE_KB = 16_000;
const WRITER_CACHE_KB = 8_000;
/** Page cache of a reader beside a writer: every commit invalidates it. */
export const CACHE_BESIDE_WRITER_KB = 2_000;

/** Of a new database. SQLite's default of 4,096 takes twice as many calls to the system, 3 % of a crawl's CPU time. */
export const PAGE_BYTES = 8_192;

/**
 * Bytes in the write-ahead log before SQLite copies them to the database. A page that changes again and again is copied
 * once: this writes a fourth less than 16 MB.
 */
const CHECKPOINT_BYTES = 64 * 1_024 * 1_024;

const copies = new ReadableCopies();

export function sqliteFile(workspace: string): string {
  return join(workspace, SQLITE_FILE);
}

/**
 * Opens the writer's connection. With `synchronous = normal` in WAL mode, a commit survives the end of the process
 * (kill -9), but the last commits may not survive a power failure. The database stays intact in both cases, and the
 * crawl resumes from its last commit. Surviving a power failure would cost a disk flush per commit.
 */
export function openSqliteWriter(file: string, maxBytes: number | undefined): BetterSqlite3.Database {
  const db = new BetterSqlite3(file, { timeout: BUSY_MS, fileMustExist: true });
  db.pragma('synchronous = normal');
  db.pragma(`cache_size = -${WRITER_CACHE_KB}`);
  db.pragma('temp_store = memory');
  const pageBytes = db.pragma('page_size', { simple: true }) as number;
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_BYTES / pageBytes}`);
  db.pragma(`journal_size_limit = ${CHECKPOINT_BYTES}`);
  if (maxBytes !== undefined) db.pragma(`max_page_count = ${Math.max(1, Math.floor(maxBytes / pageBytes))}`);
  return db;
}

/** Writes one row over its own connection. */
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
 * Opens a connection that only reads, and sees commits while it is open. If SQLite cannot create its lock table
 * beside the file, the connection sees only what was committed at the first query of the process.
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
    // The first statement that accesses the file.
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

/** @throws StoreError if the file is missing or empty */
function assertHeld(file: string): void {
  assertNotEmptied(file);
  if (sizeOf(file) > 0) return;
  refuseLeavingPages(dirname(file), 'sqlite', file);
  throw missingStore(file);
}

/**
 * SQLite takes an empty file for a new database and removes the log beside it, which may hold pages.
 * @throws StoreError `STORE_DAMAGED` if the file is empty and its log is not, `STORE_NO_FILE` if it is not a regular
 * file
 */
export function assertNotEmptied(file: string): void {
  const log = `${file}-wal`;
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new StoreError({
      code: 'STORE_NO_FILE',
      message: `The store ${file} is ${statSync(file).isDirectory() ? 'a folder' : 'not a file'}.`,
      hint: 'Nothing was changed. Move it away; the next crawl creates the file.',
    });
  if (!existsSync(file) || sizeOf(file) > 0 || sizeOf(log) === 0) return;
  throw new StoreError({
    code: 'STORE_DAMAGED',
    message: `The store ${file} failed: the file is empty, though pages were written to ${log}.`,
    hint: 'Nothing was changed. Restore a copy of it, or move both away and crawl again.',
  });
}

export function missingStore(file: string): StoreError {
  return new StoreError({
    code: 'STORE_MISSING',
    message: `No store yet: ${file} ${existsSync(file) ? 'is empty' : 'does not exist'}.`,
    hint: 'Crawl first: bingo crawl DIR',
  });
}
