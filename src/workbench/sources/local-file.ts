import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../../core/index.ts';
import { FILE_LIMITS, readBounded } from '../workspace/bounded-file.ts';
import { findFile } from '../workspace/workspace.ts';
import { decodeText } from './decode-text.ts';

/**
 * Returns the text of a file that the user named.
 * @throws UsageError if it is not a readable text file
 * @throws UnreadableFileError if it is too large
 */
export function readTextFile(path: string): string {
  if (findFile(resolve(path)) === undefined && !isPipe(path)) {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isFolder) throw new UsageError(`${path} is a folder; a file is needed.`, 'Name a file in it.');
    throw new UsageError(`Cannot read the file ${path}.`, 'Check the path and its permissions.');
  }
  const text = decodeText(readBounded(path, FILE_LIMITS.list));
  if (!text.includes('\0')) return text;
  throw new UsageError(`${path} is not a text file.`, 'Name a list, bookmarks, or OPML, as text.');
}

/** Whether the path is a shell's process substitution: `--urls <(sort list.txt)`. */
function isPipe(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
}

/**
 * Creates a folder and its missing parents one by one: Node's own recursion never ends if none can be created, for
 * example below `/proc`.
 */
export function makeFolder(path: string): void {
  const folder = resolve(path);
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder);
}

/** @throws UsageError if the path cannot be a folder: it is a file, or has no name */
export function checkFolder(path: string): void {
  if (path === '') throw new UsageError('The folder has no name.', 'Name one; it is created if it does not exist.');
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new UsageError(`${path} is a file.`, 'Name a folder; it is created if it does not exist.');
}

/** Runs work in a folder, which is created if missing. If the work fails, the created folders are removed. */
export async function inFolder(path: string, work: () => Promise<void>): Promise<void> {
  const made = missingFolders(resolve(path));
  try {
    makeFolder(path);
    await work();
  } catch (error) {
    for (const folder of made) removeEmpty(folder);
    throw error;
  }
}

/** Returns the missing folders, deepest first. */
function missingFolders(folder: string): readonly string[] {
  return existsSync(folder) || dirname(folder) === folder ? [] : [folder, ...missingFolders(dirname(folder))];
}

/** Removes a folder if it is empty. Another process may have added files meanwhile, or it was never created. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {}
}
