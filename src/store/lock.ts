import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { StoreError, WorkspaceLockedError } from '../core/index.ts';
import { storeError } from './errors.ts';

/** Held until `release`, or until the process ends in any way: the lock is the kernel's. */
export interface WorkspaceLock {
  release(): void;
}

const LOCK_FILE = 'lock.db';
/** Beside the lock, for people and messages; it decides nothing. */
const PID_FILE = 'lock.pid';

/**
 * Claims a workspace for this process. The claim is SQLite's exclusive lock on an empty database, because the kernel
 * frees it with the process, kill -9 included; a file that merely exists could not be trusted.
 * @throws WorkspaceLockedError when another process holds it, StoreError when the folder cannot be written, or the lock is damaged
 */
export function lockWorkspace(folder: string): WorkspaceLock {
  const pidFile = join(folder, PID_FILE);
  const lockFile = join(folder, LOCK_FILE);
  let db: BetterSqlite3.Database | undefined;
  try {
    mkdirSync(folder, { recursive: true });
    db = new BetterSqlite3(lockFile, { timeout: 0 });
    db.exec('begin exclusive');
    writeFileSync(pidFile, `${process.pid}\n`);
  } catch (error) {
    db?.close();
    if (/^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))) throw new WorkspaceLockedError(folder, readPid(pidFile));
    throw isDamage(error) ? damagedLock(lockFile, error) : storeError(error, folder);
  }
  const held = db;
  return {
    release() {
      if (!held.open) return;
      rmSync(pidFile, { force: true });
      held.close();
    },
  };
}

/** The store has a file of its own, of which this says nothing. */
function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? '';
}

function damagedLock(file: string, cause: unknown): StoreError {
  return new StoreError({
    code: 'LOCK_DAMAGED',
    message: `The lock ${file} is damaged (${(cause as Error).message}).`,
    hint: 'Remove it when nothing works in this workspace: nothing is kept in it, and it is made anew.',
    cause,
  });
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    // Between taking the lock and writing the file there is no pid to tell.
    return undefined;
  }
}
