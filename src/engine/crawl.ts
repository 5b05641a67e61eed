import {
  type BarrenHarvest,
  type CanonicalUrl,
  type CrawlStatus,
  type FollowedRecord,
  hostOf,
  type InboxRecord,
  isForSpread,
  isOnSite,
  type JournalRecord,
  MAX_NEXT,
  type RoundRecord,
  type RunRecord,
  type ShardStanding,
  type SteerCommand,
  type SteerRecord,
  type StopReason,
} from '../core/index.ts';
import type { Trouble } from '../fetch/index.ts';
import { barren, STORE_BACK, storeWaits } from './alarms.ts';
import type { Checkpointing } from './checkpoints/checkpointing.ts';
import { barrenOf, endReason, isIdle, isRechecking, isSpent } from './crawl-end.ts';
import type { CrawlOptions, CrawlSummary } from './crawl-options.ts';
import { type CrawlParts, checkpointing, crawlParts } from './crawl-parts.ts';
import { missingExtensions } from './extensions/missing.ts';
import { conclusion } from './fetch-record.ts';
import { objectionTo } from './fetching/fetch-permission.ts';
import { FetchRate } from './fetching/fetch-rate.ts';
import type { JobAnswer } from './fetching/job-fetcher.ts';
import type { Unnumbered } from './records.ts';
import type { RunControl } from './run-control.ts';
import { adopted } from './spread/adopted.ts';
import type { PlaceFetch } from './spread/gathered.ts';
import type { CrawlState } from './state/crawl-state.ts';
import { isRecheck, isTraining, type Pinned } from './state/jobs.ts';
import { crawlStatus } from './status.ts';
import { readSettings, settingChanges, settingsText } from './steering/setting-changes.ts';
import { StoreWatch } from './store-watch.ts';
import { documentsDigest } from './training/trainer-features.ts';

/** Longest sleep of the loop: clocks may jump, and a lost wake-up must not stop a crawl. */
const MAX_PAUSE_MS = 1000;
/** Links that may be requested so soon are announced to other processes. */
const SOON_MS = 2_000;
/** How often the crawl checks whether the store still accepts records. */
const STORE_LOOK_MS = 1_000;

/**
 * A crawl: learning phase, then harvesting phase (BINGO! §2.6). `run` resumes from the journal first. One loop on the
 * main thread takes entries, sends bodies to the analyzer, and writes every result to the state and the journal.
 */
export class Crawl {
  readonly #options: CrawlOptions;
  readonly #parts: CrawlParts;
  /** Why the run ended, once it did. */
  #ended: StopReason | undefined;
  /** Training pages that earlier runs could not fetch and that this run does not retry. */
  #failedBefore: ReadonlySet<string> = new Set();
  /** When the journal had been read and fetching could start. */
  #wentOnAt = Number.POSITIVE_INFINITY;
  #checkpointing: Checkpointing | undefined;
  /** True once the user was asked whether a barren crawl should continue; reset if it is not barren any more. */
  #isAsked = false;
  readonly #fetchRate = new FetchRate();
  readonly #storeWatch: StoreWatch;
  #rest = Promise.withResolvers<void>();

  constructor(options: CrawlOptions) {
    this.#options = options;
    this.#parts = crawlParts(options);
    this.#storeWatch = this.#newStoreWatch();
  }

