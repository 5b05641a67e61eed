import { randomInt } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { BingoError, type SteerCommand } from '../core/index.ts';
import { CheckpointFiles, type Checkpoints } from './checkpoint-files.ts';
import { collectionsOf, collectionUrl, deleteCollectionFiles } from './collections.ts';
import { DatabaseStore } from './database-store.ts';
import { isLostConnection, storeError } from './errors.ts';
import type { Scratch } from './in-sql/scratch.ts';
import { mysqlPlace, parseMysqlUrl } from './mysql/url.ts';
import type { ReadingDialect } from './reading-dialect.ts';
import { steerText } from './rows/record-rows.ts';
import type { Row } from './schema.ts';
import { CACHE_BESIDE_WRITER_KB, insertSqlite, sqliteFile } from './sqlite/connection.ts';
import { copySqlite } from './sqlite/copy.ts';
import { prepareSqlite } from './sqlite/database.ts';
import { openSqliteReading } from './sqlite/reading.ts';
import { openSqliteScratch } from './sqlite/scratch.ts';
import type { Store, StoreOptions } from './store.ts';
import { JournalWriter } from './write/journal-writer.ts';
import type { WriterTarget } from './write/writer-worker.ts';

/** Time in which a server restarts. */
const RECONNECT_MS = 60_000;
const ASK_AGAIN_MS = 250;
/** Maximum number of restarts of the work. A server that fails each time may do so because of this work. */
const MAX_AGAIN = 3;

/**
 * Opens the store of a workspace. Unless `readOnly`, creates a missing store and migrates its schema.
 * @throws StoreError if it is damaged, newer than this program, not a Bingo store, or out of reach
 */
export async function openStore(given: StoreOptions): Promise<Store> {
  const options = inCollection(given);
  const target = targetOf(options);
  const reconnectMs = target.kind === 'mysql' ? target.reconnectMs : 0;
  if (options.readOnly)
    return new DatabaseStore(await openReading(target, options.workspace), undefined, { reconnectMs });
  if (target.kind === 'sqlite') await prepareSqlite(target.file);
  else await (await import('./mysql/database.ts')).prepareMysql(target.url, options.workspace);
  const reading = await openReading(target, options.workspace, CACHE_BESIDE_WRITER_KB);
  try {
    const { batch, flushMs } = options;
    const writer = await JournalWriter.start(target, { batch, flushMs, last: () => lastSequence(reading) });
    return new DatabaseStore(reading, writer, { reconnectMs });
  } catch (error) {
    await reading.close();
    throw storeError(error, target.place);
  }
}

/** Deletes collections of a workspace for good. The database that `store.url` names is never dropped. */
export async function deleteCollections(
  { url, workspace }: Pick<StoreOptions, 'url' | 'workspace'>,
  names: readonly string[],
): Promise<void> {
  for (const name of url === 'sqlite' ? [] : names) {
    const own = collectionUrl(url, name);
    if (own !== url) await (await import('./mysql/database.ts')).dropMysql(own, join(workspace, name));
  }
  deleteCollectionFiles(workspace, names);
}

/**
 * Copies the store of a workspace for another workspace: into its folder, or into another database on the same server.
 * The caller holds the lock of the first workspace.
 * @throws StoreError `STORE_TAKEN` if the other database belongs to a third workspace
 */
export async function copyStore(
  given: Pick<StoreOptions, 'url' | 'workspace'>,
  copy: Pick<StoreOptions, 'url' | 'workspace'>,
): Promise<void> {
  const from = inCollection(given);
  mkdirSync(copy.workspace, { recursive: true });
  if (copy.url === 'sqlite') copySqlite(from.workspace, copy.workspace);
  else await (await import('./mysql/copy.ts')).copyMysql(from.url, copy.url, copy.workspace);
}

/** Deletes a store that {@link copyStore} made, and its folder. */
export async function deleteStore({ url, workspace }: Pick<StoreOptions, 'url' | 'workspace'>): Promise<void> {
  if (url !== 'sqlite') await (await import('./mysql/database.ts')).dropMysql(url, workspace);
  rmSync(workspace, { recursive: true, force: true });
}

/** The processes that work on a crawl together. */
export interface Members {
  /** Shows that this process is there. Returns the number of processes that are. */
  count(): Promise<number>;
  /** Returns the ids of the processes that are there. */
  ids(): Promise<readonly string[]>;
  leave(): Promise<void>;
}

/** Joins the processes that work on a crawl whose store is on a server. */
export async function joinMembers(given: Pick<StoreOptions, 'url' | 'workspace'>, id: string): Promise<Members> {
  const { MysqlMembers } = await import('./mysql/members.ts');
  return new MysqlMembers(inCollection(given).url, id);
}

/**
 * Returns the checkpoints of a crawl that another machine may continue. If the store is on a server, it has a copy of the
 * newest one.
 * @param dir folder of the files
 * @param program version of this program
 */
