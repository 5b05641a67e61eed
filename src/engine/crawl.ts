import {
  type BarrenHarvest,
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
  type TopicPaths,
  type TopicTree,
} from '../core/index.ts';
import { HostClocks, UrlRules } from '../crawl/index.ts';
import type { Trouble } from '../fetch/index.ts';
import { Sleep, Turns } from '../kit/index.ts';
import { barren, checkpointLeftOut, type Notice, STORE_BACK, storeWaits } from './alarms.ts';
import { barrenHarvest } from './barren-harvest.ts';
import { Checkpointing, type CheckpointPace, PACE } from './checkpoints/checkpointing.ts';
import { recordDigest } from './checkpoints/digests.ts';
import { Commands } from './commands.ts';
import { conclusion } from './fetch-record.ts';
import { objectionTo } from './fetching/fetch-permission.ts';
import { type JobAnswer, JobFetcher } from './fetching/job-fetcher.ts';
import { FoldedState } from './folded-state.ts';
import { UnderWay } from './in-flight.ts';
import { Journaling } from './journaling.ts';
import { Phases } from './phases.ts';
import type { Analyzer, CheckpointStore, Fetcher, Journal, Trainer } from './ports.ts';
import { mayBeAskedFor } from './recheck/recheck.ts';
import { Rechecking, type StaleExample } from './recheck/rechecking.ts';
import type { Unnumbered } from './records.ts';
import { Rounds } from './rounds/rounds.ts';
import { Allowance } from './run-budget.ts';
import type { SpentBudgets } from './state/budgets.ts';
import type { CrawlState } from './state/crawl-state.ts';
import { isRecheck, isTraining, type Pinned } from './state/jobs.ts';
import { crawlStatus } from './status.ts';
import { readSettings, settingChanges, settingsText } from './steering/setting-changes.ts';
import { StoreWatch } from './store-watch.ts';
import { documentsDigest, type InlineExample } from './training/trainer-features.ts';
import type { UnusedTrainingPage } from './training/training-failures.ts';

/** Longest sleep of the loop: clocks may jump, and a lost wake-up must not stop a crawl. */
const MAX_PAUSE_MS = 1000;
/** How often the crawl checks whether the store still accepts records. */
const STORE_LOOK_MS = 1_000;

/** Everything a crawl needs. The caller creates and closes the parts. */
export interface CrawlOptions {
  readonly tree: TopicTree;
  /** Topics of the tree by id. Default: as the journal names them. */
  readonly topics?: TopicPaths | undefined;
  readonly config: Config;
  readonly fetcher: Fetcher;
  readonly analyzer: Analyzer;
  readonly trainer: Trainer;
  readonly journal: Journal;
  /** If missing, a resumed crawl reads its journal from the first record. */
  readonly checkpoints?: CheckpointStore;
  readonly checkpointPace?: CheckpointPace;
  /** Training documents that are not web pages: local files and queries, already analysed. */
  readonly inline?: readonly InlineExample[];
  /** Run only the learning phase, or skip it. */
  readonly only?: 'learn' | 'harvest' | undefined;
  /** Stored pages to fetch again while harvesting, most overdue first. They do not count towards the budget. */
  readonly recheck?: readonly PageHistory[] | undefined;
  /** End once they and the pages they newly link to are fetched, whatever remains of the budget. */
  readonly onlyRecheck?: boolean | undefined;
  /**
   * End harvesting if it finds nothing any more: at once; or after three alarms, the first of which asks the user.
   * Default: never.
   */
  readonly endWhen?: 'barren' | 'alarms' | undefined;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  readonly onEvent?: (event: CrawlEvent) => void;
}

export type { StopReason };

