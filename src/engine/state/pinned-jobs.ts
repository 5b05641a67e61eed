import type { CanonicalUrl, PageRecord, VisitRecord } from '../../core/index.ts';
import type { HostClocks } from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';
import { isAnswer, isTraining, type Pinned } from './jobs.ts';

/** Jobs that go before the frontier, in the order in which they were pinned. */
export class PinnedJobs {
  readonly #hosts: HostClocks;
  readonly #hasRoom: (job: Pinned) => boolean;
  #jobs: Pinned[] = [];
  /** How many jobs wait for an address, those for training pages left out. */
  readonly #asked = new Map<CanonicalUrl, number>();
  #training = 0;
  /** Training pages that are asked for at another address than their own. */
  #sent = 0;

  /** @param hasRoom - false: a budget that the job counts against is used up, or will be by what is under way */
  constructor(jobs: readonly Pinned[], hosts: HostClocks, hasRoom: (job: Pinned) => boolean) {
    this.add(jobs);
    this.#hosts = hosts;
    this.#hasRoom = hasRoom;
  }

  get all(): readonly Pinned[] {
    return this.#jobs;
  }

  /** How many are for training pages that are yet to be had. */
  get training(): number {
    return this.#training;
  }

  /** Whether some of these were sent to another address. */
  get hasSentTraining(): boolean {
    return this.#sent > 0;
  }

  /** A page that the crawl found waits here; a training page may be asked for all the same. */
  has(url: CanonicalUrl): boolean {
    return this.#asked.has(url);
  }

  add(jobs: readonly Pinned[]): void {
    for (const job of jobs) {
      this.#jobs.push(job);
      this.#count(job, 1);
    }
  }

  addFirst(job: Pinned): void {
    this.#jobs.unshift(job);
    this.#count(job, 1);
  }

  /** @returns those that wait no more */
  drop(isDropped: (job: Pinned) => boolean): readonly Pinned[] {
    const { dropped = [], kept = [] } = Object.groupBy(this.#jobs, (job) => (isDropped(job) ? 'dropped' : 'kept'));
    for (const job of dropped) this.#count(job, -1);
    this.#jobs = kept;
    return dropped;
  }

  /** Takes the first job that fits and whose host is willing; the host is acquired. */
  take(now: number, fits: (job: Pinned) => boolean): Pinned | undefined {
    const hosts = this.#hosts;
    // Thousands of jobs may wait for few hosts.
    const unwilling = new Set<string>();
    const isWilling = (host: string): boolean => {
      if (unwilling.has(host)) return false;
      if (hosts.isWilling(host, now)) return true;
      unwilling.add(host);
      return false;
    };
    // What waits for a bad host is taken as well, to be given up: a crawl must not wait for it for ever.
    const ready = this.#jobs.findIndex((job) => {
      const { host } = job.entry;
      if (!fits(job)) return false;
      return hosts.isBad(host) || (isWilling(host) && this.#hasRoom(job));
    });
    if (ready < 0) return undefined;
    const job = this.#remove(ready);
    if (!hosts.isBad(job.entry.host)) hosts.acquire(job.entry.host, now);
    return job;
  }

  /** Takes the job that a journal record answers, whatever its host says. */
  takeExact(record: PageRecord | VisitRecord, lastUrl: CanonicalUrl): Pinned | undefined {
    const at = this.#jobs.findIndex((job) => job.entry.url === lastUrl && isAnswer(record, job));
    return at < 0 ? undefined : this.#remove(at);
  }

  #remove(at: number): Pinned {
    const [job] = this.#jobs.splice(at, 1);
    this.#count(job!, -1);
    return job!;
  }

  #count(job: Pinned, by: 1 | -1): void {
    const { role, entry } = job;
    if (isTraining(job)) this.#training += by;
    if (role !== 'crawled' && entry.redirects.length > 0) this.#sent += by;
    if (role !== 'crawled') return;
    const jobs = (this.#asked.get(entry.url) ?? 0) + by;
    if (jobs > 0) this.#asked.set(entry.url, jobs);
    else this.#asked.delete(entry.url);
  }

  /** Earliest time at which `take` may give something; Infinity when only the end of a request can help. */
  nextWillingAt(now: number, fits: (job: Pinned) => boolean = () => true): number {
    const asked = new Set<string>();
    let earliest = Number.POSITIVE_INFINITY;
    for (const job of this.#jobs) {
      const { host } = job.entry;
      if (asked.has(host) || !fits(job) || !this.#hasRoom(job)) continue;
      asked.add(host);
      earliest = Math.min(earliest, this.#hosts.nextWillingAt(host, now));
      // A list of a hundred thousand training pages is not walked to its end for that.
      if (earliest <= now) return earliest;
    }
    return earliest;
  }

  exchange(fields: Fields): void {
    const jobs = fields.value(this.#jobs);
    if (!fields.isLoading) return;
    this.drop(() => true);
    this.add(jobs);
  }
}