export async function openCheckpoints(
  given: Pick<StoreOptions, 'url' | 'workspace'>,
  dir: string,
  program: string,
): Promise<Checkpoints> {
  const { url } = inCollection(given);
  const files = new CheckpointFiles(dir, program);
  if (url === 'sqlite') return files;
  const { CopiedCheckpoints } = await import('./mysql/checkpoint-copies.ts');
  return new CopiedCheckpoints(files, dir, url);
}

/** Deletes the copy of a checkpoint that a server has. */
export async function deleteCheckpointCopy(given: Pick<StoreOptions, 'url' | 'workspace'>): Promise<void> {
  const { url } = inCollection(given);
  if (url !== 'sqlite') await (await import('./mysql/checkpoint-copies.ts')).dropCheckpointCopy(url);
}

type ScratchOptions = Pick<StoreOptions, 'url' | 'workspace' | 'readOnly' | 'reconnectMs'>;

/**
 * Opens a store for work in SQL: see {@link Scratch}. With `readOnly` it can be used beside a crawl. Without, it can
 * make tables in the store, and the caller must hold the workspace's lock.
 * @throws StoreError if the store is missing or cannot be opened
 */
export async function openScratch(options: ScratchOptions): Promise<Scratch> {
  const { url, workspace, readOnly = false } = inCollection(options);
  if (url === 'sqlite') return await openSqliteScratch(sqliteFile(workspace), !readOnly);
  parseMysqlUrl(url);
  return await (await import('./mysql/scratch.ts')).openMysqlScratch(url, workspace, !readOnly);
}

/**
 * Runs work in its own {@link Scratch}. Temporary tables vanish with the connection. If the connection is lost, the
 * work restarts as soon as the server is back, so it must be safe to run twice.
 * @param onLost called before the work restarts
 * @throws StoreError `STORE_LOST` if the server stays away, or is lost again after three restarts
 */
export async function inScratch<T>(
  options: ScratchOptions,
  work: (scratch: Scratch) => Promise<T>,
  onLost: () => void,
): Promise<T> {
  let scratch = await openScratch(options);
  for (let left = MAX_AGAIN; ; left--) {
    try {
      return await work(scratch);
    } catch (error) {
      if (!isLost(error)) throw error;
      if (left === 0) throw storeError(error, targetOf(options).place);
    } finally {
      await scratch.close();
    }
    onLost();
    scratch = await reopenScratch(options);
  }
}

async function reopenScratch(options: ScratchOptions): Promise<Scratch> {
  const deadline = performance.now() + (options.reconnectMs ?? RECONNECT_MS);
  for (;;) {
    await sleep(ASK_AGAIN_MS);
    try {
      return await openScratch(options);
    } catch (error) {
      // After a network failure, the server may not have noticed yet that the previous writer is gone.
      const mayPass = isLost(error) || (error instanceof BingoError && error.code === 'STORE_BUSY');
      if (!mayPass || performance.now() > deadline) throw error;
    }
  }
}

function isLost(error: unknown): boolean {
  return isLostConnection(error) || (error instanceof BingoError && error.code === 'STORE_LOST');
}

/**
 * Sends a command to the crawl that runs in a workspace; the crawl checks about once a second. This is the only write
 * by a process without the workspace's lock.
 * @throws StoreError if the store cannot be written
 */
export async function requestSteer(options: StoreOptions, command: SteerCommand): Promise<void> {
  const target = targetOf(inCollection(options));
  const at = Date.now();
  // Unique without a query: two dashboards may write in the same millisecond.
  const row: Row = [at * 1000 + randomInt(1000), at, steerText(command)];
  try {
    if (target.kind === 'sqlite') insertSqlite(target.file, 'steer_request', row);
    else await (await import('./mysql/database.ts')).insertMysql(target.url, 'steer_request', row);
  } catch (error) {
    throw storeError(error, target.place);
  }
}

/** Returns the options of the collection that the workspace uses. */
function inCollection<T extends ScratchOptions>(options: T): T {
  const { url, workspace } = options;
  const { current } = collectionsOf(workspace);
  return { ...options, url: collectionUrl(url, current), workspace: join(workspace, current) };
}

function targetOf(options: ScratchOptions & Pick<StoreOptions, 'maxBytes'>): WriterTarget {
  const reconnectMs = options.reconnectMs ?? RECONNECT_MS;
  if (options.url === 'sqlite') {
    const file = sqliteFile(options.workspace);
    return { kind: 'sqlite', file, place: file, maxBytes: options.maxBytes, reconnectMs };
  }
  parseMysqlUrl(options.url);
  return { kind: 'mysql', url: options.url, place: mysqlPlace(options.url), reconnectMs };
}

async function openReading(target: WriterTarget, workspace: string, cacheKb?: number): Promise<ReadingDialect> {
  if (target.kind === 'sqlite') return await openSqliteReading(target.file, cacheKb);
  return await (await import('./mysql/reading.ts')).openMysqlReading(target.url, workspace);
}

async function lastSequence({ db }: ReadingDialect): Promise<number> {
  const row = await db
    .selectFrom('journal')
    .select(sql<number>`coalesce(max(sequence), 0)`.as('last'))
    .executeTakeFirstOrThrow();
  return Number(row.last);
}
