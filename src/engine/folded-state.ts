import type { CanonicalUrl, Config, JournalRecord, OrderingName, RunRecord, TopicTree } from '../core/index.ts';
import type { HostClocks } from '../crawl/index.ts';
import type { Fields } from '../kit/index.ts';
import { basisDigest } from './checkpoints/digests.ts';
import { restored } from './checkpoints/restoring.ts';
import { HostHistory } from './fetching/host-history.ts';
import type { CheckpointHeader, CheckpointStore, Journal } from './ports.ts';
import { CrawlState } from './state/crawl-state.ts';
import type { Pinned } from './state/jobs.ts';
import { replay } from './state/replay.ts';
import { steered } from './steering/steering.ts';
import { documentsDigest, type InlineExample } from './training/trainer-features.ts';

/** What folding the journal needs of the crawl. */
export interface FoldedStatePorts {
  readonly tree: TopicTree;
  readonly config: Config;
  readonly inline?: readonly InlineExample[];
  readonly journal: Journal;
  /** Absent: the journal is folded from its first record. */
  readonly checkpoints?: CheckpointStore;
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

/** Stored pages whose sites answered last: enough to see whether there is a network. */
const MAX_RECALLED = 50;

/** The state of a crawl, as its journal makes it: when the process begins, and once more for another ordering. */
export class FoldedState {
  readonly #ports: FoldedStatePorts;
  readonly #resolved = new Set<string>();
  #state: CrawlState;
  #history: HostHistory;
  #restoredTo = 0;
  /** Of a checkpoint, by ordering. */
  readonly #bases = new Map<OrderingName, string>();
  /** Addresses of the last pages. */
  #recalled: CanonicalUrl[] = [];

  constructor(ports: FoldedStatePorts) {
    this.#ports = ports;
    this.#history = this.#newHistory();
    this.#state = this.#newState(ports.config.crawl.ordering);
  }

  get state(): CrawlState {
    return this.#state;
  }

  /** The ordering that a person chose, or that of the settings. */
  get wantedOrdering(): OrderingName {
    return this.#state.steering.ordering ?? this.#ports.config.crawl.ordering;
  }

  /** The last record of the checkpoint that the state began with; 0: of none. */
  get restoredTo(): number {
    return this.#restoredTo;
  }

  get isReordering(): boolean {
    return this.wantedOrdering !== this.#state.ordering;
  }

  /**
   * Folds the journal, from the newest checkpoint on if there is one; once more when a person had chosen another ordering, which only the
   * journal can tell. What hosts did before is told to their clocks.
   * @returns false when it was no longer wanted: the state knows a part
   */
  async resume(run: RunRecord): Promise<boolean> {
    const { config, hosts, now, steadyNow, onPage } = this.#ports;
    await this.#restore();
    if (!(await this.#replay(this.#state, (record, job) => this.note(record, job)))) return false;
    for (const url of this.#recalled) onPage(url);
    const clocks = { now: now(), steadyNow: steadyNow() };
    this.#history.tell(hosts, clocks, { forgives: this.#state.isStuck });
    const ordering = steered(this.#state.steering, run).ordering ?? config.crawl.ordering;
    return ordering === this.#state.ordering || (await this.reorder(ordering));
  }

  /** A record is about to be folded in, with the job that it answers. */
  note(record: JournalRecord, job: Pinned | undefined): void {
    this.#history.note(record, job);
    if (record.kind !== 'page') return;
    this.#recalled.push(record.finalUrl);
    if (this.#recalled.length > MAX_RECALLED) this.#recalled.shift();
  }

  /** The fields of a checkpoint. */
  exchange(fields: Fields): void {
    this.#state.exchange(fields);
    this.#history.exchange(fields);
    fields.list(this.#recalled);
  }

  /** What a checkpoint of this moment is of. */
  get checkpoint(): Omit<CheckpointHeader, 'record'> {
    const { sequence, ordering } = this.#state;
    return { sequence, ordering, basis: this.#basis(ordering) };
  }

  #basis(ordering: OrderingName): string {
    const { tree, config, inline = [] } = this.#ports;
    const known =
      this.#bases.get(ordering) ?? basisDigest({ tree, config, documents: documentsDigest(inline) }, ordering);
    this.#bases.set(ordering, known);
    return known;
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

  async #restore(): Promise<void> {
    const { checkpoints, journal } = this.#ports;
    if (checkpoints === undefined) return;
    const found = await restored({
      ...{ checkpoints, journal },
      basis: (ordering) => this.#basis(ordering),
      empty: (ordering) => {
        const [state, history, recalled] = [this.#newState(ordering), this.#newHistory(), [] as CanonicalUrl[]];
        const exchange = (fields: Fields): void => {
          state.exchange(fields);
          history.exchange(fields);
          fields.list(recalled);
        };
        return {
          state,
          history,
          recalled,
          exchange,
          get sequence() {
            return state.sequence;
          },
        };
      },
    });
    // A state that could not be read to its end may have heard of hosts last.
    if (found === undefined) this.#state.frontier.takeOver();
    else [this.#state, this.#history, this.#recalled] = [found.state, found.history, found.recalled];
    this.#restoredTo = this.#state.sequence;
  }

  async #replay(
    state: CrawlState,
    onRecord: (record: JournalRecord, job: Pinned | undefined) => void = () => {},
  ): Promise<boolean> {
    const { journal, isWanted, onRead } = this.#ports;
    const total = await journal.count();
    const after = state.sequence;
    return await replay(state, journal, { isWanted, onRecord, after, onRead: (read) => onRead(read, total) });
  }

  #newHistory(): HostHistory {
    const { crawl, network } = this.#ports.config;
    return new HostHistory({ ...crawl, ...network });
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
