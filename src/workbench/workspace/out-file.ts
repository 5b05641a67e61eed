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
import { WORKSPACE_FILE } from './workspace.ts';

/** What a workspace lives on. */
const WORKSPACE_FILES: ReadonlySet<string> = new Set([
  WORKSPACE_FILE,
  'store.db',
  'store.db-wal',
  'store.db-shm',
  'lock.db',
]);

type Texts = AsyncIterable<string> | readonly string[];

/**
 * {@link writeOutFile} where a person said.
 * @throws UsageError for a file that a workspace lives on, a folder, and no name
 */
export async function writeNamedFile(path: string, texts: Texts): Promise<void> {
  if (path === '') throw new UsageError('The file to write has no name.', 'Name one.');
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} is a folder; a file is needed.`, 'Name another file.');
  if (WORKSPACE_FILES.has(basename(path)) && existsSync(join(dirname(path), WORKSPACE_FILE)))
    throw new UsageError(`${path} is a file of the workspace, which would be lost.`, 'Name another file.');
  await writeOutFile(path, texts);
}

/**
 * Writes a file whole or not at all: beside it, then in its place, so that a full disk leaves what was there. What can be no file beside
 * others, such as a pipe or a device, is written as the texts come.
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

/** What the system says of a write names no file; of an opening, the file that was written to in place of the one asked for. */
function naming(path: string, written: string, error: unknown): unknown {
  const { syscall, path: named } = (error ?? {}) as NodeJS.ErrnoException;
  if (!(error instanceof Error)) return error;
  if (syscall === 'write' && named === undefined) error.message += ` '${path}'`;
  if (named === written) error.message = error.message.replace(written, () => path);
  return error;
}

/** Below these lie names of devices and of files that other programs hold open; what is put in their place is seen by nobody. */
const SYSTEM = /^\/(dev|proc)\//;

/** The file behind a path, and its rights if it is there; `undefined` when another one cannot take its place. */
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

/** @param named the file as messages name it */
async function writeTo(path: string, texts: Texts, named = path): Promise<void> {
  const stream = createWriteStream(path);
  const done = finished(stream);
  // A failure is thrown where it is waited for, below.
  done.catch(() => {});
  try {
    for await (const text of texts) if (!stream.write(text)) await Promise.race([once(stream, 'drain'), done]);
    stream.end();
    await done;
  } catch (error) {
    // Where the texts end in the middle the file is open still, or about to be: what is there then would stay.
    stream.destroy();
    await done.catch(() => {});
    throw naming(named, path, error);
  }
}