export interface CrawlSummary {
  readonly reason: StopReason;
  /**
   * False if the run was stopped while reading the journal. Nothing was done, and `status` and `spent` cover part of
   * the journal.
   */
  readonly isResumed: boolean;
  readonly status: CrawlStatus;
  /** Pages to fetch in all, as the user set it. `status` has less if the run only rechecks. */
  readonly budget: number;
  /** Pages fetched by this run. */
  readonly fetchedNow: number;
  /**
   * True if the basis for judging stored pages changed since they were last judged: see
   * `CrawlState.isReclassificationDue`.
   */
  readonly isReclassificationDue: boolean;
  /** True if the run was stopped before its last round was made; the next run makes it. */
  readonly isRoundLeft: boolean;
  readonly spent: SpentBudgets;
  /** Training pages that could not be fetched and so teach nothing; examples first. */
  readonly unusedTraining: readonly UnusedTrainingPage[];
  /** Counts of the recheck; missing if nothing was rechecked. */
  readonly recheck?: RecheckCounts;
  /** Examples whose content changed according to the recheck; missing if nothing was rechecked. */
  readonly staleExamples?: readonly StaleExample[];
}

/**
 * A crawl: learning phase, then harvesting phase (BINGO! §2.6). `run` resumes from the journal first. One loop on the
 * main thread takes entries, sends bodies to the analyzer, and writes every result to the state and the journal.
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
  /** Clock for waiting: never jumps or runs backwards, whatever happens to the system's clock. */
  readonly #steadyNow: () => number;
  /** With one fetch at a time a crawl repeats exactly: it waits for retraining instead of crawling in parallel. */
  readonly #exact: boolean;
  #stopping: StopReason | undefined;
  /** Why the run ended, once it did. */
  #ended: StopReason | undefined;
  readonly #ending = new AbortController();
  /** Aborted when no request may start any more; jobs that have not started are given up. */
  readonly #noMore = new AbortController();
  /** Training pages that earlier runs could not fetch and that this run does not retry. */
  #failedBefore: ReadonlySet<string> = new Set();
  #failure: unknown;
  #startedAt = 0;
  /** When the journal had been read and fetching could start. */
  #wentOnAt = Number.POSITIVE_INFINITY;
  readonly #rechecks: Rechecking | undefined;
  #checkpointing: Checkpointing | undefined;
  /** True once the user was asked whether a barren crawl should continue; reset if it is not barren any more. */
  #isAsked = false;

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
   * Resumes from the journal and crawls until the budget, the time or the frontier is exhausted, or `stop` is called.
   * All fetched pages are durable when it resolves.
   * @throws BingoError if some topic's training pages all fail, or if the journal fails
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
    for (const naming of this.#state.names.unrecorded())
      this.#journaling.append({ kind: 'steer', command: { kind: 'name-topic', ...naming }, at: this.#now() });
    // The record of a run may request failed training pages again.
    this.#failedBefore = new Set(this.#state.training.failed.keys());
    this.#rounds.restore();
    this.#phases.begin();
    this.#commands.obey();
    return await this.#loop();
  }

  /** Logs the settings that differ from the previous run. */
  #tellChanges({ settings }: RunRecord): void {
    const { steering, reopened } = this.#state;
    const askedAgain = Map.groupBy(reopened.values(), (setting) => setting);
    const counts = new Map([...askedAgain].map(([setting, all]) => [setting, all.length]));
    const changes = settingChanges(steering.configured, readSettings(settings), counts);
    if (changes.length > 0) this.#emit({ kind: 'settings', changes });
  }

  /**
   * Takes no more jobs, gives up a round under way (the next run makes it), finishes the fetches in flight, and
   * saves; `run` then resolves. The trainer may still work on the round: its creator closes it.
   */
  stop(reason: StopReason = 'stopped'): void {
    this.#stopping ??= reason;
    this.#ending.abort();
    this.#sleep.wake();
  }

  /**
   * Changes the running crawl at once, or after it has read its journal. Changes that affect decisions go into the
   * journal, so a resumed crawl repeats them; a pause ends with the process.
   * @returns false if the command would change nothing or cannot run now; then nothing is written
   */
  steer(command: SteerCommand): boolean {
    return this.#commands.steer(command);
  }

  /**
   * Keeps the run open while the user reviews pages, so that it can accept the decisions. Only `stop` still ends it.
   * Call the result to release the hold.
   */
  hold(): () => void {
    return this.#commands.hold();
  }

  /** True while the journal is read, at the start or for another ordering: `status` is then incomplete. */
  get isReading(): boolean {
    return this.#commands.areWaiting;
  }

  /** Returns the number of links that wait for a site: a host and its subdomains. */
  waitingFor(site: string): number {
    return this.#state.frontier.waitingFor((host) => isOnSite(host, site));
  }

  /** Returns the current figures. */
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
      barren: this.#barren,
      trainingLeft: this.#phases.trainingLeft,
      isTraining: this.#phases.isTraining,
      endReason: this.#ended,
    });
  }

  /**
   * Returns why the host of a URL should not be asked for a page outside the crawl: the user's block, or trouble at
   * the host.
   */
  objectionTo(url: CanonicalUrl): Trouble | undefined {
    return objectionTo(url, this.#state, { hosts: this.#hosts, now: this.#steadyNow() });
  }

  /** Reserves the next turn at the host of this URL. Returns the wait in ms. */
  reserve(url: CanonicalUrl): number {
    return this.#hosts.reserve(hostOf(url), this.#steadyNow());
  }

  /** Records that a request to the host of this URL was sent. */
  sent(url: CanonicalUrl): void {
    this.#hosts.sent(hostOf(url), this.#steadyNow());
  }

  /** False if the run is ending and no request may start. */
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
      this.#askIfBarren();
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
    // Between two records, a recheck returns to the frontier what it took out.
    if (!this.#isRechecking && !this.#journaling.isUnderWay) this.#checkpointing?.keepUp();
  }

  /** True if nothing is being fetched or trained. */
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
    const { barren } = this.#state;
    if (barren === undefined || this.#options.endWhen === undefined) return undefined;
    return this.#options.endWhen === 'barren' || barren.endsIn === 0 ? 'stagnation' : undefined;
  }

  /** Present if the harvest finds nothing any more and will end by itself. */
  get #barren(): BarrenHarvest | undefined {
    const isAsking = this.#options.endWhen === 'alarms' && this.#stopping === undefined;
    const isHarvesting = this.#state.phase === 'harvesting' && !this.#isRechecking;
    return isAsking && isHarvesting ? barrenHarvest(this.#state, this.#allowance.budget) : undefined;
  }

  #askIfBarren(): void {
    const harvest = this.#barren;
    if (harvest !== undefined && !this.#isAsked && harvest.endsIn > 0) this.#alarm(barren(harvest));
    this.#isAsked = harvest !== undefined;
  }

  get #isTimeUp(): boolean {
    const timeMs = this.#state.limit('time');
    return timeMs > 0 && this.#steadyNow() - this.#startedAt >= timeMs;
  }

  /** Starts fetches while the limits of parallel fetches, budget and journal allow it. */
  #fill(): void {
    while (this.#canStart()) {
      const job = this.#rechecks?.take(this.#steadyNow()) ?? (this.#allowance.hasRoom() ? this.#takeNew() : undefined);
      if (job === undefined) return;
      void this.#work(job);
    }
  }

  /** Takes the next job. Beyond the budget, takes only training pages and pages newly linked by a recheck. */
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
      // Act as if the process had ended: the journal has no record of this job, and the next run takes it again.
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
    const { tree, topics, config, inline, journal, fetcher } = this.#options;
    return new FoldedState({
      ...{ tree, topics, config, journal, hosts: this.#hosts, isExact: this.#exact },
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

  /** Finishes a fetch: adds its record to the state and the journal. */
  #conclude(job: Pinned, answer: JobAnswer): Promise<void> | undefined {
    const isTriedAgain = this.#fetcher.isTriedAgain(job, answer.outcome);
    const make = (): Unnumbered<JournalRecord> => conclusion(job, answer, this.#state, isTriedAgain);
    return this.#journaling.inTurns(make, job, () => {
      this.#rechecks?.answered(job.entry.url);
      this.#underWay.end(job);
    });
  }

  /** Adds a record of a phase. Commands that arrive meanwhile are written after it. */
  async #enter(record: Unnumbered<PhaseRecord>): Promise<void> {
    this.#commands.wait();
    await this.#journaling.inTurns(() => record);
    this.#commands.obey();
  }

  /** Sleeps until something happens: a fetch ends, a commit is done, a host may be asked again, or the time is up. */
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
    // Entries that this phase may not take must not wake the loop.
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
