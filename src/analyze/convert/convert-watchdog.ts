import { workerData } from 'node:worker_threads';

/** What the watchdog looks at. */
export interface Watched {
  /** One number: when the document at hand must be done by, on the clock of {@link nowMs}; 0 while there is none. */
  readonly deadline: Float64Array<SharedArrayBuffer>;
  readonly parent: number;
}

const LOOK_MS = 500;

/** Milliseconds on a clock that all threads of a process share and nobody sets. */
export function nowMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/**
 * A thread beside the converter's. A library that never comes back keeps its thread from hearing anything, that its parent is gone
 * among it; without this such a process would run until somebody noticed.
 */
function watch({ deadline, parent }: Watched): void {
  setInterval(() => {
    const isLate = deadline[0]! > 0 && nowMs() > deadline[0]!;
    if (isLate || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, LOOK_MS);
}

const watched = (workerData as { watched?: Watched } | null)?.watched;
if (watched !== undefined) watch(watched);
