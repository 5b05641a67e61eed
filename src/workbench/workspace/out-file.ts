import { once } from 'node:events';
import {
  accessSync,
  chmodSync,
  constants,
  createWriteStream,
  existsSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { UsageError } from '../../core/index.ts';
import { halfMade } from '../../postprocess/index.ts';
import { TOPICS_FILE } from './known-topics.ts';
import { CURATION_FILE, WORKSPACE_FILE } from './workspace.ts';

/** Files that a workspace needs, beside its checkpoints. */
const WORKSPACE_FILES: ReadonlySet<string> = new Set([
  WORKSPACE_FILE,
  TOPICS_FILE,
  'collection.json',
  'queries.jsonl',
  'standing.json',
  CURATION_FILE,
  'store.db',
  'store.db-wal',
  'store.db-shm',
  'lock.db',
]);
/** See `store/checkpoint-files.ts`. */
const CHECKPOINT = /^checkpoint-\d/;

type Texts = AsyncIterable<string> | readonly string[];

/**
 * Writes a file with {@link writeOutFile} to a path that the user named.
 * @throws UsageError for a file that a workspace needs, a folder, or an empty name
 */
export async function writeNamedFile(path: string, texts: Texts): Promise<void> {
  if (path === '') throw new UsageError('The file to write has no name.', 'Name one.');
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} is a folder; a file is needed.`, 'Name another file.');
  if (isOfWorkspace(basename(path)) && existsSync(join(dirname(path), WORKSPACE_FILE)))
    throw new UsageError(`${path} is a file of the workspace, which would be lost.`, 'Name another file.');
  await writeOutFile(path, texts);
}

function isOfWorkspace(name: string): boolean {
  return WORKSPACE_FILES.has(name) || CHECKPOINT.test(name);
}

/**
 * Writes a file atomically: to a temporary file, which then replaces it, so that a full disk leaves the previous
 * file. Pipes, devices and the like are written directly.
 */
export async function writeOutFile(path: string, texts: Texts): Promise<void> {
  const file = replaceable(path);
  if (file === undefined) return await writeTo(path, texts);
  const making = `${file.path}.making-${process.pid}`;
  await halfMade(making, async () => {
    await writeTo(making, texts, path);
    if (file.mode !== undefined) chmodSync(making, file.mode);
    renameSync(making, file.path);
  });
}

/** Names the requested file in an error: a write error names no file, an open error names the temporary one. */
function naming(path: string, written: string, error: unknown): unknown {
  const { syscall, path: named } = (error ?? {}) as NodeJS.ErrnoException;
  if (!(error instanceof Error)) return error;
  if (syscall === 'write' && named === undefined) error.message += ` '${path}'`;
  if (named === written) error.message = error.message.replace(written, () => path);
  return error;
}

/** Paths of devices and of files that other programs hold open: replacing them has no effect. */
const SYSTEM = /^\/(dev|proc)\//;

/** Returns the real file of a path, and its permissions if it exists; `undefined` if it cannot be replaced. */
function replaceable(path: string): { readonly path: string; readonly mode?: number } | undefined {
  if (SYSTEM.test(resolve(path))) return undefined;
  const known = statSync(path, { throwIfNoEntry: false });
  if (known === undefined) return { path };
  const real = realpathSync(path);
  return known.isFile() && mayWrite(real) && mayWrite(dirname(real)) ? { path: real, mode: known.mode } : undefined;
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param named the file's name in messages */
async function writeTo(path: string, texts: Texts, named = path): Promise<void> {
  const stream = createWriteStream(path);
  const done = finished(stream);
  // The failure is thrown below, where the promise is awaited.
  done.catch(() => {});
  try {
    for await (const text of texts) if (!stream.write(text)) await Promise.race([once(stream, 'drain'), done]);
    stream.end();
    await done;
  } catch (error) {
    // If the texts fail midway, the stream is still open: without this it would leave a partial file.
    stream.destroy();
    await done.catch(() => {});
    throw naming(named, path, error);
  }
}
