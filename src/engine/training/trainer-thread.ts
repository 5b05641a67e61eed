import { Worker } from 'node:worker_threads';
import { BingoError, type DocumentFeatures, threadFile } from '../../core/index.ts';
import type { Trainer, TrainingRequest, TrainingResult } from '../ports.ts';
import type { TrainerSettings } from './model-trainer.ts';
import type { TrainingMessage, TrainingReply } from './training-worker.ts';

interface Waiting {
  readonly resolve: (result: TrainingResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Training in a worker thread of its own, so that the crawl goes on meanwhile. */
export class TrainerThread implements Trainer {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;

  constructor(settings: TrainerSettings) {
    const workerData = { role: 'training', settings };
    this.#worker = new Worker(threadFile('training-worker', import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: 24 },
    });
    this.#worker.on('message', (reply: TrainingReply) => this.#settle(reply));
    this.#worker.on('error', (cause) => this.#failAll(cause));
    this.#worker.on('exit', () => this.#failAll(undefined));
  }

  add(key: string, features: DocumentFeatures): void {
    this.#post({ kind: 'add', key, features });
  }

  forget(key: string): void {
    this.#post({ kind: 'forget', key });
  }

  train(request: TrainingRequest): Promise<TrainingResult> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject });
      this.#post({ kind: 'train', id, request });
    });
  }

  async close(): Promise<void> {
    this.#waiting.clear();
    await this.#worker.terminate();
  }

  #post(message: TrainingMessage): void {
    this.#worker.postMessage(message);
  }

  #settle(reply: TrainingReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('result' in reply) waiting?.resolve(reply.result);
    else waiting?.reject(reply.error);
  }

  #failAll(cause: unknown): void {
    const error = new BingoError({
      code: 'TRAINING_FAILED',
      message: 'The training thread ended unexpectedly.',
      hint: 'What was fetched is stored; run the same command again.',
      cause,
    });
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
