import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import {
  BingoError,
  type ExtensionTopic,
  type FetchedPage,
  type LoadedExtension,
  NO_THREAD,
} from '../../core/index.ts';
import { awakeTimeout, builtFile } from '../../kit/index.ts';
import type { Notice } from '../alarms.ts';
import { Faults } from '../extensions/faults.ts';
import { isOfPages } from '../extensions/page-extensions.ts';
import type { Analysis, Analyzer, DecisionMode, PageContext } from '../ports.ts';
import type { AnalysisReply, AnalysisRequest, AnalysisStart } from './analysis-worker.ts';
import type { AnalyzerSettings } from './page-analyzer.ts';

interface Task {
  readonly id: number;
  /** Number of the crawl. */
  readonly by: number;
  readonly page: FetchedPage;
  readonly mode: DecisionMode;
  readonly context: PageContext | undefined;
  /** Extensions that never returned on this page. */
  readonly without: Set<string>;
  readonly done: (analysis: Analysis) => void;
  readonly fail: (error: BingoError) => void;
}

interface Seat {
  worker: Worker;
  /** True once the thread is running with its start model. */
  isReady: boolean;
  /** Sent but not yet answered, oldest first. The thread works on the oldest one that is not `away`. */
  readonly tasks: Map<number, Task>;
  /** Tasks in the converter process, which limits their time itself. */
  readonly away: Set<number>;
  /** The extension that began last, on which page; `undefined` once that page is answered. */
  extending: { readonly id: number; readonly by: string } | undefined;
  /** Cancels the time limit of the page being analysed. */
  unwatch: () => void;
}

/** The crawl that the pool itself serves; those of its branches follow. */
const OWN = 0;

/** Extensions that look at pages. */
export interface PoolExtensions {
  readonly loaded: readonly LoadedExtension[];
  /** All topics below the root. */
  readonly topics: readonly ExtensionTopic[];
  readonly report: (notice: Notice) => void;
}

/** Returns the number of worker threads for `analyze.threads`. 0 means one per core minus one, but at least one. */
export function analysisThreads(setting: number): number {
  return setting > 0 ? setting : Math.max(1, availableParallelism() - 1);
}

/**
 * Analysis in worker threads. A page is given up if it takes longer than `timeoutMs` or crashes its thread. The
 * thread is then replaced, and its waiting pages go to the new one. If a thread cannot start or cannot read its
 * model, all tasks fail.
 */
export class AnalysisPool implements Analyzer {
  readonly #settings: AnalyzerSettings;
  readonly #seats: Seat[] = [];
  /** The last model of each crawl, by number. */
  readonly #models = new Map<number, Uint8Array>();
  #crawls = 1;
  #nextId = 1;
  #closed = false;
  #failure: BingoError | undefined;
  readonly #onStems: (stems: Uint8Array<ArrayBuffer>) => void;
  readonly #extensions: ReadonlyMap<string, LoadedExtension>;
  readonly #topics: readonly ExtensionTopic[];
  readonly #faults: Faults;

