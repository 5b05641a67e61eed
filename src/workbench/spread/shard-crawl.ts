import { ALL_SHARDS, type CrawlEvent, HOME, isForAllShards, type LoadedExtension } from '../../core/index.ts';
import type { CrawlSummary } from '../../engine/index.ts';
import { lockWorkspace, openCheckpoints, openStore, type Store, type WorkspaceLock } from '../../store/index.ts';
import { openSession, type Session } from '../crawl/session.ts';
import { shardStore } from '../gathering/shard-stores.ts';
import { productVersion } from '../workspace/product.ts';
import { type Spread, shardFolder } from '../workspace/spread-file.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { SharedAnalysis } from './shared-analysis.ts';

/** Parcels of one shard that are added at a time. */
const AT_ONCE = 20;

/** What the crawl of a shard needs. */
export interface ShardPorts {
  readonly workspace: Workspace;
  readonly spread: Spread;
  readonly extensions: readonly LoadedExtension[];
  /** The stores of all shards, to read what they sent. */
  readonly stores: readonly Store[];
  readonly analysis: SharedAnalysis;
  readonly onEvent: (event: CrawlEvent) => void;
}

/** The crawl of one shard: it holds the shard's lock, fetches its sites, and exchanges links with the other shards. */
export class ShardCrawl {
  readonly shard: number;
  readonly #ports: ShardPorts;
  readonly #lock: WorkspaceLock;
  readonly #store: Store;
  readonly #session: Session;
  readonly #release: () => void;
  readonly #leaveAnalysis: () => void;
  readonly #running: Promise<CrawlSummary>;
  /** Sequence of the last parcel that was added, by source. */
  readonly #received: Map<number, number>;
  readonly #dropped = new Map<number, number>();
  /** Sequence of the last record of the crawl of the whole that was looked at. */
  #adopted: number;
  #granted = 0;
  /** Until it is known whether the user paused the crawl, nothing is fetched. */
  #isPaused = true;
  #failure: unknown;

