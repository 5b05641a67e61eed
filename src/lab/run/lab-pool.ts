import { Worker } from 'node:worker_threads';
import { BingoError } from '../../core/index.ts';
import { builtFile } from '../../kit/index.ts';
import type { LabJob, LabReply, LabWorkerData } from './lab-review.ts';

/** Result of one job; `reply` is an error if the job failed. Later jobs continue. */
export interface JobDone<Job extends LabJob> {
  readonly job: Job;
  readonly reply: LabReply;
}

/**
 * Worker threads that take jobs one at a time. The assignment does not affect the results, because jobs share only
 * read-only files.
 */
export class LabPool {
  readonly #workers: readonly Worker[];

  constructor(size: number, data: LabWorkerData) {
    const file = builtFile('lab-worker');
    this.#workers = Array.from({ length: size }, () => new Worker(file, { workerData: data }));
  }

  /** Runs all jobs and yields each result on completion; ends early if aborted. */
  async run<Job extends LabJob>(
    jobs: readonly Job[],
    signal: AbortSignal,
    onDone: (done: JobDone<Job>) => void,
  ): Promise<void> {
    const left = [...jobs];
    await Promise.all(
      this.#workers.map(async (worker) => {
        let web = '';
        for (;;) {
          const job = signal.aborted ? undefined : takeFor(left, web);
          if (job === undefined) return;
          web = job.web;
          const reply = await ask(worker, job, signal);
          if (reply === undefined) return;
          onDone({ job, reply });
        }
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

/** Takes a job on the worker's loaded web, else the first one left. */
function takeFor<Job extends LabJob>(left: Job[], web: string): Job | undefined {
  const same = left.findIndex((job) => job.web === web);
  return left.splice(Math.max(0, same), 1)[0];
}

/** Resolves with `undefined` if aborted before the reply. */
function ask(worker: Worker, job: LabJob, signal: AbortSignal): Promise<LabReply | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      worker.off('message', onMessage);
      worker.off('error', onError);
      worker.off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      end();
    };
    const onMessage = (reply: LabReply): void => settle(() => resolve(reply));
    const onError = (cause: unknown): void => settle(() => reject(workerDied(cause)));
    const onExit = (): void => settle(() => reject(workerDied(undefined)));
    const onAbort = (): void => settle(() => resolve(undefined));
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.on('exit', onExit);
    signal.addEventListener('abort', onAbort);
    worker.postMessage(job);
  });
}

function workerDied(cause: unknown): BingoError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new BingoError({
    code: 'LAB_WORKER_DIED',
    message: `A lab worker ended unexpectedly${why}`,
    hint: 'If memory ran out, use fewer workers (--jobs 1).',
    cause,
  });
}
