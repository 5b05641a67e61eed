import {
  assertNever,
  type CanonicalUrl,
  type Config,
  type HeldPart,
  hostOf,
  type InboxRecord,
  isOnSite,
  type JournalRecord,
  type LimitName,
  type OrderingName,
  type PageRecord,
  type Parcel,
  type Phase,
  type PhaseRecord,
  type RoundRecord,
  type RunRecord,
  type SteerRecord,
  siteOfKey,
  type TopicTree,
  unpackLinks,
} from '../../core/index.ts';
import type { FarMirror, Frontier, FrontierEntry } from '../../crawl/index.ts';
import type { Fields, Saved } from '../../kit/index.ts';
import type { FindFigures } from '../../learn/index.ts';
import type { Surroundings } from '../analysis/link-context.ts';
import { entered, type Steering, steered, trained } from '../steering/steering.ts';
import type { TopicNames } from '../steering/topic-names.ts';
import { differInGiven } from '../training/training-items.ts';
import { Arrivals } from './arrivals.ts';
import type { SpentBudgets } from './budgets.ts';
import type { Copies } from './copies.ts';
import { CrawlFacts } from './crawl-facts.ts';
import type { Tally } from './crawl-totals.ts';
import type { LeftOutLinks } from './excluded-links.ts';
import { type Pinned, seedJobs } from './jobs.ts';
import type { KeptPages } from './kept-pages.ts';
import { receivedEntry, receivedPage } from './other-shards.ts';
import type { Waiting } from './retry-queue.ts';
import type { SeenUrls } from './seen-urls.ts';
import { sitemapJobs } from './sitemaps.ts';
import type { BarrenStanding } from './stagnation.ts';
import { type StateParts, type StatePorts, stateParts } from './state-parts.ts';
import type { Alarm } from './topic-alarms.ts';
import type { TrainingPages } from './training-pages.ts';

/**
 * The crawl as a fold over its journal. State changes only through `apply`, both live and when resuming, so a resumed
 * crawl continues exactly where the journal ends. It reads no clock and uses no randomness.
 */
export class CrawlState {
  readonly #facts: CrawlFacts;
  readonly #parts: StateParts;
  readonly #arrivals: Arrivals;
  /**
   * Pages refused as archetypes because they are unlike the examples; cleared when the user gives other examples. At
   * most a few per round.
   */
  readonly unlike: Set<string> = new Set();
  readonly seen: SeenUrls;
  readonly copies: Copies;
  /** Links that rules excluded. */
  readonly leftOut: LeftOutLinks;
  readonly waiting: Waiting;
  /** Maps the journal's topic names to current ones. */
  readonly names: TopicNames;
  /** The pages rounds choose from. */
  readonly kept: KeptPages;
  readonly training: TrainingPages;
  /** What pages reveal about each other, for feature spaces built from it. */
  readonly surroundings: Surroundings;
  /** Fetches that an earlier run's setting prevented and that must be repeated: setting by URL. */
  readonly reopened: ReadonlyMap<CanonicalUrl, string>;
  readonly tally: Tally;

  constructor(tree: TopicTree, config: Config, ports: StatePorts) {
    this.#facts = new CrawlFacts(tree, config, ports.marked);
    this.#parts = stateParts(tree, this.#facts, ports);
    this.#arrivals = new Arrivals(this.#facts, this.#parts);
    const { seen, copies, leftOut, waiting, names, kept, training, surroundings, reopened, tally } = this.#parts;
    this.seen = seen;
    this.copies = copies;
    this.leftOut = leftOut;
    this.waiting = waiting;
    this.names = names;
    this.kept = kept;
    this.training = training;
    this.surroundings = surroundings;
    this.reopened = reopened;
    this.tally = tally;
  }

  get phase(): Phase {
    return this.#facts.phase;
  }

  /** Number of the last record. */
  get sequence(): number {
    return this.#facts.sequence;
  }

  get round(): RoundRecord | undefined {
    return this.#facts.round;
  }

  /** The user's changes during the crawl. */
  get steering(): Steering {
    return this.#facts.steering;
  }

  /** The topic tree with the user's marks. */
  get tree(): TopicTree {
    return this.#facts.tree;
  }

  /** True if the journal is to be folded again, because topics were marked after earlier pages were folded. */
  get isTreeNew(): boolean {
    return !this.includes(this.steering.marks);
  }

