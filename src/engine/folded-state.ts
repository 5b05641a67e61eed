import type {
  CanonicalUrl,
  Config,
  JournalRecord,
  OrderingName,
  RunRecord,
  ShardOf,
  TopicPaths,
  TopicTree,
} from '../core/index.ts';
import type { HostClocks } from '../crawl/index.ts';
import type { Fields } from '../kit/index.ts';
import { basisDigest } from './checkpoints/digests.ts';
import { restored } from './checkpoints/restoring.ts';
import { HostHistory } from './fetching/host-history.ts';
import type { CheckpointHeader, CheckpointStore, Journal } from './ports.ts';
import { type FoldedMarks, NO_MARKS } from './state/crawl-facts.ts';
import { CrawlState } from './state/crawl-state.ts';
import type { Backlinks } from './state/further-links.ts';
import type { Pinned } from './state/jobs.ts';
import { replay } from './state/replay.ts';
import { steered } from './steering/steering.ts';
import { documentsDigest, type InlineExample } from './training/trainer-features.ts';

/** What folding the journal needs from the crawl. */
export interface FoldedStatePorts {
  readonly tree: TopicTree;
  readonly topics?: TopicPaths | undefined;
  readonly config: Config;
  readonly inline?: readonly InlineExample[];
  readonly backlinks?: Backlinks | undefined;
  readonly journal: Journal;
  /** If missing, the journal is folded from its first record. */
  readonly checkpoints?: CheckpointStore;
  readonly hosts: HostClocks;
  /** Default: by the registered domain. */
  readonly shardOf?: ShardOf | undefined;
  /** True if names need not be resolved ahead. */
  readonly isExact: boolean;
  readonly now: () => number;
  readonly steadyNow: () => number;
  /** Asked while the journal is read; false stops reading. */
  readonly isWanted: () => boolean;
  /** Receives the number of records read so far and the total. */
  readonly onRead: (read: number, total: number) => void;
  /** Resolves to true if the host has an address. */
  readonly resolve: (host: string) => Promise<boolean>;
  /** Called when a name has been resolved ahead. */
  readonly wake: () => void;
}

/** The last stored pages whose sites answered: enough to check whether the network is up. */
const MAX_RECALLED = 50;

/** The crawl state built from the journal: when the process starts, and again for another ordering. */
export class FoldedState {
  readonly #ports: FoldedStatePorts;
  readonly #resolved = new Set<string>();
  #state: CrawlState;
  #history: HostHistory;
  #restoredTo = 0;
  /** Basis digest of a checkpoint, per ordering. */
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

  /** The ordering the user chose, or else that of the settings. */
  get wantedOrdering(): OrderingName {
    return this.#state.steering.ordering ?? this.#ports.config.crawl.ordering;
  }

  /** The last record of the checkpoint that the state started from; 0 if none. */
  get restoredTo(): number {
    return this.#restoredTo;
  }

  /** The last stored pages whose sites answered, the latest last. */
  get recalled(): readonly CanonicalUrl[] {
    return this.#recalled;
  }

  /** True if the journal is to be folded again: for another ordering, or for topics that were marked. */
  get isReordering(): boolean {
    return this.wantedOrdering !== this.#state.ordering || this.#state.isTreeNew;
  }

  /**
   * Folds the journal, starting from the newest checkpoint. Folds again if the user chose another ordering or marked
   * topics, which only the journal records. Passes what hosts did before to their clocks.
   * @returns false if it was stopped: the state is then incomplete
   */
  async resume(run: RunRecord): Promise<boolean> {
    const { config, hosts, now, steadyNow } = this.#ports;
    if (!(await this.read())) return false;
    const clocks = { now: now(), steadyNow: steadyNow() };
    this.#history.tell(hosts, clocks, { forgives: this.#state.isStuck });
    const { ordering = config.crawl.ordering, marks } = steered(this.#state.steering, run);
    if (ordering === this.#state.ordering && this.#state.includes(marks)) return true;
    return await this.reorder(ordering, marks);
  }

  /**
   * Folds the journal, starting from the newest checkpoint.
   * @returns false if it was stopped: the state is then incomplete
   */
  async read(): Promise<boolean> {
    await this.#restore();
    return await this.#follow();
  }

  /**
   * Does the same if there is a checkpoint.
   * @returns false without one, or if it was stopped: nothing else was read
   */
  async readFromCheckpoint(): Promise<boolean> {
    await this.#restore();
    return this.#restoredTo > 0 && (await this.#follow());
  }

  #follow(): Promise<boolean> {
    return this.#replay(this.#state, (record, job) => this.note(record, job));
  }

  /** Receives a record about to be folded, with the job that it answers. */
  note(record: JournalRecord, job: Pinned | undefined): void {
    this.#history.note(record, job);
    if (record.kind !== 'page') return;
    this.#recalled.push(record.finalUrl);
    if (this.#recalled.length > MAX_RECALLED) this.#recalled.shift();
  }

  /** Reads or writes the fields of a checkpoint. */
  exchange(fields: Fields): void {
    this.#state.exchange(fields);
    this.#history.exchange(fields);
    fields.list(this.#recalled);
  }

  /** Header of a checkpoint made now. */
  get checkpoint(): Omit<CheckpointHeader, 'record'> {
    const { sequence, ordering } = this.#state;
    return { sequence, ordering, basis: this.#basis(ordering) };
  }

  #basis(ordering: OrderingName): string {
    const { tree, topics, config, inline = [], backlinks } = this.#ports;
    const documents = [documentsDigest(inline), backlinks?.digest].filter((part) => part !== undefined).join(' ');
    const basis = { tree, topics, config, documents: documents === '' ? undefined : documents };
    const known = this.#bases.get(ordering) ?? basisDigest(basis, ordering);
    this.#bases.set(ordering, known);
    return known;
  }

  /**
   * Rebuilds the state from the journal for another ordering or other good topics, as a crawl resumed with them does:
   * every link gets a new priority. Nothing may be in flight.
   * @returns false if it was stopped: the old state stays
   */
  async reorder(ordering: OrderingName, marks: FoldedMarks['marks'] = this.#state.steering.marks): Promise<boolean> {
    await this.#ports.journal.flush();
    const state = this.#newState(ordering, { marks, at: this.#state.sequence });
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
    // An incomplete rebuild may have been the last to register with the hosts.
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

  #newState(ordering: OrderingName, marked: FoldedMarks = NO_MARKS): CrawlState {
    const { tree, topics, config, hosts, isExact, backlinks, shardOf } = this.#ports;
    const state: CrawlState = new CrawlState(
      tree,
      { ...config, crawl: { ...config.crawl, ordering } },
      {
        hosts,
        topics,
        marked,
        backlinks,
        shardOf,
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
