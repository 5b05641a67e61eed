import type { CanonicalUrl, Config, OrderingName, RunRecord, TopicTree } from '../core/index.ts';
import type { HostClocks } from '../crawl/index.ts';
import { HostHistory } from './fetching/host-history.ts';
import type { Journal } from './ports.ts';
import { CrawlState } from './state/crawl-state.ts';
import { replay } from './state/replay.ts';
import { steered } from './steering/steering.ts';
import type { InlineExample } from './training/trainer-features.ts';

/** What folding the journal needs of the crawl. */
export interface FoldedStatePorts {
  readonly tree: TopicTree;
  readonly config: Config;
  readonly inline?: readonly InlineExample[];
  readonly journal: Journal;
  readonly hosts: HostClocks;
  /** Names need not be resolved ahead. */
  readonly isExact: boolean;
  readonly now: () => number;
  readonly steadyNow: () => number;
  /** Asked while the journal is read; false ends that at once. */
  readonly isWanted: () => boolean;
  /** Hears how many records of how many were read so far. */
  readonly onRead: (read: number, total: number) => void;
  /** Resolves with whether the host has an address. */
  readonly resolve: (host: string) => Promise<boolean>;
  /** Hears of each stored page when the process begins. */
  readonly onPage: (url: CanonicalUrl) => void;
  /** A name has been resolved ahead. */
  readonly wake: () => void;
}

/** The state of a crawl, as its journal makes it: when the process begins, and once more for another ordering. */
export class FoldedState {
  readonly #ports: FoldedStatePorts;
  readonly #resolved = new Set<string>();
  #state: CrawlState;

  constructor(ports: FoldedStatePorts) {
    this.#ports = ports;
    this.#state = this.#newState(ports.config.crawl.ordering);
  }

  get state(): CrawlState {
    return this.#state;
  }

  /** The ordering that a person chose, or that of the settings. */
  get wantedOrdering(): OrderingName {
    return this.#state.steering.ordering ?? this.#ports.config.crawl.ordering;
  }

  get isReordering(): boolean {
    return this.wantedOrdering !== this.#state.ordering;
  }

  /**
   * Folds the journal; once more when a person had chosen another ordering, which only the journal can tell. What hosts did before is
   * told to their clocks.
   * @returns false when it was no longer wanted: the state knows a part
   */
  async resume(run: RunRecord): Promise<boolean> {
    const { config, hosts, now, steadyNow } = this.#ports;
    const history = new HostHistory({ ...config.crawl, ...config.network });
    if (!(await this.#replay(this.#state, history))) return false;
    const clocks = { now: now(), steadyNow: steadyNow() };
    history.tell(hosts, clocks, { forgives: this.#state.isStuck });
    const ordering = steered(this.#state.steering, run).ordering ?? config.crawl.ordering;
    return ordering === this.#state.ordering || (await this.reorder(ordering));
  }

  /**
   * Another ordering judges every page anew: the state is made again from the journal, as in a crawl that was resumed with
   * that ordering. Nothing may be in flight.
   * @returns false when it was no longer wanted: the state is the one before
   */
  async reorder(ordering: OrderingName): Promise<boolean> {
    await this.#ports.journal.flush();
    const state = this.#newState(ordering);
    if (!(await this.#replay(state))) return false;
    this.#state = state;
    return true;
  }

  async #replay(state: CrawlState, history?: HostHistory): Promise<boolean> {
    const { journal, isWanted, onRead, onPage } = this.#ports;
    const total = await journal.count();
    return await replay(state, journal, {
      isWanted,
      onRecord: (record, job) => {
        history?.note(record, job);
        if (history !== undefined && record.kind === 'page') onPage(record.finalUrl);
      },
      onRead: (read) => onRead(read, total),
    });
  }

  #newState(ordering: OrderingName): CrawlState {
    const { tree, config, inline, hosts, isExact } = this.#ports;
    const state: CrawlState = new CrawlState(
      tree,
      { ...config, crawl: { ...config.crawl, ordering } },
      {
        hosts,
        ...(inline && { inline }),
        resolve: (host) => this.#resolveAhead(host, state),
        isResolved: (host) => isExact || this.#resolved.has(host),
      },
    );
    return state;
  }

  #resolveAhead(host: string, state: CrawlState): void {
    const { config, resolve, wake } = this.#ports;
    void resolve(host).then((ok) => {
      if (this.#resolved.size > config.network.dnsCacheSize) this.#resolved.clear();
      if (ok) this.#resolved.add(host);
      state.resolved(host);
      wake();
    });
  }
}
