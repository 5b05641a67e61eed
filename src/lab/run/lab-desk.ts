import { BingoError, type OrderingName } from '../../core/index.ts';
import type { ScoredRun } from '../score/task-run.ts';
import { type Truth, truthOf } from '../tasks/relevance.ts';
import type { Task } from '../tasks/task.ts';
import { FrozenWeb } from '../web/frozen-web.ts';
import { linkGraph } from './analyzed-web.ts';
import { analyzeShard, checkTask, type LoadedWeb, loadWeb, type WebSource, warcPath } from './loaded-web.ts';
import { type RunOptions, runTask } from './run-task.ts';

/** Something for a worker to do. */
export type LabJob =
  | { readonly kind: 'analyze'; readonly web: string; readonly shard: number }
  | { readonly kind: 'run'; readonly web: string; readonly task: Task; readonly ordering: OrderingName };

/** What a worker answers to each job. */
export type LabReply =
  | { readonly kind: 'analyzed' }
  | { readonly kind: 'ran'; readonly scored: ScoredRun }
  | { readonly kind: 'error'; readonly error: LabFailure };

/** An error as it crosses threads. */
export interface LabFailure {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

/** What every worker is started with. */
export interface LabWorkerData {
  readonly role: 'lab';
  readonly source: WebSource;
  readonly options: RunOptions;
}

/** One worker's desk: the web it works on, loaded once, and the truth of the last task. */
export class LabDesk {
  readonly #source: WebSource;
  readonly #options: RunOptions;
  /** The archive whose parts are being analysed. */
  #archive: FrozenWeb | undefined;
  #web: { readonly name: string; readonly loaded: LoadedWeb } | undefined;
  #truth: { readonly task: string; readonly truth: Truth } | undefined;

  constructor(source: WebSource, options: RunOptions) {
    this.#source = source;
    this.#options = options;
  }

  async work(job: LabJob): Promise<LabReply> {
    if (job.kind === 'analyze') {
      await analyzeShard(this.#source, await this.#open(job.web), job.shard);
      return { kind: 'analyzed' };
    }
    const web = await this.#load(job.web);
    const truth = this.#truthOf(job.task, web);
    return { kind: 'ran', scored: await runTask(job.task, job.ordering, web, truth, this.#options) };
  }

  async #open(name: string): Promise<FrozenWeb> {
    if (this.#archive?.name === name) return this.#archive;
    this.#archive?.close();
    this.#archive = undefined;
    this.#archive = await FrozenWeb.open(warcPath(this.#source.folder, name));
    return this.#archive;
  }

  async #load(name: string): Promise<LoadedWeb> {
    if (this.#web?.name === name) return this.#web.loaded;
    this.#web?.loaded.web.close();
    this.#web = undefined;
    this.#truth = undefined;
    const loaded = await loadWeb(this.#source, name);
    this.#web = { name, loaded };
    return loaded;
  }

  #truthOf(task: Task, web: LoadedWeb): Truth {
    if (this.#truth?.task === task.id) return this.#truth.truth;
    checkTask(task, web);
    const truth = truthOf(task, web.labels, linkGraph(web));
    this.#truth = { task: task.id, truth };
    return truth;
  }
}

/** What is told of an error. */
export function failureOf(error: unknown): LabFailure {
  if (error instanceof BingoError) return { code: error.code, message: error.message, hint: error.hint };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'LAB_RUN_FAILED', message, hint: undefined };
}
