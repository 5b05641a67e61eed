import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../core/index.ts';
import { readAtMost } from '../kit/index.ts';
import { SQLITE_FILE } from './orphaned-store.ts';

/** The file beside bingo.yaml that names the collection in use. Replacing it is the moment at which one takes over. */
export const COLLECTION_FILE = 'collection.json';

/** The collection that a workspace begins with: its store is beside bingo.yaml. */
const FIRST = '.';
const FOLDER = 'collections';
const NAME = /^(?:\.|collections\/[1-9]\d{0,8})$/;
const MAX_BYTES = 10_000;

/** The collections of a workspace, by the names of their folders in it. Each has a store and checkpoints of its own. */
export interface Collections {
  readonly current: string;
  /** The one that it replaced, kept to be taken back; `null` before the first adaptation. */
  readonly before: string | null;
}

/**
 * Returns which collection is in use.
 * @throws StoreError `STORE_DAMAGED` if the file is damaged
 */
export function collectionsOf(workspace: string): Collections {
  const text = pointerText(workspace);
  if (text === undefined) return { current: FIRST, before: null };
  try {
    const { current, before } = JSON.parse(text) as Partial<Collections>;
    const isName = (name: unknown): boolean => typeof name === 'string' && NAME.test(name);
    if (isName(current) && (before === null || isName(before))) return { current: current!, before: before! };
  } catch {
    // Reported below.
  }
  const file = join(workspace, COLLECTION_FILE);
  const hint = `Nothing was changed. Write {"current":"collections/N","before":null} into it, with the greatest N that has a ${SQLITE_FILE}.`;
  throw new StoreError({ code: 'STORE_DAMAGED', message: `${file} does not name a collection.`, hint });
}

/** Returns the folder of the store and the checkpoints in use. */
export function collectionFolder(workspace: string): string {
  return join(workspace, collectionsOf(workspace).current);
}

/** Returns `store.url` of a collection: on a server, each has a database of its own. */
export function collectionUrl(url: string, name: string): string {
  return url === 'sqlite' || name === FIRST ? url : `${url}_${name.slice(FOLDER.length + 1)}`;
}

/** Creates the folder of a new collection. Returns its name. */
export function newCollection(workspace: string): string {
  const last = Math.max(1, ...names(workspace).map((name) => Number(name)));
  const name = `${FOLDER}/${last + 1}`;
  mkdirSync(join(workspace, name), { recursive: true });
  return name;
}

/** Makes a collection the one in use. A process that is killed leaves the former one or this one in use. */
export function switchCollection(workspace: string, name: string): void {
  const { current } = collectionsOf(workspace);
  const file = join(workspace, COLLECTION_FILE);
  const next = `${file}.${process.pid}.new`;
  const written = openSync(next, 'w');
  try {
    writeFileSync(written, `${JSON.stringify({ current: name, before: current })}\n`);
    fsyncSync(written);
  } finally {
    closeSync(written);
  }
  renameSync(next, file);
}

/** Returns the names of collections that are neither in use nor kept, such as one that is being made. */
export function otherCollections(workspace: string): readonly string[] {
  const { current, before } = collectionsOf(workspace);
  const all = [FIRST, ...names(workspace).map((name) => `${FOLDER}/${name}`)];
  return all.filter((name) => name !== current && name !== before);
}

/** Deletes the files of collections. Files of the workspace itself stay. */
export function deleteCollectionFiles(workspace: string, deleted: readonly string[]): void {
  for (const name of deleted) {
    if (name !== FIRST) rmSync(join(workspace, name), { recursive: true, force: true });
    else
      for (const file of readdirSync(workspace))
        if (file.startsWith(SQLITE_FILE) || /^checkpoint-(?:\d+|draft)$/.test(file)) rmSync(join(workspace, file));
  }
}

/** Returns the numbers of the folders of collections, as text. */
function names(workspace: string): readonly string[] {
  try {
    return readdirSync(join(workspace, FOLDER)).filter((name) => NAME.test(`${FOLDER}/${name}`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function pointerText(workspace: string): string | undefined {
  try {
    return readAtMost(join(workspace, COLLECTION_FILE), MAX_BYTES).bytes?.toString('utf8') ?? '';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
