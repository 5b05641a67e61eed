import { type CanonicalUrl, type PageRecord, registeredDomain, type VisitRecord } from '../../core/index.ts';
import type { Frontier, FrontierEntry, HostClocks } from '../../crawl/index.ts';
import { type Fields, LruMap, ownCopy } from '../../kit/index.ts';
import type { Budgets } from './budgets.ts';
import { isAway, isBudgeted, lostJob, type Pinned, type RecheckJob } from './jobs.ts';
import { PinnedJobs } from './pinned-jobs.ts';

/** Maximum number of URLs whose failures are remembered; the oldest failures are dropped first. */
const MAX_FAILED = 10_000;

/** What waiting needs from the crawl. */
export interface WaitingPorts {
  readonly hosts: HostClocks;
  readonly budgets: Budgets;
  /** The current frontier; empty before the first model. */
  readonly frontier: () => Frontier;
  /** Receives URLs of pinned jobs that no longer wait, as the ordering does for URLs that the frontier drops. */
  readonly onGone: (url: CanonicalUrl) => void;
}

/** A job that was taken, and where it was taken from. */
interface Started {
  readonly job: Pinned;
  readonly isPinned: boolean;
}

/** Everything that waits to be fetched, pinned jobs first, and the fetches under way. Budgets count both. */
export class Waiting {
  readonly #ports: WaitingPorts;
  /** By URL; `undefined` for a recheck. */
  readonly #underWay = new Map<CanonicalUrl, Started | undefined>();
  /**
   * Entries whose URL is being fetched only to see where another page redirects. The answer is not stored, so they
   * wait for their own fetch.
   */
  readonly #aside = new Map<CanonicalUrl, FrontierEntry>();
  /** Number of failed fetches per URL. A new phase has a new frontier, but earlier failures still count. */
  readonly #failures = new LruMap<CanonicalUrl, number>(MAX_FAILED);
  readonly pinned: PinnedJobs;