  private constructor(
    shard: number,
    ports: ShardPorts,
    opened: {
      readonly lock: WorkspaceLock;
      readonly store: Store;
      readonly session: Session;
      readonly received: ReadonlyMap<number, number>;
      readonly adopted: number;
    },
  ) {
    this.shard = shard;
    this.#ports = ports;
    this.#lock = opened.lock;
    this.#store = opened.store;
    this.#session = opened.session;
    this.#leaveAnalysis = ports.analysis.join(opened.store);
    this.#received = new Map(opened.received);
    this.#adopted = opened.adopted;
    // A shard without links may get some at any time: only its worker ends it.
    this.#release = this.#session.crawl.hold();
    this.#session.crawl.steer({ kind: 'pause' });
    // The time limit is one of the process, which holds the shard for a part of its time.
    this.#session.crawl.steer({ kind: 'set-limit', limit: 'time', value: 0 });
    this.#running = this.#session.crawl.run();
    this.#running.catch((error: unknown) => {
      this.#failure = error;
    });
  }

  /**
   * Locks a shard and begins to crawl it.
   * @throws WorkspaceLockedError, StoreError `STORE_BUSY` if another process crawls it
   */
  static async begin(shard: number, ports: ShardPorts): Promise<ShardCrawl> {
    const { workspace, spread, extensions, onEvent, analysis } = ports;
    const lock = lockWorkspace(shardFolder(workspace.dir, shard));
    let store: Store | undefined;
    try {
      const place = shardStore(workspace, shard);
      store = await openStore(place);
      const { received } = await store.exchange();
      const adopted = (await store.followed()).get(HOME) ?? spread.at;
      const { dir, tree, known } = workspace;
      const config = shardConfig(workspace, spread);
      const checkpoints = await openCheckpoints(place, shardFolder(dir, shard), productVersion());
      const options = { dir, tree, known, config, journal: store, extensions, checkpoints, onEvent };
      const session = await openSession({ ...options, pool: analysis.pool, part: 'shard', sharers: spread.shards });
      return new ShardCrawl(shard, ports, { lock, store, session, received, adopted });
    } catch (error) {
      await store?.close();
      lock.release();
      throw error;
    }
  }

  /** The error that ended the crawl; `undefined` while it continues. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Adds what other shards sent since the last call. */
  async receive(): Promise<void> {
    for (const [source, store] of this.#ports.stores.entries()) {
      if (source === this.shard) continue;
      const after = this.#received.get(source) ?? 0;
      for (const { sequence, parcel } of await store.parcels(this.shard, { after, limit: AT_ONCE })) {
        if (!(await this.#session.crawl.receive({ source, upto: sequence, parcel }))) return;
        this.#received.set(source, sequence);
      }
    }
  }

  /** Adopts the models, and the user's changes, of the crawl of the whole. */
  async adopt(home: Pick<Store, 'decisions'>): Promise<void> {
    for (const record of await home.decisions(this.#adopted)) {
      const { kind, sequence: own } = record;
      const isForAll = kind === 'round' || isForAllShards(record.command);
      if (isForAll && !this.#session.crawl.adopt(record, { source: HOME, own })) return;
      this.#adopted = own;
    }
  }

  /** Removes the parcels that other shards have stored. */
  async forget(received: (target: number) => ReadonlyMap<number, number>): Promise<void> {
    const others = [...this.#ports.stores.keys()].filter((target) => target !== this.shard);
    if (others.length === 0) return;
    const stored = new Map(others.map((target) => [target, received(target).get(this.shard) ?? 0]));
    stored.set(ALL_SHARDS, Math.min(...stored.values()));
    for (const [target, upto] of stored) {
      if (upto <= (this.#dropped.get(target) ?? 0)) continue;
      await this.#store.dropParcels(target, upto);
      this.#dropped.set(target, upto);
    }
  }

  /** Pauses or resumes fetching. */
  pause(isPaused: boolean): void {
    const { crawl } = this.#session;
    // It fetches after it has adopted what the home decided, and it adopts nothing while it reads its journal.
    if (isPaused === this.#isPaused || (!isPaused && crawl.isReading)) return;
    crawl.steer({ kind: isPaused ? 'pause' : 'resume' });
    this.#isPaused = isPaused;
  }

  /** Lets the shard fetch so many pages since the crawl was spread. */
  grant(pages: number): void {
    if (pages <= this.#granted || this.#session.crawl.isReading) return;
    const budget = this.#ports.spread.fetched + pages;
    if (this.#session.crawl.budget < budget) this.#session.crawl.steer({ kind: 'set-budget', budget });
    this.#granted = pages;
  }

  /** Publishes how far it is, for the other workers and for `bingo status`. */
  async publish(): Promise<void> {
    const { crawl } = this.#session;
    if (crawl.isReading) return;
    // First the figures of the shard: they must not describe more than what is stored.
    const shard = { ...crawl.standing, pid: process.pid };
    await this.#store.publish({ ...crawl.status(), shard });
  }

  /** Ends the crawl after the fetches under way, and frees the shard for another worker. */
  async end(): Promise<void> {
    try {
      this.#session.crawl.stop();
      this.#release();
      await this.#running;
      await this.publish();
    } finally {
      this.#leaveAnalysis();
      await this.#session.close();
      await this.#store.close();
      this.#lock.release();
    }
  }
}

/**
 * Settings of a shard's crawl. Limits of parallel requests are divided, because no shard knows the requests of the
 * others.
 */
function shardConfig({ config }: Workspace, { shards, fetched }: Spread): Workspace['config'] {
  const { network, crawl } = config;
  return {
    ...config,
    crawl: { ...crawl, budget: Math.max(1, fetched) },
    network: {
      ...network,
      concurrency: Math.max(1, Math.ceil(network.concurrency / shards)),
      perAddress: Math.floor(network.perAddress / shards),
    },
  };
}
