import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Assignment } from '../../core/index.ts';
import { builtFile } from '../../kit/index.ts';
import type {
  BlockRequest,
  ContentRequest,
  ContentToJudge,
  JudgingModel,
  JudgingReply,
  JudgingStart,
} from './judging-worker.ts';
import { unpackAssignments } from './packed-assignments.ts';

/** Batches that each thread has before it: it never waits for the next one. */
const BATCHES_AHEAD = 2;

/** The verdict on each page; `undefined` if a feature space needs the pages around it. */
export type Judged = readonly (Assignment | undefined)[];

/** A request before it has a number. */
type Unnumbered = Omit<ContentRequest, 'id'> | Omit<BlockRequest, 'id'>;

interface Waiting {
  readonly done: (reply: JudgingReply) => void;
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
      worker.on('message', (reply: JudgingReply) => {
        this.#waiting.get(reply.id)?.done(reply);
        this.#waiting.delete(reply.id);
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

  /** Returns the model's verdict on each page. The contents are moved to the thread, and are empty afterwards. */
  async judge(pages: readonly ContentToJudge[]): Promise<Judged> {
    const { judged } = await this.#askForContents({ pages });
    return judged === undefined ? [] : unpackAssignments(judged);
  }

  /** Does the same for the wanted pages only, and packs the features of all pages as a block. */
  async judgeAndPack(
    pages: readonly ContentToJudge[],
    wanted: readonly number[],
  ): Promise<{ readonly judged: Judged; readonly block: Uint8Array | undefined }> {
    const { judged, block } = await this.#askForContents({ pages, wanted });
    return { judged: judged === undefined ? [] : unpackAssignments(judged), block };
  }

  /** Judges pages by a block of features. Returns `undefined` if it does not fit the pages or the settings. */
  async judgeInBlock(bytes: Uint8Array<ArrayBuffer>, wanted: readonly number[]): Promise<Judged | undefined> {
    const block = movable(bytes);
    const { judged } = await this.#ask({ block, wanted }, [block.buffer]);
    return judged && unpackAssignments(judged);
  }

  #askForContents(request: Omit<ContentRequest, 'id'>): Promise<JudgingReply> {
    const pages = request.pages.map(({ sequence, title, content }) => {
      return { sequence, title, content: movable(content) };
    });
    return this.#ask(
      { ...request, pages },
      pages.map(({ content }) => content.buffer),
    );
  }

  #ask(request: Unnumbered, moved: readonly ArrayBuffer[]): Promise<JudgingReply> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((done, fail) => {
      const id = this.#next++;
      this.#waiting.set(id, { done, fail });
      this.#workers[id % this.#workers.length]!.postMessage({ id, ...request }, [...moved]);
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
