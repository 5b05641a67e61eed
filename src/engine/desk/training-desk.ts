import {
  BingoError,
  type Config,
  type JournalRecord,
  type Judgement,
  parseSteerCommand,
  type RoundRecord,
  type Steer,
  type TopicId,
  type TopicTree,
  type TrainingEntry,
} from '../../core/index.ts';
import { HostClocks } from '../../crawl/index.ts';
import { Turns } from '../../kit/index.ts';
import type { Journal, Trainer } from '../ports.ts';
import type { Unnumbered } from '../records.ts';
import type { Nominee } from '../rounds/archetype-choice.ts';
import { type Round, Rounds } from '../rounds/rounds.ts';
import { CrawlState } from '../state/crawl-state.ts';
import { replay } from '../state/replay.ts';
import type { GivenPlaces } from '../training/given-places.ts';
import type { Judgements } from '../training/site-marks.ts';
import type { InlineExample } from '../training/trainer-features.ts';
import { isPossible, possible, teach } from '../training/training-items.ts';

export interface DeskOptions {
  readonly tree: TopicTree;
  readonly config: Config;
  /** Of a crawl that is not running in this process; one opened for reading alone is enough to try decisions out. */
  readonly journal: Pick<Journal, 'read' | 'documents' | 'examplePlaces' | 'append' | 'flush'>;
  readonly trainer: Trainer;
  readonly inline?: readonly InlineExample[];
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  /** Hears how many records of the journal were read. */
  readonly onRead?: (read: number) => void;
  /** What waits to be fetched is asked for, too, which takes as long as resuming the crawl. Default: it is not. */
  readonly withLinks?: boolean;
}

/** What a model would be if some decisions held; nothing is written. */
export interface Trial {
  readonly judgements: readonly Judgement[];
  readonly before: RoundRecord;
  /** `before` itself where they change nothing that is learned. */
  readonly round: Round;
}

/** A training page of the last round, as a person may judge it. */
export interface TaughtPage extends TrainingEntry {
  /** The stored page; 0 for a local file or a query. */
  readonly sequence: number;
  /** What a person decided on it, if anybody did. */
  readonly judgement: Judgement | undefined;
}

/** Of a name that is too long. */
const SHOWN_CHARS = 100;

/**
 * Where a person looks over the training pages of a crawl that stands still: tries decisions out, and puts them into the
 * journal, together with the model that they lead to. A crawl that goes on from there learns with them; so does one that
 * was cut off between the decisions and the model.
 */
export class TrainingDesk {
  readonly #options: DeskOptions;
  readonly #state: CrawlState;
  readonly #rounds: Rounds;
  readonly #now: () => number;

  private constructor(options: DeskOptions, state: CrawlState) {
    this.#options = options;
    this.#state = state;
    this.#now = options.now ?? Date.now;
    const analyzer = { setModel: () => {} };
    this.#rounds = new Rounds({ ...options, analyzer, turns: new Turns() }, state);
  }

  /**
   * Folds the journal, as a crawl does that resumes. Links are left out: reading them is nearly all the work, and only
   * feature spaces that are built from other pages learn from them.
   */
  static async open(options: DeskOptions): Promise<TrainingDesk> {
    const { tree, config, journal, inline, onRead, withLinks = false } = options;
    const hosts = new HostClocks({ ...config.network, maxTries: config.crawl.maxTries });
    // What waits in which order teaches nothing, and this ordering costs least.
    const cheap: Config = { ...config, crawl: { ...config.crawl, ordering: 'breadth-first' } };
    const state = new CrawlState(tree, withLinks ? config : cheap, {
      hosts,
      ...(inline && { inline }),
      resolve: () => {},
      isResolved: () => true,
    });
    const links = withLinks || state.surroundings.isNeeded;
    await replay(state, journal, onRead === undefined ? { links } : { onRead, links });
    return new TrainingDesk(options, state);
  }

  /** The last round; `undefined` while nothing was learned. */
  get round(): RoundRecord | undefined {
    return this.#state.round;
  }

  /** The tree with the marks that people gave. */
  get tree(): TopicTree {
    return this.#state.tree;
  }

  /** What people decided on single pages, by training key; decisions for topics that the tree no longer has rest, and are left out. */
  get judgements(): Judgements {
    const { steering, tree } = this.#state;
    return possible(steering.judgements, tree);
  }

