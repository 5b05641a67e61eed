import { setTimeout as sleep } from 'node:timers/promises';
import {
  BingoError,
  type CrawlEvent,
  type LoadedExtension,
  type StopReason,
  WorkspaceLockedError,
} from '../../core/index.ts';
import {
  type AnalysisPool,
  type Crawl,
  Granting,
  type GrantQuestion,
  readSettings,
  settingAt,
} from '../../engine/index.ts';
import {
  collectionFolder,
  lockWorkspace,
  openCheckpoints,
  openStore,
  type Store,
  type WorkspaceLock,
} from '../../store/index.ts';
import { attendDashboards, dropOldRequests } from '../crawl/attend-dashboards.ts';
import { openSession, type Session } from '../crawl/session.ts';
import { type GatheringPlaces, newFetches, stemsOf } from '../gathering/new-fetches.ts';
import { productVersion } from '../workspace/product.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { StoreLoss } from './store-loss.ts';
import type { Whole } from './whole.ts';

/** Fetches gathered between two commits, and the pause if there are no more. */
const AT_ONCE = 100;
const PAUSE_MS = 300;

/** What leading needs. */
export interface LeaderPorts extends Omit<GatheringPlaces, 'home'> {
  readonly workspace: Workspace;
  readonly extensions: readonly LoadedExtension[];
  readonly pool: AnalysisPool;
  /** What another process that led published last; `undefined` if none has led since this process began. */
  readonly former: Whole | undefined;
  /** Receives the events of the crawl of the whole: rounds, alarms and the user's changes. */
  readonly onEvent: (event: CrawlEvent) => void;
}

/**
 * The process that holds the lock of the workspace's own store. It divides the budget. And it continues the crawl of the
 * whole without fetching: what the shards fetch is added to it, so that search and the other commands that read show all,
 * and that rounds of training learn from all. The shards adopt the models.
 */
export class Leader {
  readonly #ports: LeaderPorts;
  readonly #lock: WorkspaceLock;
  readonly #store: Store;
  readonly #granting = new Granting();
  readonly #leading: Promise<void>;
  #crawl: Crawl | undefined;
  #isEnding = false;
  #reason: StopReason = 'stopped';
  /** Resolved once all that was stored when it was made is gathered. */
  #finishing: PromiseWithResolvers<void> | undefined;
  #failure: unknown;

  private constructor(ports: LeaderPorts, lock: WorkspaceLock, store: Store) {
    this.#ports = ports;
    this.#lock = lock;
    this.#store = store;
    this.#leading = this.#lead().catch((error: unknown) => {
      this.#failure = error;
    });
  }

  /** Becomes the leader, if no other process is. */
  static async claim(ports: LeaderPorts): Promise<Leader | undefined> {
    const { dir, config } = ports.workspace;
    const home = { ...config.store, workspace: dir };
    let lock: WorkspaceLock | undefined;
    try {
      lock = lockWorkspace(dir);
      return new Leader(ports, lock, await openStore(home));
    } catch (error) {
      lock?.release();
      if (isTaken(error)) return undefined;
      throw error;
    }
  }

  /** What the user decided; `undefined` while the crawl of the whole reads its journal. */
  get whole(): Whole | undefined {
    const crawl = this.#crawl;
    return crawl === undefined || crawl.isReading ? undefined : { budget: crawl.budget, isPaused: crawl.isPaused };
  }

  /**
   * Grants further pages to the shards, if they need any.
   * @returns the pages that each shard may fetch
   * @throws StoreError `STORE_FENCED` if another process leads now
   */
  async grant(question: Omit<GrantQuestion, 'granted'>): Promise<ReadonlyMap<number, number>> {
    if (this.#failure !== undefined) throw this.#failure;
    const granted = await this.#store.grants();
    const next = this.#granting.next({ ...question, granted }, performance.now());
    if (next === undefined) return granted;
    // A shard must not fetch what is not noted as granted.
    await this.#store.saveGrants(next);
    return next;
  }

  /** Gathers all that the shards have stored. */
  async finish(): Promise<void> {
    this.#finishing = Promise.withResolvers();
    await Promise.race([this.#finishing.promise, this.#leading]);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Frees the store for another leader.
   * @param reason shown as the end of the crawl if no other process leads then
   */
  async close(reason: StopReason): Promise<void> {
    this.#reason = reason;
    this.#isEnding = true;
    await this.#leading;
    await this.#store.close();
    this.#lock.release();
  }

  async #lead(): Promise<void> {
    const { workspace, extensions, pool, former, onEvent } = this.#ports;
    const { dir, tree, known } = workspace;
    const config = await this.#config();
    // Their senders may still wait if another process led until now.
    if (former === undefined) await dropOldRequests(this.#store);
    const checkpoints = await openCheckpoints(
      { ...config.store, workspace: dir },
      collectionFolder(dir),
      productVersion(),
    );
    const session = await openSession({
      ...{ dir, tree, known, config, extensions, pool, onEvent },
      ...{ journal: this.#store, checkpoints, part: 'home' },
    });
    const { crawl } = session;
    if (former?.isPaused === true) crawl.steer({ kind: 'pause' });
    this.#crawl = crawl;
    const release = crawl.hold();
    const running = crawl.run();
    // Gathering notices it, too: nothing can be stored any more.
    running.catch(() => {});
    const endAttending = attendDashboards(this.#store, crawl);
    const loss = new StoreLoss(config.store);
    try {
      while (!this.#isEnding) {
        const finishing = this.#finishing;
        const added = await loss.attempt(() => this.#gather(session));
        if (added === 0 && !crawl.isReading) finishing?.resolve();
        if (added !== undefined && added < AT_ONCE) await sleep(PAUSE_MS);
      }
    } finally {
      crawl.stop(this.#reason);
      release();
      await running.catch(() => {});
      await endAttending();
      await session.close();
    }
  }

  /**
   * Returns the settings of the crawl of the whole. Its budget is that of the process that led first: another one that
   * takes over does not change it.
   */
  async #config(): Promise<Workspace['config']> {
    const { workspace, former } = this.#ports;
    const { config } = workspace;
    if (former === undefined) return config;
    const budget = settingAt(readSettings((await this.#store.lastRun()).settings), 'crawl.budget');
    return typeof budget === 'number' ? { ...config, crawl: { ...config.crawl, budget } } : config;
  }

  /** Adds what the shards have fetched to the crawl of the whole. Returns the number of fetches. */
  async #gather({ crawl }: Session): Promise<number> {
    let added = 0;
    if (crawl.isReading) return added;
    try {
      for await (const { from, place } of newFetches({ ...this.#ports, home: this.#store })) {
        const isAdded = await crawl.gather((sequence, asOne) => {
          const record = place(sequence, asOne);
          if (record.kind === 'page') this.#store.noteStems(stemsOf(record));
          return record;
        }, from);
        if (!isAdded || ++added >= AT_ONCE || this.#isEnding) break;
      }
    } finally {
      // The next call continues after what is stored.
      await this.#store.flush();
    }
    return added;
  }
}

/** True if another process has the shard, or leads. */
export function isTaken(error: unknown): boolean {
  return error instanceof WorkspaceLockedError || (error instanceof BingoError && error.code === 'STORE_BUSY');
}
