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
import { Surroundings } from '../analysis/surroundings.ts';
import { exampleAssignment } from '../records.ts';
import { liftedObstacle } from '../steering/setting-changes.ts';
import { entered, markedTree, type Steering, settingOf, steered, trained, UNSTEERED } from '../steering/steering.ts';
import { TopicNames } from '../steering/topic-names.ts';
import { type SiteMarks, siteMarks } from '../training/site-marks.ts';
import { differInGiven } from '../training/training-items.ts';
import { Budgets, type SpentBudgets } from './budgets.ts';
import { Copies } from './copies.ts';
import { Following } from './following.ts';
import { isBudgeted, type Pinned, seedJobs, trainingJobs } from './jobs.ts';
import { judgedPage, unwantedPage } from './judged-page.ts';
import { KeptPages } from './kept-pages.ts';
import { LeftOutLinks } from './left-out.ts';
import { LinkGate } from './link-gate.ts';
import { Redirects } from './redirects.ts';
import { Revisits } from './revisits.ts';
import { SeenUrls } from './seen.ts';
import { Sitemaps, sitemapJobs } from './sitemaps.ts';
import { Tally } from './tally.ts';
import { TrainingPages } from './training-pages.ts';
import { Waiting } from './waiting.ts';
import { type Alarm, Watch } from './watch.ts';

/** What the state needs of the world around it. */
export interface StatePorts {
  readonly hosts: HostClocks;
  /** Asks for a host's name ahead of time. */
  readonly resolve: (host: string) => void;
  readonly isResolved?: (host: string) => boolean;
  /** Training documents that are no web pages. */
  readonly inline?: readonly { readonly key: string; readonly topic: TopicId }[];
}

/** Links of new versions that wait before all others at a time, at the least; each is looked at whenever a job is taken. Our choice. */
const MAX_NEWS = 1_000;

/**
 * The crawl as a fold over its journal. `apply` is the only way in which state changes, live and when resuming, so a
 * resumed crawl stands exactly where the journal ends. It reads no clock and draws no chance.
 */
export class CrawlState {
  /** As the workspace has it; people's marks are in `tree`. */
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
  /** Links that rules kept out. */
  readonly leftOut: LeftOutLinks = new LeftOutLinks();
  readonly waiting: Waiting;
  /** What the journal calls topics. */
  readonly names: TopicNames;
  /** What rounds choose from. */
  readonly kept: KeptPages;
  readonly training: TrainingPages;
  /** Pages that were no archetypes, being unlike the examples; forgotten when people give others. At most a few a round. */
  readonly unlike: Set<string> = new Set();
  /** What pages say of each other, for the feature spaces built from it. */
  readonly surroundings: Surroundings;
  /** Fetches that a setting of an earlier run stood in the way of, and that are yet to be made again: by URL that setting. */
  readonly reopened: Map<CanonicalUrl, string> = new Map();
  readonly tally: Tally = new Tally();
  phase: Phase = 'bootstrap';
  sequence = 0;
  round: RoundRecord | undefined;
  /** What people changed while the crawl ran. */
  steering: Steering = UNSTEERED;
  /** The topic tree with the marks that people gave. */
  tree: TopicTree;
  /** A topic was marked since the last training. */
  isTreeNew = false;
  /** Sequence of the last page judged by a model that accepts nearly everything, or is blind, and of the round that the model in force is from; 0: none. */
  #indiscriminateAt = 0;
  #modelAt = 0;

