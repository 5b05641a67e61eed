import {
  type CanonicalUrl,
  type Config,
  type CrawlEvent,
  type CrawlStatus,
  hostOf,
  isOnSite,
  type JournalRecord,
  type PageHistory,
  type PhaseRecord,
  type RecheckCounts,
  type RunRecord,
  type SteerCommand,
  type StopReason,
  type TopicTree,
} from '../core/index.ts';
import { HostClocks, UrlRules } from '../crawl/index.ts';
import type { Trouble } from '../fetch/index.ts';
import { Sleep, Turns } from '../kit/index.ts';
import { checkpointLeftOut, type Notice, STORE_BACK, storeWaits } from './alarms.ts';
import { Allowance } from './allowance.ts';
import { Checkpointing, type CheckpointPace, PACE } from './checkpoints/checkpointing.ts';
import { recordDigest } from './checkpoints/digests.ts';
import { Commands } from './commands.ts';
import { conclusion } from './conclusion.ts';
import { type JobAnswer, JobFetcher } from './fetching/job-fetcher.ts';
import { objectionTo } from './fetching/objection.ts';
import { FoldedState } from './folded-state.ts';
import { Journaling } from './journaling.ts';
import { Phases } from './phases.ts';
import type { Analyzer, CheckpointStore, Fetcher, Journal, Trainer } from './ports.ts';
import { mayBeAskedFor } from './recheck/recheck.ts';
import { Rechecking, type StaleExample } from './recheck/rechecking.ts';
import type { Unnumbered } from './records.ts';
import { Rounds } from './rounds/rounds.ts';
import type { SpentBudgets } from './state/budgets.ts';
import type { CrawlState } from './state/crawl-state.ts';
import { isRecheck, isTraining, type Pinned } from './state/jobs.ts';
import { crawlStatus } from './status.ts';
import { readSettings, settingChanges, settingsText } from './steering/setting-changes.ts';
import { StoreWatch } from './store-watch.ts';
import { documentsDigest, type InlineExample } from './training/trainer-features.ts';
import type { UnusedTrainingPage } from './training/training-failures.ts';
import { UnderWay } from './under-way.ts';

/** Longest sleep of the loop: clocks may jump, and a lost wake-up must not stop a crawl. */
const MAX_PAUSE_MS = 1000;
/** So often it is looked whether the store still takes records. */
const STORE_LOOK_MS = 1_000;

/** Everything a crawl needs; the parts are made and closed by whoever makes the crawl. */
export interface CrawlOptions {
  readonly tree: TopicTree;
  readonly config: Config;
  readonly fetcher: Fetcher;
  readonly analyzer: Analyzer;
  readonly trainer: Trainer;
  readonly journal: Journal;
  /** Absent: a resumed crawl reads its journal from the first record. */
  readonly checkpoints?: CheckpointStore;
  readonly checkpointPace?: CheckpointPace;
  /** Training documents that are no web pages: local files and queries, already analysed. */
  readonly inline?: readonly InlineExample[];
  /** Only the learning phase, or straight to harvesting. */
  readonly only?: 'learn' | 'harvest';
  /** Stored pages to look at again while harvesting, most overdue first. The budget does not count them. */
  readonly recheck?: readonly PageHistory[];
  /** Ends when they have been looked at and what they link to anew is there, whatever is left of the budget. */
  readonly onlyRecheck?: boolean;
  /** End harvesting when it brings nothing any more: at once, or after three alarms. Default: never. */
  readonly endWhen?: 'barren' | 'alarms';
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  readonly onEvent?: (event: CrawlEvent) => void;
}

export type { StopReason };

