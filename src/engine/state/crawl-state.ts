import { stemHashesOf, stemsOf } from '../../analyze/index.ts';
import {
  type AnalyzedDocument,
  assertNever,
  type CanonicalUrl,
  type Config,
  canonicalize,
  EMPTY_LINKS,
  goodTopics,
  hostOf,
  type JournalRecord,
  LINK_FLAG,
  LINKS_FOLLOWED,
  type LimitName,
  type Link,
  type OrderingName,
  type PageRecord,
  type Phase,
  type PhaseRecord,
  type RoundRecord,
  type RunRecord,
  type SteerRecord,
  type TopicId,
  type TopicTree,
  topicNode,
  unpackLinks,
  type VisitRecord,
} from '../../core/index.ts';
import {
  acceptedTopic,
  type Follow,
  Frontier,
  type FrontierEntry,
  focus,
  type HostClocks,
  type JudgedPage,
  learningPriority,
  makeOrdering,
  type NearDuplicate,
  type Ordering,
  registeredDomain,
  TrapGuard,
} from '../../crawl/index.ts';
import { decodeModels, linkWeights } from '../../meta/index.ts';
import { Surroundings } from '../analysis/surroundings.ts';
import { unwantedAssignment } from '../records.ts';
import { differInGiven } from '../training/training-items.ts';
import { type Pinned, seedJobs, trainingJobs } from './bootstrap.ts';
import { Budgets, type SpentBudgets } from './budgets.ts';
import { Discernment } from './discernment.ts';
import { Sample } from './sample.ts';
import { SeenUrls } from './seen.ts';
import { Sitemaps, sitemapJobs } from './sitemaps.ts';
import { entered, markedTree, type Steering, settingOf, steered, trained, UNSTEERED } from './steering.ts';
import { followedUrls, type TopicPage, TopicPages } from './topic-pages.ts';
import { type Alarm, Watch } from './watch.ts';

/** What the state needs of the world around it. */
export interface StatePorts {
  readonly hosts: HostClocks;
  /** Asks for a host's name ahead of time. */
  readonly resolve: (host: string) => void;
  readonly isResolved?: (host: string) => boolean;
}

/** Relevance below which a rejected page is certainly none of the topic; .4 costs .01 of average precision. */
const SURELY_REJECTED = 0.2;

/** New links of one page that go first; the others wait where their priority puts them. */
const MAX_FRESH_LINKS = 50;

/** Where links wait that promise only copies and errors: below those that the focus rule turns down. */
const DOUBTFUL_PRIORITY = -1000;

/** Pages from which learning can begin anew; each holds its links. Our choice. */
const MAX_STARTS = 200;

interface Harvest {
  readonly frontier: Frontier;
  readonly ordering: Ordering;
}

/** A stored page that may join OTHERS. */
interface RejectedPage {
  readonly sequence: number;
  readonly url: CanonicalUrl;
  readonly title: string;
  readonly relevance: number;
}

/** A stored training page. */
export interface TrainingPageRef {
  readonly sequence: number;
  readonly title: string;
  readonly topic: TopicId;
  readonly others: boolean;
  /** Every URL that led to it. */
  readonly urls: readonly string[];
}

/**
 * The crawl as a fold over its journal. `apply` is the only way in which state changes, live and when resuming, so a
 * resumed crawl stands exactly where the journal ends. It reads no clock and draws no chance.
 */
export class CrawlState {
  /** As the workspace has it; people's marks are in `tree`. */
  readonly #givenTree: TopicTree;
  readonly #config: Config;
  readonly #ports: StatePorts;
  readonly #inFlight = new Set<string>();
  readonly #contents = new SeenUrls();
  readonly #budgets: Budgets;
  readonly #watch: Watch;
  readonly #sitemaps = new Sitemaps();
  /** Of the model in force; without it where a person named OTHERS of the very sites that are crawled. */
  readonly #discernment: Discernment<RejectedPage> | undefined;
  readonly #guard: TrapGuard;
  readonly #isGood = (id: TopicId): boolean => topicNode(this.tree, id).good;
  readonly #seedDomains: ReadonlySet<string>;
  #lockedHosts: readonly string[];
  /** Pages whose links are offered again when the next phase begins: training pages and the learning phase's. */
  #retained: JudgedPage[] = [];
  #frontier: Frontier;
  /** What waits for harvesting while learning goes on anew. */
  #harvest: Harvest | undefined;
  /** What was fetched while it waits. */
  #fetchedAside: CanonicalUrl[] = [];
  /** Pages from which learning can begin anew: examples, and the last accepted pages. */
  #starts: JudgedPage[] = [];
  #ordering: Ordering;
  #pinned: Pinned[];
  /** What the tree names as training pages, by URL. */
  readonly #named: ReadonlyMap<CanonicalUrl, Pinned>;

