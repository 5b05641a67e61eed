import {
  assertNever,
  type CanonicalUrl,
  type Config,
  canonicalize,
  type HeldPart,
  hostOf,
  isOnSite,
  type JournalRecord,
  LINKS_FOLLOWED,
  type LimitName,
  type OrderingName,
  type PageRecord,
  type Phase,
  type PhaseRecord,
  type RoundRecord,
  type RunRecord,
  type SiteUse,
  type SteerRecord,
  siteOfKey,
  type TopicId,
  type TopicPaths,
  type TopicTree,
  topicNode,
  unpackLinks,
  type VisitRecord,
  withoutWords,
} from '../../core/index.ts';
import {
  acceptedTopic,
  type Band,
  type Frontier,
  type FrontierEntry,
  type HostClocks,
  type JudgedPage,
  TrapGuard,
  UrlRules,
} from '../../crawl/index.ts';
import type { Fields, Saved } from '../../kit/index.ts';
import { Surroundings } from '../analysis/link-context.ts';
import { exampleAssignment } from '../records.ts';
import { liftedObstacle } from '../steering/setting-changes.ts';
import { entered, markedTree, type Steering, settingOf, steered, trained, UNSTEERED } from '../steering/steering.ts';
import { TopicNames } from '../steering/topic-names.ts';
import { type SiteMarks, siteMarks } from '../training/site-marks.ts';
import { differInGiven } from '../training/training-items.ts';
import { Budgets, type SpentBudgets } from './budgets.ts';
import { Copies } from './copies.ts';
import { Tally } from './crawl-totals.ts';
import { LeftOutLinks } from './excluded-links.ts';
import { isBudgeted, type Pinned, seedJobs, trainingJobs } from './jobs.ts';
import { judgedPage, unwantedPage } from './judged-page.ts';
import { KeptPages } from './kept-pages.ts';
import { LinkGate } from './link-gate.ts';
import { Following } from './link-scheduler.ts';
import { Redirects } from './redirects.ts';
import { Waiting } from './retry-queue.ts';
import { Revisits } from './revisits.ts';
import { SeenUrls } from './seen-urls.ts';
import { Sitemaps, sitemapJobs } from './sitemaps.ts';
import type { BarrenStanding } from './stagnation.ts';
import { type Alarm, Watch } from './topic-alarms.ts';
import { TrainingPages } from './training-pages.ts';

/** What the state needs from outside. */
export interface StatePorts {
  readonly hosts: HostClocks;
  /** Starts resolving a host's name ahead of time. */
  readonly resolve: (host: string) => void;
  readonly isResolved?: (host: string) => boolean;
  /** Topics of the tree by id. Default: as the journal names them. */
  readonly topics?: TopicPaths | undefined;
}

/**
 * Links of new versions that may wait before all others at the same time. Each is examined whenever a job is taken.
 * Our choice.
 */
const MAX_NEWS = 1_000;

/**
 * The crawl as a fold over its journal. State changes only through `apply`, both live and when resuming, so a resumed
 * crawl continues exactly where the journal ends. It reads no clock and uses no randomness.
 */
export class CrawlState {
  /** The workspace's tree; `tree` also has the user's marks. */
  readonly #givenTree: TopicTree;
  readonly #config: Config;
  readonly #budgets: Budgets;
  readonly #watch: Watch;
  readonly #sitemaps = new Sitemaps();
  readonly #guard: TrapGuard;
  readonly #rules: UrlRules;
  readonly #gate: LinkGate;
  readonly #following: Following;
  readonly #redirects: Redirects;
  readonly #revisits: Revisits;
  readonly #isGood = (id: TopicId): boolean => topicNode(this.tree, id).good;