  /**
   * @param threads as in the settings, see {@link analysisThreads}
   * @param onStems receives the stems that a thread met for the first time, before their page is answered
   */
  constructor(
    settings: AnalyzerSettings,
    threads: number,
    onStems: (stems: Uint8Array<ArrayBuffer>) => void = () => {},
    { loaded, topics, report }: PoolExtensions = { loaded: [], topics: [], report: () => {} },
  ) {
    this.#settings = settings;
    this.#onStems = onStems;
    this.#faults = new Faults(report);
    this.#topics = topics;
    this.#extensions = new Map(
      loaded.filter((one) => isOfPages(one.extension)).map((one) => [one.extension.name, one]),
    );
    for (let i = 0; i < analysisThreads(threads); i++) this.#seats.push(this.#seat());
  }

  /** @throws BingoError `ANALYSIS_FAILED` if no thread can be started */
  analyze(page: FetchedPage, mode: DecisionMode, context?: PageContext): Promise<Analysis> {
    return this.#analyze(OWN, page, mode, context);
  }

  setModel(blob: Uint8Array): void {
    this.#setModel(OWN, blob);
  }

  /** Returns an analyzer for another crawl, which has a model of its own and shares the threads. */
  branch(): Analyzer {
    const by = this.#crawls++;
    return {
      analyze: (page, mode, context) => this.#analyze(by, page, mode, context),
      setModel: (blob) => this.#setModel(by, blob),
      close: async () => {
        this.#models.delete(by);
        this.#tell({ kind: 'leave', by });
      },
    };
  }

  #analyze(by: number, page: FetchedPage, mode: DecisionMode, context?: PageContext): Promise<Analysis> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((done, fail) => {
      const seat = this.#seats.reduce((least, other) => (other.tasks.size < least.tasks.size ? other : least));
      this.#send(seat, { id: this.#nextId++, by, page, mode, context, without: new Set(), done, fail });
    });
  }

  #setModel(by: number, blob: Uint8Array): void {
    this.#models.set(by, blob);
    this.#tell({ kind: 'model', by, blob });
  }

  #tell(request: AnalysisRequest): void {
    for (const { worker } of this.#seats) worker.postMessage(request);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const seat of this.#seats) seat.unwatch();
    await Promise.all(this.#seats.map((seat) => seat.worker.terminate()));
  }

  #seat(): Seat {
    const seat: Seat = {
      worker: this.#spawn(),
      isReady: false,
      tasks: new Map(),
      away: new Set(),
      extending: undefined,
      unwatch: () => {},
    };
    this.#listen(seat);
    return seat;
  }

  #spawn(): Worker {
    const files = new Set([...this.#extensions.values()].flatMap(({ file }) => file ?? []));
    const workerData: AnalysisStart = {
      role: 'analysis',
      ...{ settings: this.#settings, models: this.#models, extensions: [...files] },
      ...{ topics: this.#topics, names: [...this.#extensions.keys()] },
    };
    const limits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 12 };
    return new Worker(builtFile('analysis-worker'), {
      workerData,
      resourceLimits: limits,
    });
  }

  #listen(seat: Seat): void {
    const { worker } = seat;
    worker.on('message', (reply: AnalysisReply) => {
      if (seat.worker !== worker) return;
      if ('is' in reply) {
        if (reply.is === 'ready') {
          seat.isReady = true;
          return;
        }
        if (reply.is === 'extending') seat.extending = reply;
        else if (reply.is === 'away') seat.away.add(reply.id);
        else seat.away.delete(reply.id);
        this.#watch(seat);
        return;
      }
      const task = seat.tasks.get(reply.id);
      seat.tasks.delete(reply.id);
      if (seat.extending?.id === reply.id) seat.extending = undefined;
      for (const { name, failure } of reply.outcomes) this.#noteOutcome(name, failure);
      this.#watch(seat);
      reply.newStems.forEach(this.#onStems);
      task?.done(reply.analysis);
    });
    const end = (error: Error): void => {
      if (seat.worker !== worker) return;
      // No page caused the end of a thread that never started, and the next thread would not start either.
      if (seat.isReady) this.#replace(seat, worker, 'analysis-crash', error.message);
      else this.#fail(error);
    };
    // The thread's last messages may arrive after its end.
    worker.on('error', (error) => void setImmediate(end, error));
    worker.on('exit', () => void setImmediate(end, new Error('the analysis thread ended')));
  }

  #noteOutcome(name: string, failure: string | undefined): void {
    const loaded = this.#extensions.get(name);
    if (loaded === undefined) return;
    if (failure === undefined) this.#faults.worked(loaded);
    else this.#faults.failed(loaded, failure);
  }

  #send(seat: Seat, task: Task): void {
    seat.tasks.set(task.id, task);
    const { id, by, page, mode, context } = task;
    const off = [...this.#extensions.values()].filter((one) => this.#faults.isOff(one));
    const without = [...task.without, ...off.map(({ extension }) => extension.name)];
    // The body is copied, not transferred: a replacement thread needs the waiting pages again.
    seat.worker.postMessage({ kind: 'analyze', id, by, page, mode, context, without } satisfies AnalysisRequest);
    if (seat.tasks.size === seat.away.size + 1) this.#watch(seat);
  }

  #watch(seat: Seat): void {
    seat.unwatch();
    if (seat.tasks.size === seat.away.size || this.#closed) return;
    const { worker } = seat;
    const { timeoutMs } = this.#settings.analyze;
    const detail = `analysis took longer than ${timeoutMs} ms (analyze.timeoutMs)`;
    const giveUp = (): void => this.#replace(seat, worker, 'analysis-timeout', detail);
    seat.unwatch = awakeTimeout(timeoutMs, giveUp, false);
  }

  #fail(cause: NodeJS.ErrnoException): void {
    if (this.#closed || this.#failure !== undefined) return;
    const remedy =
      cause.code === NO_THREAD
        ? ', with a higher limit of open files or threads (ulimit -n 4096, ulimit -u 4096), or fewer threads (analyze.threads)'
        : '. If Bingo was updated or removed meanwhile, install it again first';
    this.#failure = new BingoError({
      code: 'ANALYSIS_FAILED',
      message: `Cannot start a thread to analyse pages: ${cause.message}.`,
      hint: `What was fetched is stored; run the same command again${remedy}.`,
      cause,
    });
    for (const seat of this.#seats) {
      seat.unwatch();
      for (const task of seat.tasks.values()) task.fail(this.#failure);
      seat.tasks.clear();
    }
  }

  /** Gives up the page being analysed, starts a new thread and sends it the other pages. */
  #replace(seat: Seat, worker: Worker, reason: string, detail: string): void {
    if (seat.worker !== worker || this.#closed || this.#failure !== undefined) return;
    let next: Worker;
    try {
      next = this.#spawn();
    } catch (cause) {
      this.#fail(cause as Error);
      return;
    }
    const tasks = [...seat.tasks.values()];
    const broken = tasks.find(({ id }) => !seat.away.has(id));
    const { extending } = seat;
    const isExtended = extending !== undefined && extending.id === broken?.id;
    if (isExtended) {
      this.#noteOutcome(extending.by, `it did not return, or ended its thread: ${detail} (${broken.page.url})`);
      broken.without.add(extending.by);
    }
    const waiting = tasks.filter((task) => task !== broken || isExtended);
    seat.extending = undefined;
    seat.tasks.clear();
    seat.away.clear();
    seat.worker = next;
    seat.isReady = false;
    this.#listen(seat);
    void worker.terminate();
    for (const task of waiting) this.#send(seat, task);
    if (!isExtended) broken?.done({ kind: 'unusable', reason, detail });
  }
}