  /** A person decided something on the page that still counts, or will once its topic is back. */
  isDecided(key: string): boolean {
    return (this.#state.steering.judgements.get(key)?.use ?? 'free') !== 'free';
  }

  /** A person decided just this before, and it still counts. */
  isInForce({ key, use, topic, without = [] }: Judgement): boolean {
    const held = this.#state.steering.judgements.get(key);
    if (use === 'free' || held === undefined) return use === 'free' && !this.isDecided(key);
    return held.use === use && held.topic === topic && String(held.without ?? []) === String(without);
  }

  /**
   * A topic under the name that the tree has for it now; `undefined` when it is gone.
   * @param round sequence of the round that was the last when it was called so. Default: the last one, which stored pages were judged by
   */
  topicNow(id: TopicId, round: number | undefined = this.#state.round?.sequence): TopicId | undefined {
    return this.#state.names.renamed(id, round);
  }

  /** What the last round called a topic, or the first of those that became it; the same name where it learned nothing of it. */
  topicThen(id: TopicId): TopicId {
    const learned = new Set((this.#state.round?.training ?? []).map(({ topic }) => topic));
    return [...learned].find((topic) => this.topicNow(topic) === id) ?? id;
  }

  /** The pages on which the last round trained, for topics under the names that the tree has now; those of topics that are gone keep theirs. */
  training(): readonly TaughtPage[] {
    const { judgements } = this;
    return (this.#state.round?.training ?? []).map((entry) => {
      const judgement = judgements.get(entry.key);
      const topic = this.topicNow(entry.topic) ?? entry.topic;
      return { ...entry, topic, sequence: judgement?.sequence ?? this.#sequenceOf(entry.key), judgement };
    });
  }

  /** The name of a stored page among the training pages; what it would be called when it is none yet. */
  keyOf({ sequence, finalUrl }: { readonly sequence: number; readonly finalUrl: string }): string {
    return this.training().find((page) => page.sequence === sequence)?.key ?? finalUrl;
  }

  /**
   * Pages of a topic that the last link analysis of the crawl or the classifiers put forward, best first; training pages
   * are left out.
   */
  nominees(topic: TopicId, limit: number): readonly Nominee[] {
    return this.#rounds.nominees(topic, limit);
  }

  /** Why decisions cannot be taken, or `undefined` when they can. */
  objection(judgements: readonly Judgement[]): string | undefined {
    const lost = judgements.find((judgement) => !isPossible(judgement, this.#state.tree));
    if (lost !== undefined) return `"${lost.topic}" cannot have pages: it is no topic of bingo.yaml.`;
    const long = judgements.find((judgement) => parseSteerCommand({ kind: 'judge-page', judgement }) === undefined);
    if (long !== undefined) return `No decision can be kept on "${long.key.slice(0, SHOWN_CHARS)}…": it is too long.`;
    const [empty] = this.#rounds.emptiedBy(judgements);
    return empty === undefined ? undefined : `"${empty}" would be left without an example.`;
  }

  /**
   * Trains with some decisions, in the trainer's thread, unless they teach nothing; without any, on what bingo.yaml says now.
   * @throws BingoError `NO_MODEL` before the first training, `NOT_POSSIBLE` when a decision cannot be taken
   */
  async attempt(judgements: readonly Judgement[]): Promise<Trial> {
    const before = this.#state.round;
    const objection = this.objection(judgements);
    if (objection !== undefined) throw new BingoError({ code: 'NOT_POSSIBLE', message: objection });
    const round = this.teach(judgements) ? await this.#rounds.judged(this.#now, judgements) : before;
    if (before === undefined || round === undefined)
      throw new BingoError({
        code: 'NO_MODEL',
        message: 'Nothing was learned yet.',
        hint: 'Run bingo crawl DIR first: it fetches the examples and trains on them.',
      });
    return { judgements, before, round };
  }

  /** False for decisions that change nothing that is learned: the model stays, and what it says of pages. */
  teach(judgements: readonly Judgement[]): boolean {
    return judgements.length === 0 || this.isReclassificationDue || teach(this.#state.steering.judgements, judgements);
  }

  /** Links that wait for hosts; `undefined` where the desk was opened without links. */
  waitingFor(isOn: (host: string) => boolean): number | undefined {
    if (this.#options.withLinks !== true) return undefined;
    return this.#state.frontier.waitingFor(isOn);
  }

  /** Journals what a person changed beside single pages, such as a topic's mark; the next trial reckons with it. */
  steer(command: Steer): void {
    this.#append({ kind: 'steer', command, at: this.#now() });
  }

  /**
   * Where people put stored pages.
   * @param trial once it is kept
   */
  places(trial?: Pick<Trial, 'judgements'>): GivenPlaces {
    return this.#rounds.places(trial?.judgements);
  }

  /** Writes the decisions and the model, if it is another one, into the journal; durable when it resolves. */
  async keep({ judgements, before, round }: Trial): Promise<RoundRecord> {
    for (const judgement of judgements)
      this.#append({ kind: 'steer', command: { kind: 'judge-page', judgement }, at: this.#now() });
    if (round !== before) this.#append({ ...round, judgedAt: this.#state.steering.judgedAt });
    await this.#options.journal.flush();
    return this.#state.round!;
  }

  /** What stored pages should be judged by has changed since they were last judged again: see `CrawlState.isReclassificationDue`. */
  get isReclassificationDue(): boolean {
    return this.round !== undefined && this.#state.isReclassificationDue;
  }

  /** Notes that every stored page was judged again by the last model; durable when it resolves. */
  async noteReclassified(): Promise<void> {
    const model = this.round?.model ?? 0;
    this.#append({ kind: 'steer', command: { kind: 'reclassified', model }, at: this.#now() });
    await this.#options.journal.flush();
  }

  #sequenceOf(key: string): number {
    return this.#state.training.stored.get(key)?.sequence ?? this.#state.seen.pageOf(key) ?? 0;
  }

  #append(record: Unnumbered<JournalRecord>): void {
    const numbered = { ...record, sequence: this.#state.sequence + 1 } as JournalRecord;
    this.#state.apply(numbered, undefined);
    this.#options.journal.append(numbered);
  }
}
