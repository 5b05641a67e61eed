import { BingoError, UsageError } from '../core/index.ts';
import {
  type CrawlOptions,
  type CreateOptions,
  type FindOptions,
  type OpenWorkspace,
  openScout,
  type Scout,
  type WorkspaceStatus,
} from '../workbench/index.ts';
import { CrawlElsewhere } from './crawl-elsewhere.ts';
import { CrawlJob, type ServedCrawl } from './crawl-job.ts';
import { BusyError, NotFoundError, RefusedError } from './errors.ts';
import { FindJob } from './find-job.ts';
import { OpenReview } from './open-review.ts';

/** A workspace of the server, under the name that requests use. */
export class Served {
  readonly name: string;
  readonly workspace: OpenWorkspace;
  #job: CrawlJob | undefined;
  #find: FindJob | undefined;
  #review: Promise<OpenReview> | undefined;

  constructor(name: string, workspace: OpenWorkspace) {
    this.name = name;
    this.workspace = workspace;
  }

  /** The last crawl that this server started. */
  get job(): CrawlJob | undefined {
    return this.#job;
  }

  /** Returns the progress of the workspace; `undefined` before its first crawl. */
  async status(): Promise<WorkspaceStatus | undefined> {
    return await this.workspace.status().catch(unlessMissing);
  }

  /**
   * Starts a crawl.
   * @throws BusyError if one of this server runs; one of another process fails the crawl itself
   */
  crawl(options: CrawlOptions): CrawlJob {
    this.#requireIdle();
    this.#job = new CrawlJob(this.workspace.crawl(options));
    return this.#job;
  }

  /**
   * Starts a find.
   * @throws BusyError if a crawl, a find or a review of this server runs
   */
  find(question: string, options: FindOptions): FindJob {
    this.#requireIdle();
    this.#find = new FindJob(question, this.workspace.find(question, options));
    return this.#find;
  }

  /** @throws NotFoundError if this server has started no find */
  startedFind(): FindJob {
    if (this.#find !== undefined) return this.#find;
    throw new NotFoundError('This server has started no find.', 'Start one: POST …/find.');
  }

  /**
   * Opens a review of a topic, or of all.
   * @throws BusyError if one is open
   */
  async openReview(topic: string | undefined): Promise<OpenReview> {
    if (this.#review !== undefined)
      throw new BusyError(
        'A review is open in this workspace.',
        'Continue with it: GET …/review. DELETE …/review closes it.',
      );
    const opening = OpenReview.open(this.workspace, topic, () => {
      this.#review = undefined;
    });
    this.#review = opening;
    return await opening.catch((error: unknown) => {
      this.#review = undefined;
      throw error;
    });
  }

  /** @throws NotFoundError if no review is open */
  async openedReview(): Promise<OpenReview> {
    if (this.#review !== undefined) return await this.#review;
    throw new NotFoundError('No review is open.', 'Open one: POST …/review.');
  }

  #requireIdle(): void {
    if (this.#job?.isRunning === true)
      throw new BusyError('A crawl is running in this workspace.', 'Steer or stop it, or wait until it ends.');
    if (this.#find?.isRunning === true)
      throw new BusyError('A find is running in this workspace.', 'Wait until it ends, or stop it: DELETE …/find.');
    if (this.#review !== undefined)
      throw new BusyError('A review is open in this workspace.', 'Apply or close it first: DELETE …/review.');
  }

  /** Stops the crawl and the find and closes the review; everything is stored. */
  async close(): Promise<void> {
    this.#job?.run.stop();
    this.#find?.stop();
    await Promise.all([this.#job?.ended, this.#find?.ended]);
    await (await this.#review?.catch(() => undefined))?.close();
  }

  /**
   * Returns the crawl that runs, here or in another process, or else the last one that this server started.
   * @throws NotFoundError without any
   */
  async currentCrawl(): Promise<ServedCrawl> {
    if (this.#job?.isRunning === true) return this.#job;
    const status = await this.workspace.crawlElsewhere().catch(unlessMissing);
    if (status !== undefined && this.#find?.isRunning !== true) return new CrawlElsewhere(this.workspace, status);
    if (this.#job !== undefined) return this.#job;
    throw new NotFoundError('No crawl runs here, and this server has started none.', 'Start one: POST …/crawl.');
  }
}

/** @throws unless the error says that nothing is stored yet */
function unlessMissing(error: unknown): undefined {
  if (error instanceof BingoError && error.code === 'STORE_MISSING') return undefined;
  throw error;
}

/** Makes a workspace in the folder of the server, and opens it. */
export type MakeWorkspace = (name: string, options: CreateOptions) => Promise<OpenWorkspace>;

/** The workspaces of a server, by name. */
export class ServedWorkspaces {
  readonly #all: Served[] = [];
  readonly #make: MakeWorkspace | undefined;
  readonly #scout: Scout;

  /** @param make missing: the server has no folder for new workspaces */
  constructor(workspaces: readonly OpenWorkspace[], make?: MakeWorkspace, scout: Scout = openScout()) {
    this.#make = make;
    this.#scout = scout;
    for (const workspace of workspaces) this.#add(workspace);
  }

  get all(): readonly Served[] {
    return this.#all;
  }

  /** True if new workspaces can be made. */
  get isOpenForNew(): boolean {
    return this.#make !== undefined;
  }

  /**
   * Makes a workspace.
   * @throws RefusedError if this server has no folder for it; UsageError for a bad name
   */
  async create({ name, ...options }: CreateOptions & { readonly name: string }): Promise<Served> {
    if (this.#make === undefined) throw noFolder();
    if (!/^[\p{L}\p{N}][\p{L}\p{N} _-]*$/u.test(name))
      throw new UsageError(`"${name}" cannot be the name of a folder.`, 'Use letters, digits, hyphens, underscores.');
    return this.#add(await this.#make(name, options));
  }

  /**
   * Returns what looks at pages for a new workspace.
   * @throws RefusedError if this server makes none: it fetches no other pages then
   */
  scout(): Scout {
    if (this.#make === undefined) throw noFolder();
    return this.#scout;
  }

  /** Names a workspace after its folder; folders of the same name are numbered. */
  #add(workspace: OpenWorkspace): Served {
    let name = workspace.title;
    for (let n = 2; this.#all.some((served) => served.name === name); n++) name = `${workspace.title}-${n}`;
    const served = new Served(name, workspace);
    this.#all.push(served);
    return served;
  }

  /** @throws NotFoundError for an unknown name */
  named(name: string): Served {
    const found = this.all.find((served) => served.name === name);
    if (found !== undefined) return found;
    const known = this.all.map((served) => served.name).join(', ');
    throw new NotFoundError(`No workspace is named "${name}".`, `Known workspaces: ${known}.`);
  }

  /** Returns the only workspace, or the one with this name. */
  only(name?: string): Served {
    const [first, second] = this.all;
    if (name !== undefined) return this.named(name);
    if (first !== undefined && second === undefined) return first;
    throw new NotFoundError('Several workspaces are served.', `Name one: ${this.all.map((s) => s.name).join(', ')}.`);
  }
}

function noFolder(): RefusedError {
  return new RefusedError(403, {
    code: 'NO_FOLDER',
    message: 'This server makes no workspaces.',
    hint: 'Start bingo studio in the folder in which they should be.',
  });
}