  readonly seen: SeenUrls = new SeenUrls();
  readonly copies: Copies;
  /** Links that rules excluded. */
  readonly leftOut: LeftOutLinks = new LeftOutLinks();
  readonly waiting: Waiting;
  /** Maps the journal's topic names to current ones. */
  readonly names: TopicNames;
  /** The pages rounds choose from. */
  readonly kept: KeptPages;
  readonly training: TrainingPages;
  /**
   * Pages refused as archetypes because they are unlike the examples; cleared when the user gives other examples. At
   * most a few per round.
   */
  readonly unlike: Set<string> = new Set();
  /** What pages reveal about each other, for feature spaces built from it. */
  readonly surroundings: Surroundings;
  /** Fetches that an earlier run's setting prevented and that must be repeated: setting by URL. */
  readonly reopened: Map<CanonicalUrl, string> = new Map();
  readonly tally: Tally = new Tally();
  phase: Phase = 'bootstrap';
  sequence = 0;
  round: RoundRecord | undefined;
  /** The user's changes during the crawl. */
  steering: Steering = UNSTEERED;
  /** The topic tree with the user's marks. */
  tree: TopicTree;
  /** True if a topic was marked since the last training. */
  isTreeNew = false;
  /**
   * Sequence of the last page judged by a model that is blind or accepts nearly everything, or of the current model's
   * round; 0 = none.
   */
  #indiscriminateAt = 0;
  #modelAt = 0;

  constructor(tree: TopicTree, config: Config, ports: StatePorts) {
    this.#givenTree = tree;
    this.tree = tree;
    this.#config = config;
    this.names = new TopicNames(tree, ports.topics);
    const jobs = trainingJobs(tree);
    this.training = new TrainingPages(jobs);
    this.kept = new KeptPages(tree, config);
    this.surroundings = new Surroundings(config.learn.spaces, { kept: this.training.names });
    this.#budgets = new Budgets(tree, config.crawl);
    this.waiting = new Waiting(jobs, {
      ...{ hosts: ports.hosts, budgets: this.#budgets, frontier: () => this.frontier },
      onGone: (url) => this.#following.gone(url),
    });
    this.#watch = new Watch(config.crawl.stagnationPages);
    this.#guard = new TrapGuard(config.traps, (url) => (this.seen.pageOf(url) ?? 0) > 0);
    this.copies = new Copies(this.seen, this.#guard, config.traps.staleBits);
    const shared = { seen: this.seen, budgets: this.#budgets, guard: this.#guard, leftOut: this.leftOut };
    const places = {
      isAsked: (url: CanonicalUrl) => this.waiting.isAsked(url),
      isWaiting: (url: CanonicalUrl) => this.frontier.has(url),
    };
    const names = new Set([...jobs, ...seedJobs(tree)].map(({ entry }) => entry.url));
    const rules = new UrlRules(config.crawl);
    this.#rules = rules;
    const named = { rules, isNamed: (url: CanonicalUrl) => names.has(url) };
    this.#gate = new LinkGate(
      { ...shared, ...places, ...named, hosts: ports.hosts, limits: config.crawl },
      this.#lockedHosts,
    );
    this.#following = new Following({
      ...{ ...shared, gate: this.#gate, config: config.crawl, world: ports },
      bandOf: (url) => bandOfMark(this.#sites.markOf(hostOf(url))) ?? rules.bandOf(url),
      tree: () => this.tree,
      tunnelDistance: () => this.limit('tunnel'),
    });
    this.#revisits = new Revisits({
      ...{ seen: this.seen, copies: this.copies, kept: this.kept },
      ...{ waiting: this.waiting, gate: this.#gate, guard: this.#guard },
    });
    this.#redirects = new Redirects({
      ...{ seen: this.seen, training: this.training, waiting: this.waiting, guard: this.#guard, gate: this.#gate },
      ...{ limits: config.crawl, frontier: () => this.frontier },
    });
  }

  get frontier(): Frontier {
    return this.#following.frontier;
  }

  /** Pages to fetch in all. */
  get budget(): number {
    return this.steering.budget ?? this.#config.crawl.budget;
  }

