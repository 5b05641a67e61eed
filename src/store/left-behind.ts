import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../core/index.ts';

/** Name of the database file in its workspace. */
export const SQLITE_FILE = 'store.db';
/** Beside bingo.yaml: a text that a workspace and its database on a server have in common. */
export const ID_FILE = 'workspace.id';

/**
 * A store is about to be made, or was not found. Where the workspace has its pages in another one, `store.url` names the wrong place:
 * a crawl would begin anew without a word.
 * @param url `store.url`
 * @param place of the store that is not there, for messages
 * @throws StoreError `STORE_ELSEWHERE`
 */
export function refuseLeavingPages(workspace: string, url: string, place: string): void {
  const file = join(workspace, SQLITE_FILE);
  if (url !== 'sqlite' && sizeOf(file) > 0)
    throw elsewhere(`in ${file}`, place, 'Put store.url back to sqlite', `move ${file} away`);
  const id = join(workspace, ID_FILE);
  if (existsSync(id))
    throw elsewhere(
      'in a database on a server',
      place,
      'Put store.url back to the mysql:// address of that database',
      `remove ${id}`,
    );
}

/**
 * True where the file of a store is there with nothing in it: a crawl that was killed as it made it leaves that, but so does a copy that
 * failed, or a disk.
 * @param url `store.url`
 */
export function isStoreEmptied(workspace: string, url: string): boolean {
  const file = join(workspace, SQLITE_FILE);
  return url === 'sqlite' && existsSync(file) && sizeOf(file) === 0;
}

/** 0 where there is no such file. */
export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function elsewhere(where: string, place: string, back: string, away: string): StoreError {
  return new StoreError({
    code: 'STORE_ELSEWHERE',
    message: `This workspace keeps its pages ${where}, but store.url names ${place}, where there are none.`,
    hint: `${back}, or, to begin anew, ${away}. Nothing was changed.`,
  });
}
