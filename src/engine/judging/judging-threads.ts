import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { builtFile } from '../../kit/index.ts';
import type { JudgingModel, JudgingReply, JudgingRequest, JudgingStart } from './judging-worker.ts';

/** Batches that each thread has before it: it never waits for the next one. */
const BATCHES_AHEAD = 2;

type Judged = JudgingReply['assignments'];

interface Waiting {
  readonly done: (assignments: Judged) => void;
  readonly fail: (error: Error) => void;
}

/**
 * Threads that judge stored pages by one model. They may start before there is a model; call `use` before `judge`.
 * `close` ends them.
 */
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

  /** Sets the model. */
  use(model: Uint8Array): void {
    for (const worker of this.#workers) worker.postMessage({ model } satisfies JudgingModel);
  }

  /** Number of batches that may be judged at a time. */
  get ahead(): number {
    return BATCHES_AHEAD * this.#workers.length;
  }

  /**
   * Returns the model's verdict on each page; `undefined` if a feature space needs the pages around it. The contents
   * are moved to the thread, and are empty afterwards.
   */
  judge(pages: JudgingRequest['pages']): Promise<Judged> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((done, fail) => {
      const id = this.#next++;
      this.#waiting.set(id, { done, fail });
      const sent = pages.map(({ title, content }) => ({ title, content: movable(content) }));
      this.#workers[id % this.#workers.length]!.postMessage(
        { id, pages: sent } satisfies JudgingRequest,
        sent.map(({ content }) => content.buffer),
      );
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

/** Returns bytes that own their memory. A driver may return several contents in one buffer. */
function movable(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