  /** True if these marks make the topics good that the state was folded for. */
  includes(marks: Steering['marks']): boolean {
    return this.#facts.includes(marks);
  }

  get frontier(): Frontier {
    return this.#parts.following.frontier;
  }

  /** Pages to fetch in all. */
  get budget(): number {
    return this.steering.budget ?? this.#facts.config.crawl.budget;
  }

  /** Returns a limit in force, in the unit of its setting. */
  limit(name: LimitName): number {
    return this.#facts.limit(name);
  }

  /**
   * True if training pages or learning settings changed since stored pages were last judged, or if a better model
   * replaced one that accepted nearly everything or nothing.
   */
  get isReclassificationDue(): boolean {
    const { judgedAt, taughtAt, resetAt, reclassifiedAt } = this.steering;
    const outgrownAt = this.#facts.modelAt > this.#facts.indiscriminateAt ? this.#facts.indiscriminateAt : 0;
    return Math.max(judgedAt, taughtAt, resetAt, outgrownAt) > reclassifiedAt;
  }

  /** True if the user's address rules or site marks decide which links go first, last, or nowhere. */
  get isOrderGiven(): boolean {
    return this.#parts.rules.areOrdering || this.#facts.sites.areThere;
  }

  /** Returns pages that link to a page according to `crawl.backlinks`, and that the crawl has not fetched but may. */
  unfetchedBacklinks(url: CanonicalUrl): readonly string[] {
    const { backlinks, seen, gate } = this.#parts;
    const listed = backlinks?.sources.get(url) ?? [];
    return listed.filter((from) => !seen.pageOf(from) && !gate.isLeftAlone(hostOf(from as CanonicalUrl)));
  }

  /** Exhausted limits of topics and sites. */
  get spent(): SpentBudgets {
    return this.#parts.budgets.spent();
  }

  /** True if settings that affect the model have changed since the last round. */
  get isSetAnew(): boolean {
    return this.round !== undefined && this.steering.resetAt > this.round.sequence;
  }

  /** True if the user judged pages since the last training started. */
  get isJudgedAnew(): boolean {
    return this.steering.judgedAt > (this.round?.judgedAt ?? 0);
  }

  /** The ordering that set the priorities of the waiting entries. */
  get ordering(): OrderingName {
    return this.#facts.config.crawl.ordering;
  }

  /** True if a page has links that are new to the crawl. */
  hasNewLinks(document: PageRecord['document']): boolean {
    return unpackLinks(document.links).some((link) => {
      const url = link.url as CanonicalUrl;
      // A waiting link found by another changed page counts as new for this page too: both pages have changed.
      const isNew = !this.#parts.gate.isKnown(url) || this.waiting.pinned.has(url);
      return isNew && this.#parts.gate.isAdmissible(url, hostOf(url));
    });
  }

  /** What an estimate of recall needs; walks over a sample of addresses. */
  findFigures(): FindFigures {
    return this.#parts.finds.figures();
  }

  /** Present if the run finds nothing any more. */
  get barren(): BarrenStanding | undefined {
    return this.#parts.watch.barren;
  }

  /** Returns alarms raised by the last records; each is returned once. */
  takeAlarms(): readonly Alarm[] {
    return this.#parts.watch.takeAlarms();
  }

  /** Returns a job that was taken but not requested: it waits as before. */
  giveBack(job: Pinned): void {
    this.#arrivals.giveBack(job);
  }

  /** Folds one record. `job` is the entry it answers; records without a URL have none. */
  apply(record: JournalRecord, job: Pinned | undefined): void {
    const parts = this.applying(record, job);
    while (parts.next().done !== true);
  }

  /**
   * Like `apply`, in parts, for a record that takes long: a page has many links, and a phase starts with those of all
   * earlier pages. Other work may run between two parts, but no other record may be folded and nothing taken from the
   * frontier until it is done.
   */
  *applying(record: JournalRecord, job: Pinned | undefined): Generator<void> {
    this.#facts.sequence = record.sequence;
    switch (record.kind) {
      case 'page':
        yield* this.#arrivals.page(record, job!);
        this.#parts.following.leaveTraps();
        break;
      case 'visit':
        yield* this.#arrivals.visit(record, job!);
        this.#parts.following.leaveTraps();
        break;
      case 'round':
        this.#applyRound(record);
        break;
      case 'phase':
        yield* this.#applyPhase(record);
        break;
      case 'run':
        this.#parts.watch.beginRun();
        this.#applySteering(record);
        break;
      case 'steer':
        if (record.command.kind === 'continue-barren') this.#parts.watch.beginRun();
        this.#applySteering(record);
        break;
      case 'inbox':
        yield* this.#applyInbox(record);
        break;
      default:
        assertNever(record);
    }
  }