  /** Returns a limit in force, in the unit of its setting. */
  limit(name: LimitName): number {
    return this.steering.limits[name] ?? Number(settingOf(this.#config, name));
  }

  /**
   * True if training pages or learning settings changed since stored pages were last judged, or if a better model
   * replaced one that accepted nearly everything or nothing.
   */
  get isReclassificationDue(): boolean {
    const { judgedAt, taughtAt, resetAt, reclassifiedAt } = this.steering;
    const outgrownAt = this.#modelAt > this.#indiscriminateAt ? this.#indiscriminateAt : 0;
    return Math.max(judgedAt, taughtAt, resetAt, outgrownAt) > reclassifiedAt;
  }

  /** True if the user's address rules or site marks decide which links go first, last, or nowhere. */
  get isOrderGiven(): boolean {
    return this.#rules.areOrdering || this.#sites.areThere;
  }

  /** Exhausted limits of topics and sites. */
  get spent(): SpentBudgets {
    return this.#budgets.spent();
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
    return this.#config.crawl.ordering;
  }

  /** True if a page has links that are new to the crawl. */
  hasNewLinks(document: PageRecord['document']): boolean {
    return unpackLinks(document.links).some((link) => {
      const url = link.url as CanonicalUrl;
      // A waiting link found by another changed page counts as new for this page too: both pages have changed.
      const isNew = !this.#gate.isKnown(url) || this.waiting.pinned.has(url);
      return isNew && this.#gate.isAdmissible(url, hostOf(url));
    });
  }

  /** Present if the run finds nothing any more. */
  get barren(): BarrenStanding | undefined {
    return this.#watch.barren;
  }

  /** Returns alarms raised by the last records; each is returned once. */
  takeAlarms(): readonly Alarm[] {
    return this.#watch.takeAlarms();
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
    this.sequence = record.sequence;
    switch (record.kind) {
      case 'page':
        yield* this.#applyPage(record, job!);
        this.#following.leaveTraps();
        break;
      case 'visit':
        yield* this.#applyVisit(record, job!);
        this.#following.leaveTraps();
        break;
      case 'round':
        this.#applyRound(record);
        break;
      case 'phase':
        yield* this.#applyPhase(record);
        break;
      case 'run':
        this.#watch.beginRun();
        this.#applySteering(record);
        break;
      case 'steer':
        if (record.command.kind === 'continue-barren') this.#watch.beginRun();
        this.#applySteering(record);
        break;
      default:
        assertNever(record);
    }
  }

  /** Runs before a page's links are offered, so that they get the right weight. */
  #reweigh(): void {
    for (const change of this.#guard.takeSectionChanges()) {
      this.#following.reweigh(change);
      this.#watch.noteShare(change);
    }
  }

  *#applyPage(stored: PageRecord, job: Pinned): Generator<void> {
    const record = asNamed(stored, job, this.tree);
    this.#ended(job);
    const named = [job.entry.url, record.url, ...record.redirects, ...job.entry.redirects];
    const urls = [...named, ...this.#redirects.ledTo(named)];
    const older = new Set(urls.map((url) => this.seen.pageOf(url) ?? 0));
    for (const url of urls) this.seen.add(url, record.sequence);
    if (record.origin.via === 'recheck') {
      yield* this.#applyNewVersion(record, job);
      this.#revisits.freeCopies(older, record);
      return;
    }
    if (record.origin.via === 'sitemap') {
      yield* this.#applySitemap(record, job);
      return;
    }
    this.surroundings.note(record);
    this.copies.note(record.document.contentHash, record.sequence);
    const topic = acceptedTopic(record.assignment, this.#isGood);
    const isRelevant = topic !== undefined;
    this.#guard.page({ ...record, isRelevant });
    if (record.role === 'crawled') this.#claim(record);
    else this.training.note(record, job);
    this.#redirects.arrived(record);
    this.#count(job, isRelevant);
    if (record.role === 'others') return;
    if (record.origin.via === 'seed') this.#sitemaps.noteSite(record);
    const page = judgedPage(record, job);
    this.#guard.linked(page.host, page.links);
    this.#reweigh();
    if (isBudgeted(job)) this.#observe(page, job.entry, isRelevant);
    if (!this.#gate.isOnBadSite(page.host)) this.kept.note(record, topic);
    if (this.kept.isIndiscriminate || this.kept.isBlind) this.#indiscriminateAt = record.sequence;
    yield;
    if (this.#isStart(record, job)) yield* this.#following.judged(page);
    this.#following.gone(job.entry.url);
  }

  /** Adopts a page that the crawl found and that bingo.yaml has named since: it need not be fetched again. */
  #claim(record: PageRecord): void {
    const claimed = this.training.claim(record);
    if (claimed.size > 0) this.waiting.pinned.drop(({ role, entry }) => role !== 'crawled' && claimed.has(entry.url));
  }

  /**
   * Offers a sitemap's links as if behind a page without relevance information; the sitemap itself is not a page of
   * the crawl.
   */
  *#applySitemap(record: PageRecord, job: Pinned): Generator<void> {
    const page = judgedPage(record, job);
    const further = this.#sitemaps.furtherOf(page.links, job, (url) => this.#gate.isTaken(url));
    this.waiting.pinned.add(further.filter(({ entry }) => !this.isKeptOut(entry)));
    const links = this.#sitemaps.pagesOf(page.links, record.finalUrl);
    yield* this.#following.judged({ ...page, language: this.#sitemaps.languageOf(record.finalUrl), links });
    this.#following.gone(job.entry.url);
  }

  /** Offers the links of a changed page like those of any page. */
  *#applyNewVersion(record: PageRecord, job: Pinned): Generator<void> {
    this.#revisits.changed(record, acceptedTopic(record.assignment, this.#isGood));
    if (!this.#isStart(record, job)) return;
    const most = Math.max(MAX_NEWS, this.#config.recheck.newPages) - this.waiting.news;
    const news = yield* this.#following.renewed(judgedPage(record, job), Math.max(0, most));
    this.waiting.pinned.add(news.map((entry): Pinned => ({ entry, role: 'crawled' })));
  }

  /** True if the links of an example are followed: its topic names no other start pages. */
  #isStart(record: PageRecord, job: Pinned): boolean {
    const { seeds } = topicNode(this.tree, job.entry.topic);
    return record.role === 'crawled' || seeds.length === 0 || seeds.some((seed) => canonicalize(seed) === record.url);
  }

  #count(job: Pinned, isRelevant: boolean): void {
    if (!isBudgeted(job)) return;
    this.tally.page(this.phase, isRelevant);
    this.waiting.spend(job.entry);
  }

  /** Runs before the page's links are offered: links that wait already were found elsewhere. */
  #observe({ assignment, links, host }: JudgedPage, { topic }: FrontierEntry, isRelevant: boolean): void {
    const urls = new Set<string>();
    let known = 0;
    for (const link of links) {
      const url = link.url as CanonicalUrl;
      const before = urls.size;
      if (urls.add(url).size > before && (this.seen.has(url) || this.frontier.has(url))) known++;
    }
    this.#watch.note({
      topic,
      host,
      isRelevant,
      place: assignment.topic,
      isPlaceGood: this.#isGood(assignment.topic),
      links: urls.size,
      known,
    });
  }

  *#applyVisit(record: VisitRecord, job: Pinned): Generator<void> {
    const { entry } = job;
    this.#ended(job);
    if (record.origin.via === 'recheck') {
      if (this.#revisits.looked(record)) yield* this.#followUnwanted(record, job);
      return;
    }
    this.tally.visit(record.result);
    if (record.result === 'duplicate') this.#applyDuplicate(record, job);
    const lifted = liftedObstacle(record, this.steering.configured, this.#config);
    if (lifted !== undefined && (job.role !== 'crawled' || !this.#gate.isBarred(entry))) {
      this.reopened.set(entry.url, lifted);
      this.#retry({ ...job, entry: { ...entry, tries: 0 } });
      return;
    }
    this.#guard.visit(record, entry.host);
    if (job.role !== 'crawled' && record.result !== 'redirected') this.training.fail(job, record);
    if (record.retried) {
      this.waiting.failed(entry);
      this.#retry({ ...job, entry: { ...entry, tries: entry.tries + 1 } });
      return;
    }
    if (record.result !== 'duplicate') this.seen.add(entry.url, 0);
    if (record.reason === LINKS_FOLLOWED) {
      this.#countUnstored(job);
      yield* this.#followUnwanted(record, job);
    }
    this.#following.gone(entry.url);
    if (record.result === 'redirected') {
      const detail = this.#redirects.follow(record, job);
      if (detail !== '' && job.role !== 'crawled') this.training.fail(job, { ...record, detail });
    }
  }

  /** Ends a job when its record has arrived. */
  #ended(job: Pinned): void {
    this.#following.fetched(job.entry.url);
    this.waiting.end(job);
    this.reopened.delete(job.entry.url);
  }

  /** Offers the links of a page that asks not to be stored as if behind a rejected page. */
  *#followUnwanted(record: VisitRecord, job: Pinned): Generator<void> {
    yield* this.#following.judged(unwantedPage(record, job, this.#config.crawl.tunnelDecay));
  }

  /** Counts a fetch without a stored page like a page: otherwise a site of only copies would never reach its limit. */
  #countUnstored(job: Pinned): void {
    if (!isBudgeted(job)) return;
    this.tally.unstored(this.phase);
    this.waiting.spend(job.entry);
    const { topic, host } = job.entry;
    this.#watch.note({ topic, host, isRelevant: false, place: undefined, isPlaceGood: false, links: 0, known: 0 });
  }

  #applyDuplicate(record: VisitRecord, job: Pinned): void {
    const { entry } = job;
    this.#countUnstored(job);
    const urls = [entry.url, ...entry.redirects];
    for (const url of [...urls, ...this.#redirects.ledTo(urls)]) this.seen.add(url, record.page);
    if (isBudgeted(job)) this.copies.found(record);
    this.#guard.duplicate({ url: entry.url, origin: record.origin }, entry.host, record.page);
  }

  /** Returns a job that was taken but not requested: it waits as before. */
  giveBack(job: Pinned): void {
    this.waiting.giveBack(job);
    this.#retry(job);
  }

  #retry(job: Pinned): void {
    const isBarred = job.role === 'crawled' && this.#gate.isBarred(job.entry);
    if (!isBarred && !isBudgeted(job) && !this.isLeftAlone(job)) this.waiting.pinned.add([job]);
    else if (!isBarred && !this.waiting.isSpent(job.entry)) this.frontier.offer(job.entry);
    else this.#following.gone(job.entry.url);
  }

  #applyRound(record: RoundRecord): void {
    const isNew = this.round?.model !== record.model;
    if (this.round !== undefined && differInGiven(this.round.training, record.training)) {
      this.steering = { ...this.steering, taughtAt: record.sequence };
      this.unlike.clear();
    }
    for (const { key } of record.refused ?? []) this.unlike.add(key);
    this.kept.trained(record.training);
    this.round = record;
    this.tally.round();
    if (isNew) {
      this.kept.modelChanged(record.training);
      this.#modelAt = record.sequence;
      this.isTreeNew = false;
      this.steering = trained(this.steering, record);
    }
    this.#following.roundEnded(record);
  }

  *#applyPhase(record: PhaseRecord): Generator<void> {
    const { phase } = record;
    const first = this.phase === 'bootstrap';
    this.phase = phase;
    this.kept.confine(phase === 'learning');
    if (phase === 'bootstrap' || phase === 'done') return;
    if (first) this.waiting.pinned.add(this.#startingJobs().filter((job) => !this.seen.has(job.entry.url)));
    this.steering = entered(this.steering, record);
    if (phase === 'learning' && !first) this.tally.learnsAnew();
    const isBack = phase === 'harvesting' && this.#following.isHarvestAside;
    yield* this.#following.enter(phase);
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
    const sitemaps = this.#config.crawl.sitemaps ? sitemapJobs(this.tree) : [];
    return [...seedJobs(this.tree), ...sitemaps.filter(({ entry }) => !this.isKeptOut(entry))];
  }

  /** True if a stored page must not be fetched again: its host is blocked, and the user did not name the page. */
  isLeftAlone({ role, entry }: Pinned): boolean {
    return role === 'crawled' && this.#gate.isLeftAlone(entry.host);
  }

  /** True if the user's address rules exclude the entry. */
  isKeptOut(entry: Pick<FrontierEntry, 'url' | 'via'>): boolean {
    return this.#gate.keptOut(entry) !== undefined;
  }

  /** Returns why the user excluded the whole host of a URL; '' if not. */
  whyShut(url: CanonicalUrl): string {
    return this.#gate.whyShut(url);
  }

  /** Called when a name was looked up. The name may not exist. */
  resolved(host: string): void {
    this.#following.resolved(host);
  }

  /** Returns parts of sites that have had their share of pages, the most slowed first. */
  held(limit: number): readonly HeldPart[] {
    return this.#guard.held(limit);
  }

  /** Applies a steering record. Another ordering takes effect once the state is rebuilt with it: see `Crawl`. */
  #applySteering(record: RunRecord | SteerRecord): void {
    this.steering = steered(this.steering, record);
    if (record.kind === 'run') {
      if (this.isStuck) this.waiting.pinned.add(this.#failedJobs());
      return;
    }
    if (record.command.kind === 'name-topic') this.names.note({ ...record.command, sequence: record.sequence });
    if (record.command.kind === 'mark-topic') {
      this.tree = markedTree(this.#givenTree, this.steering);
      this.isTreeNew = true;
    }
    const site = record.command.kind === 'judge-page' ? siteOfKey(record.command.judgement.key) : undefined;
    if (site !== undefined) this.#applySiteMark(site);
    if (record.command.kind === 'lock-host') this.#lock();
  }

  /** The user's marks of whole sites. */
  get #sites(): SiteMarks {
    return siteMarks(this.steering.judgements);
  }

  #applySiteMark(site: string): void {
    this.#gate.mark(this.#sites);
    this.kept.dropHosts((host) => this.#gate.isOnBadSite(host));
    for (const entry of this.#dropLeftAlone()) this.frontier.offer(entry);
    this.#following.reband((host) => isOnSite(host, site));
  }

  #lock(): void {
    this.#gate.lock(this.#lockedHosts);
    this.#dropLeftAlone();
    this.frontier.dropLocked((host) => this.#gate.isLocked(host));
  }

  /**
   * Drops pinned jobs on blocked hosts, and returns those that may wait because their host is not locked. Training
   * pages are fetched anyway: the user named each of them.
   */
  #dropLeftAlone(): readonly FrontierEntry[] {
    const entries = this.waiting.pinned.drop((job) => this.isLeftAlone(job)).map(({ entry }) => entry);
    const isLocked = ({ host }: FrontierEntry): boolean => this.#gate.isLocked(host);
    for (const { url } of entries.filter(isLocked)) this.#following.gone(url);
    return entries.filter((entry) => !isLocked(entry));
  }

  get #lockedHosts(): readonly string[] {
    const byTopic = [...this.tree.nodes.values()].flatMap((node) => node.lockedHosts);
    return [...this.#config.crawl.lockedHosts, ...byTopic, ...this.steering.lockedHosts];
  }

  /**
   * Call between two records. Everything that follows from the tree, the settings and the user's decisions is left
   * out.
   */
  exchange(fields: Fields): void {
    this.sequence = fields.value(this.sequence);
    this.phase = fields.value(this.phase);
    this.steering = fields.value(this.steering);
    this.round = fields.made(() => this.round && withoutWords(this.round));
    this.isTreeNew = fields.value(this.isTreeNew);
    this.#indiscriminateAt = fields.value(this.#indiscriminateAt);
    this.#modelAt = fields.value(this.#modelAt);
    if (fields.isLoading) this.#decideAgain();
    for (const part of this.#parts()) part.exchange(fields);
    fields.set(this.unlike);
    fields.map(this.reopened);
    this.#following.exchange(fields, this.round);
    this.waiting.exchange(fields);
  }

  #parts(): readonly Saved[] {
    const met = [this.seen, this.copies, this.leftOut, this.#redirects, this.#sitemaps, this.#guard];
    const learned = [this.kept, this.training, this.surroundings];
    return [...met, ...learned, this.tally, this.#watch, this.#budgets];
  }

  #decideAgain(): void {
    if (this.steering.marks.size > 0) this.tree = markedTree(this.#givenTree, this.steering);
    if (this.#sites.areThere) this.#gate.mark(this.#sites);
    this.#gate.lock(this.#lockedHosts);
  }
}

/** Returns the frontier's band for links to a marked site, whatever the rules say. */
function bandOfMark(use: SiteUse | undefined): Band | undefined {
  if (use === undefined) return undefined;
  return use === 'good-site' ? 1 : -2;
}

/**
 * Returns an example's record with its role in the current bingo.yaml: a page fetched for OTHERS may now be an
 * example, or the reverse.
 */
function asNamed(record: PageRecord, job: Pinned, tree: TopicTree): PageRecord {
  const { role } = job;
  if (record.role === role || record.role === 'crawled' || role === 'crawled') return record;
  return { ...record, role, assignment: exampleAssignment(job, tree) };
}
