import { type CanonicalUrl, type PageRecord, registeredDomain, type VisitRecord } from '../../core/index.ts';
import type { Frontier, FrontierEntry, HostClocks } from '../../crawl/index.ts';
import { type Fields, LruMap, ownCopy } from '../../kit/index.ts';
import type { Budgets } from './budgets.ts';
import { isAway, isBudgeted, lostJob, type Pinned, type RecheckJob } from './jobs.ts';
import { PinnedJobs } from './pinned-jobs.ts';

/** URLs whose failures are remembered; those that failed longest ago are forgotten. */
const MAX_FAILED = 10_000;

/** What waiting needs of the crawl. */
export interface WaitingPorts {
  readonly hosts: HostClocks;
  readonly budgets: Budgets;
  /** The one in force; nothing waits in it before the first model. */
  readonly frontier: () => Frontier;
  /** Hears of what was pinned and waits no more, as whoever orders links does of what the frontier drops. */
  readonly onGone: (url: CanonicalUrl) => void;
}

/** A job that was taken, and where from. */
interface Started {
  readonly job: Pinned;
  readonly isPinned: boolean;
}

/** All that waits to be fetched, pinned jobs before the frontier, and what is under way. Budgets hold for both together. */
export class Waiting {
  readonly #ports: WaitingPorts;
  /** By URL; `undefined` for a recheck. */
  readonly #underWay = new Map<CanonicalUrl, Started | undefined>();
  /** Entries for what is just asked for to see where another page leads: the answer is not stored, so they wait on behind it. */
  readonly #aside = new Map<CanonicalUrl, FrontierEntry>();
  /** Fetches of a URL that failed so far. A new phase has a new frontier, and does not make them undone. */
  readonly #failures = new LruMap<CanonicalUrl, number>(MAX_FAILED);
  readonly pinned: PinnedJobs;

  constructor(pinned: readonly Pinned[], ports: WaitingPorts) {
    this.#ports = ports;
    this.pinned = new PinnedJobs(pinned, ports.hosts, (job) => this.#hasRoom(job));
  }

  /** Taken, and without a record yet. */
  isUnderWay(url: CanonicalUrl): boolean {
    return this.#underWay.has(url);
  }

  /** It is asked for already, or will be before all that the frontier holds. */
  isAsked(url: CanonicalUrl): boolean {
    return this.isUnderWay(url) || this.pinned.has(url);
  }

  /** True when nothing waits: neither pinned nor in the frontier. What is under way may still bring more. */
  get isDry(): boolean {
    return this.pinned.all.length === 0 && this.#ports.frontier().isExhausted();
  }

  /** Links that a recheck found on new versions of pages and that wait to be fetched before all others. */
  get news(): number {
    return this.pinned.all.reduce((n, job) => n + (isBudgeted(job) ? 1 : 0), 0);
  }

  /** Takes the best entry whose host is willing; pinned jobs go first. It is under way until `end`. */
  take(now: number): Pinned | undefined {
    const pinned = this.takePinned(now);
    if (pinned !== undefined) return pinned;
    const entry = this.#ports.frontier().take(now);
    return entry && this.#start({ entry: this.#tried(entry), role: 'crawled' }, false);
  }

  /** The same among the pinned jobs alone, or some of them. */
  takePinned(now: number, fits: (job: Pinned) => boolean = () => true): Pinned | undefined {
    const job = this.pinned.take(now, fits);
    return job && this.#start(this.#unlinked(job), true);
  }

  /** The job that a journal record answers, taken just as `take` had done; it is not under way. */
  takeExact(record: PageRecord | VisitRecord, lastUrl: CanonicalUrl): Pinned {
    if (record.origin.via === 'recheck') {
      // The page may have moved to an address that waited: `beginRecheck` took it out.
      this.#ports.frontier().moved(lastUrl);
      return lostJob(record, lastUrl);
    }
    const pinned = this.pinned.takeExact(record, lastUrl);
    if (pinned !== undefined) return this.#unlinked(pinned);
    const entry = this.#ports.frontier().takeExact(lastUrl);
    const job = lostJob(record, lastUrl);
    return entry === undefined ? job : { ...job, entry: this.#tried(entry) };
  }

  /** A stored page is asked for again; false when its URL is under way already. */
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

  /** It is asked for once more, later. */
  endRecheck({ entry }: Pinned): void {
    this.#underWay.delete(entry.url);
    this.#putBack(entry.url);
  }

  /** It was taken and is not under way any longer. */
  giveBack(job: Pinned): void {
    if (this.#underWay.delete(job.entry.url)) this.#endBudgeted(job);
  }

  /** It is to be tried again. */
  failed({ url, tries }: FrontierEntry): void {
    this.#failures.set(ownCopy(url) as CanonicalUrl, tries + 1);
  }

  /** The record of a job is here. In a replay none was under way. */
  end(job: Pinned): void {
    this.#failures.delete(job.entry.url);
    this.#putBack(job.entry.url);
    this.giveBack(job);
  }

  /** Charges a page to its topic and its site; when one of them has had all its pages, its links are dropped. */
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

  /** The topic or the site has had all its pages. */
  isSpent({ topic, host }: Pick<FrontierEntry, 'topic' | 'host'>): boolean {
    const { budgets } = this.#ports;
    return budgets.isSpent(topic) || budgets.isSiteSpent(registeredDomain(host));
  }

  /** Earliest time at which `take` may give something; Infinity when only the end of a request or a name can help. */
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
   * Pages may have linked to what is pinned: it is not asked for once more, and where a redirect led there, what was tried before counts. A
   * training page has all its tries.
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
    // A training page may have been sent to what is just being fetched.
    if (this.#underWay.has(url)) return false;
    return !isBudgeted(job) || (budgets.isOpen(topic) && budgets.hasRoom(registeredDomain(host)));
  }

  exchange(fields: Fields): void {
    this.pinned.exchange(fields);
    this.#failures.exchange(fields);
    // A resumed crawl takes again what is under way: nobody waits for the answer any more.
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