  /** Adds the links of another shard's pages, what these teach, and the addresses to which its pages redirect. */
  *#applyInbox({ sequence, parcel }: InboxRecord): Generator<void> {
    for (const page of parcel.pages) {
      yield* this.#parts.following.received(receivedPage(page, sequence));
      yield;
    }
    for (const lesson of parcel.lessons) this.#parts.following.learn(lesson);
    for (const entry of parcel.redirects.map(receivedEntry)) {
      const isTaken = this.#parts.gate.isTaken(entry.url) || this.waiting.isSpent(entry);
      if (!isTaken && this.#parts.gate.whyNotTo(entry.url, entry.host) === '') this.frontier.offer(entry);
    }
  }

  /** Returns the links that leave for other shards with the last record; call it after each record. */
  takeLeaving(): ReadonlyMap<number, Parcel> {
    return this.#parts.others.take();
  }

  #applyRound(record: RoundRecord): void {
    const isNew = this.round?.model !== record.model;
    if (this.round !== undefined && differInGiven(this.round.training, record.training)) {
      this.#facts.steering = { ...this.steering, taughtAt: record.sequence };
      this.unlike.clear();
    }
    for (const { key } of record.refused ?? []) this.unlike.add(key);
    this.kept.trained(record.training);
    this.#facts.round = record;
    this.tally.round();
    if (isNew) {
      this.kept.modelChanged(record.training);
      this.#facts.modelAt = record.sequence;
      this.#facts.steering = trained(this.steering, record);
    }
    this.#parts.following.roundEnded(record);
  }

  *#applyPhase(record: PhaseRecord): Generator<void> {
    const { phase } = record;
    const first = this.phase === 'bootstrap';
    this.#facts.phase = phase;
    this.kept.confine(phase === 'learning');
    if (phase === 'bootstrap' || phase === 'done') return;
    if (first) this.waiting.pinned.add(this.#startingJobs().filter((job) => !this.seen.has(job.entry.url)));
    this.#facts.steering = entered(this.steering, record);
    if (phase === 'learning' && !first) this.tally.learnsAnew();
    const isBack = phase === 'harvesting' && this.#parts.following.isHarvestAside;
    yield* this.#parts.following.enter(phase);
    if (isBack) this.#dropLeftAlone();
  }

  /**
   * True if only pages named by the user can lead anywhere. If they could not be fetched, the network may be back or
   * a setting changed.
   */
  get isStuck(): boolean {
    return this.round === undefined || (this.phase !== 'bootstrap' && this.waiting.isDry);
  }

  /** Returns training pages that could not be fetched; seeds too, once they have been requested. */
  #failedJobs(): readonly Pinned[] {
    const training = this.training.tryAgain();
    if (this.phase === 'bootstrap') return training;
    const named = new Set(training.map(({ entry }) => entry.url));
    const isFailed = (url: CanonicalUrl): boolean => !named.has(url) && this.seen.pageOf(url) === 0;
    return [...training, ...seedJobs(this.tree).filter(({ entry }) => isFailed(entry.url))];
  }

  #startingJobs(): readonly Pinned[] {
    const sitemaps = this.#facts.config.crawl.sitemaps ? sitemapJobs(this.tree) : [];
    return [...seedJobs(this.tree), ...sitemaps.filter(({ entry }) => !this.isKeptOut(entry))];
  }

  /** True if a stored page must not be fetched again: its host is blocked, and the user did not name the page. */
  isLeftAlone({ role, entry }: Pinned): boolean {
    return role === 'crawled' && this.#parts.gate.isLeftAlone(entry.host);
  }

  /** True if the user's address rules exclude the entry. */
  isKeptOut(entry: Pick<FrontierEntry, 'url' | 'via'>): boolean {
    return this.#parts.gate.keptOut(entry) !== undefined;
  }

  /** Returns why the user excluded the whole host of a URL; '' if not. */
  whyShut(url: CanonicalUrl): string {
    return this.#parts.gate.whyShut(url);
  }

  /** Called when a name was looked up. The name may not exist. */
  resolved(host: string): void {
    this.#parts.following.resolved(host);
  }

  /** Mirrors in other domains that were found and are not noted yet. */
  get unnotedMirrors(): readonly FarMirror[] {
    return this.#parts.guard.unnotedMirrors;
  }

  /** Returns parts of sites that have had their share of pages, the most slowed first. */
  held(limit: number): readonly HeldPart[] {
    return this.#parts.guard.held(limit);
  }

  /** Applies a steering record. Another ordering takes effect once the state is rebuilt with it: see `Crawl`. */
  #applySteering(record: RunRecord | SteerRecord): void {
    this.#facts.steering = steered(this.steering, record);
    if (record.kind === 'run') {
      this.#facts.markTree();
      if (this.isStuck) this.waiting.pinned.add(this.#failedJobs());
      this.#leaveOthers();
      return;
    }
    if (record.command.kind === 'name-topic') this.names.note({ ...record.command, sequence: record.sequence });
    if (record.command.kind === 'mark-topic') this.#facts.markTree();
    const site = record.command.kind === 'judge-page' ? siteOfKey(record.command.judgement.key) : undefined;
    if (site !== undefined) this.#applySiteMark(site);
    if (record.command.kind === 'lock-host') this.#lock();
    if (record.command.kind === 'note-mirror') {
      // One process, and a shard that has both hosts, follows no links of copies.
      this.#parts.guard.noteMirror(record.command, this.#parts.others.isForeign(record.command.original));
      this.#parts.following.leaveTraps();
    }
    if (record.command.kind === 'begin-shard') {
      this.#parts.others.begin(record.command);
      this.frontier.dropLocked((host) => this.#parts.others.isForeign(host));
      this.#leaveOthers();
    }
  }

  /** Drops jobs that another shard has. */
  #leaveOthers(): void {
    const { others, following } = this.#parts;
    for (const { entry } of this.waiting.pinned.drop((job) => others.isForeign(job.entry.host)))
      following.gone(entry.url);
  }

  #applySiteMark(site: string): void {
    this.#parts.gate.mark(this.#facts.sites);
    this.kept.dropHosts((host) => this.#parts.gate.isOnBadSite(host));
    for (const entry of this.#dropLeftAlone()) this.frontier.offer(entry);
    this.#parts.following.reband((host) => isOnSite(host, site));
  }

  #lock(): void {
    this.#parts.gate.lock(this.#facts.lockedHosts);
    this.#dropLeftAlone();
    this.frontier.dropLocked((host) => this.#parts.gate.isLocked(host));
  }

  /**
   * Drops pinned jobs on blocked hosts, and returns those that may wait because their host is not locked. Training
   * pages are fetched anyway: the user named each of them.
   */
  #dropLeftAlone(): readonly FrontierEntry[] {
    const entries = this.waiting.pinned.drop((job) => this.isLeftAlone(job)).map(({ entry }) => entry);
    const isLocked = ({ host }: FrontierEntry): boolean => this.#parts.gate.isLocked(host);
    for (const { url } of entries.filter(isLocked)) this.#parts.following.gone(url);
    return entries.filter((entry) => !isLocked(entry));
  }

  /**
   * Call between two records. Everything that follows from the tree, the settings and the user's decisions is left
   * out.
   */
  exchange(fields: Fields): void {
    this.#facts.exchange(fields);
    this.#parts.others.exchange(fields);
    if (fields.isLoading) this.#decideAgain();
    for (const part of this.#saved()) part.exchange(fields);
    fields.set(this.unlike);
    fields.map(this.#parts.reopened);
    this.#parts.following.exchange(fields, this.round);
    this.waiting.exchange(fields);
  }

  #saved(): readonly Saved[] {
    const met = [this.seen, this.copies, this.leftOut, this.#parts.redirects, this.#parts.sitemaps, this.#parts.guard];
    const learned = [this.kept, this.training, this.surroundings];
    return [...met, ...learned, this.tally, this.#parts.finds, this.#parts.watch, this.#parts.budgets];
  }

  #decideAgain(): void {
    if (this.#facts.sites.areThere) this.#parts.gate.mark(this.#facts.sites);
    this.#parts.gate.lock(this.#facts.lockedHosts);
  }
}