  constructor(pinned: readonly Pinned[], ports: WaitingPorts) {
    this.#ports = ports;
    this.pinned = new PinnedJobs(pinned, ports.hosts, (job) => this.#hasRoom(job));
  }

  /** True if the URL was taken and has no record yet. */
  isUnderWay(url: CanonicalUrl): boolean {
    return this.#underWay.has(url);
  }

  /** True if the URL is being fetched, or waits before the frontier. */
  isAsked(url: CanonicalUrl): boolean {
    return this.isUnderWay(url) || this.pinned.has(url);
  }

  /** True if no job waits, pinned or in the frontier. Fetches under way may still add some. */
  get isDry(): boolean {
    return this.pinned.all.length === 0 && this.#ports.frontier().isExhausted();
  }

  /** Number of links that a recheck found on new versions of pages and that wait before all others. */
  get news(): number {
    return this.pinned.all.reduce((n, job) => n + (isBudgeted(job) ? 1 : 0), 0);
  }

  /** Takes the best entry whose host may be asked; pinned jobs go first. It is under way until `end`. */
  take(now: number): Pinned | undefined {
    const pinned = this.takePinned(now);
    if (pinned !== undefined) return pinned;
    const entry = this.#ports.frontier().take(now);
    return entry && this.#start({ entry: this.#tried(entry), role: 'crawled' }, false);
  }

  /** Like `take`, for pinned jobs only, or some of them. */
  takePinned(now: number, fits: (job: Pinned) => boolean = () => true): Pinned | undefined {
    const job = this.pinned.take(now, fits);
    return job && this.#start(this.#unlinked(job), true);
  }

  /** Takes the job that a journal record answers, with the same effects as `take`; it is not under way. */
  takeExact(record: PageRecord | VisitRecord, lastUrl: CanonicalUrl): Pinned {
    if (record.origin.via === 'recheck') {
      // The page may have moved to an address that waited: `beginRecheck` removed that entry.
      this.#ports.frontier().moved(lastUrl);
      return lostJob(record, lastUrl);
    }
    const pinned = this.pinned.takeExact(record, lastUrl);
    if (pinned !== undefined) return this.#unlinked(pinned);
    const entry = this.#ports.frontier().takeExact(lastUrl);
    const job = lostJob(record, lastUrl);
    return entry === undefined ? job : { ...job, entry: this.#tried(entry) };
  }

  /** Starts to fetch a stored page again; false if its URL is under way already. */
  beginRecheck(job: Pick<RecheckJob, 'entry' | 'detour'>): boolean {
    const { url } = job.entry;
    if (this.#underWay.has(url)) return false;
    this.#underWay.set(url, undefined);
    const frontier = this.#ports.frontier();
    const waiting = isAway(job) ? frontier.get(url) : undefined;
    if (waiting !== undefined) this.#aside.set(url, waiting);
    frontier.moved(url);
    return true;
  }

  /** Ends one try of a recheck; another one follows later. */
  endRecheck({ entry }: Pinned): void {
    this.#underWay.delete(entry.url);
    this.#putBack(entry.url);
  }

  /** Ends a job that was taken but not fetched. */
  giveBack(job: Pinned): void {
    if (this.#underWay.delete(job.entry.url)) this.#endBudgeted(job);
  }

  /** Counts a failure of an entry that will be tried again. */
  failed({ url, tries }: FrontierEntry): void {
    this.#failures.set(ownCopy(url) as CanonicalUrl, tries + 1);
  }

  /** Ends a job whose record has arrived. In a replay no job was under way. */
  end(job: Pinned): void {
    this.#failures.delete(job.entry.url);
    this.#putBack(job.entry.url);
    this.giveBack(job);
  }

  /** Charges a page to its topic and its site. If the budget of either is used up, its links are dropped. */
  spend(entry: FrontierEntry): void {
    const { budgets } = this.#ports;
    const frontier = this.#ports.frontier();
    budgets.spend(entry);
    const site = registeredDomain(entry.host);
    const isSpent = budgets.isSiteSpent(site);
    if (isSpent) frontier.dropSite(site);
    const topics = budgets.spentTopics();
    for (const topic of topics) frontier.dropTopic(topic);
    if (!isSpent && topics.length === 0) return;
    const dropped = this.pinned.drop((job) => isBudgeted(job) && this.isSpent(job.entry));
    for (const job of dropped) this.#ports.onGone(job.entry.url);
  }

  /** True if the pages of the topic or the site are used up. */
  isSpent({ topic, host }: Pick<FrontierEntry, 'topic' | 'host'>): boolean {
    const { budgets } = this.#ports;
    return budgets.isSpent(topic) || budgets.isSiteSpent(registeredDomain(host));
  }

  /**
   * Returns the earliest time at which `take` may return a job; Infinity if a request or a name lookup must end
   * first.
   */
  nextWillingAt(now: number): number {
    const waiting = this.#ports.frontier().nextWillingAt(now);
    return Math.min(this.pinned.nextWillingAt(now), waiting ?? Number.POSITIVE_INFINITY);
  }

  #endBudgeted(job: Pinned): void {
    if (!isBudgeted(job)) return;
    this.#ports.budgets.end(job.entry);
    this.#ports.frontier().reopened(registeredDomain(job.entry.host));
  }

  #putBack(url: CanonicalUrl): void {
    const entry = this.#aside.get(url);
    this.#aside.delete(url);
    if (entry !== undefined && !this.isSpent(entry)) this.#ports.frontier().offer(entry);
  }

  /**
   * Removes a pinned job's URL from the frontier, where links may have put it. For a redirect target, earlier tries
   * count; a training page gets all its tries.
   */
  #unlinked(job: Pinned): Pinned {
    this.#ports.frontier().moved(job.entry.url);
    return job.role === 'crawled' ? { ...job, entry: this.#tried(job.entry) } : job;
  }

  #tried(entry: FrontierEntry): FrontierEntry {
    const tries = this.#failures.peek(entry.url) ?? 0;
    return tries > entry.tries ? { ...entry, tries } : entry;
  }

  #start(job: Pinned, isPinned: boolean): Pinned {
    this.#underWay.set(job.entry.url, { job, isPinned });
    if (isBudgeted(job)) this.#ports.budgets.start(job.entry);
    return job;
  }

  #hasRoom(job: Pinned): boolean {
    const { url, topic, host } = job.entry;
    const { budgets } = this.#ports;
    // A training page may have been redirected to a URL being fetched.
    if (this.#underWay.has(url)) return false;
    return !isBudgeted(job) || (budgets.isOpen(topic) && budgets.hasRoom(registeredDomain(host)));
  }

  exchange(fields: Fields): void {
    this.pinned.exchange(fields);
    this.#failures.exchange(fields);
    // A resumed crawl takes jobs under way again: their answers are lost.
    const taken = fields.value([...this.#underWay.values()].filter((start) => start !== undefined));
    const aside = fields.value([...this.#aside.values()]);
    if (!fields.isLoading) return;
    const frontier = this.#ports.frontier();
    for (const { job, isPinned } of taken.reverse()) {
      if (isPinned) this.pinned.addFirst(job);
      else frontier.offer(job.entry);
    }
    for (const entry of aside) frontier.offer(entry);
  }
}
