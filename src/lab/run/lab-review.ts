import { type AnalyzedDocument, BingoError, type OrderingName } from '../../core/index.ts';
import type { ScoredRun } from '../score/task-run.ts';
import { type Truth, truthOf } from '../tasks/relevance.ts';
import type { Task } from '../tasks/task.ts';
import type { FrozenWeb } from '../web/frozen-web.ts';
import { linkGraph } from './analyzed-web.ts';
import { analyzeShard, checkTask, type LoadedWeb, loadWeb, openWeb, type WebSource } from './loaded-web.ts';
import { type RunOptions, runTask } from './run-task.ts';

/** A job for a worker. */
export type LabJob =
  | { readonly kind: 'analyze'; readonly web: string; readonly shard: number }
  | { readonly kind: 'run'; readonly web: string; readonly task: Task; readonly ordering: OrderingName };

/** A worker's reply to a job. */
export type LabReply =
  | { readonly kind: 'analyzed'; readonly damages: readonly string[] }
  | { readonly kind: 'ran'; readonly scored: ScoredRun; readonly damages: readonly string[] }
  | { readonly kind: 'error'; readonly error: LabFailure };

/** An error in the form sent between threads. */
export interface LabFailure {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Start data of every worker. */
export interface LabWorkerData {
  readonly role: 'lab';
  readonly source: WebSource;
  readonly options: RunOptions;
}

/** Prepared data of one task. */
interface Prepared {
  readonly task: string;
  readonly truth: Truth;
  /** Counter-examples from another web. */
  readonly strangers: readonly AnalyzedDocument[];
}

/** State of one worker: its loaded web, and the labels of the last task. */
export class LabDesk {
  readonly #source: WebSource;
  readonly #options: RunOptions;
  /** The archive being analysed. */
  #archive: FrozenWeb | undefined;
  #web: { readonly name: string; readonly loaded: LoadedWeb } | undefined;
  #prepared: Prepared | undefined;
  /** Unreadable parts of the archives opened for the job. */
  #damages: string[] = [];

  constructor(source: WebSource, options: RunOptions) {
    this.#source = source;
    this.#options = options;
  }

  async work(job: LabJob): Promise<LabReply> {
    this.#damages = [];
    if (job.kind === 'analyze') {
      await analyzeShard(this.#source, await this.#open(job.web), job.shard);
      return { kind: 'analyzed', damages: this.#damages };
    }
    const web = await this.#load(job.web);
    const { truth, strangers } = await this.#prepare(job.task, web);
    const scored = await runTask(job.task, job.ordering, web, truth, this.#options, strangers);
    return { kind: 'ran', scored, damages: this.#damages };
  }

  async #open(name: string): Promise<FrozenWeb> {
    if (this.#archive?.name === name) return this.#archive;
    this.#archive?.close();
    this.#archive = undefined;
    this.#archive = await openWeb(this.#source, name, (message) => this.#damages.push(message));
    return this.#archive;
  }

  async #load(name: string): Promise<LoadedWeb> {
    if (this.#web?.name === name) return this.#web.loaded;
    this.#web?.loaded.web.close();
    this.#web = undefined;
    this.#prepared = undefined;
    const loaded = await this.#read(name);
    this.#web = { name, loaded };
    return loaded;
  }

  #read(name: string): Promise<LoadedWeb> {
    return loadWeb(this.#source, name, (message) => this.#damages.push(message));
  }

  /** Checks that all pages of a task exist, and prepares its labels; the last task is cached. */
  async #prepare(task: Task, web: LoadedWeb): Promise<Prepared> {
    if (this.#prepared?.task === task.id) return this.#prepared;
    const strange = task.othersWeb === undefined ? undefined : await this.#read(task.othersWeb);
    strange?.web.close();
    checkTask(task, web, strange);
    const strangers = task.others.flatMap((url) => {
      const analysis = strange?.analyses.get(url);
      return analysis?.kind === 'analyzed' ? [analysis.document] : [];
    });
    this.#prepared = { task: task.id, truth: truthOf(task, web.labels, linkGraph(web)), strangers };
    return this.#prepared;
  }
}

/** Converts an error for sending. */
export function failureOf(error: unknown): LabFailure {
  if (error instanceof BingoError) return { code: error.code, message: error.message, hint: error.hint };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'LAB_RUN_FAILED', message, hint: undefined };
}
