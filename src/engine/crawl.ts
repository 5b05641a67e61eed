import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Assignment,
  BingoError,
  type Config,
  type CrawlEvent,
  type CrawlStatus,
  counted,
  type FetchedPage,
  type FetchOutcome,
  goodTopics,
  type JournalRecord,
  type OrderingName,
  type PageHistory,
  type Phase,
  type RunRecord,
  type Steer,
  type SteerCommand,
  type TopicTree,
} from '../core/index.ts';
import { HostClocks } from '../crawl/index.ts';
import { HostHistory } from './fetching/host-history.ts';
import { MemberFetcher } from './fetching/member-fetcher.ts';
import { Reachability } from './fetching/reachability.ts';
import type { Analysis, Analyzer, Fetcher, Journal, KnownVersion, Trainer } from './ports.ts';
import { recheckAnswer } from './recheck/recheck-answer.ts';
import { type RecheckCounts, type RecheckJob, RecheckQueue } from './recheck/recheck-queue.ts';
import { exampleAssignment, pageRecord, visitRecord } from './records.ts';
import { roundInterval } from './rounds/round-interval.ts';
import { Rounds } from './rounds/rounds.ts';
import type { SpentBudgets } from './state/budgets.ts';
import { CrawlState } from './state/crawl-state.ts';
import { isBudgeted, type Pinned } from './state/jobs.ts';
import { assignmentIn, keptTopic } from './state/lost-topics.ts';
import { replay } from './state/replay.ts';
import { sitemapAssignment } from './state/sitemaps.ts';
import { steered } from './state/steering.ts';
import { StoreWatch } from './store-watch.ts';
import type { InlineExample } from './training/trainer-features.ts';
import { isPossible } from './training/training-items.ts';

/** Longest sleep of the loop: clocks may jump, and a lost wake-up must not stop a crawl. */
const MAX_PAUSE_MS = 1000;
/** While the network is away it is looked so often whether the run is to end. */
const LOOK_MS = 500;
/** So often it is looked whether the store still takes records. */
const STORE_LOOK_MS = 1_000;
/** Hosts that a status names at the most. */
const HOSTS_NAMED = 30;

/** Everything a crawl needs; the parts are made and closed by whoever makes the crawl. */
export interface CrawlOptions {
  readonly tree: TopicTree;
  readonly config: Config;
  readonly fetcher: Fetcher;
  readonly analyzer: Analyzer;
  readonly trainer: Trainer;
  readonly journal: Journal;
  /** Training documents that are no web pages: local files and queries, already analysed. */
  readonly inline?: readonly InlineExample[];
  /** Only the learning phase, or straight to harvesting. */
  readonly only?: 'learn' | 'harvest';
  /** Stored pages to look at again while harvesting, most overdue first. The budget does not count them. */
  readonly recheck?: readonly PageHistory[];
  /** Ends when they have been looked at and what they link to anew is there, whatever is left of the budget. */
  readonly onlyRecheck?: boolean;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  readonly onEvent?: (event: CrawlEvent) => void;
}

/** Why a run ended. */
export type StopReason = 'budget' | 'time' | 'frontier-dry' | 'learned' | 'rechecked' | 'stopped';

export interface CrawlSummary {
  readonly reason: StopReason;
  readonly status: CrawlStatus;
  /** Pages fetched by this run. */
  readonly fetchedNow: number;
  /** What people gave to learn from has changed since stored pages were last judged again. */
  readonly isReclassificationDue: boolean;
  readonly spent: SpentBudgets;
  /** What a recheck came to; absent without one. */
  readonly recheck?: RecheckCounts;
}

/**
 * A crawl: learning phase, then harvesting phase (DESIGN §8). `run` resumes from the journal first. One loop on the
 * main thread takes entries, hands bodies to the analyzer, folds every result into the state and the journal.
 */