  constructor(tree: TopicTree, config: Config, ports: StatePorts) {
    this.#givenTree = tree;
    this.tree = tree;
    this.#config = config;
    this.names = new TopicNames(tree, ports.inline);
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

  /** A limit in force, in the unit of its setting. */
  limit(name: LimitName): number {
    return this.steering.limits[name] ?? Number(settingOf(this.#config, name));
  }

  /**
   * Since stored pages were last judged again, what people gave to learn from, or how it is learned, has changed; or a better model took the
   * place of one that accepted nearly everything, or nothing.
   */
  get isReclassificationDue(): boolean {
    const { judgedAt, taughtAt, resetAt, reclassifiedAt } = this.steering;
    const outgrownAt = this.#modelAt > this.#indiscriminateAt ? this.#indiscriminateAt : 0;
    return Math.max(judgedAt, taughtAt, resetAt, outgrownAt) > reclassifiedAt;
  }

  /** A person's rules on addresses, or marks of sites, say which links go first, last, or not at all. */
  get isOrderGiven(): boolean {
    return this.#rules.areOrdering || this.#sites.areThere;
  }

  /** Limits of topics and sites that are reached. */
  get spent(): SpentBudgets {
    return this.#budgets.spent();
  }

  /** Settings that a model follows from have changed since the last round. */
  get isSetAnew(): boolean {
    return this.round !== undefined && this.steering.resetAt > this.round.sequence;
  }

  /** People judged pages since the last training began. */
  get isJudgedAnew(): boolean {
    return this.steering.judgedAt > (this.round?.judgedAt ?? 0);
  }

  /** The ordering that gave the waiting entries their priorities. */
  get ordering(): OrderingName {
    return this.#config.crawl.ordering;
  }

  /** True when a page names links that the crawl has never heard of. */
  hasNewLinks(document: PageRecord['document']): boolean {
    return unpackLinks(document.links).some((link) => {
      const url = link.url as CanonicalUrl;
      // What another page has brought up and waits to be fetched is news here, too: both pages have changed.
      const isNew = !this.#gate.isKnown(url) || this.waiting.pinned.has(url);
      return isNew && this.#gate.isAdmissible(url, hostOf(url));
    });
  }

  /** The run brings nothing any more. */
  isOver(when: 'barren' | 'alarms'): boolean {
    return this.#watch.isOver(when);
  }

  /** Alarms that the last records gave rise to; each is given once. */
  takeAlarms(): readonly Alarm[] {
    return this.#watch.takeAlarms();
  }

  /** Folds one record in. `job` is the entry it answers; records without a URL have none. */
  apply(record: JournalRecord, job: Pinned | undefined): void {
    const parts = this.applying(record, job);
    while (parts.next().done !== true);
  }

  /**
   * The same in parts, for a record that takes long: a page has many links, a phase begins with those of all pages before it. Others may have their turn
   * between two, but no other record may be folded in, and nothing taken from the frontier, until it is through.
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
        this.#applySteering(record);
        break;
      default:
        assertNever(record);
    }
  }

  /** Before the links of a page are offered: those weigh as they should. */
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

  /** A page that the crawl found and that was named in bingo.yaml since needs not be fetched again. */
  #claim(record: PageRecord): void {
    const claimed = this.training.claim(record);
    if (claimed.size > 0) this.waiting.pinned.drop(({ role, entry }) => role !== 'crawled' && claimed.has(entry.url));
  }

  /** A sitemap is no page of the crawl: what it names is offered as behind a page that says nothing of the topic. */
  *#applySitemap(record: PageRecord, job: Pinned): Generator<void> {
    const page = judgedPage(record, job);
    const further = this.#sitemaps.furtherOf(page.links, job, (url) => this.#gate.isTaken(url));
    this.waiting.pinned.add(further.filter(({ entry }) => !this.isKeptOut(entry)));
    const links = this.#sitemaps.pagesOf(page.links, record.finalUrl);
    yield* this.#following.judged({ ...page, language: this.#sitemaps.languageOf(record.finalUrl), links });
    this.#following.gone(job.entry.url);
  }

  /** The links of a stored page that has changed are offered like any page's. */
  *#applyNewVersion(record: PageRecord, job: Pinned): Generator<void> {
    this.#revisits.changed(record, acceptedTopic(record.assignment, this.#isGood));
    if (!this.#isStart(record, job)) return;
    const most = Math.max(MAX_NEWS, this.#config.recheck.newPages) - this.waiting.news;
    const news = yield* this.#following.renewed(judgedPage(record, job), Math.max(0, most));
    this.waiting.pinned.add(news.map((entry): Pinned => ({ entry, role: 'crawled' })));
  }

  /** An example's links are followed unless its topic names other places to start from. */
  #isStart(record: PageRecord, job: Pinned): boolean {
    const { seeds } = topicNode(this.tree, job.entry.topic);
    return record.role === 'crawled' || seeds.length === 0 || seeds.some((seed) => canonicalize(seed) === record.url);
  }

  #count(job: Pinned, isRelevant: boolean): void {
    if (!isBudgeted(job)) return;
    this.tally.page(this.phase, isRelevant);
    this.waiting.spend(job.entry);
  }

  /** Before the page's links are offered: those that wait are known from elsewhere. */
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

