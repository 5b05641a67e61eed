import { inScratch, type Scratch } from '../../store/index.ts';
import type { Watch } from '../watch.ts';
import { claimWorkspace, type Workspace } from '../workspace/workspace.ts';

/** How work in SQL reports its progress, and how it is stopped. */
export interface SqlWatch extends Watch {
  /** Runs work that the database server must abandon on request. Default: an aborted signal abandons it. */
  readonly guard?: (<T>(server: Pick<Scratch, 'abandon'>, work: () => Promise<T>) => Promise<T>) | undefined;
}

interface SqlWork extends Pick<Workspace, 'config' | 'dir'> {
  readonly watch: SqlWatch;
  /** The work creates or changes tables of the store: the workspace is locked. */
  readonly isWriting?: boolean;
}

/** Runs SQL work on the store of a workspace. It starts again if a database server is lost. */
export async function workInSql<T>(
  { config, dir, watch, isWriting = false }: SqlWork,
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const { signal, onEvent, guard = untilAborted(signal) } = watch;
  const lock = isWriting ? await claimWorkspace(dir) : undefined;
  try {
    return await inScratch(
      { url: config.store.url, workspace: dir, readOnly: !isWriting },
      (scratch) => guard(scratch, () => work(scratch)),
      () => onEvent?.({ kind: 'restarts' }),
    );
  } finally {
    lock?.release();
  }
}

/** Abandoned statements get no answer: the work is left behind. */
function untilAborted(signal: AbortSignal | undefined): NonNullable<SqlWatch['guard']> {
  return async (server, work) => {
    if (signal === undefined) return await work();
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const stop = (): void => {
      void server.abandon?.();
      aborted.reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await Promise.race([work(), aborted.promise]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
}
