import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../../core/index.ts';
import { formatSize } from '../words/units.ts';
import { findFile } from '../workspace/workspace.ts';
import { decodeText } from './decode-text.ts';

/**
 * Text of a file that a person named.
 * @throws UsageError when it is no text file that can be read
 */
export function readTextFile(path: string): string {
  if (findFile(resolve(path)) === undefined && !isPipe(path)) {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isFolder) throw new UsageError(`${path} is a folder; a file is needed.`, 'Name a file in it.');
    throw new UsageError(`There is no readable file ${path}.`, 'Check the path and its permissions.');
  }
  const { size } = statSync(path);
  if (size > MAX_TEXT_BYTES)
    throw new UsageError(
      `${path} has ${formatSize(size)}; a list may have ${formatSize(MAX_TEXT_BYTES)}.`,
      'Name a smaller list, or split it.',
    );
  const text = decodeText(readFileSync(path));
  if (!text.includes('\0')) return text;
  throw new UsageError(`${path} is no text file.`, 'Name a list, bookmarks, or OPML, as text.');
}

/** A list of a million addresses has a hundred megabytes. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

/** What a shell gives for the output of a command: `--urls <(sort list.txt)`. */
function isPipe(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
}

/**
 * Makes a folder and those above it that are missing, one by one: where none can be made, such as below `/proc`, Node's own
 * recursion never ends.
 */
export function makeFolder(path: string): void {
  const folder = resolve(path);
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder);
}

/** @throws UsageError for what can be no folder that is worked in, or made: a file, or no name */
export function checkFolder(path: string): void {
  if (path === '') throw new UsageError('The folder has no name.', 'Name one; it is made when it is not there.');
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new UsageError(`${path} is a file.`, 'Name a folder; it is made when it is not there.');
}

/** Works in a folder that is made first if it is missing. Where the work fails, what was made for it is taken away again. */
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

/** Deepest first. */
function missingFolders(folder: string): readonly string[] {
  return existsSync(folder) || dirname(folder) === folder ? [] : [folder, ...missingFolders(dirname(folder))];
}

/** Others may have put something into it meanwhile, or it was never made. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {}
}
