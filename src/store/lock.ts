import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { StoreError, WorkspaceLockedError } from '../core/index.ts';
import { storeError } from './errors.ts';

/** Held until `release`, or until the process ends in any way, because the kernel owns the lock. */
export interface WorkspaceLock {
  release(): void;
}

const LOCK_FILE = 'lock.db';
/** Names the process that holds the lock, for messages only. */
const PID_FILE = 'lock.pid';

/**
 * Locks a workspace for this process. The lock is SQLite's exclusive lock on an empty database: the kernel frees it
 * when the process ends, even by kill -9. The mere existence of a file would not be reliable.
 * @throws WorkspaceLockedError if another process holds it, StoreError if the folder is not writable or the lock is
 * damaged
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

/** Concerns the lock file only; the store is a separate file. */
function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? '';
}

function damagedLock(file: string, cause: unknown): StoreError {
  return new StoreError({
    code: 'LOCK_DAMAGED',
    message: `The lock ${file} is damaged (${(cause as Error).message}).`,
    hint: 'End every Bingo process of this workspace, then remove the file. It holds no data; Bingo creates it again.',
    cause,
  });
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    // The process has the lock but has not written its pid yet.
    return undefined;
  }
}
