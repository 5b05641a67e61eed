import {
  BingoError,
  type Config,
  type JournalRecord,
  type Judgement,
  parseSteerCommand,
  type RoundRecord,
  type Steer,
  type TopicId,
  type TopicPaths,
  type TopicTree,
  type TrainingEntry,
} from '../../core/index.ts';
import { HostClocks } from '../../crawl/index.ts';
import { Turns } from '../../kit/index.ts';
import { offlineState } from '../offline-state.ts';
import type { CheckpointStore, Journal, Trainer } from '../ports.ts';
import type { Unnumbered } from '../records.ts';
import type { Nominee } from '../rounds/archetype-choice.ts';
import { type Round, Rounds } from '../rounds/rounds.ts';
import { CrawlState } from '../state/crawl-state.ts';
import type { Backlinks } from '../state/further-links.ts';
import { replay } from '../state/replay.ts';
import type { Judgements } from '../training/site-marks.ts';
import type { InlineExample } from '../training/trainer-features.ts';
import { isPossible, possible, teach } from '../training/training-items.ts';
import type { GivenPlaces } from '../training/user-assignments.ts';

export interface DeskOptions {
  readonly tree: TopicTree;
  /** Topics of the tree by id. Default: as the journal names them. */
  readonly topics?: TopicPaths | undefined;
  readonly config: Config;
  /** Journal of a crawl that is not running in this process. Read-only access is enough to try decisions. */
  readonly journal: Journal;
  /** Checkpoints of the crawl. If missing, the journal is folded from its first record. */
  readonly checkpoints?: CheckpointStore | undefined;
  readonly trainer: Trainer;
  readonly inline?: readonly InlineExample[];
  readonly backlinks?: Backlinks | undefined;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  /** Receives the number of journal records read. */
  readonly onRead?: (read: number) => void;
  /** True: waiting links are also loaded, which takes as long as resuming the crawl. Default: false. */
  readonly withLinks?: boolean;
}

/** The model that some decisions would produce; nothing is written. */
export interface Trial {
  readonly judgements: readonly Judgement[];
  readonly before: RoundRecord;
  /** `before` itself if the decisions do not affect training. */
  readonly round: Round;
}

/** A training page of the last round, for the user to judge. */
export interface TaughtPage extends TrainingEntry {
  /** Sequence of the stored page; 0 for a local file or a query. */
  readonly sequence: number;
  /** The user's decision on the page, if any. */
  readonly judgement: Judgement | undefined;
}

/** Characters shown of a long name. */
const SHOWN_CHARS = 100;

