import {
  closeSync,
  copyFileSync,
  constants as fs,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { StoreError } from '../../core/index.ts';

/** Prefix of a copy's folder name; the process id and a random part follow. */
const FOLDER = 'bingo-read-';
const COPY = /^bingo-read-(\d+)-/;
/** Bytes of the log header. SQLite rewrites it before it overwrites the log. */
const LOG_HEAD = 32;
/** Number of attempts to copy a store that is being written. */
const MAX_COPYINGS = 5;

/**
 * Copies of stores in read-only places, such as another user's folder or a mounted backup. SQLite needs a lock table
 * beside a database in WAL mode, even for reading. better-sqlite3 does not offer SQLite's `immutable`, which would
 * also ignore what a killed crawl left in the log. Each store is copied once. The copy is removed when the process
 * ends, or by the next copy if a signal killed the process. If the file system can, the copy shares the blocks.
 */
export class ReadableCopies {
  readonly #copies = new Map<string, string>();

  /** @throws StoreError if the file cannot be read, the copy cannot be written, or the file changes all the time */
  of(file: string): string {
    const known = this.#copies.get(file);
    if (known !== undefined) return known;
    try {
      const copy = copied(file);
      this.#copies.set(file, copy);
      return copy;
    } catch (error) {
      throw error instanceof StoreError ? error : unreadable(file, error as Error);
    }
  }
}

function copied(file: string): string {
  removeLeftBehind();
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-`));
  process.once('exit', () => removeFolder(folder));
  const copy = join(folder, basename(file));
  for (let copying = 1; copying <= MAX_COPYINGS; copying++) if (isCopied(file, copy)) return copy;
  throw writtenMeanwhile(file);
}

/**
 * The log is copied after the file, so it still holds what a writer moves into the file meanwhile.
 * @returns false if the log was restarted meanwhile: some of its content may be in neither copy
 */
function isCopied(file: string, copy: string): boolean {
  const before = writingOf(file);
  copyFileSync(file, copy, fs.COPYFILE_FICLONE);
  rmSync(`${copy}-wal`, { force: true });
  unlessAbsent(() => copyFileSync(`${file}-wal`, `${copy}-wal`, fs.COPYFILE_FICLONE));
  return writingOf(file) === before;
}

/**
 * Returns a value that is unchanged as long as the log only grows, or, without a log, as long as the file is not
 * written.
 */
function writingOf(file: string): string {
  return unlessAbsent(() => headOf(`${file}-wal`)) || `${statSync(file, { bigint: true }).mtimeNs}`;
}

function headOf(log: string): string {
  const opened = openSync(log, 'r');
  try {
    const head = Buffer.alloc(LOG_HEAD);
    return head.toString('hex', 0, readSync(opened, head, 0, LOG_HEAD, 0));
  } finally {
    closeSync(opened);
  }
}

function unlessAbsent<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes copies left by our processes that have ended. */
function removeLeftBehind(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = COPY.exec(name)?.[1];
    if (pid !== undefined && hasEnded(Number(pid))) removeFolder(join(tmpdir(), name));
  }
}

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The copy belongs to another user; keep it.
  }
}

function hasEnded(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists, but must not be signalled.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Returns true for the errors of SQLite if it cannot create its lock table. */
export function isUnwritable(error: unknown): boolean {
  return /^SQLITE_(READONLY|CANTOPEN|PERM|IOERR_SHMOPEN)/.test((error as { readonly code?: string }).code ?? '');
}

function unreadable(file: string, cause: Error): StoreError {
  return new StoreError({
    code: 'STORE_UNREADABLE',
    message: `The store ${file} can neither be read in its folder nor copied to ${tmpdir()} (${cause.message}).`,
    hint: 'Check that you may read the file. Set TMPDIR to a folder with enough space for a copy.',
    cause,
  });
}

function writtenMeanwhile(file: string): StoreError {
  return new StoreError({
    code: 'STORE_BUSY',
    message: `The store ${file} cannot be read in its folder, and it changed during every attempt to copy it to ${tmpdir()}.`,
    hint: 'Try again when the crawl that writes it has paused or ended.',
  });
}