export class Crawl {
  readonly #options: CrawlOptions;
  readonly #config: Config;
  readonly #journal: Journal;
  readonly #fetcher: Fetcher;
  readonly #hosts: HostClocks;
  #state: CrawlState;
  readonly #rounds: Rounds;
  readonly #reachability: Reachability;
  readonly #now: () => number;
  /** For waiting: never goes back and never jumps, whatever the system's clock does. */
  readonly #steadyNow: () => number;
  /** With one fetch at a time a crawl repeats exactly: it waits for retraining instead of going on beside it. */
  readonly #exact: boolean;
  readonly #resolved = new Set<string>();
  #inFlight = 0;
  #inFlightBudgeted = 0;
  #inFlightTraining = 0;
  /** It was looked whether bingo.yaml names other training pages than the last round had. */
  #isTreeLearned = false;
  #isIndiscriminateTold = false;
  #training: Promise<void> | undefined;
  #roundCheckedAt = -1;
  #stopping: StopReason | undefined;
  #isPaused = false;
  #holds = 0;
  #wake: (() => void) | undefined;
  #failure: unknown;
  #startedAt = 0;
  #fetchedBefore = 0;
  readonly #rechecks: RecheckQueue | undefined;

  constructor(options: CrawlOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#journal = options.journal;
    this.#fetcher = new MemberFetcher(options.fetcher);
    this.#now = options.now ?? Date.now;
    this.#steadyNow = options.now ?? (() => performance.timeOrigin + performance.now());
    this.#exact = options.config.network.concurrency === 1;
    this.#hosts = new HostClocks({
      ...options.config.network,
      maxTries: options.config.crawl.maxTries,
      meetAlone: options.config.network.robots,
    });
    this.#state = this.#newState(options.config.crawl.ordering);
    const { tree, recheck } = options;
    this.#rechecks =
      recheck &&
      new RecheckQueue(
        recheck.map((page) => pageIn(tree, page)),
        this.#hosts,
      );
    this.#rounds = new Rounds(options, this.#state);
    this.#reachability = this.#newReachability();
  }

  /**
   * Resumes from the journal and crawls until the budget, the time or the frontier ends, or `stop` is called.
   * All that was fetched is durable when it resolves.
   * @throws BingoError when no training page of some topic can be had, or the journal fails
   */
  async run(): Promise<CrawlSummary> {
    this.#startedAt = this.#steadyNow();
    const watch = this.#newStoreWatch();
    const looks = setInterval(() => watch.look(), STORE_LOOK_MS);
    try {
      return await this.#run(watch);
    } finally {
      clearInterval(looks);
    }
  }

  async #run(watch: StoreWatch): Promise<CrawlSummary> {
    this.#journal.onStored((sequence) => {
      watch.stored();
      this.#emit({ kind: 'stored', sequence });
      this.#wake?.();
    });
    this.#journal.onFailed((error) => this.#fail(error));
    const settings = JSON.stringify(publicSettings(this.#config));
    const run: RunRecord = { kind: 'run', at: this.#now(), settings, sequence: 0 };
    await this.#resume(run);
    this.#fetchedBefore = this.#state.fetched;
    this.#append(run);
    this.#rounds.restore();
    const reason = await this.#loop();
    await this.#journal.flush();
    if (this.#failure !== undefined) throw this.#failure;
    const { fetched, isReclassificationDue, spent } = this.#state;
    const recheck = this.#rechecks && { recheck: { ...this.#rechecks.counts } };
    const fetchedNow = fetched - this.#fetchedBefore;
    return { reason, status: this.status(), fetchedNow, isReclassificationDue, spent, ...recheck };
  }

  /** Takes nothing more, finishes what is in flight, saves; `run` then resolves. */
  stop(reason: StopReason = 'stopped'): void {
    this.#stopping ??= reason;
    this.#wake?.();
  }

  /**
   * Changes the running crawl, at once. What changes decisions is written to the journal, so that a resumed crawl repeats
   * it; a pause ends with the process.
   * @returns false when the command would change nothing or cannot be obeyed now; nothing is written then
   */
  steer(command: SteerCommand): boolean {
    if (this.#stopping !== undefined) return false;
    if (command.kind === 'pause' || command.kind === 'resume') {
      const isPaused = command.kind === 'pause';
      if (isPaused === this.#isPaused) return false;
      this.#isPaused = isPaused;
    } else {
      if (!this.#isObeyable(command)) return false;
      this.#append({ kind: 'steer', command, at: this.#now() });
    }
    this.#wake?.();
    return true;
  }

  /**
   * Keeps the run from ending while a person reviews beside it, so that it can take what they decide; only `stop` ends it
   * all the same. The result lets go.
   */
  hold(): () => void {
    this.#holds++;
    let isHeld = true;
    return () => {
      if (isHeld) this.#holds--;
      isHeld = false;
      this.#wake?.();
    };
  }

  /** The numbers of this moment. */
  status(): CrawlStatus {
    const state = this.#state;
    const elapsedMs = this.#steadyNow() - this.#startedAt;
    const sizes = state.frontier.sizes();
    const queues = goodTopics(state.tree).map(({ id }) => ({
      topic: id,
      incoming: sizes.get(id)?.incoming ?? 0,
      outgoing: sizes.get(id)?.outgoing ?? 0,
      accepted: state.kept.topics.get(id)?.accepted ?? 0,
      meanConfidence: state.kept.topics.get(id)?.meanConfidence ?? 0,
      archetypes: this.#rounds.archetypesOf(id),
      xiAlphaPrecision: state.round?.estimates.find((e) => e.topic === id)?.xiAlphaPrecision ?? Number.NaN,
    }));
    const hits = state.recent.filter(Boolean).length;
    return {
      phase: this.#stopping === undefined ? state.phase : 'done',
      fetched: state.fetched,
      budget: this.#budget,
      relevant: state.relevant,
      failed: state.failed,
      refused: state.refused,
      duplicates: state.duplicates,
      pagesPerSecond: elapsedMs > 0 ? ((state.fetched - this.#fetchedBefore) * 1000) / elapsedMs : 0,
      recentHarvestRate: state.recent.length === 0 ? 0 : hits / state.recent.length,
      queues,
      hosts: { ...this.#hosts.counts(), named: this.#hosts.named(HOSTS_NAMED) },
      inFlight: this.#inFlight,
      elapsedMs,
      paused: this.#isPaused,
      ordering: this.#wantedOrdering,
      limits: {
        learn: state.limit('learn'),
        time: state.limit('time'),
        tunnel: state.limit('tunnel'),
        parallel: this.#exact ? 1 : state.limit('parallel'),
      },
      ...(this.#rechecks && { recheck: { ...this.#rechecks.counts } }),
    };
  }

  /** Pages to fetch in all; those that a recheck finds linked anew may go beyond the budget. */
  get #budget(): number {
    const { fetched, freshWaiting } = this.#state;
    if (this.#rechecks === undefined) return this.#share;
    const allowed = this.#config.recheck.newPages - (fetched - this.#fetchedBefore);
    return Math.max(this.#share, fetched + Math.min(allowed, freshWaiting + this.#inFlightBudgeted));
  }

  /** The budget as a person gave it; a run that is for rechecking alone harvests nothing. */
  get #share(): number {
    const { budget, phase } = this.#state;
    return this.#isOnlyRecheck && phase === 'harvesting' ? Math.min(budget, this.#fetchedBefore) : budget;
  }

  get #isOnlyRecheck(): boolean {
    return this.#rechecks !== undefined && this.#options.onlyRecheck === true;
  }

  get #isRechecking(): boolean {
    return this.#rechecks !== undefined && !this.#rechecks.isEmpty && this.#state.phase === 'harvesting';
  }

  #newState(ordering: OrderingName): CrawlState {
    const { tree, config } = this.#options;
    const state: CrawlState = new CrawlState(
      tree,
      { ...config, crawl: { ...config.crawl, ordering } },
      {
        hosts: this.#hosts,
        resolve: (host) => this.#resolveAhead(host, state),
        isResolved: (host) => this.#exact || this.#resolved.has(host),
      },
    );
    return state;
  }

  /** Folds the journal; once more when a person had chosen another ordering, which only the journal can tell. */
  async #resume(run: RunRecord): Promise<void> {
    await this.#replay(this.#state, true);
    const ordering = steered(this.#state.steering, run).ordering ?? this.#config.crawl.ordering;
    if (ordering !== this.#state.ordering) await this.#reorder(ordering);
  }

  /** Moves times of records to the steady clock. A time to come was written while the system's clock was wrong. */
  #pastOnSteadyClock(): (at: number) => number {
    const now = this.#now();
    const ahead = this.#steadyNow() - now;
    return (at) => Math.min(at, now) + ahead;
  }

  /** @param isFirst - the process begins: what hosts did before it is told to their clocks, once */
  async #replay(state: CrawlState, isFirst = false): Promise<void> {
    const total = await this.#journal.count();
    const history = new HostHistory();
    await replay(state, this.#journal, {
      onRecord: (record, job) => {
        if (isFirst) history.note(record, job);
      },
      onRead: (read) => this.#emit({ kind: 'resuming', read, total }),
    });
    history.tell(this.#hosts, this.#pastOnSteadyClock());
  }

  /**
   * Another ordering judges every page anew: the state is made again from the journal, as in a crawl that was resumed with
   * that ordering. Nothing may be in flight.
   */
  async #reorder(ordering: OrderingName): Promise<void> {
    await this.#journal.flush();
    const state = this.#newState(ordering);
    await this.#replay(state);
    this.#state = state;
    this.#rounds.follow(state);
  }

  get #wantedOrdering(): OrderingName {
    return this.#state.steering.ordering ?? this.#config.crawl.ordering;
  }

  get #isReordering(): boolean {
    return this.#wantedOrdering !== this.#state.ordering;
  }

  #isObeyable(command: Steer): boolean {
    const { phase, budget, steering, tree } = this.#state;
    switch (command.kind) {
      case 'end-learning':
        return phase === 'learning' && !steering.learningEnded;
      case 'begin-learning':
        return phase === 'harvesting' && !steering.learningWanted && this.#config.crawl.learn > 0;
      case 'set-budget':
        return Number.isSafeInteger(command.budget) && command.budget > 0 && command.budget !== budget;
      case 'set-limit':
        return command.value !== this.#state.limit(command.limit) && !(this.#exact && command.limit === 'parallel');
      case 'lock-host':
        return !steering.lockedHosts.includes(command.host);
      case 'mark-topic': {
        const node = tree.nodes.get(command.topic);
        if (node === undefined || node.parent === undefined || node.good === command.good) return false;
        // A crawl that is for nothing would never know what to follow.
        return command.good || goodTopics(tree).length > 1;
      }
      case 'set-ordering':
        return command.ordering !== this.#wantedOrdering;
      case 'reclassified':
        return false;
      case 'judge-page':
        return isPossible(command.judgement, tree) && this.#rounds.emptiedBy([command.judgement]).length === 0;
    }
  }

  async #loop(): Promise<StopReason> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      await this.#advance();
      const end = this.#endReason();
      if (end !== undefined && this.#inFlight === 0 && this.#training === undefined) return end;
      if (end === undefined) this.#fill();
      await this.#pause();
    }
  }

  /** Moves the crawl to its next phase or round when it is time. */
  async #advance(): Promise<void> {
    if (this.#stopping !== undefined) return;
    if (this.#isReordering && this.#inFlight === 0 && this.#training === undefined)
      await this.#reorder(this.#wantedOrdering);
    const state = this.#state;
    if (state.phase === 'bootstrap') {
      if (state.isDry && this.#inFlight === 0) await this.#beginLearning();
      return;
    }
    if (state.steering.learningWanted && this.#inFlight === 0 && this.#training === undefined) {
      this.#enter('learning', 'asked for by a person');
      return;
    }
    if (this.#training === undefined && this.#isRoundDue()) {
      this.#roundCheckedAt = state.fetched;
      this.#training = this.#round().finally(() => {
        this.#training = undefined;
        this.#wake?.();
      });
    }
    if (this.#exact || (state.phase === 'learning' && this.#isLearned())) await this.#training;
    if (state.phase === 'learning' && this.#isLearned() && this.#options.only !== 'learn') {
      this.#enter('harvesting', this.#learnedReason());
      this.#tellFewExamples();
    }
  }

  #tellFewExamples(): void {
    for (const { topic, pages, archetypes } of this.#rounds.fewExamples()) {
      const found = counted(archetypes, 'archetype');
      const message = `Learning found ${found} for "${topic}": it is learned from ${counted(pages, 'page')} in all.`;
      this.#alarm('few-examples', message, 'Look over what it found: bingo review.');
    }
  }

  /** Once in a run. */
  #tellIndiscriminate(): void {
    if (this.#isIndiscriminateTold) return;
    this.#isIndiscriminateTold = true;
    const message =
      'Nearly every page looks like the examples: OTHERS are too few, or come from elsewhere. ' +
      'Until the classifier can tell pages apart, those that look least like the examples are taken for OTHERS.';
    const remedy =
      'Name ten pages of the same sites that you do not want under "others:" in bingo.yaml, or mark some bad.';
    this.#alarm('indiscriminate', message, remedy);
  }

  async #beginLearning(): Promise<void> {
    this.#rounds.checkTrainingPages((...alarm) => this.#alarm(...alarm));
    await this.#journal.flush();
    if (this.#state.round === undefined) this.#append(await this.#rounds.first(this.#now()));
    const skip = this.#options.only === 'harvest' || this.#config.crawl.learn === 0;
    this.#enter(skip ? 'harvesting' : 'learning', 'training pages fetched');
  }

  /** Rounds happen at fixed counts of pages, so that a resumed crawl makes the same ones. */
  #isRoundDue(): boolean {
    const { retrainEvery, maxArchetypes } = this.#config.learn;
    if (this.#state.round !== undefined && this.#isTaughtAnew()) return true;
    if (maxArchetypes === 0) return false;
    const { fetched, phase } = this.#state;
    if (fetched === this.#roundCheckedAt || fetched === 0) return false;
    if (this.#state.kept.isDiscernmentDue) return true;
    return fetched % roundInterval(fetched, retrainEvery) === 0 || (phase === 'learning' && this.#isLearned());
  }

  #isLearned(): boolean {
    return this.#learnedReason() !== '';
  }

  #learnedReason(): string {
    const learn = this.#state.limit('learn');
    const { authorityArchetypes, confidenceArchetypes } = this.#config.learn;
    if (this.#state.learned + this.#inFlightBudgeted >= learn && this.#inFlight === 0)
      return `${counted(learn, 'page')} fetched`;
    if (this.#state.isDry && this.#inFlight === 0) return 'the frontier is dry';
    if (this.#state.steering.learningEnded && this.#inFlight === 0) return 'ended by a person';
    const enough = Math.min(authorityArchetypes, confidenceArchetypes);
    const topics = goodTopics(this.#state.tree);
    const isRich =
      enough > 0 &&
      !this.#state.steering.isLearningAgain &&
      topics.every(({ id }) => this.#rounds.archetypesOf(id) >= enough);
    return isRich && this.#inFlight === 0 ? `every topic has ${counted(enough, 'archetype')}` : '';
  }

  /** People gave other pages to learn from, or other settings of learning. */
  #isTaughtAnew(): boolean {
    const { isJudgedAnew, isSetAnew } = this.#state;
    return isJudgedAnew || (isSetAnew && !this.#isTrainingWaiting) || this.#isTreeChanged();
  }

  /** Once in a run, as soon as the training pages are there: bingo.yaml was changed since the last round. */
  #isTreeChanged(): boolean {
    if (this.#isTreeLearned) return false;
    if (this.#isTrainingWaiting) return false;
    this.#isTreeLearned = !this.#rounds.isStale();
    return !this.#isTreeLearned;
  }

  async #round(): Promise<void> {
    try {
      const isChanged = this.#isTaughtAnew();
      if (this.#state.kept.isIndiscriminate) this.#tellIndiscriminate();
      const record = await (isChanged ? this.#rounds.judged(this.#now) : this.#rounds.next(this.#now));
      this.#isTreeLearned ||= isChanged;
      if (record !== undefined) this.#append(record);
    } catch (error) {
      this.#fail(error);
    }
  }

  #enter(phase: Phase, reason: string): void {
    this.#append({ kind: 'phase', phase, reason, at: this.#now() });
  }

  #endReason(): StopReason | undefined {
    if (this.#stopping !== undefined) return this.#stopping;
    if (this.#holds > 0) return undefined;
    if (this.#isTimeUp) return 'time';
    if (this.#state.phase === 'bootstrap' || this.#isRechecking) return undefined;
    if (this.#isTrainingWaiting) return undefined;
    const isHarvesting = this.#state.phase === 'harvesting';
    if (this.#state.fetched >= this.#budget) return this.#isOnlyRecheck && isHarvesting ? 'rechecked' : 'budget';
    if (this.#state.phase === 'learning') {
      return this.#options.only === 'learn' && this.#isLearned() ? 'learned' : undefined;
    }
    return this.#state.isDry && this.#inFlight === 0 ? 'frontier-dry' : undefined;
  }

  get #isTimeUp(): boolean {
    const timeMs = this.#state.limit('time');
    return timeMs > 0 && this.#steadyNow() - this.#startedAt >= timeMs;
  }

  /** Starts fetches while there is room: in flight, in the budget, in the journal. */
  #fill(): void {
    while (this.#canStart()) {
      const job = this.#takeRecheck() ?? (this.#hasRoom() ? this.#takeNew() : undefined);
      if (job === undefined) return;
      void this.#work(job);
    }
  }

  /** Beyond the budget only training pages, and what a recheck found linked anew. */
  #takeNew(): Pinned | undefined {
    const now = this.#steadyNow();
    const isBeyond = this.#state.fetched + this.#inFlightBudgeted >= this.#share;
    if (!isBeyond) return this.#state.take(now);
    return this.#state.takePinned(now, this.#rechecks === undefined ? isTraining : undefined);
  }

  /** Pages that bingo.yaml names and that were not fetched yet: no budget counts them. */
  get #isTrainingWaiting(): boolean {
    return this.#inFlightTraining > 0 || this.#state.pinned.some(isTraining);
  }

  #takeRecheck(): RecheckJob | undefined {
    if (!this.#isRechecking) return undefined;
    const job = this.#rechecks!.take(this.#steadyNow());
    if (job === undefined || this.#state.beginRecheck(job)) return job;
    this.#rechecks!.counts.failed++;
    this.#hosts.release(job.entry.host, this.#steadyNow(), 'ok');
    return undefined;
  }

  #canStart(): boolean {
    const concurrency = this.#exact ? 1 : this.#state.limit('parallel');
    const backlogLimit = 4 * this.#config.store.batch + concurrency;
    if (this.#inFlight >= concurrency || this.#journal.backlog >= backlogLimit) return false;
    if (this.#isPaused || this.#isTimeUp || this.#isReordering || this.#state.steering.learningWanted) return false;
    return this.#isRechecking || this.#hasRoom();
  }

  #hasRoom(): boolean {
    const learn = this.#state.limit('learn');
    const { fetched, learned, phase, steering } = this.#state;
    if (this.#exact && this.#training !== undefined) return false;
    if (phase === 'bootstrap' || this.#state.pinned.some(isTraining)) return true;
    if (phase === 'learning' && steering.learningEnded) return false;
    if (phase === 'learning' && learned + this.#inFlightBudgeted >= learn) return false;
    return fetched + this.#inFlightBudgeted < this.#budget;
  }

  async #work(job: Pinned): Promise<void> {
    const budgeted = isBudgeted(job) ? 1 : 0;
    const training = isTraining(job) ? 1 : 0;
    this.#inFlight++;
    this.#inFlightBudgeted += budgeted;
    this.#inFlightTraining += training;
    try {
      const isGivenUp = this.#hosts.isBad(job.entry.host);
      const answer = isGivenUp ? this.#givenUp(job) : await this.#fetch(job);
      if (!isGivenUp) this.#releaseHost(job, answer);
      // As if the process had ended: the journal knows nothing of it, and the next run takes it again.
      if (answer === undefined) return;
      const page = answer.kind === 'fetched' ? answer : this.#lastPart(job, answer);
      const analysis = page && (await this.#analyze(job, page));
      const outcome = page !== undefined && (page === answer || isWorthKeeping(analysis)) ? page : answer;
      if (isRecheck(job)) this.#concludeRecheck(job, outcome, analysis);
      else this.#conclude(job, outcome, analysis);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#inFlight--;
      this.#inFlightBudgeted -= budgeted;
      this.#inFlightTraining -= training;
      this.#wake?.();
    }
  }

  /** Waits and asks again when there was no network to ask by; `undefined` when the run ends before it is back. */
  async #fetch(job: Pinned): Promise<FetchOutcome | undefined> {
    for (;;) {
      const outcome = await this.#fetcher.fetch(job.entry.url, knownVersion(job));
      if (!(await this.#reachability.wasLost(outcome))) return outcome;
      if (!this.#isWanted) return undefined;
    }
  }

  #newReachability(): Reachability {
    return new Reachability({
      isReachable: async (url) => (await this.#options.fetcher.isReachable?.(url)) ?? true,
      sleep: async (ms) => {
        const end = performance.now() + ms;
        for (let left = ms; left > 0 && this.#isWanted; left = end - performance.now())
          await sleep(Math.min(LOOK_MS, left));
      },
      isWanted: () => this.#isWanted,
      onLost: () => {
        const message = 'Nobody answers, nor do the sites that answered a moment ago: this machine has no network.';
        this.#alarm('offline', message, 'Nothing is lost. The crawl goes on when one of them answers again.');
      },
      onBack: () => this.#alarm('online', 'The network is back.', 'Nothing needs to be done.'),
    });
  }

  #newStoreWatch(): StoreWatch {
    return new StoreWatch({
      backlog: () => this.#journal.backlog,
      now: () => this.#steadyNow(),
      onStuck: (waiting) => {
        const message = `The store takes nothing at the moment; ${counted(waiting, 'record')} of this crawl wait for it.`;
        this.#alarm(
          'store-waits',
          message,
          'Nothing is lost. Fetching waits, too, and goes on when the store answers.',
        );
      },
      onBack: () => this.#alarm('store-back', 'The store takes records again.', 'Nothing needs to be done.'),
    });
  }

  get #isWanted(): boolean {
    return this.#stopping === undefined && !this.#isTimeUp && this.#failure === undefined;
  }

  #givenUp({ entry: { url, host } }: Pinned): FetchOutcome {
    const detail = `${host} is left alone after ${counted(this.#config.crawl.maxTries, 'failure')}`;
    return { kind: 'refused', url, reason: 'bad-host', detail, fetchedAt: this.#now() };
  }

  /** What came of a page that broke off each time it was asked for. A stored page is not replaced by a part of it. */
  #lastPart(job: Pinned, answer: FetchOutcome): FetchedPage | undefined {
    const isLast = !isRecheck(job) && answer.kind === 'failed' && !this.#isTriedAgain(job, answer);
    return isLast ? answer.part : undefined;
  }

  #isTriedAgain({ entry }: Pinned, outcome: FetchOutcome): boolean {
    const hasTries =
      outcome.kind === 'failed' && outcome.retry === 'later' && entry.tries + 1 < this.#config.crawl.maxTries;
    return hasTries && !this.#hosts.isBad(entry.host);
  }

  #analyze({ entry }: Pinned, page: FetchedPage): Promise<Analysis> {
    const mode = this.#state.phase === 'harvesting' ? 'harvesting' : 'learning';
    const context = this.#state.surroundings.of([entry.url, ...entry.redirects]);
    return this.#options.analyzer.analyze(page, mode, context);
  }

  #releaseHost(job: Pinned, outcome: FetchOutcome | undefined): void {
    const { host } = job.entry;
    const crawlDelayMs = this.#fetcher.crawlDelayMs(host);
    if (crawlDelayMs > 0) this.#hosts.setCrawlDelay(host, crawlDelayMs);
    const trouble = outcome?.kind === 'failed' && outcome.retry === 'later';
    this.#hosts.release(host, this.#steadyNow(), trouble ? 'failed' : 'ok', trouble ? outcome.retryAfterMs : undefined);
  }

  /** One fetch is over: its record goes into the state and the journal. */
  #conclude(job: Pinned, outcome: FetchOutcome, analysis: Analysis | undefined): void {
    if (outcome.kind !== 'fetched') {
      this.#append(visitRecord(job, outcome, this.#isTriedAgain(job, outcome)), job);
      return;
    }
    if (analysis === undefined || analysis.kind === 'unusable') {
      this.#append(visitRecord(job, { ...outcome, unusable: analysis }, false), job);
      return;
    }
    const { document } = analysis;
    const duplicate = job.role === 'crawled' ? this.#state.duplicateOf(document.contentHash) : undefined;
    if (duplicate !== undefined) {
      this.#append(visitRecord(job, { ...outcome, duplicateOf: duplicate }, false), job);
      return;
    }
    // Where a person wants the crawl to start, it starts, whatever the page is like.
    const isSitemap = job.entry.via === 'sitemap';
    const isFound = job.role === 'crawled' && job.entry.via !== 'seed' && !isSitemap;
    const near = isFound ? this.#state.nearDuplicateOf(document, job.entry.url) : undefined;
    if (near !== undefined) {
      this.#append(visitRecord(job, { ...outcome, duplicateOf: near.page, how: near.how }, false), job);
      return;
    }
    if (document.noindex && job.role === 'crawled') {
      this.#append(visitRecord(job, { ...outcome, unwanted: document }, false), job);
      return;
    }
    const given = isSitemap ? sitemapAssignment(job, this.#state.tree) : undefined;
    const trainingRole = job.role === 'crawled' ? given : exampleAssignment(job, this.#state.tree);
    const assignment = trainingRole ?? this.#assignmentOf(analysis);
    if (assignment === undefined)
      throw new BingoError({
        code: 'NO_MODEL',
        message: `The page ${job.entry.url} was fetched before a model existed.`,
      });
    this.#append(pageRecord(job, outcome, analysis, assignment), job);
  }

  /** The same for a page that was looked at again. */
  #concludeRecheck(job: RecheckJob, outcome: FetchOutcome, analysis: Analysis | undefined): void {
    const queue = this.#rechecks!;
    const state = this.#state;
    const answer = recheckAnswer(job, outcome, analysis, {
      ...{ rules: this.#config.recheck, ...this.#config.crawl },
      isBad: (host) => this.#hosts.isBad(host),
      pageOf: (url) => state.seen.pageOf(url),
      duplicateOf: (contentHash) => state.duplicateOf(contentHash),
      hasNewLinks: (document) => state.hasNewLinks(document),
    });
    switch (answer.kind) {
      case 'again':
        state.endRecheck(job);
        queue.add(answer.job);
        return;
      case 'visit':
        this.#append(answer.record, job);
        if (answer.next !== undefined) queue.add(answer.next);
        if (answer.end !== undefined) queue.counts[answer.end]++;
        return;
      case 'version': {
        const assignment =
          job.role === 'crawled' ? this.#assignmentOf(answer.analysis) : exampleAssignment(job, state.tree);
        this.#append(pageRecord(job, answer.page, answer.analysis, assignment!), job);
        queue.counts[job.entry.url === job.recheck.finalUrl ? 'changed' : 'moved']++;
      }
    }
  }

  /** Until the first round of a run the model may know topics that bingo.yaml no longer has. */
  #assignmentOf({ assignment }: { readonly assignment: Assignment | undefined }): Assignment | undefined {
    return assignment && assignmentIn(this.#state.tree, assignment);
  }

  #append(record: Unnumbered<JournalRecord>, job?: Pinned): void {
    const numbered = { ...record, sequence: this.#state.sequence + 1 } as JournalRecord;
    this.#state.apply(numbered, job);
    this.#journal.append(numbered);
    if (numbered.kind === 'round') this.#options.analyzer.setModel(numbered.blob);
    if (numbered.kind !== 'run') this.#emit({ kind: numbered.kind, record: numbered } as CrawlEvent);
    for (const alarm of this.#state.takeAlarms()) this.#emit({ kind: 'alarm', ...alarm });
  }

  #resolveAhead(host: string, state: CrawlState): void {
    void this.#fetcher.resolve(host).then((ok) => {
      if (this.#resolved.size > this.#config.network.dnsCacheSize) this.#resolved.clear();
      if (ok) this.#resolved.add(host);
      state.resolved(host, ok);
      this.#wake?.();
    });
  }

  /** Sleeps until something happens: a fetch ends, a commit, a host becomes willing, the time is up. */
  async #pause(): Promise<void> {
    const timeMs = this.#state.limit('time');
    const now = this.#steadyNow();
    const end = timeMs > 0 && !this.#isTimeUp ? this.#startedAt + timeMs : Number.POSITIVE_INFINITY;
    const rechecked = this.#isRechecking ? this.#rechecks!.nextWillingAt(now) : Number.POSITIVE_INFINITY;
    const willing = Math.min(rechecked, this.#hasRoom() ? this.#state.nextWillingAt(now) : Number.POSITIVE_INFINITY);
    const wakeAt = Math.min(this.#canStart() ? willing : Number.POSITIVE_INFINITY, end);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(1, Math.min(MAX_PAUSE_MS, wakeAt - now)));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#wake?.();
  }

  #alarm(code: string, message: string, remedy: string): void {
    this.#emit({ kind: 'alarm', code, message, remedy });
  }

  #emit(event: CrawlEvent): void {
    this.#options.onEvent?.(event);
  }
}

function isTraining({ role, entry }: Pinned): boolean {
  return role !== 'crawled' && entry.via !== 'recheck';
}

/** A stored page in the words of the tree, which may have lost its topic since. */
function pageIn(tree: TopicTree, page: PageHistory): PageHistory {
  return { ...page, origin: { ...page.origin, topic: keptTopic(tree, page.origin.topic) } };
}

/** Of a page that broke off so many words must have come for it to be kept. */
const MIN_PART_TOKENS = 50;

function isWorthKeeping(part: Analysis | undefined): boolean {
  return part?.kind === 'analyzed' && part.document.tokens >= MIN_PART_TOKENS;
}

function isRecheck(job: Pinned): job is RecheckJob {
  return 'recheck' in job;
}

/** What to ask for, when the page is still where it was. */
function knownVersion(job: Pinned): KnownVersion | undefined {
  return isRecheck(job) && job.entry.url === job.recheck.finalUrl ? job.recheck : undefined;
}

type Unnumbered<T> = T extends unknown ? Omit<T, 'sequence'> : never;

function publicSettings(config: Config): Config {
  const url = config.store.url.replace(/\/\/[^@/]*@/, '//');
  return { ...config, store: { ...config.store, url } };
}