  /** The record of a job is here. */
  #ended(job: Pinned): void {
    this.#following.fetched(job.entry.url);
    this.waiting.end(job);
    this.reopened.delete(job.entry.url);
  }

  /** The links of a page that asks not to be stored are offered as behind a rejected page. */
  *#followUnwanted(record: VisitRecord, job: Pinned): Generator<void> {
    yield* this.#following.judged(unwantedPage(record, job, this.#config.crawl.tunnelDecay));
  }

  /** A fetch that took a page's place without giving one counts like a page: a site of such pages must come to an end, too. */
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

  /** A job was taken and nothing was asked for it: it waits as before. */
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
    if (phase === 'bootstrap' || phase === 'done') return;
    if (first) this.waiting.pinned.add(this.#startingJobs().filter((job) => !this.seen.has(job.entry.url)));
    this.steering = entered(this.steering, record);
    if (phase === 'learning' && !first) this.tally.learnsAnew();
    const isBack = phase === 'harvesting' && this.#following.isHarvestAside;
    yield* this.#following.enter(phase);
    if (isBack) this.#dropLeftAlone();
  }

  /** Only what a person named can lead on. Where it could not be had, the network may be back, or a setting another. */
  get isStuck(): boolean {
    return this.round === undefined || (this.phase !== 'bootstrap' && this.waiting.isDry);
  }

  /** Training pages that could not be had; seeds too, once they have been asked for. */
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

  /** A stored page is not to be looked at again: its host is left alone, and nobody named the page. */
  isLeftAlone({ role, entry }: Pinned): boolean {
    return role === 'crawled' && this.#gate.isLeftAlone(entry.host);
  }

  /** A person's rules on addresses keep it out. */
  isKeptOut(entry: Pick<FrontierEntry, 'url' | 'via'>): boolean {
    return this.#gate.keptOut(entry) !== undefined;
  }

  /** Why a person wants nothing of a URL's host at all; `''` when nobody said so. */
  whyShut(url: CanonicalUrl): string {
    return this.#gate.whyShut(url);
  }

  /** A name was looked up. It may be one that does not exist. */
  resolved(host: string): void {
    this.#following.resolved(host);
  }

  /** Parts of sites that have had their share, those held back most first. */
  held(limit: number): readonly HeldPart[] {
    return this.#guard.held(limit);
  }

  /** Another ordering takes effect when the state is made again with it: see `Crawl`. */
  #applySteering(record: RunRecord | SteerRecord): void {
    this.steering = steered(this.steering, record);
    if (record.kind === 'run') {
      if (this.isStuck) this.waiting.pinned.add(this.#failedJobs());
      return;
    }
    if (record.command.kind === 'mark-topic') {
      this.tree = markedTree(this.#givenTree, this.steering);
      this.isTreeNew = true;
    }
    const site = record.command.kind === 'judge-page' ? siteOfKey(record.command.judgement.key) : undefined;
    if (site !== undefined) this.#applySiteMark(site);
    if (record.command.kind === 'lock-host') this.#lock();
  }

  /** What a person says of whole sites. */
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
   * Drops what is pinned on hosts that are left alone, and gives back what may wait, since its host is not locked. Training pages are fetched
   * all the same: a person named each of them.
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

  /** Between two records. What follows from the tree, the settings and what people decided is not written. */
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
    const learned = [this.kept, this.training, this.surroundings, this.names];
    return [...met, ...learned, this.tally, this.#watch, this.#budgets];
  }

  #decideAgain(): void {
    this.names.readTo(this.sequence);
    if (this.steering.marks.size > 0) this.tree = markedTree(this.#givenTree, this.steering);
    if (this.#sites.areThere) this.#gate.mark(this.#sites);
    this.#gate.lock(this.#lockedHosts);
  }
}

/** Where links to a marked site wait, whatever rules say. */
function bandOfMark(use: SiteUse | undefined): Band | undefined {
  if (use === undefined) return undefined;
  return use === 'good-site' ? 1 : -2;
}

/** An example that was fetched to teach OTHERS, or the other way round, is what bingo.yaml names it now. */
function asNamed(record: PageRecord, job: Pinned, tree: TopicTree): PageRecord {
  const { role } = job;
  if (record.role === role || record.role === 'crawled' || role === 'crawled') return record;
  return { ...record, role, assignment: exampleAssignment(job, tree) };
}
