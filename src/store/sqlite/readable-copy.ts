import { copyFileSync, existsSync, constants as fs, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { StoreError } from '../../core/index.ts';

/**
 * Copies of stores that lie where nothing may be written: another user's folder, a mounted backup. SQLite keeps a table of locks beside a
 * database in WAL mode, even to read it, and better-sqlite3 has no word for SQLite's `immutable`, which would also hide what a killed
 * crawl left in the log. Each store is copied once, and its copy goes with the process. Where the file system can, it shares the blocks.
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
  const folder = mkdtempSync(join(tmpdir(), 'bingo-read-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, basename(file));
  copyFileSync(file, copy, fs.COPYFILE_FICLONE);
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`, fs.COPYFILE_FICLONE);
  return copy;
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