export interface CrawlSummary {
  readonly reason: StopReason;
  /** False: it was stopped while the journal was read. Nothing was done, and `status` and `spent` know a part of the journal. */
  readonly isResumed: boolean;
  readonly status: CrawlStatus;
  /** Pages to fetch in all, as a person gave it; a run for rechecks alone has used up less in `status`. */
  readonly budget: number;
  /** Pages fetched by this run. */
  readonly fetchedNow: number;
  /** What stored pages should be judged by has changed since they were last judged again: see `CrawlState.isReclassificationDue`. */
  readonly isReclassificationDue: boolean;
  /** A round is left to the next run: this one was stopped before it was made. */
  readonly isRoundLeft: boolean;
  readonly spent: SpentBudgets;
  /** Training pages that could not be had, and so teach nothing; examples first. */
  readonly unusedTraining: readonly UnusedTrainingPage[];
  /** What a recheck came to; absent without one. */
  readonly recheck?: RecheckCounts;
  /** Examples that it found to be no longer what they were; absent without one. */
  readonly staleExamples?: readonly StaleExample[];
}

/**
 * A crawl: learning phase, then harvesting phase (BINGO! §2.6). `run` resumes from the journal first. One loop on the
 * main thread takes entries, hands bodies to the analyzer, folds every result into the state and the journal.
 */
export class Crawl {
  readonly #options: CrawlOptions;
  readonly #config: Config;
  readonly #journal: Journal;
  readonly #hosts: HostClocks;
  readonly #fetcher: JobFetcher;
  readonly #underWay = new UnderWay();
  readonly #turns = new Turns();
  readonly #sleep = new Sleep();
  readonly #journaling: Journaling;
  readonly #commands: Commands;
  readonly #folded: FoldedState;
  readonly #rounds: Rounds;
  readonly #phases: Phases;
  readonly #allowance: Allowance;
  readonly #now: () => number;
  /** For waiting: never goes back and never jumps, whatever the system's clock does. */
  readonly #steadyNow: () => number;
  /** With one fetch at a time a crawl repeats exactly: it waits for retraining instead of going on beside it. */
  readonly #exact: boolean;
  #stopping: StopReason | undefined;
  /** Why the run ended, once it did. */
  #ended: StopReason | undefined;
  readonly #ending = new AbortController();
  /** No request may begin: what has not begun is given up. */
  readonly #noMore = new AbortController();
  /** Training pages that earlier runs could not have, and this one does not ask for. */
  #failedBefore: ReadonlySet<string> = new Set();
  #failure: unknown;
  #startedAt = 0;
  /** When the journal was read and fetching could begin. */
  #wentOnAt = Number.POSITIVE_INFINITY;
  readonly #rechecks: Rechecking | undefined;
  #checkpointing: Checkpointing | undefined;

