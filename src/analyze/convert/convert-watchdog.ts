import { workerData } from 'node:worker_threads';

/** What the watchdog looks at. */
export interface Watched {
  /** One number: when the document at hand must be done by, on the clock of {@link nowMs}; 0 while there is none. */
  readonly deadline: Float64Array<SharedArrayBuffer>;
  readonly parent: number;
}

const LOOK_MS = 500;
/** A look that comes this much later than it is due tells of a process that stood still: the document had no time either. */
const STOOD_STILL_MS = 1000;

/** Milliseconds on a clock that all threads of a process share and nobody sets. */
export function nowMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/**
 * A thread beside the converter's. A library that never comes back keeps its thread from hearing anything, that its parent is gone
 * among it; without this such a process would run until somebody noticed.
 */
function watch({ deadline, parent }: Watched): void {
  let [end, still, last] = [0, 0, nowMs()];
  setInterval(() => {
    const now = nowMs();
    if (deadline[0] !== end) [end, still] = [deadline[0]!, 0];
    if (now - last > LOOK_MS + STOOD_STILL_MS) still += now - last;
    last = now;
    const isLate = end > 0 && now > end + still;
    if (isLate || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, LOOK_MS);
}

const watched = (workerData as { watched?: Watched } | null)?.watched;
if (watched !== undefined) watch(watched);