/**
 * Reviews the training pages of a crawl that is not running: tries decisions, and writes them into the journal
 * together with the resulting model. A crawl that resumes learns from them, even if it was interrupted between the
 * decisions and the model.
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

  /** Folds the journal like a crawl that resumes: from its newest checkpoint, or from the first record. */
  static async open(options: DeskOptions): Promise<TrainingDesk> {
    return new TrainingDesk(options, (await restoredState(options)) ?? (await foldedState(options)));
  }

  /** The last round; `undefined` if nothing was learned yet. */
  get round(): RoundRecord | undefined {
    return this.#state.round;
  }

  /** Sequence of the last record of the journal. */
  get sequence(): number {
    return this.#state.sequence;
  }

  /** The tree with the user's marks. */
  get tree(): TopicTree {
    return this.#state.tree;
  }

  /** The user's decisions on single pages, by training key. Decisions for topics missing from the tree are left out. */
  get judgements(): Judgements {
    const { steering, tree } = this.#state;
    return possible(steering.judgements, tree);
  }

  /** True if the user decided on the page and the decision counts, or will count once its topic is back. */
  isDecided(key: string): boolean {
    return (this.#state.steering.judgements.get(key)?.use ?? 'free') !== 'free';
  }

  /** True if the user already made this decision and it still counts. */
  isInForce({ key, use, topic, without = [] }: Judgement): boolean {
    const held = this.#state.steering.judgements.get(key);
    if (use === 'free' || held === undefined) return use === 'free' && !this.isDecided(key);
    return (
      held.by === undefined &&
      held.use === use &&
      held.topic === topic &&
      String(held.without ?? []) === String(without)
    );
  }

  /**
   * Returns the topic under its current name in the tree; `undefined` if the topic is gone.
   * @param round sequence of the last round when the name was in use. Default: the last round, by which stored pages
   * were judged
   */
  topicNow(id: TopicId, round: number | undefined = this.#state.round?.sequence): TopicId | undefined {
    return this.#state.names.renamed(id, round);
  }

  /**
   * Returns the last round's name of a topic, or of the first topic merged into it; the same name if the round did
   * not learn it.
   */
  topicThen(id: TopicId): TopicId {
    const learned = new Set((this.#state.round?.training ?? []).map(({ topic }) => topic));
    return [...learned].find((topic) => this.topicNow(topic) === id) ?? id;
  }

  /** Returns the last round's training pages with current topic names. Pages of removed topics keep the old name. */
  training(): readonly TaughtPage[] {
    const { judgements } = this;
    return (this.#state.round?.training ?? []).map((entry) => {
      const judgement = judgements.get(entry.key);
      const topic = this.topicNow(entry.topic) ?? entry.topic;
      return { ...entry, topic, sequence: judgement?.sequence ?? this.#sequenceOf(entry.key), judgement };
    });
  }

  /** Returns the training key of a stored page, or the key it would get as a training page. */
  keyOf({ sequence, finalUrl }: { readonly sequence: number; readonly finalUrl: string }): string {
    return this.training().find((page) => page.sequence === sequence)?.key ?? finalUrl;
  }

  /**
   * Returns pages of a topic that the crawl's last link analysis or the classifiers suggest, best first, without
   * training pages.
   */
  nominees(topic: TopicId, limit: number): readonly Nominee[] {
    return this.#rounds.nominees(topic, limit);
  }

  /** Returns why decisions cannot be accepted; `undefined` if they can. */
  objection(judgements: readonly Judgement[]): string | undefined {
    const lost = judgements.find((judgement) => !isPossible(judgement, this.#state.tree));
    if (lost !== undefined) return `"${lost.topic}" is not a topic of bingo.yaml, so it cannot have pages.`;
    const long = judgements.find((judgement) => parseSteerCommand({ kind: 'judge-page', judgement }) === undefined);
    if (long !== undefined)
      return `The address "${long.key.slice(0, SHOWN_CHARS)}…" is too long to keep a decision on it.`;
    const [empty] = this.#rounds.emptiedBy(judgements);
    return empty === undefined ? undefined : `"${empty}" would have no example left.`;
  }

  /**
   * Trains with some decisions in the trainer's thread, unless they do not affect training. Without decisions, uses
   * the current bingo.yaml.
   * @throws BingoError `NO_MODEL` before the first training, `NOT_POSSIBLE` if a decision cannot be accepted
   */
  async attempt(judgements: readonly Judgement[]): Promise<Trial> {
    const before = this.#state.round;
    const objection = this.objection(judgements);
    if (objection !== undefined) throw new BingoError({ code: 'NOT_POSSIBLE', message: objection });
    const round = this.teach(judgements) ? await this.#rounds.judged(this.#now, judgements) : before;
    if (before === undefined || round === undefined)
      throw new BingoError({
        code: 'NO_MODEL',
        message: 'Nothing has been learned yet.',
        hint: 'Run bingo crawl DIR first: it fetches the examples and trains on them.',
      });
    return { judgements, before, round };
  }

  /** False if the decisions do not affect training: the model and its verdicts stay the same. */
  teach(judgements: readonly Judgement[]): boolean {
    return judgements.length === 0 || this.isReclassificationDue || teach(this.#state.steering.judgements, judgements);
  }

  /** Returns the number of links that wait for hosts; `undefined` if the journal was read without links. */
  waitingFor(isOn: (host: string) => boolean): number | undefined {
    if (this.#options.withLinks !== true) return undefined;
    return this.#state.frontier.waitingFor(isOn);
  }

  /** Journals a change that is not about a single page, such as a topic's mark. The next trial includes it. */
  steer(command: Steer): void {
    this.#append({ kind: 'steer', command, at: this.#now() });
  }

  /**
   * Returns where the user put stored pages.
   * @param trial counts its decisions as if they were kept
   */
  places(trial?: Pick<Trial, 'judgements'>): GivenPlaces {
    return this.#rounds.places(trial?.judgements);
  }

  /** Writes the decisions and, if it changed, the model into the journal; durable when it resolves. */
  async keep({ judgements, before, round }: Trial): Promise<RoundRecord> {
    for (const judgement of judgements)
      this.#append({ kind: 'steer', command: { kind: 'judge-page', judgement }, at: this.#now() });
    if (round !== before) this.#append({ ...round, judgedAt: this.#state.steering.judgedAt });
    await this.#options.journal.flush();
    return this.#state.round!;
  }

  /**
   * True if the basis for judging stored pages changed since they were last judged: see
   * `CrawlState.isReclassificationDue`.
   */
  get isReclassificationDue(): boolean {
    return this.round !== undefined && this.#state.isReclassificationDue;
  }

  /** Records that the last model judged every stored page again; durable when it resolves. */
  async noteReclassified(): Promise<void> {
    const model = this.round?.model ?? 0;
    this.#append({ kind: 'steer', command: { kind: 'reclassified', model }, at: this.#now() });
    await this.#options.journal.flush();
  }

  #sequenceOf(key: string): number {
    return this.#state.training.stored.get(key)?.sequence ?? this.#state.seen.pageOf(key) ?? 0;
  }

  #append(record: Unnumbered<JournalRecord>): void {
    for (const naming of this.#state.names.unrecorded())
      this.#write({ kind: 'steer', command: { kind: 'name-topic', ...naming }, at: this.#now() });
    this.#write(record);
  }

  #write(record: Unnumbered<JournalRecord>): void {
    const numbered = { ...record, sequence: this.#state.sequence + 1 } as JournalRecord;
    this.#state.apply(numbered, undefined);
    this.#options.journal.append(numbered);
  }
}

/** Returns the state from the newest checkpoint and the records after it; `undefined` without one. */
async function restoredState(options: DeskOptions): Promise<CrawlState | undefined> {
  const { checkpoints, onRead = () => {} } = options;
  if (checkpoints === undefined) return undefined;
  const folded = offlineState({ ...options, checkpoints, onRead, isWanted: () => true });
  return (await folded.readFromCheckpoint()) ? folded.state : undefined;
}

/**
 * Folds the whole journal. Links are left out by default: reading them is most of the work, and only feature spaces
 * built from other pages learn from them.
 */
async function foldedState(options: DeskOptions): Promise<CrawlState> {
  const { tree, topics, config, journal, onRead, withLinks = false } = options;
  const hosts = new HostClocks({ ...config.network, maxTries: config.crawl.maxTries });
  // The order of waiting links does not affect training, and this ordering costs least.
  const cheap: Config = { ...config, crawl: { ...config.crawl, ordering: 'breadth-first' } };
  const state = new CrawlState(tree, withLinks ? config : cheap, {
    hosts,
    topics,
    resolve: () => {},
    isResolved: () => true,
  });
  const links = withLinks || state.surroundings.isNeeded;
  await replay(state, journal, onRead === undefined ? { links } : { onRead, links });
  return state;
}
