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

/** Name of a copy's folder: the number of the process that made it, and something by chance. */
const FOLDER = 'bingo-read-';
const COPY = /^bingo-read-(\d+)-/;
/** Bytes at the head of a log that name it: SQLite makes them anew before it writes over what the log had. */
const LOG_HEAD = 32;
/** How often a store is copied that is being written. */
const MAX_COPYINGS = 5;

/**
 * Copies of stores that lie where nothing may be written: another user's folder, a mounted backup. SQLite keeps a table of locks beside a
 * database in WAL mode, even to read it, and better-sqlite3 has no word for SQLite's `immutable`, which would also hide what a killed
 * crawl left in the log. Each store is copied once, and its copy goes with the process, or with the next copy where a signal ended the process
 * at once. Where the file system can, it shares the blocks.
 */
export class ReadableCopies {
  readonly #copies = new Map<string, string>();

  /** @throws StoreError when the file cannot be read, or the copy not be written, or the file is written all the time */
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
 * What a writer moves from the log to the file meanwhile is in the log, too, which is copied after the file.
 * @returns false when the log was begun anew meanwhile: some of what it had may be in neither copy
 */
function isCopied(file: string, copy: string): boolean {
  const before = writingOf(file);
  copyFileSync(file, copy, fs.COPYFILE_FICLONE);
  rmSync(`${copy}-wal`, { force: true });
  unlessAbsent(() => copyFileSync(`${file}-wal`, `${copy}-wal`, fs.COPYFILE_FICLONE));
  return writingOf(file) === before;
}

/** Stays the same as long as the log only grows; where there is none, as long as the file is not written. */
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

/** Copies of processes that are no more, as far as they are ours. */
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
    // Another user's: it stays where it is.
  }
}

function hasEnded(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch (error) {
    // Another user's is there, and may not be asked.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** True for what SQLite says where it cannot keep its locks. */
export function isUnwritable(error: unknown): boolean {
  return /^SQLITE_(READONLY|CANTOPEN|PERM|IOERR_SHMOPEN)/.test((error as { code?: string }).code ?? '');
}

function unreadable(file: string, cause: Error): StoreError {
  return new StoreError({
    code: 'STORE_UNREADABLE',
    message: `The store ${file} cannot be read where it lies, nor copied to ${tmpdir()} (${cause.message}).`,
    hint: 'Check that you may read the file. A folder with room for a copy is named by the environment variable TMPDIR.',
    cause,
  });
}

function writtenMeanwhile(file: string): StoreError {
  return new StoreError({
    code: 'STORE_BUSY',
    message: `The store ${file} cannot be read where it lies, and was written all the time while it was copied to ${tmpdir()}.`,
    hint: 'Try again when the crawl that writes it pauses or has ended.',
  });
}
