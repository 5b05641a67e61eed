import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { builtFile } from '../../kit/index.ts';
import type { JudgingReply, JudgingRequest, JudgingStart } from './judging-worker.ts';

/** Batches that each thread has before it: it never waits for the next one. */
const BATCHES_AHEAD = 2;

type Judged = JudgingReply['assignments'];

interface Waiting {
  readonly done: (assignments: Judged) => void;
  readonly fail: (error: Error) => void;
}

/** Threads that judge stored pages by one model. `close` ends them. */
export class JudgingThreads {
  readonly #workers: readonly Worker[];
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  #failure: Error | undefined;

  /** @param threads as in `analyze.threads`; 0 means one per core, because the main thread mostly waits */
  constructor(start: Omit<JudgingStart, 'role'>, threads: number) {
    const workerData: JudgingStart = { role: 'judging', ...start };
    const count = threads > 0 ? threads : availableParallelism();
    this.#workers = Array.from({ length: count }, () => {
      const worker = new Worker(builtFile('judging-worker'), { workerData });
      worker.on('message', ({ id, assignments }: JudgingReply) => {
        this.#waiting.get(id)?.done(assignments);
        this.#waiting.delete(id);
      });
      worker.on('error', (error) => this.#fail(error));
      worker.on('exit', () => this.#fail(new Error('a thread that judges pages ended')));
      return worker;
    });
  }

  /** Number of batches that may be judged at a time. */
  get ahead(): number {
    return BATCHES_AHEAD * this.#workers.length;
  }

  /** Returns the model's verdict on each page; `undefined` if a feature space needs the pages around it. */
  judge(pages: JudgingRequest['pages']): Promise<Judged> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((done, fail) => {
      const id = this.#next++;
      this.#waiting.set(id, { done, fail });
      const sent = pages.map(({ title, content }) => ({ title, content }));
      this.#workers[id % this.#workers.length]!.postMessage({ id, pages: sent } satisfies JudgingRequest);
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { fail } of this.#waiting.values()) fail(error);
    this.#waiting.clear();
  }
}