  constructor(options: CrawlOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#journal = options.journal;
    this.#now = options.now ?? Date.now;
    this.#steadyNow = options.now ?? (() => performance.timeOrigin + performance.now());
    this.#exact = options.config.network.concurrency === 1;
    this.#hosts = new HostClocks({
      ...options.config.network,
      maxTries: options.config.crawl.maxTries,
      meetAlone: options.config.network.robots,
      addressOf: (host) => options.fetcher.addressOf?.(host),
    });
    this.#folded = this.#newFoldedState();
    this.#journaling = this.#newJournaling();
    this.#commands = this.#newCommands();
    this.#rechecks = options.recheck && this.#newRechecking(options.recheck);
    this.#rounds = new Rounds({ ...options, turns: this.#turns, ending: this.#ending.signal }, this.#state);
    this.#fetcher = this.#newJobFetcher();
    this.#phases = this.#newPhases();
    this.#allowance = this.#newAllowance();
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
      this.#sleep.wake();
    });
    this.#journal.onFailed((error) => this.#fail(error));
    const settings = settingsText(this.#config, documentsDigest(this.#options.inline ?? []));
    const run: RunRecord = { kind: 'run', at: this.#now(), settings, sequence: 0 };
    const isResumed = await this.#folded.resume(run);
    const reason = isResumed ? await this.#goOn(run) : (this.#stopping ?? 'stopped');
    this.#ended = reason;
    await this.#journal.flush();
    if (this.#failure !== undefined) throw this.#failure;
    await this.#checkpointing?.end();
    const { tally, budget, isReclassificationDue, spent } = this.#state;
    const { staleExamples = [] } = this.#rechecks ?? {};
    const recheck = this.#rechecks && { recheck: this.#rechecks.counts(), staleExamples };
    const isRoundLeft = isResumed && this.#phases.isRoundLeft;
    const fetchedNow = isResumed ? tally.fetched - this.#allowance.fetchedBefore : 0;
    return {
      ...{ reason, isResumed, status: this.status(), budget, fetchedNow, isReclassificationDue, isRoundLeft, spent },
      ...{ unusedTraining: this.#rounds.unusedTraining(this.#failedBefore), ...recheck },
    };
  }

  async #goOn(run: RunRecord): Promise<StopReason> {
    this.#rounds.follow(this.#state);
    this.#checkpointing = this.#newCheckpointing();
    this.#allowance.begin();
    this.#wentOnAt = this.#steadyNow();
    this.#tellChanges(run);
    this.#journaling.append(run);
    // The record of a run may have those that failed asked for again.
    this.#failedBefore = new Set(this.#state.training.failed.keys());
    this.#rounds.restore();
    this.#phases.begin();
    this.#commands.obey();
    return await this.#loop();
  }

  /** Settings that are not what they were in the run before. */
  #tellChanges({ settings }: RunRecord): void {
    const { steering, reopened } = this.#state;
    const askedAgain = Map.groupBy(reopened.values(), (setting) => setting);
    const counts = new Map([...askedAgain].map(([setting, all]) => [setting, all.length]));
    const changes = settingChanges(steering.configured, readSettings(settings), counts);
    if (changes.length > 0) this.#emit({ kind: 'settings', changes });
  }

  /**
   * Takes nothing more, gives up a round under way, which the next run makes, finishes what is in flight, saves; `run` then resolves. The
   * trainer may still work on the round: whoever made it closes it.
   */
  stop(reason: StopReason = 'stopped'): void {
    this.#stopping ??= reason;
    this.#ending.abort();
    this.#sleep.wake();
  }

  /**
   * Changes the running crawl, at once, or when it has read its journal. What changes decisions is written to the journal, so that a resumed crawl repeats
   * it; a pause ends with the process.
   * @returns false when the command would change nothing or cannot be obeyed now; nothing is written then
   */
  steer(command: SteerCommand): boolean {
    return this.#commands.steer(command);
  }

  /**
   * Keeps the run from ending while a person reviews beside it, so that it can take what they decide; only `stop` ends it
   * all the same. The result lets go.
   */
  hold(): () => void {
    return this.#commands.hold();
  }

  /** The journal is being read, at the start or for another ordering: `status` tells of a part. */
  get isReading(): boolean {
    return this.#commands.areWaiting;
  }

  /** Links that wait for a site, a host and those below its name. */
  waitingFor(site: string): number {
    return this.#state.frontier.waitingFor((host) => isOnSite(host, site));
  }

  /** The numbers of this moment. */
  status(): CrawlStatus {
    return crawlStatus(this.#state, {
      hosts: this.#hosts,
      archetypesOf: (topic) => this.#rounds.archetypesOf(topic),
      isEnding: this.#stopping !== undefined,
      isPaused: this.#commands.isPaused,
      isExact: this.#exact,
      budget: this.#allowance.budget,
      ordering: this.#folded.wantedOrdering,
      inFlight: this.#underWay.all,
      fetchedBefore: this.#allowance.fetchedBefore,
      elapsedMs: this.#steadyNow() - this.#startedAt,
      fetchingMs: Math.max(0, this.#steadyNow() - this.#wentOnAt),
      recheck: this.#rechecks?.counts(),
      trainingLeft: this.#phases.trainingLeft,
      isTraining: this.#phases.isTraining,
      endReason: this.#ended,
    });
  }

  /** What stands against asking the host of a URL, where nobody wanted a page of it: what a person said of it, or trouble that it is in. */
  objectionTo(url: CanonicalUrl): Trouble | undefined {
    return objectionTo(url, this.#state, { hosts: this.#hosts, now: this.#steadyNow() });
  }

  /** How long a request to the host of such a URL has to wait for its turn, in ms. Its turn is taken. */
  reserve(url: CanonicalUrl): number {
    return this.#hosts.reserve(hostOf(url), this.#steadyNow());
  }

  /** An exchange with the host of a URL is sent. */
  sent(url: CanonicalUrl): void {
    this.#hosts.sent(hostOf(url), this.#steadyNow());
  }

  /** False: the run ends, and no request may begin. */
  get mayAsk(): boolean {
    return this.#stopping === undefined && !this.#isTimeUp && this.#failure === undefined;
  }

  get #state(): CrawlState {
    return this.#folded.state;
  }

  get #isRechecking(): boolean {
    return this.#rechecks?.isGoingOn === true;
  }

  get #recheck(): 'none' | 'too' | 'only' {
    if (this.#rechecks === undefined) return 'none';
    return this.#options.onlyRecheck === true ? 'only' : 'too';
  }

  async #reorder(): Promise<void> {
    this.#commands.wait();
    if (!(await this.#folded.reorder(this.#folded.wantedOrdering))) return;
    this.#rounds.follow(this.#state);
    this.#commands.obey();
  }

  async #loop(): Promise<StopReason> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      await this.#advance();
      const end = this.#endReason();
      if (end !== undefined && !this.mayAsk) this.#noMore.abort();
      if (end !== undefined && this.#isIdle) return end;
      if (end === undefined) this.#fill();
      await this.#pause();
    }
  }

  async #advance(): Promise<void> {
    if (this.#stopping !== undefined || this.#journaling.isUnderWay) return;
    if (this.#folded.isReordering && this.#isIdle) await this.#reorder();
    await this.#phases.advance();
    // A recheck puts back into the frontier what it took out, between two records.
    if (!this.#isRechecking && !this.#journaling.isUnderWay) this.#checkpointing?.keepUp();
  }

  /** Nothing is being fetched or trained. */
  get #isIdle(): boolean {
    return this.#underWay.all === 0 && !this.#phases.isTraining;
  }

  #endReason(): StopReason | undefined {
    if (this.#stopping !== undefined) return this.#stopping;
    if (this.#commands.isHeld) return undefined;
    if (this.#isTimeUp) return 'time';
    if (this.#state.phase === 'bootstrap' || this.#isRechecking) return undefined;
    if (this.#phases.trainingLeft > 0 || this.#phases.isRoundOpen) return undefined;
    if (this.#phases.hasOnlyLearned) return 'learned';
    const isHarvesting = this.#state.phase === 'harvesting';
    if (this.#state.tally.fetched >= this.#allowance.budget)
      return isHarvesting && this.#recheck === 'only' ? 'rechecked' : 'budget';
    if (this.#state.phase === 'learning') {
      return this.#options.only === 'learn' && this.#phases.isLearned ? 'learned' : undefined;
    }
    if (this.#state.waiting.isDry && this.#underWay.all === 0) return 'frontier-dry';
    const { endWhen } = this.#options;
    return endWhen !== undefined && this.#state.isOver(endWhen) ? 'stagnation' : undefined;
  }

  get #isTimeUp(): boolean {
    const timeMs = this.#state.limit('time');
    return timeMs > 0 && this.#steadyNow() - this.#startedAt >= timeMs;
  }

  /** Starts fetches while there is room: in flight, in the budget, in the journal. */
  #fill(): void {
    while (this.#canStart()) {
      const job = this.#rechecks?.take(this.#steadyNow()) ?? (this.#allowance.hasRoom() ? this.#takeNew() : undefined);
      if (job === undefined) return;
      void this.#work(job);
    }
  }

  /** Beyond the budget only training pages, and what a recheck found linked anew. */
  #takeNew(): Pinned | undefined {
    const now = this.#steadyNow();
    const { waiting } = this.#state;
    return this.#allowance.isShareUsed ? waiting.takePinned(now, this.#fitsBeyond) : waiting.take(now);
  }

  get #fitsBeyond(): ((job: Pinned) => boolean) | undefined {
    return this.#rechecks === undefined ? isTraining : undefined;
  }

  #canStart(): boolean {
    if (this.#journaling.isUnderWay) return false;
    const concurrency = this.#exact ? 1 : this.#state.limit('parallel');
    const backlogLimit = 4 * this.#config.store.batch + concurrency;
    if (this.#underWay.all >= concurrency || this.#journal.backlog >= backlogLimit) return false;
    if (this.#commands.isPaused || this.#isTimeUp || this.#folded.isReordering || this.#state.steering.learningWanted)
      return false;
    return this.#isRechecking || this.#allowance.hasRoom();
  }

  async #work(job: Pinned): Promise<void> {
    this.#underWay.start(job);
    try {
      const isGivenUp = this.#hosts.isBad(job.entry.host);
      const answer = isGivenUp ? this.#fetcher.givenUp(job) : await this.#fetcher.answer(job);
      await this.#turns.come();
      // As if the process had ended: the journal knows nothing of it, and the next run takes it again. What is under way when a crawl
      // fails is broken off.
      if (this.#failure !== undefined) return;
      if (answer === undefined) this.#giveBack(job);
      else if (isRecheck(job)) this.#rechecks!.conclude(job, answer);
      else {
        const later = this.#conclude(job, answer);
        if (later !== undefined) await later;
      }
      if (answer !== undefined) this.#fetcher.release(answer);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#underWay.end(job);
      this.#sleep.wake();
    }
  }

  #giveBack(job: Pinned): void {
    if (isRecheck(job)) this.#rechecks!.giveBack(job);
    else this.#state.giveBack(job);
  }

  #newFoldedState(): FoldedState {
    const { tree, config, inline, journal, fetcher } = this.#options;
    return new FoldedState({
      ...{ tree, config, journal, hosts: this.#hosts, isExact: this.#exact },
      ...(inline && { inline }),
      ...(this.#options.checkpoints && { checkpoints: this.#options.checkpoints }),
      ...{ now: this.#now, steadyNow: this.#steadyNow },
      isWanted: () => this.#stopping === undefined,
      onRead: (read, total) => this.#emit({ kind: 'resuming', read, total }),
      onPage: (url) => this.#fetcher.recall(url),
      resolve: (host) => fetcher.resolve(host),
      wake: () => this.#sleep.wake(),
    });
  }

  #newCheckpointing(): Checkpointing | undefined {
    const { checkpoints } = this.#options;
    const folded = this.#folded;
    return (
      checkpoints &&
      new Checkpointing({
        ...{ store: checkpoints, journal: this.#journal, turns: this.#turns },
        hold: (work) => this.#journaling.hold(work).finally(() => this.#sleep.wake()),
        exchange: (fields) => folded.exchange(fields),
        header: () => folded.checkpoint,
        record: (sequence) => recordDigest(this.#journal, sequence),
        pace: this.#options.checkpointPace ?? PACE,
        begunWith: folded.restoredTo,
        onFailed: (error) => this.#alarm(checkpointLeftOut(error)),
      })
    );
  }

  #newJournaling(): Journaling {
    const { journal, analyzer } = this.#options;
    return new Journaling({
      ...{ journal, analyzer, turns: this.#turns },
      state: () => this.#state,
      isWanted: () => this.#failure === undefined,
      emit: (event) => this.#emit(event),
      onRecord: (record, job) => this.#folded.note(record, job),
    });
  }

  #newCommands(): Commands {
    return new Commands({
      state: () => this.#state,
      run: () => ({
        config: this.#config,
        isExact: this.#exact,
        ordering: this.#folded.wantedOrdering,
        emptiedBy: (judgements) => this.#rounds.emptiedBy(judgements),
      }),
      now: this.#now,
      isWanted: () => this.#stopping === undefined,
      append: (record) => this.#journaling.append(record),
      wake: () => this.#sleep.wake(),
    });
  }

  #newJobFetcher(): JobFetcher {
    const { fetcher, analyzer } = this.#options;
    return new JobFetcher({
      ...{ fetcher, analyzer, hosts: this.#hosts, config: this.#config.crawl },
      ...{ now: this.#now, steadyNow: this.#steadyNow },
      state: () => this.#state,
      ending: this.#noMore.signal,
      isWanted: () => this.mayAsk,
      alarm: (notice) => this.#alarm(notice),
    });
  }

  #newRechecking(pages: readonly PageHistory[]): Rechecking {
    const urls = new UrlRules(this.#config.crawl);
    const asked = pages.filter((page) => mayBeAskedFor(page, urls));
    return new Rechecking(asked, {
      ...{ config: this.#config, hosts: this.#hosts },
      state: () => this.#state,
      append: (record, job) => this.#journaling.append(record, job),
    });
  }

  #newPhases(): Phases {
    const { journal, only } = this.#options;
    return new Phases({
      ...{ journal, config: this.#config, isExact: this.#exact, rounds: this.#rounds, underWay: this.#underWay },
      ...(only && { only }),
      now: this.#now,
      ending: this.#ending.signal,
      state: () => this.#state,
      append: (record) => this.#journaling.append(record),
      enter: (record) => this.#enter(record),
      alarm: (notice) => this.#alarm(notice),
      fail: (error) => this.#fail(error),
      wake: () => this.#sleep.wake(),
    });
  }

  #newAllowance(): Allowance {
    return new Allowance({
      ...{ config: this.#config, recheck: this.#recheck },
      ...{ underWay: this.#underWay, phases: this.#phases },
      state: () => this.#state,
    });
  }

  #newStoreWatch(): StoreWatch {
    return new StoreWatch({
      backlog: () => this.#journal.backlog,
      now: () => this.#steadyNow(),
      onStuck: (waiting) => this.#alarm(storeWaits(waiting)),
      onBack: () => this.#alarm(STORE_BACK),
    });
  }

  /** One fetch is over: its record goes into the state and the journal. */
  #conclude(job: Pinned, answer: JobAnswer): Promise<void> | undefined {
    const isTriedAgain = this.#fetcher.isTriedAgain(job, answer.outcome);
    const make = (): Unnumbered<JournalRecord> => conclusion(job, answer, this.#state, isTriedAgain);
    return this.#journaling.inTurns(make, job, () => {
      this.#rechecks?.answered(job.entry.url);
      this.#underWay.end(job);
    });
  }

  /** What a person asks meanwhile is written behind it. */
  async #enter(record: Unnumbered<PhaseRecord>): Promise<void> {
    this.#commands.wait();
    await this.#journaling.inTurns(() => record);
    this.#commands.obey();
  }

  /** Sleeps until something happens: a fetch ends, a commit, a host becomes willing, the time is up. */
  async #pause(): Promise<void> {
    const timeMs = this.#state.limit('time');
    const now = this.#steadyNow();
    const end = timeMs > 0 && !this.#isTimeUp ? this.#startedAt + timeMs : Number.POSITIVE_INFINITY;
    const wakeAt = Math.min(this.#canStart() ? this.#nextWillingAt(now) : Number.POSITIVE_INFINITY, end);
    await this.#sleep.for(Math.max(1, Math.min(MAX_PAUSE_MS, wakeAt - now)));
  }

  #nextWillingAt(now: number): number {
    const rechecked = this.#rechecks?.nextWillingAt(now) ?? Number.POSITIVE_INFINITY;
    if (!this.#allowance.hasRoom()) return rechecked;
    const { waiting } = this.#state;
    // What may not be taken now, be it ever so willing, is nothing to wake up for.
    const { isShareUsed } = this.#allowance;
    const next = isShareUsed ? waiting.pinned.nextWillingAt(now, this.#fitsBeyond) : waiting.nextWillingAt(now);
    return Math.min(rechecked, next);
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#sleep.wake();
  }

  #alarm(notice: Notice): void {
    this.#emit({ kind: 'alarm', ...notice });
  }

  #emit(event: CrawlEvent): void {
    this.#options.onEvent?.(event);
  }
}
