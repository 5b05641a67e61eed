import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../core/index.ts';

/** Name of the database file in its workspace. */
export const SQLITE_FILE = 'store.db';
/** File beside bingo.yaml that holds an id; the workspace's database on a server holds the same id. */
export const ID_FILE = 'workspace.id';

/**
 * Called before a store is created, or if it is missing. If the pages of the workspace are in another store,
 * `store.url` is wrong, and the crawl would silently start from zero.
 * @param url `store.url`
 * @param place location of the missing store, for messages
 * @throws StoreError `STORE_ELSEWHERE`
 */
export function refuseLeavingPages(workspace: string, url: string, place: string): void {
  const file = join(workspace, SQLITE_FILE);
  if (url !== 'sqlite' && sizeOf(file) > 0)
    throw elsewhere(`in ${file}`, place, 'Set store.url back to sqlite', `move ${file} away`);
  const id = join(workspace, ID_FILE);
  if (existsSync(id))
    throw elsewhere(
      'in a database on a server',
      place,
      'Set store.url back to the mysql:// address of that database',
      `remove ${id}`,
    );
}

/**
 * Returns true if the store's file exists but is empty. A crawl killed while creating it leaves an empty file, but so
 * does a failed copy or a broken disk.
 * @param url `store.url`
 */
export function isStoreEmptied(workspace: string, url: string): boolean {
  const file = join(workspace, SQLITE_FILE);
  return url === 'sqlite' && existsSync(file) && sizeOf(file) === 0;
}

/** Returns the size of a file; 0 if it does not exist. */
export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function elsewhere(where: string, place: string, back: string, away: string): StoreError {
  return new StoreError({
    code: 'STORE_ELSEWHERE',
    message: `This workspace keeps its pages ${where}, but store.url names ${place}, which is empty.`,
    hint: `${back}. To start from the beginning, ${away}. Nothing was changed.`,
  });
}
