import type { CanonicalUrl, PageRecord, VisitRecord } from '../../core/index.ts';
import type { HostClocks } from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';
import { isAnswer, isTraining, type Pinned } from './jobs.ts';

/** Jobs that go before the frontier, in the order they were pinned. */
export class PinnedJobs {
  readonly #hosts: HostClocks;
  readonly #hasRoom: (job: Pinned) => boolean;
  #jobs: Pinned[] = [];
  /** Number of jobs per address, without those for training pages. */
  readonly #asked = new Map<CanonicalUrl, number>();
  #training = 0;
  /** Training pages that are requested at another address than their own. */
  #sent = 0;

  /** @param hasRoom - false if the job's budget is used up, counting fetches under way */
  constructor(jobs: readonly Pinned[], hosts: HostClocks, hasRoom: (job: Pinned) => boolean) {
    this.add(jobs);
    this.#hosts = hosts;
    this.#hasRoom = hasRoom;
  }

  get all(): readonly Pinned[] {
    return this.#jobs;
  }

  /** Number of jobs for training pages that are not fetched yet. */
  get training(): number {
    return this.#training;
  }

  /** True if some training pages were redirected to another address. */
  get hasSentTraining(): boolean {
    return this.#sent > 0;
  }

  /** True if a page found by the crawl waits here at this URL. A training page with this URL may still be requested. */
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

  /** @returns the removed jobs */
  drop(isDropped: (job: Pinned) => boolean): readonly Pinned[] {
    const { dropped = [], kept = [] } = Object.groupBy(this.#jobs, (job) => (isDropped(job) ? 'dropped' : 'kept'));
    for (const job of dropped) this.#count(job, -1);
    this.#jobs = kept;
    return dropped;
  }

  /** Takes the first job that matches and whose host may be asked; acquires the host. */
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
    // Jobs of bad hosts are taken too, to be given up: a crawl must not wait for them forever.
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

  /** Takes the job that a journal record answers, whatever the state of its host. */
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

  /** Returns the earliest time at which `take` may return a job; Infinity if a running request must end first. */
  nextWillingAt(now: number, fits: (job: Pinned) => boolean = () => true): number {
    const asked = new Set<string>();
    let earliest = Number.POSITIVE_INFINITY;
    for (const job of this.#jobs) {
      const { host } = job.entry;
      if (asked.has(host) || !fits(job) || !this.#hasRoom(job)) continue;
      asked.add(host);
      earliest = Math.min(earliest, this.#hosts.nextWillingAt(host, now));
      // Avoids walking through a list of a hundred thousand training pages.
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