  /**
   * Resumes from the journal and crawls until the budget, the time or the frontier is exhausted, or `stop` is called.
   * All fetched pages are durable when it resolves.
   * @throws BingoError if some topic's training pages all fail, or if the journal fails
   */
  async run(): Promise<CrawlSummary> {
    this.#control.begin();
    const looks = setInterval(() => this.#storeWatch.look(), STORE_LOOK_MS);
    try {
      return await this.#run();
    } finally {
      clearInterval(looks);
    }
  }

  async #run(): Promise<CrawlSummary> {
    this.#options.journal.onStored((sequence) => {
      this.#storeWatch.stored();
      this.#control.emit({ kind: 'stored', sequence });
      this.#control.sleep.wake();
    });
    this.#options.journal.onFailed((error) => this.#control.fail(error));
    const { config, tree, inline = [], extensions = [] } = this.#options;
    const settings = settingsText(config, { tree, documents: documentsDigest(inline), extensions });
    const run: RunRecord = { kind: 'run', at: this.#control.now(), settings, sequence: 0 };
    const isResumed = await this.#parts.folded.resume(run);
    const reason = isResumed ? await this.#goOn(run) : (this.#control.stopping ?? 'stopped');
    this.#ended = reason;
    await this.#options.journal.flush();
    if (this.#control.failure !== undefined) throw this.#control.failure;
    await this.#checkpointing?.end();
    const { tally, budget, isReclassificationDue, spent } = this.#state;
    const { staleExamples = [] } = this.#parts.rechecks ?? {};
    const recheck = this.#parts.rechecks && { recheck: this.#parts.rechecks.counts(), staleExamples };
    const isRoundLeft = isResumed && this.#parts.phases.isRoundLeft;
    const fetchedNow = isResumed ? tally.fetched - this.#parts.allowance.fetchedBefore : 0;
    return {
      ...{ reason, isResumed, status: this.status(), budget, fetchedNow, isReclassificationDue, isRoundLeft, spent },
      ...{ unusedTraining: this.#parts.rounds.unusedTraining(this.#failedBefore), ...recheck },
    };
  }

  async #goOn(run: RunRecord): Promise<StopReason> {
    this.#parts.rounds.follow(this.#state);
    this.#checkpointing = checkpointing(this.#options, this.#parts);
    this.#parts.allowance.begin();
    this.#wentOnAt = this.#control.steadyNow();
    this.#tellChanges(run);
    this.#parts.journaling.append(run);
    for (const naming of this.#state.names.unrecorded())
      this.#parts.journaling.append({
        kind: 'steer',
        command: { kind: 'name-topic', ...naming },
        at: this.#control.now(),
      });
    // The record of a run may request failed training pages again.
    this.#failedBefore = new Set(this.#state.training.failed.keys());
    for (const url of this.#parts.folded.recalled) this.#parts.fetcher.recall(url);
    this.#parts.rounds.restore();
    this.#parts.phases.begin();
    this.#parts.commands.obey();
    return await this.#loop();
  }

  /** Logs the settings that differ from the previous run, and its extensions that are missing. */
  #tellChanges({ settings }: RunRecord): void {
    const { steering, reopened } = this.#state;
    const askedAgain = Map.groupBy(reopened.values(), (setting) => setting);
    const counts = new Map([...askedAgain].map(([setting, all]) => [setting, all.length]));
    const { extensions = [] } = this.#options;
    for (const notice of missingExtensions(steering.configured.extensions?.loaded ?? [], extensions))
      this.#control.emit({ kind: 'alarm', ...notice });
    const changes = settingChanges(steering.configured, readSettings(settings), counts);
    if (changes.length > 0) this.#control.emit({ kind: 'settings', changes });
  }

  /**
   * Takes no more jobs, gives up a round under way (the next run makes it), finishes the fetches in flight, and
   * saves; `run` then resolves. The trainer may still work on the round: its creator closes it.
   */
  stop(reason: StopReason = 'stopped'): void {
    this.#control.stop(reason);
  }

  /**
   * Changes the running crawl at once, or after it has read its journal. Changes that affect decisions go into the
   * journal, so a resumed crawl repeats them; a pause ends with the process.
   * @returns false if the command would change nothing or cannot run now; then nothing is written
   */
  steer(command: SteerCommand): boolean {
    if (this.#options.part === 'home' && !isForSpread(command)) return false;
    return this.#parts.commands.steer(command);
  }

  /**
   * Keeps the run open while the user reviews pages, so that it can accept the decisions. Only `stop` still ends it.
   * Call the result to release the hold.
   */
  hold(): () => void {
    return this.#parts.commands.hold();
  }

  /**
   * Adds links that another shard sent. Resolves once they wait in the frontier.
   * @returns false if the crawl reads its journal or is ending: the links are still to be added
   */
  async receive(sent: Pick<InboxRecord, 'source' | 'upto' | 'parcel'>): Promise<boolean> {
    if (!this.#mayAdd) return false;
    await this.#parts.journaling.inTurns(() => ({ kind: 'inbox', ...sent, at: this.#control.now() }));
    this.#control.sleep.wake();
    return true;
  }

  /**
   * Adds a fetch that a shard made to the crawl of the whole. Resolves once it is folded.
   * @returns false if the crawl reads its journal or is ending: the fetch is still to be added
   */
  async gather(place: PlaceFetch, from: FollowedRecord): Promise<boolean> {
    if (!this.#mayAdd) return false;
    await this.#parts.journaling.gather(place, from);
    this.#control.sleep.wake();
    return true;
  }

  /**
   * Adopts a round, or a change by the user, that the crawl of the whole has journaled.
   * @returns false if the crawl reads its journal or is ending: the record is still to be adopted
   */
  adopt(record: RoundRecord | SteerRecord, from: FollowedRecord): boolean {
    if (!this.#mayAdd) return false;
    const { sharers = 1 } = this.#options;
    this.#parts.journaling.append(adopted(record, { last: this.#state.sequence, sharers }), undefined, from);
    this.#control.sleep.wake();
    return true;
  }

  /** Resolves the next time that nothing is under way and the crawl waits for a change from outside. */
  get rested(): Promise<void> {
    return this.#rest.promise;
  }

  get #mayAdd(): boolean {
    return !this.isReading && this.#control.stopping === undefined && this.#control.failure === undefined;
  }

  /** Pages that may be fetched. */
  get budget(): number {
    return this.#parts.allowance.budget;
  }

  /** True if the user paused fetching. */
  get isPaused(): boolean {
    return this.#parts.commands.isPaused;
  }

  /** How far the crawl of its shard is. */
  get standing(): ShardStanding {
    const { sequence, frontier, waiting, tally } = this.#state;
    const now = this.#control.steadyNow();
    const isStored = !this.#parts.journaling.isUnderWay && this.#options.journal.backlog === 0;
    return {
      ...{ sequence, isIdle: !this.isReading && isStored && isSpent(this.#parts), fetched: tally.fetched },
      // Links to bad hosts, and links that the user set aside, stay: nothing more is to be done for them.
      waiting: waiting.isDry ? 0 : frontier.size + waiting.pinned.all.length,
      next: frontier.soon(now, now + SOON_MS, MAX_NEXT),
      budget: this.budget,
    };
  }

  /** True while the journal is read, at the start or for another ordering: `status` is then incomplete. */
  get isReading(): boolean {
    return this.#parts.commands.areWaiting;
  }

  /** Returns the number of links that wait for a site: a host and its subdomains. */
  waitingFor(site: string): number {
    return this.#state.frontier.waitingFor((host) => isOnSite(host, site));
  }

  /** Returns the current figures. */
  status(): CrawlStatus {
    return crawlStatus(this.#state, {
      hosts: this.#parts.hosts,
      archetypesOf: (topic) => this.#parts.rounds.archetypesOf(topic),
      isEnding: this.#control.stopping !== undefined,
      isPaused: this.#parts.commands.isPaused,
      isExact: this.#parts.isExact,
      budget: this.budget,
      ordering: this.#parts.folded.wantedOrdering,
      inFlight: this.#parts.underWay.all,
      fetchedBefore: this.#parts.allowance.fetchedBefore,
      elapsedMs: this.#control.steadyNow() - this.#control.startedAt,
      fetchingMs: Math.max(0, this.#control.steadyNow() - this.#wentOnAt),
      recheck: this.#parts.rechecks?.counts(),
      rendered: this.#options.fetcher.rendered,
      barren: this.#barren,
      recall: this.#parts.recall.now(),
      question: this.#parts.questions?.open,
      trainingLeft: this.#parts.phases.trainingLeft,
      isTraining: this.#parts.phases.isTraining,
      endReason: this.#ended,
      now: this.#control.steadyNow(),
    });
  }

  /**
   * Returns why the host of a URL should not be asked for a page outside the crawl: the user's block, or trouble at
   * the host.
   */
  objectionTo(url: CanonicalUrl): Trouble | undefined {
    return objectionTo(url, this.#state, { hosts: this.#parts.hosts, now: this.#control.steadyNow() });
  }

  /** Reserves the next turn at the host of this URL. Returns the wait in ms. */
  reserve(url: CanonicalUrl): number {
    return this.#parts.hosts.reserve(hostOf(url), this.#control.steadyNow());
  }

  /** Records that a request to the host of this URL was sent. */
  sent(url: CanonicalUrl): void {
    this.#parts.hosts.sent(hostOf(url), this.#control.steadyNow());
  }

  /** False if the run is ending and no request may start. */
  get mayAsk(): boolean {
    return this.#control.mayAsk(this.#state.limit('time'));
  }

  get #control(): RunControl {
    return this.#parts.control;
  }

  get #state(): CrawlState {
    return this.#parts.folded.state;
  }

  async #reorder(): Promise<void> {
    this.#parts.commands.wait();
    if (!(await this.#parts.folded.reorder(this.#parts.folded.wantedOrdering))) return;
    this.#parts.rounds.follow(this.#state);
    this.#parts.commands.obey();
  }

  async #loop(): Promise<StopReason> {
    for (;;) {
      if (this.#control.failure !== undefined) throw this.#control.failure;
      await this.#advance();
      this.#askIfBarren();
      this.#watchRate();
      const end = endReason(this.#parts, this.#options);
      if (end !== undefined && !this.mayAsk) this.#control.endRequests();
      if (end !== undefined && isIdle(this.#parts)) return end;
      if (end === undefined) this.#fill();
      if (isIdle(this.#parts) && !this.#parts.journaling.isUnderWay) this.#tellRest();
      await this.#pause();
    }
  }

  #tellRest(): void {
    this.#rest.resolve();
    this.#rest = Promise.withResolvers();
  }

  async #advance(): Promise<void> {
    if (this.#control.stopping !== undefined || this.#parts.journaling.isUnderWay) return;
    if (this.#parts.folded.isReordering && isIdle(this.#parts)) await this.#reorder();
    await this.#parts.phases.advance();
    for (const answer of this.#parts.questions?.takeAnswers() ?? []) this.#answer(answer);
    await this.#parts.questions?.advance(isSpent(this.#parts));
    // Between two records, a recheck returns to the frontier what it took out.
    if (!isRechecking(this.#parts) && !this.#parts.journaling.isUnderWay) this.#checkpointing?.keepUp();
  }

  /** Runs an answer of the reader. An answer that cannot run, for example since the topic is gone, is skipped. */
  #answer(answer: SteerCommand): void {
    if (this.#parts.commands.steer(answer) || answer.kind !== 'judge-page') return;
    this.#parts.questions?.skip(answer.judgement.key);
  }

  get #isTimeUp(): boolean {
    return this.#control.isTimeUp(this.#state.limit('time'));
  }

  get #barren(): BarrenHarvest | undefined {
    return barrenOf(this.#parts, this.#options);
  }

  #askIfBarren(): void {
    const harvest = this.#barren;
    if (harvest !== undefined && !this.#isAsked && harvest.endsIn > 0) this.#control.alarm(barren(harvest));
    this.#isAsked = harvest !== undefined;
  }

  #watchRate(): void {
    const { commands, folded, underWay, fetcher } = this.#parts;
    const isBusy =
      this.#options.part === 'home' ||
      commands.isPaused ||
      commands.areWaiting ||
      folded.isReordering ||
      fetcher.isWaiting;
    const notice = this.#fetchRate.look({
      now: this.#control.steadyNow(),
      isFetching: !isBusy && this.#control.stopping === undefined,
      waiting: this.#state.frontier.size,
      inFlight: underWay.all,
    });
    if (notice !== undefined) this.#control.alarm(notice);
  }

  /** Starts fetches while the limits of parallel fetches, budget and journal allow it. */
  #fill(): void {
    while (this.#canStart()) {
      const { rechecks, allowance } = this.#parts;
      const rechecked = rechecks?.take(this.#control.steadyNow());
      const job = rechecked ?? (allowance.hasRoom() ? this.#takeNew() : undefined);
      if (job === undefined) return;
      void this.#work(job);
    }
  }

  /** Takes the next job. Beyond the budget, takes only training pages and pages newly linked by a recheck. */
  #takeNew(): Pinned | undefined {
    const now = this.#control.steadyNow();
    const { waiting } = this.#state;
    return this.#parts.allowance.isShareUsed ? waiting.takePinned(now, this.#fitsBeyond) : waiting.take(now);
  }

  get #fitsBeyond(): ((job: Pinned) => boolean) | undefined {
    return this.#parts.rechecks === undefined ? isTraining : undefined;
  }

  #canStart(): boolean {
    const { journaling, isExact, underWay, commands, folded, allowance } = this.#parts;
    const { config, journal } = this.#options;
    if (journaling.isUnderWay || this.#options.part === 'home') return false;
    const concurrency = isExact ? 1 : this.#state.limit('parallel');
    const backlogLimit = 4 * config.store.batch + concurrency;
    if (underWay.all >= concurrency || journal.backlog >= backlogLimit) return false;
    // If another process takes over a store that this one cannot reach, what is not stored is fetched again.
    if (this.#storeWatch.isStuck) return false;
    if (commands.isPaused || this.#isTimeUp || folded.isReordering || this.#state.steering.learningWanted) return false;
    return isRechecking(this.#parts) || allowance.hasRoom();
  }

  async #work(job: Pinned): Promise<void> {
    this.#parts.underWay.start(job);
    try {
      const isGivenUp = this.#parts.hosts.isBad(job.entry.host);
      const answer = isGivenUp ? this.#parts.fetcher.givenUp(job) : await this.#parts.fetcher.answer(job);
      await this.#control.turns.come();
      // Act as if the process had ended: the journal has no record of this job, and the next run takes it again.
      if (this.#control.failure !== undefined) return;
      if (answer !== undefined) this.#fetchRate.note();
      if (answer === undefined) this.#giveBack(job);
      else if (isRecheck(job)) this.#parts.rechecks!.conclude(job, answer);
      else {
        const later = this.#conclude(job, answer);
        if (later !== undefined) await later;
      }
      if (answer !== undefined) this.#parts.fetcher.release(answer);
    } catch (error) {
      this.#control.fail(error);
    } finally {
      this.#parts.underWay.end(job);
      this.#control.sleep.wake();
    }
  }

  #giveBack(job: Pinned): void {
    if (isRecheck(job)) this.#parts.rechecks!.giveBack(job);
    else this.#state.giveBack(job);
  }

  #newStoreWatch(): StoreWatch {
    return new StoreWatch({
      backlog: () => this.#options.journal.backlog,
      now: () => this.#control.steadyNow(),
      onStuck: (waiting) => this.#control.alarm(storeWaits(waiting, this.#options.journal.heldBy?.())),
      onBack: () => this.#control.alarm(STORE_BACK),
    });
  }

  /** Finishes a fetch: adds its record to the state and the journal. */
  #conclude(job: Pinned, answer: JobAnswer): Promise<void> | undefined {
    const isTriedAgain = this.#parts.fetcher.isTriedAgain(job, answer.outcome);
    const { languages } = this.#options.config.crawl;
    const make = (): Unnumbered<JournalRecord> => conclusion(job, answer, this.#state, { isTriedAgain, languages });
    return this.#parts.journaling.inTurns(make, job, () => {
      this.#parts.rechecks?.answered(job.entry.url);
      this.#parts.underWay.end(job);
    });
  }

  /** Sleeps until something happens: a fetch ends, a commit is done, a host may be asked again, or the time is up. */
  async #pause(): Promise<void> {
    const timeMs = this.#state.limit('time');
    const now = this.#control.steadyNow();
    const end = timeMs > 0 && !this.#isTimeUp ? this.#control.startedAt + timeMs : Number.POSITIVE_INFINITY;
    const wakeAt = Math.min(this.#canStart() ? this.#nextWillingAt(now) : Number.POSITIVE_INFINITY, end);
    await this.#control.sleep.for(Math.max(1, Math.min(MAX_PAUSE_MS, wakeAt - now)));
  }

  #nextWillingAt(now: number): number {
    const rechecked = this.#parts.rechecks?.nextWillingAt(now) ?? Number.POSITIVE_INFINITY;
    if (!this.#parts.allowance.hasRoom()) return rechecked;
    const { waiting } = this.#state;
    // Entries that this phase may not take must not wake the loop.
    const { isShareUsed } = this.#parts.allowance;
    const next = isShareUsed ? waiting.pinned.nextWillingAt(now, this.#fitsBeyond) : waiting.nextWillingAt(now);
    return Math.min(rechecked, next);
  }
}