  readonly seen: SeenUrls = new SeenUrls();
  readonly topics: ReadonlyMap<TopicId, TopicPages>;
  /** Pages that link to accepted pages without being accepted: bounded, for link analysis. */
  readonly predecessors: TopicPages;
  /** Off-topic pages, drawn evenly over the crawl, for idf. */
  readonly background: Sample<{ sequence: number; url: CanonicalUrl }>;
  /** Pages rejected with high confidence, drawn in the same way: they join OTHERS. */
  readonly rejected: Sample<RejectedPage>;
  /** Pages that were no archetypes, being unlike the examples; forgotten when people give others. At most a few a round. */
  readonly unlike: Set<string> = new Set();
  /** Stored training pages by the URL that the tree names. */
  readonly trainingPages: Map<string, TrainingPageRef> = new Map();
  /** Training pages that could not be had, with the reason. */
  readonly failedTraining: Map<string, string> = new Map();
  /** What pages say of each other, for the feature spaces built from it. */
  readonly surroundings: Surroundings;
  /** Of the last 100 pages: was it relevant? */
  readonly recent: boolean[] = [];
  phase: Phase = 'bootstrap';
  sequence = 0;
  fetched = 0;
  learned = 0;
  relevant = 0;
  failed = 0;
  refused = 0;
  duplicates = 0;
  round: RoundRecord | undefined;
  /** What people changed while the crawl ran. */
  steering: Steering = UNSTEERED;
  /** The topic tree with the marks that people gave. */
  tree: TopicTree;
  /** A topic was marked since the last training. */
  isTreeNew = false;

