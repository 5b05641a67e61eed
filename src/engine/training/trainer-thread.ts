import { Worker } from 'node:worker_threads';
import { BingoError, type DocumentFeatures } from '../../core/index.ts';
import { builtFile } from '../../kit/index.ts';
import type { Trainer, TrainingRequest, TrainingResult } from '../ports.ts';
import { framesOf, type PackedFeatures } from './held-features.ts';
import type { TrainerSettings } from './model-trainer.ts';
import type { TrainingMessage, TrainingReply, TrainingStart } from './training-worker.ts';

interface Waiting {
  readonly resolve: (result: TrainingResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Training in its own worker thread, so that the crawl continues meanwhile. The thread starts with the first page it
 * receives and ends when the trainer rests. Another one then continues from its packed features.
 */
export class TrainerThread implements Trainer {
  readonly #settings: TrainerSettings;
  #worker: Worker | undefined;
  /** Packed features of the last thread. */
  #held: PackedFeatures | undefined;
  /** Messages for the next thread, collected while the last one hands over its features. */
  #next: TrainingMessage[] | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #failure: BingoError | undefined;
  #isClosed = false;

  constructor(settings: TrainerSettings) {
    this.#settings = settings;
  }

  /** True if its thread is running. */
  get isAwake(): boolean {
    return this.#worker !== undefined;
  }

  add(key: string, features: DocumentFeatures): void {
    this.#post({ kind: 'add', key, features });
  }

  forget(key: string): void {
    this.#post({ kind: 'forget', key });
  }

  train(request: TrainingRequest): Promise<TrainingResult> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject });
      this.#post({ kind: 'train', id, request });
    });
  }

  rest(): void {
    if (this.#worker === undefined || this.#next !== undefined || this.#waiting.size > 0) return;
    this.#post({ kind: 'rest' });
    this.#next = [];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    await this.#worker?.terminate();
  }

  #post(message: TrainingMessage): void {
    if (this.#isClosed || this.#failure !== undefined) return;
    if (this.#next !== undefined) this.#next.push(message);
    else {
      this.#worker ??= this.#start();
      this.#worker.postMessage(message);
    }
  }

  #start(): Worker {
    const held = this.#held;
    this.#held = undefined;
    const worker = new Worker(builtFile('training-worker'), {
      workerData: { role: 'training', settings: this.#settings, held } satisfies TrainingStart,
      transferList: held === undefined ? [] : framesOf(held),
      resourceLimits: { maxYoungGenerationSizeMb: 3 },
    });
    worker.on('message', (reply: TrainingReply) => this.#hear(reply));
    worker.on('error', (cause) => this.#fail(worker, cause));
    worker.on('exit', () => this.#fail(worker, undefined));
    return worker;
  }

  #hear(reply: TrainingReply): void {
    if ('held' in reply) {
      this.#letGo(reply.held);
      return;
    }
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('result' in reply) waiting?.resolve(reply.result);
    else waiting?.reject(reply.error);
  }

  #letGo(held: PackedFeatures): void {
    const [worker, next = []] = [this.#worker, this.#next];
    this.#worker = undefined;
    this.#next = undefined;
    this.#held = held;
    void worker?.terminate();
    for (const message of next) this.#post(message);
  }

  /** Fails for good: the trainer cannot continue without the features of its thread. */
  #fail(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker || this.#failure !== undefined) return;
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    const remedy = /\bEMFILE\b/.test(why) ? ', with a higher limit of open files (ulimit -n 4096)' : '';
    this.#failure = new BingoError({
      code: 'TRAINING_FAILED',
      message: `The training thread ended unexpectedly${why}.`,
      hint: `What was fetched is stored; run the same command again${remedy}.`,
      cause,
    });
    for (const waiting of this.#waiting.values()) waiting.reject(this.#failure);
    this.#waiting.clear();
  }
}
