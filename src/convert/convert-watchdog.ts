import { workerData } from 'node:worker_threads';

/** What the watchdog looks at. */
export interface Watched {
  /** One number: the processor time of this process, in ms, at which the current document is given up; 0 without a document. */
  readonly limit: Float64Array<SharedArrayBuffer>;
  readonly parent: number;
}

const LOOK_MS = 100;

/** Ends a process that used up its processor time; the parent knows the cause by the signal. */
export const OUT_OF_TIME = 'SIGVTALRM';

/** Processor time of the whole process so far, in ms. A busy machine or a suspended process does not use it up. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Watches over the converter from a second thread, since a library that never returns blocks the main thread. Ends the process if its document takes
 * too much processor time, or if the parent process is gone.
 */
function watch({ limit, parent }: Watched): void {
  setInterval(() => {
    const [end = 0] = limit;
    if (end > 0 && processorMs() > end) process.kill(process.pid, OUT_OF_TIME);
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, LOOK_MS);
}

const watched = (workerData as { readonly watched?: Watched } | null)?.watched;
if (watched !== undefined) watch(watched);