  constructor(tree: TopicTree, config: Config, ports: StatePorts) {
    this.#givenTree = tree;
    this.tree = tree;
    this.#config = config;
    this.#ports = ports;
    this.#budgets = new Budgets(tree, config.crawl);
    this.#watch = new Watch(config.crawl.stagnationPages);
    this.#guard = new TrapGuard(config.traps, (url) => (this.seen.pageOf(url) ?? 0) > 0);
    this.topics = new Map([...tree.nodes.keys()].map((id) => [id, new TopicPages(config.distill.maxBaseSet)]));
    this.predecessors = new TopicPages(config.distill.maxPredecessors);
    this.background = new Sample(config.learn.backgroundPages);
    this.rejected = new Sample(config.learn.rejectedAsOthers);
    this.#pinned = [...trainingJobs(tree)];
    this.#named = new Map(this.#pinned.map((job) => [job.entry.url, job]));
    const kept = [...this.#named.keys()];
    this.surroundings = new Surroundings(config.learn.spaces, { kept });
    this.#seedDomains = seedDomains(tree);
    const isHelped = config.learn.rejectedAsOthers > 0 && !hasOwnOthers(tree, this.#seedDomains);
    this.#discernment = isHelped ? new Discernment() : undefined;
    this.#lockedHosts = this.#allLockedHosts();
    this.#ordering = this.#makeOrdering();
    this.#frontier = this.#makeFrontier();
  }

  get frontier(): Frontier {
    return this.#frontier;
  }

  get pinned(): readonly Pinned[] {
    return this.#pinned;
  }

  /** Pages to fetch in all. */
  get budget(): number {
    return this.steering.budget ?? this.#config.crawl.budget;
  }

  /** A limit in force, in the unit of its setting. */
  limit(name: LimitName): number {
    return this.steering.limits[name] ?? Number(settingOf(this.#config, name));
  }

  /** What people gave to learn from, or how it is learned, has changed since stored pages were last judged again. */
  get isReclassificationDue(): boolean {
    const { judgedAt, taughtAt, resetAt, reclassifiedAt } = this.steering;
    return Math.max(judgedAt, taughtAt, resetAt) > reclassifiedAt;
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

  /** The model in force accepts nearly every page: see {@link Discernment}. */
  get isIndiscriminate(): boolean {
    return this.#discernment?.isLacking === true;
  }

  /** It should be trained anew now. */
  get isDiscernmentDue(): boolean {
    return this.#discernment?.isRoundDue === true;
  }

  /** The ordering that gave the waiting entries their priorities. */
  get ordering(): OrderingName {
    return this.#config.crawl.ordering;
  }

  /** Takes the best entry whose host is willing; pinned entries go first. It is in flight until a record ends it. */
  take(now: number): Pinned | undefined {
    const pinned = this.takePinned(now);
    if (pinned !== undefined) return pinned;
    if (this.#pinned.length > 0 && this.phase === 'bootstrap') return undefined;
    const entry = this.#frontier.take(now);
    return entry && this.#start({ entry, role: 'crawled' });
  }

  /** The same among the pinned entries alone, or some of them. */
  takePinned(now: number, fits: (job: Pinned) => boolean = () => true): Pinned | undefined {
    const { hosts } = this.#ports;
    // What waits for a bad host is taken as well, to be given up: a crawl must not wait for it for ever.
    const ready = this.#pinned.findIndex((job) => {
      const { host } = job.entry;
      if (!fits(job)) return false;
      return hosts.isBad(host) || (hosts.isWilling(host, now) && this.#hasRoom(job));
    });
    if (ready < 0) return undefined;
    const [job] = this.#pinned.splice(ready, 1);
    if (!hosts.isBad(job!.entry.host)) hosts.acquire(job!.entry.host, now);
    return this.#start(job!);
  }

  /** Links that a recheck found on new versions of pages and that wait to be fetched before all others. */
  get freshWaiting(): number {
    return this.#pinned.reduce((n, job) => n + (isBudgeted(job) ? 1 : 0), 0);
  }

  #start(job: Pinned): Pinned {
    this.#inFlight.add(job.entry.url);
    if (isBudgeted(job)) this.#budgets.start(job.entry);
    return job;
  }

  /** The record of a job is here. In a replay none was under way. */
  #end(job: Pinned): void {
    if (this.#harvest !== undefined) this.#fetchedAside.push(job.entry.url);
    if (!this.#inFlight.delete(job.entry.url) || !isBudgeted(job)) return;
    this.#budgets.end(job.entry);
    this.#frontier.reopened(registeredDomain(job.entry.host));
  }

  #hasRoom(job: Pinned): boolean {
    const { topic, host } = job.entry;
    return !isBudgeted(job) || (this.#budgets.isOpen(topic) && this.#budgets.hasRoom(registeredDomain(host)));
  }

  /** True when nothing waits: neither pinned nor in the frontier. In-flight entries may still bring more. */
  get isDry(): boolean {
    return this.#pinned.length === 0 && (this.phase === 'bootstrap' || this.#frontier.isExhausted());
  }

  /** Earliest time at which `take` may give something; Infinity when only the end of a request or a name can help. */
  nextWillingAt(now: number): number {
    const ready = this.#pinned.filter((job) => this.#hasRoom(job));
    const pinned = ready.map((job) => this.#ports.hosts.nextWillingAt(job.entry.host, now));
    const waiting = this.phase === 'bootstrap' ? undefined : this.#frontier.nextWillingAt(now);
    return Math.min(...pinned, waiting ?? Number.POSITIVE_INFINITY);
  }

  /** A stored page is asked for again; false when its URL is on its way already. */
  beginRecheck(job: Pinned): boolean {
    if (this.#inFlight.has(job.entry.url)) return false;
    this.#inFlight.add(job.entry.url);
    this.#frontier.moved(job.entry.url);
    return true;
  }

  /** It is asked for once more, later. */
  endRecheck(job: Pinned): void {
    this.#inFlight.delete(job.entry.url);
  }

  /** True when a page names links that the crawl has never heard of. */
  hasNewLinks(document: PageRecord['document']): boolean {
    return unpackLinks(document.links).some((link) => {
      const url = link.url as CanonicalUrl;
      const isKnown = this.seen.has(url) || this.#inFlight.has(url) || this.#frontier.has(url);
      return !isKnown && this.#isAdmissible(url, hostOf(url));
    });
  }

  /** The entry that a journal record answers, taken out of the queues just as `take` had done. */
  takeExact(record: PageRecord | VisitRecord, lastUrl: CanonicalUrl): Pinned {
    if (record.origin.via === 'recheck') return lostJob(record, lastUrl);
    const at = this.#pinned.findIndex((job) => job.entry.url === lastUrl && isAnswer(record, job));
    if (at >= 0) return this.#pinned.splice(at, 1)[0]!;
    const entry = this.#frontier.takeExact(lastUrl);
    const job = lostJob(record, lastUrl);
    return entry === undefined ? job : { ...job, entry };
  }

  /** Alarms that the last records gave rise to; each is given once. */
  takeAlarms(): readonly Alarm[] {
    return this.#watch.takeAlarms();
  }

  /** The page that has this text already, if any. */
  duplicateOf(contentHash: string): number | undefined {
    return contentHash === '' ? undefined : this.#contents.pageOf(contentHash);
  }

  /** The page that this one is a copy of, by its text and by what it says of itself. */
  nearDuplicateOf(document: AnalyzedDocument, url: CanonicalUrl): NearDuplicate | undefined {
    const { canonical } = document;
    const page = canonical === '' || canonical === url ? 0 : (this.seen.pageOf(canonical) ?? 0);
    const isSameSite =
      page > 0 && registeredDomain(hostOf(canonical as CanonicalUrl)) === registeredDomain(hostOf(url));
    return this.#guard.nearDuplicateOf(document, page > 0 ? { page, isSameSite } : undefined);
  }

  /** Folds one record in. `job` is the entry it answers; records without a URL have none. */
  apply(record: JournalRecord, job: Pinned | undefined): void {
    this.sequence = record.sequence;
    switch (record.kind) {
      case 'page':
        this.#applyPage(record, job!);
        this.#leaveTraps();
        break;
      case 'visit':
        this.#applyVisit(record, job!);
        this.#leaveTraps();
        break;
      case 'round':
        this.#applyRound(record);
        break;
      case 'phase':
        this.#applyPhase(record);
        break;
      case 'run':
      case 'steer':
        this.#applySteering(record);
        break;
      default:
        assertNever(record);
    }
  }

  #applyPage(record: PageRecord, job: Pinned): void {
    this.#end(job);
    for (const url of [job.entry.url, record.url, ...record.redirects]) this.seen.add(url, record.sequence);
    if (record.origin.via === 'recheck') {
      this.#applyNewVersion(record, job);
      return;
    }
    if (record.origin.via === 'sitemap') {
      this.#applySitemap(record, job);
      return;
    }
    this.surroundings.note(record);
    if (record.document.contentHash !== '') this.#contents.add(record.document.contentHash, record.sequence);
    const isRelevant = acceptedTopic(record.assignment, this.#isGood) !== undefined;
    this.#guard.page({ ...record, isRelevant });
    if (record.role !== 'crawled')
      this.trainingPages.set(record.url, {
        sequence: record.sequence,
        title: record.document.title,
        topic: job.entry.topic,
        others: record.role === 'others',
        urls: [record.url, ...record.redirects, record.finalUrl],
      });
    else this.#makeTrainingPage(record);
    this.#count(record, job);
    if (record.role === 'others') return;
    const page = judgedPage(record, job);
    if (isBudgeted(job)) this.#observe(page, job.entry);
    this.#remember(record);
    if (this.#isStart(record, job)) this.#judge(page);
    this.#ordering.gone(job.entry.url);
  }

  /** A page that the crawl found and that was named in bingo.yaml since: it is learned from as it is stored. */
  #makeTrainingPage({ url, finalUrl, redirects, sequence, document }: PageRecord): void {
    for (const name of new Set([url, finalUrl])) {
      const named = this.#named.get(name);
      if (named === undefined || this.trainingPages.has(name)) continue;
      const { topic } = named.entry;
      const urls = [url, ...redirects, finalUrl];
      this.trainingPages.set(name, { sequence, title: document.title, topic, others: named.role === 'others', urls });
      this.#pinned = this.#pinned.filter((job) => job.role === 'crawled' || job.entry.url !== name);
    }
  }

  /** A sitemap is no page of the crawl: what it names is offered as behind a page that says nothing of the topic. */
  #applySitemap(record: PageRecord, job: Pinned): void {
    const page = judgedPage(record, job);
    const further = this.#sitemaps.furtherOf(page.links, job);
    this.#pinned.push(...further.filter(({ entry }) => !this.seen.has(entry.url) && !this.#inFlight.has(entry.url)));
    this.#judge({ ...page, links: this.#sitemaps.pagesOf(page.links, record.finalUrl) });
    this.#ordering.gone(job.entry.url);
  }

  /**
   * A stored page has changed. It takes the place of its old version wherever pages are chosen from, and its links are
   * offered like any page's. What was learned from the old version stays: a person vouched for that one.
   */
  #applyNewVersion(record: PageRecord, job: Pinned): void {
    if (record.document.contentHash !== '') this.#contents.add(record.document.contentHash, record.sequence);
    const topic = acceptedTopic(record.assignment, this.#isGood);
    const { finalUrl } = record;
    for (const [id, pages] of this.topics)
      pages.renew(finalUrl, id === topic ? this.#topicPage(record, topic) : undefined);
    if (this.#isStart(record, job)) this.#followNew(judgedPage(record, job));
  }

  /** Links that nobody had heard of before are news: those that the focus rule lets through go first. */
  #followNew(page: JudgedPage): void {
    const fresh = this.#admitted(page).filter(({ url }) => !this.#frontier.has(url));
    this.#judge(page);
    for (const { url } of fresh.slice(0, MAX_FRESH_LINKS)) {
      const entry = this.#frontier.takeExact(url);
      if (entry === undefined) continue;
      this.#pinned.push({ entry, role: 'crawled' });
    }
  }

  /** An example's links are followed unless its topic names other places to start from. */
  #isStart(record: PageRecord, job: Pinned): boolean {
    const { seeds } = topicNode(this.tree, job.entry.topic);
    return record.role === 'crawled' || seeds.length === 0 || seeds.some((seed) => canonicalize(seed) === record.url);
  }

  #count(record: PageRecord, job: Pinned): void {
    if (!isBudgeted(job)) return;
    this.fetched++;
    if (this.phase === 'learning') this.learned++;
    const isRelevant = acceptedTopic(record.assignment, this.#isGood) !== undefined;
    if (isRelevant) this.relevant++;
    this.recent.push(isRelevant);
    if (this.recent.length > 100) this.recent.shift();
    this.#spend(job.entry);
  }

  /** Before the page's links are offered: those that wait are known from elsewhere. */
  #observe({ assignment, links, host }: JudgedPage, { topic }: FrontierEntry): void {
    const urls = new Set(links.map((link) => link.url as CanonicalUrl));
    let known = 0;
    for (const url of urls) if (this.seen.has(url) || this.#frontier.has(url)) known++;
    this.#watch.note({
      topic,
      host,
      isRelevant: acceptedTopic(assignment, this.#isGood) !== undefined,
      place: assignment.topic,
      isPlaceGood: this.#isGood(assignment.topic),
      links: urls.size,
      known,
    });
  }

  /** Charges a page to its topic and its site; when one of them has had all its pages, its links are dropped. */
  #spend(entry: FrontierEntry): void {
    this.#budgets.spend(entry);
    const site = registeredDomain(entry.host);
    const isSpent = this.#budgets.isSiteSpent(site);
    if (isSpent) this.#frontier.dropSite(site);
    const topics = [...this.tree.nodes.keys()].filter((id) => this.#budgets.isSpent(id));
    for (const id of topics) this.#frontier.dropTopic(id);
    if (isSpent || topics.length > 0)
      this.#pinned = this.#pinned.filter((job) => !isBudgeted(job) || !this.#isSpent(job.entry));
  }

  #isSpent({ topic, host }: Pick<FrontierEntry, 'topic' | 'host'>): boolean {
    return this.#budgets.isSpent(topic) || this.#budgets.isSiteSpent(registeredDomain(host));
  }

  #remember(record: PageRecord): void {
    const { assignment } = record;
    const topic = acceptedTopic(assignment, this.#isGood);
    const page = this.#topicPage(record, topic);
    if (record.role === 'crawled') this.#discern(page, topic !== undefined);
    if (topic !== undefined) {
      this.topics.get(topic)?.add(page);
      return;
    }
    if (record.role !== 'crawled') return;
    // Pages beyond it look a little like the topic: as OTHERS they would push its outskirts out.
    if (assignment.relevance < SURELY_REJECTED) this.rejected.offer(page.url, page);
    this.background.offer(record.finalUrl, { sequence: record.sequence, url: record.finalUrl });
    if (page.links !== '' && assignment.relevance > 0) this.predecessors.add({ ...page, calibrated: page.relevance });
  }

  #discern({ sequence, url, title, relevance }: TopicPage, isAccepted: boolean): void {
    this.#discernment?.note({ sequence, url, title, relevance }, isAccepted);
    if (this.#discernment?.isRoundDue !== true) return;
    for (const low of this.#discernment.lowest()) this.rejected.offer(low.url, low);
  }

  #topicPage({ assignment, document, sequence, finalUrl, host }: PageRecord, topic: TopicId | undefined): TopicPage {
    const score = assignment.scores.find((s) => s.topic === topic);
    return {
      ...{ sequence, url: finalUrl, title: document.title, host, relevance: assignment.relevance },
      calibrated: score?.calibrated ?? 0,
      links: followedUrls(document.links, LINK_FLAG.nofollow),
    };
  }

  #judge(page: JudgedPage): void {
    if (this.phase !== 'harvesting') this.#retained.push(page);
    if (this.phase === 'learning') this.#followLearning(page);
    if (this.phase === 'harvesting') this.#followHarvesting(page);
    if (this.phase === 'harvesting' && acceptedTopic(page.assignment, this.#isGood) !== undefined)
      this.#offerStart(page);
  }

  #offerStart(page: JudgedPage): void {
    this.#starts.push(page);
    if (this.#starts.length >= 2 * MAX_STARTS) this.#starts = this.#starts.slice(-MAX_STARTS);
  }

  #followLearning(page: JudgedPage): void {
    const ordering = this.#ordering.ordersLearning === true ? this.#ordering : undefined;
    ordering?.judged(page);
    const follow = this.#focusOf(page, 'learning');
    if (follow === undefined || this.#budgets.isSpent(follow.topic)) return;
    const confidence = page.assignment.scores.find((s) => s.topic === follow.topic)?.calibrated ?? 0;
    const { topic, depth, tunnelDepth } = follow;
    const depthFirst = learningPriority(depth, confidence * this.#config.crawl.tunnelDecay ** tunnelDepth);
    for (const { url, host, link, doubtful } of this.#admitted(page)) {
      if (!follow.allowUrl(host)) continue;
      const priority = doubtful
        ? DOUBTFUL_PRIORITY
        : (ordering?.priorityOf({ url, host, link, page, topic, depth, tunnelDepth }) ?? depthFirst);
      this.#frontier.offer({ ...fresh(url, host, page), topic, depth, tunnelDepth, priority });
    }
    for (const [url, priority] of ordering?.changes() ?? []) this.#frontier.reprioritize(url, priority);
  }

  #followHarvesting(page: JudgedPage): void {
    this.#ordering.judged(page);
    const follow = this.#ordering.focused ? this.#focusOf(page, 'harvesting') : openFollow(page, this.#isGood);
    if (follow === undefined) this.#reserve(page);
    else if (!this.#budgets.isSpent(follow.topic)) {
      const { topic, depth, tunnelDepth } = follow;
      for (const { url, host, link, doubtful } of this.#admitted(page)) {
        const priority = doubtful
          ? DOUBTFUL_PRIORITY
          : this.#ordering.priorityOf({ url, host, link, page, topic, depth, tunnelDepth });
        this.#frontier.offer({ ...fresh(url, host, page), topic, depth, tunnelDepth, priority });
      }
    }
    for (const [url, priority] of this.#ordering.changes()) this.#frontier.reprioritize(url, priority);
  }

  /**
   * Links that the focus rule turns down wait below all others, the farther from an accepted page the lower: without
   * them a crawl can end before its budget (our addition; the paper drops them). Hard focus means what it says.
   */
  #reserve(page: JudgedPage): void {
    if (page.entry === undefined || this.#ordering.focusMode === 'hard' || !this.#config.crawl.reserve) return;
    const { topic, depth, tunnelDepth } = page.entry;
    if (this.#budgets.isSpent(topic)) return;
    const place = { topic, depth: depth + 1, tunnelDepth: tunnelDepth + 1 };
    for (const { url, host, doubtful } of this.#admitted(page)) {
      const priority = doubtful ? DOUBTFUL_PRIORITY : -1 - tunnelDepth;
      this.#frontier.offer({ ...fresh(url, host, page), ...place, priority });
    }
  }

  #focusOf(page: JudgedPage, phase: 'learning' | 'harvesting'): Follow | undefined {
    const { learnMaxDepth } = this.#config.crawl;
    const tunnelDistance = this.limit('tunnel');
    const { assignment, entry } = page;
    const seedDomains = this.#seedDomains;
    const question = { phase, assignment, entry, tunnelDistance, learnMaxDepth, seedDomains, isGood: this.#isGood };
    return focus({ ...question, mode: this.#ordering.focusMode ?? 'soft' });
  }

  /** Links that may enter the frontier at all, each URL once. */
  #admitted(page: JudgedPage): AdmittedLink[] {
    const admitted: AdmittedLink[] = [];
    for (const link of page.links) {
      const url = link.url as CanonicalUrl;
      if (this.seen.has(url) || this.#inFlight.has(url)) continue;
      const host = hostOf(url);
      if (!this.#isAdmissible(url, host)) continue;
      const standing = this.#guard.standing(url, host);
      if (standing === 'barred' || this.#isRepeat(url, host)) continue;
      admitted.push({ url, host, link, doubtful: standing === 'doubtful' });
    }
    return admitted;
  }

  /** Another address of a page that was fetched or waits, by what is known of its host. */
  #isRepeat(url: CanonicalUrl, host: string): boolean {
    const original = this.#guard.originalOf(url, host) as CanonicalUrl | undefined;
    if (original !== undefined && (this.seen.has(original) || this.#frontier.has(original))) return true;
    return !this.#guard.claim(url, host);
  }

  /** Links that wait and turned out to be worthless go to the end, or go. */
  #leaveTraps(): void {
    const { hosts, domains } = this.#guard.takeChanged();
    for (const host of hosts) this.#demote(this.#frontier.waitingOn(host));
    for (const domain of domains) this.#demote(this.#frontier.waitingOnSite(registeredDomain(domain)));
  }

  #demote(entries: readonly FrontierEntry[]): void {
    const dropped: CanonicalUrl[] = [];
    for (const { url, host, priority } of entries) {
      const standing = this.#guard.standing(url, host);
      if (standing === 'barred' || this.#isRepeat(url, host)) dropped.push(url);
      else if (standing === 'doubtful' && priority > DOUBTFUL_PRIORITY) {
        this.#frontier.reprioritize(url, DOUBTFUL_PRIORITY);
        this.#ordering.gone(url);
      }
    }
    this.#frontier.dropTrapped(dropped);
  }

  #isAdmissible(url: string, host: string): boolean {
    const { maxUrlChars, maxHostChars } = this.#config.crawl;
    if (url.length > maxUrlChars || host.length > maxHostChars) return false;
    if (this.#lockedHosts.length > 0 && isLocked(host, this.#lockedHosts)) return false;
    if (this.#ports.hosts.isBad(host)) return false;
    return this.#config.crawl.maxPagesPerSite === 0 || !this.#budgets.isSiteSpent(registeredDomain(host));
  }

  #applyVisit(record: VisitRecord, job: Pinned): void {
    const { entry } = job;
    this.#end(job);
    // A page that was looked at again stays what it is, whatever became of it: the store tells.
    if (record.origin.via === 'recheck') return;
    if (record.result === 'failed') this.failed++;
    else if (record.result === 'refused' || record.result === 'noindex') this.refused++;
    else if (record.result === 'duplicate') this.#applyDuplicate(record, job);
    this.#guard.visit(record, entry.host);
    if (record.retried) {
      this.#retry({ ...job, entry: { ...entry, tries: entry.tries + 1 } });
      return;
    }
    if (job.role !== 'crawled' && record.result !== 'redirected')
      this.failedTraining.set(entry.redirects[0] ?? entry.url, record.detail || record.reason);
    if (record.result !== 'duplicate') this.seen.add(entry.url, 0);
    if (record.reason === LINKS_FOLLOWED) this.#applyUnwanted(record, job);
    this.#ordering.gone(entry.url);
    if (record.result === 'redirected') this.#redirect(record, job);
  }

  /** Its links are offered as behind a rejected page. It counts like a page: a site of such pages must come to an end, too. */
  #applyUnwanted(record: VisitRecord, job: Pinned): void {
    this.#countUnstored(job);
    this.#judge(unwantedPage(record, job, this.#config.crawl.tunnelDecay));
  }

  /** A fetch that took a page's place without giving one. */
  #countUnstored(job: Pinned): void {
    if (isBudgeted(job)) {
      this.fetched++;
      this.#spend(job.entry);
      const { topic, host } = job.entry;
      this.#watch.note({ topic, host, isRelevant: false, place: undefined, isPlaceGood: false, links: 0, known: 0 });
    }
    if (this.phase === 'learning') this.learned++;
  }

  #applyDuplicate(record: VisitRecord, job: Pinned): void {
    const { entry } = job;
    this.duplicates++;
    this.#countUnstored(job);
    for (const url of [entry.url, ...entry.redirects]) this.seen.add(url, record.page);
    this.#guard.duplicate(entry.url, entry.host, record.page);
  }

  #retry(job: Pinned): void {
    if (job.role === 'crawled' && isLocked(job.entry.host, this.#lockedHosts)) return;
    if (!isBudgeted(job)) this.#pinned.push(job);
    else if (!this.#isSpent(job.entry)) this.#frontier.offer(job.entry);
    else this.#ordering.gone(job.entry.url);
  }

  /** A redirect's target is fetched at once, in its entry's place; a target that was seen gives the URL an alias. */
  #redirect(record: VisitRecord, job: Pinned): void {
    const target = canonicalize(record.target);
    if (target === undefined) return;
    const known = this.seen.pageOf(target);
    if (known !== undefined) {
      for (const url of [job.entry.url, ...job.entry.redirects]) this.seen.add(url, known);
      return;
    }
    const redirects = [...job.entry.redirects, job.entry.url];
    const host = hostOf(target);
    if (redirects.length > this.#config.crawl.maxRedirects || this.#inFlight.has(target)) return;
    if (this.#guard.standing(target, host) === 'barred') return;
    if (this.#guard.isEndlessRedirect(redirects, target)) {
      for (const url of redirects) this.#guard.endlessRedirect(url, hostOf(url));
      return;
    }
    if (!this.#isAdmissible(target, host) || (isBudgeted(job) && this.#isSpent({ ...job.entry, host }))) return;
    this.#frontier.moved(target);
    this.#pinned.unshift({ ...job, entry: { ...job.entry, url: target, host, redirects, tries: 0 } });
  }

  #applyRound(record: RoundRecord): void {
    const isNew = this.round?.model !== record.model;
    if (this.round !== undefined && differInGiven(this.round.training, record.training)) {
      this.steering = { ...this.steering, taughtAt: record.sequence };
      this.unlike.clear();
    }
    for (const { key } of record.refused ?? []) this.unlike.add(key);
    this.round = record;
    if (isNew) {
      this.#discernment?.renew();
      this.isTreeNew = false;
      this.steering = trained(this.steering, record);
    }
    if (isNew) this.#tellModel(this.#ordering, record);
    if (this.#ordering.hubsFound !== undefined) {
      this.#ordering.hubsFound(new Set(record.boosted.map(({ from }) => from as CanonicalUrl)));
      return;
    }
    // Other orderings have a scale of their own, on which a hub's links cannot be placed.
    if (!this.#ordering.focused) return;
    for (const { url, topic, from } of record.boosted) {
      if (this.seen.has(url) || this.#inFlight.has(url)) continue;
      const host = hostOf(url);
      if (!this.#isAdmissible(url, host) || this.#budgets.isSpent(topic)) continue;
      if (this.#guard.standing(url, host) !== 'free' || this.#isRepeat(url, host)) continue;
      const place = { topic, depth: 1, tunnelDepth: 0, via: 'hub' as const, from, tries: 0, redirects: [] };
      this.#frontier.offer({ url, host, priority: 1, ...place });
    }
  }

  #applyPhase(record: PhaseRecord): void {
    const first = this.phase === 'bootstrap';
    this.phase = record.phase;
    if (record.phase === 'bootstrap' || record.phase === 'done') return;
    if (first) this.#pinned.push(...this.#startingJobs().filter((job) => !this.seen.has(job.entry.url)));
    this.steering = entered(this.steering, record);
    if (record.phase === 'learning' && !first) {
      this.#learnAgain();
      return;
    }
    if (this.#harvest === undefined) {
      this.#frontier = this.#makeFrontier();
      this.#ordering = this.#makeOrdering();
    } else this.#harvestAgain(this.#harvest);
    const pages = this.#retained;
    this.#retained = [];
    if (record.phase === 'harvesting') this.#starts.push(...pages.slice(-MAX_STARTS));
    for (const page of pages) this.#judge(page);
  }

  #startingJobs(): readonly Pinned[] {
    return [...seedJobs(this.tree), ...(this.#config.crawl.sitemaps ? sitemapJobs(this.tree) : [])];
  }

  /** Learning begins anew, from the examples and the best of what was found; what waits for harvesting is kept aside. */
  #learnAgain(): void {
    this.#harvest = { frontier: this.#frontier, ordering: this.#ordering };
    this.learned = 0;
    this.#frontier = this.#makeFrontier();
    this.#ordering = this.#makeOrdering();
    for (const page of this.#starts) this.#followLearning(page);
  }

  /** The frontier of the harvest is back, without what was fetched meanwhile. */
  #harvestAgain({ frontier, ordering }: Harvest): void {
    this.#frontier = frontier;
    this.#ordering = ordering;
    this.#harvest = undefined;
    for (const url of this.#fetchedAside) if (this.seen.has(url)) frontier.moved(url);
    this.#fetchedAside = [];
    this.#dropLocked();
    if (this.round !== undefined) this.#tellModel(ordering, this.round);
  }

  /** A name was looked up, for whichever frontier asked. */
  resolved(host: string, ok: boolean): void {
    this.#frontier.resolved(host, ok);
    this.#harvest?.frontier.resolved(host, ok);
  }

  /** Another ordering takes effect when the state is made again with it: see `Crawl`. */
  #applySteering(record: RunRecord | SteerRecord): void {
    this.steering = steered(this.steering, record);
    if (record.kind === 'run') return;
    if (record.command.kind === 'mark-topic') {
      this.tree = markedTree(this.#givenTree, this.steering);
      this.isTreeNew = true;
    }
    if (record.command.kind === 'lock-host') this.#dropLocked();
  }

  /** Training pages are fetched all the same: a person named each of them. */
  #dropLocked(): void {
    this.#lockedHosts = this.#allLockedHosts();
    const locked = (host: string): boolean => isLocked(host, this.#lockedHosts);
    this.#pinned = this.#pinned.filter((job) => job.role !== 'crawled' || !locked(job.entry.host));
    this.#frontier.dropLocked(locked);
  }

  #allLockedHosts(): readonly string[] {
    const byTopic = [...this.tree.nodes.values()].flatMap((node) => node.lockedHosts);
    return [...this.#config.crawl.lockedHosts, ...byTopic, ...this.steering.lockedHosts];
  }

  #makeOrdering(): Ordering {
    const { ordering, seed, tunnelDecay } = this.#config.crawl;
    const made = makeOrdering(ordering, { seed, tunnelDecay, words: stemsOf, hashes: stemHashesOf });
    if (this.round !== undefined) this.#tellModel(made, this.round);
    return made;
  }

  #tellModel(ordering: Ordering, round: RoundRecord): void {
    if (ordering.modelChanged === undefined) return;
    const topics = goodTopics(this.tree).map(({ id }) => id);
    ordering.modelChanged(linkWeights(decodeModels(round.blob), topics));
  }

  #makeFrontier(): Frontier {
    const { incomingQueue, outgoingQueue, fairShare } = this.#config.crawl;
    return new Frontier(
      { incomingQueue, outgoingQueue, fairShare },
      {
        ...this.#ports,
        onGone: (url) => this.#ordering.gone(url),
        isOpen: (topic) => this.#budgets.isOpen(topic),
        hasRoom: (site) => this.#budgets.hasRoom(site),
      },
    );
  }
}

/** True when a journal record can be what a pinned job led to; a page that the crawl found on its way was no training page. */
function isAnswer(record: PageRecord | VisitRecord, job: Pinned): boolean {
  if (record.kind === 'page') return (record.role === 'crawled') === (job.role === 'crawled');
  return job.role === 'crawled' || record.origin.via === 'seed';
}

/** True for what counts against budgets: pages that the crawl found anew. */
export function isBudgeted({ role, entry }: Pinned): boolean {
  return role === 'crawled' && entry.via !== 'seed' && entry.via !== 'recheck' && entry.via !== 'sitemap';
}

/** The job of a record whose entry waits nowhere (any more), as far as the record tells. */
function lostJob(record: PageRecord | VisitRecord, url: CanonicalUrl): Pinned {
  const { via, from, topic, depth, tunnelDepth, priority } = record.origin;
  const entry = { url, host: hostOf(url), tries: 0, redirects: [], topic, depth, tunnelDepth, priority, via, from };
  return { entry, role: record.kind === 'page' ? record.role : 'crawled' };
}

function judgedPage(record: PageRecord, { entry }: Pinned): JudgedPage {
  const { sequence, finalUrl, host, document, assignment } = record;
  const links = document.nofollow ? [] : followed(unpackLinks(document.links));
  return { sequence, url: finalUrl, host, title: document.title, assignment, entry, links };
}

function unwantedPage({ sequence, url, links = EMPTY_LINKS }: VisitRecord, job: Pinned, decay: number): JudgedPage {
  const assignment = unwantedAssignment(job, decay);
  const { entry } = job;
  return { sequence, url, host: entry.host, title: '', assignment, entry, links: followed(unpackLinks(links)) };
}

/** A link that may enter the frontier. */
interface AdmittedLink {
  readonly url: CanonicalUrl;
  readonly host: string;
  readonly link: Link;
  /** It promises only copies and errors. */
  readonly doubtful: boolean;
}

function fresh(
  url: CanonicalUrl,
  host: string,
  page: JudgedPage,
): Pick<FrontierEntry, 'url' | 'host' | 'via' | 'from' | 'tries' | 'redirects'> {
  return { url, host, via: 'link', from: page.url, tries: 0, redirects: [] };
}

/** Without a focus rule every link is followed, however many rejected pages lie before it, for the topic that its page looks most like. */
function openFollow(
  page: JudgedPage,
  isGood: (topic: TopicId) => boolean,
): Pick<Follow, 'topic' | 'depth' | 'tunnelDepth'> {
  let best = page.assignment.scores[0];
  for (const score of page.assignment.scores)
    if (best === undefined || score.calibrated > best.calibrated) best = score;
  const topic = best?.topic ?? page.assignment.topic;
  const isRejected = page.entry !== undefined && acceptedTopic(page.assignment, isGood) === undefined;
  const tunnelDepth = isRejected ? page.entry.tunnelDepth + 1 : 0;
  return { topic, depth: (page.entry?.depth ?? 0) + 1, tunnelDepth };
}

function followed(links: readonly Link[]): Link[] {
  return links.filter((link) => (link.flags & LINK_FLAG.nofollow) === 0);
}

function isLocked(host: string, locked: readonly string[]): boolean {
  const name = host.replace(/:\d+$/, '');
  return locked.some((lock) => name === lock || name.endsWith(`.${lock}`));
}

function seedDomains(tree: TopicTree): ReadonlySet<string> {
  const jobs = [...trainingJobs(tree).filter((job) => job.role === 'example'), ...seedJobs(tree)];
  return new Set(jobs.map((job) => registeredDomain(job.entry.host)));
}

/** OTHERS of the crawled sites themselves that tell what on them is not wanted. Our choice. */
const OWN_OTHERS = 10;

/** True when the workspace names OTHERS of the sites where the crawl begins. */
function hasOwnOthers(tree: TopicTree, domains: ReadonlySet<string>): boolean {
  const others = trainingJobs(tree).filter((job) => job.role === 'others');
  return others.filter((job) => domains.has(registeredDomain(job.entry.host))).length >= OWN_OTHERS;
}
