import { BingoError, WorkspaceLockedError } from '../../core/index.ts';
import { lockWorkspace, type WorkspaceLock } from '../../store/index.ts';

/** The error of a process that does not get the folder. */
interface Refusal {
  readonly code: string;
  /** @param holder process that has the lock, such as `process 12` */
  readonly message: (holder: string) => string;
  readonly hint: string;
}

/**
 * Locks a folder of a workspace for one kind of work.
 * @throws BingoError with the refusal if another process has it
 */
export function claimFolder(folder: string, { code, message, hint }: Refusal): WorkspaceLock {
  try {
    return lockWorkspace(folder);
  } catch (error) {
    if (!(error instanceof WorkspaceLockedError)) throw error;
    const holder = error.pid === undefined ? 'another process' : `process ${error.pid}`;
    throw new BingoError({ code, message: message(holder), hint });
  }
}
