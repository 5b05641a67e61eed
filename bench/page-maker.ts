/** A thread that makes the pages of {@link FrozenRecords}, so that the main thread has time to fold them. */
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { JournalRecord } from '../src/core/index.ts';
import { loadForReading } from '../src/workbench/index.ts';
import { FrozenRecords, readFrozenTask } from './frozen-records.ts';

/** What pages are made from. */
export interface PageSource {
  readonly web: string;
  readonly tasks: string;
  readonly task: string;
  /** The workspace, for its settings. */
  readonly dir: string;
  /** Pages that will be made. */
  readonly pages: number;
}

interface Wanted {
  /** The first page and the sequence of its record. */
  readonly n: number;
  readonly sequence: number;
  readonly count: number;
}

/** Makes pages in a thread, a few chunks ahead. */
export class PageMaker {
  readonly #worker: Worker;
  readonly #chunks: JournalRecord[][] = [];
  #wake: () => void = () => {};
  #failure: Error | undefined;

  constructor(source: PageSource) {
    this.#worker = new Worker(fileURLToPath(import.meta.url), { workerData: source });
    this.#worker.on('message', (chunk: JournalRecord[]) => {
      this.#chunks.push(chunk);
      this.#wake();
    });
    this.#worker.on('error', (error) => {
      this.#failure = error;
      this.#wake();
    });
  }

  ask(wanted: Wanted): void {
    this.#worker.postMessage(wanted);
  }

  /** Returns the pages that were asked for first. */
  async next(): Promise<readonly JournalRecord[]> {
    while (this.#chunks.length === 0) {
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#chunks.shift()!;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

async function serve({ web, tasks, task: id, dir, pages }: PageSource): Promise<void> {
  const { config, tree } = loadForReading(dir, { env: {} });
  const records = await FrozenRecords.open(web, readFrozenTask(tasks, id), { config, pages });
  // Trains the model by which pages are judged.
  records.training(1, tree);
  parentPort!.on('message', ({ n, sequence, count }: Wanted) => {
    const chunk = Array.from({ length: count }, (_, i) => records.page(n + i, sequence + i));
    parentPort!.postMessage(
      chunk,
      chunk.flatMap(({ packed }) => Object.values(packed!).map(({ buffer }) => buffer)),
    );
  });
}

if (!isMainThread) await serve(workerData as PageSource);
