import { copyFileSync, existsSync, constants as fs, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { StoreError } from '../../core/index.ts';

/** Name of a copy's folder: the number of the process that made it, and something by chance. */
const FOLDER = 'bingo-read-';
const COPY = /^bingo-read-(\d+)-/;

/**
 * Copies of stores that lie where nothing may be written: another user's folder, a mounted backup. SQLite keeps a table of locks beside a
 * database in WAL mode, even to read it, and better-sqlite3 has no word for SQLite's `immutable`, which would also hide what a killed
 * crawl left in the log. Each store is copied once, and its copy goes with the process, or with the next copy where a signal ended the process
 * at once. Where the file system can, it shares the blocks.
 */
export class ReadableCopies {
  readonly #copies = new Map<string, string>();

  /** @throws StoreError when the file cannot be read, or the copy not be written */
  of(file: string): string {
    const known = this.#copies.get(file);
    if (known !== undefined) return known;
    try {
      const copy = copied(file);
      this.#copies.set(file, copy);
      return copy;
    } catch (error) {
      throw unreadable(file, error as Error);
    }
  }
}

function copied(file: string): string {
  removeLeftBehind();
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-`));
  process.once('exit', () => removeFolder(folder));
  const copy = join(folder, basename(file));
  copyFileSync(file, copy, fs.COPYFILE_FICLONE);
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`, fs.COPYFILE_FICLONE);
  return copy;
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
