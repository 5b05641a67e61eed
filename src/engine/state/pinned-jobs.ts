import type { CanonicalUrl, PageRecord, VisitRecord } from '../../core/index.ts';
import type { HostClocks } from '../../crawl/index.ts';
import { isAnswer, type Pinned } from './jobs.ts';

/** Jobs that go before the frontier, in the order in which they were pinned. */
export class PinnedJobs {
  readonly #hosts: HostClocks;
  readonly #hasRoom: (job: Pinned) => boolean;
  #jobs: Pinned[];

  /** @param hasRoom - false: a budget that the job counts against is used up, or will be by what is under way */
  constructor(jobs: readonly Pinned[], hosts: HostClocks, hasRoom: (job: Pinned) => boolean) {
    this.#jobs = [...jobs];
    this.#hosts = hosts;
    this.#hasRoom = hasRoom;
  }

  get all(): readonly Pinned[] {
    return this.#jobs;
  }

  add(...jobs: readonly Pinned[]): void {
    this.#jobs.push(...jobs);
  }

  addFirst(job: Pinned): void {
    this.#jobs.unshift(job);
  }

  drop(isDropped: (job: Pinned) => boolean): void {
    this.#jobs = this.#jobs.filter((job) => !isDropped(job));
  }

  /** Takes the first job that fits and whose host is willing; the host is acquired. */
  take(now: number, fits: (job: Pinned) => boolean): Pinned | undefined {
    const hosts = this.#hosts;
    // What waits for a bad host is taken as well, to be given up: a crawl must not wait for it for ever.
    const ready = this.#jobs.findIndex((job) => {
      const { host } = job.entry;
      if (!fits(job)) return false;
      return hosts.isBad(host) || (hosts.isWilling(host, now) && this.#hasRoom(job));
    });
    if (ready < 0) return undefined;
    const [job] = this.#jobs.splice(ready, 1);
    if (!hosts.isBad(job!.entry.host)) hosts.acquire(job!.entry.host, now);
    return job;
  }

  /** Takes the job that a journal record answers, whatever its host says. */
  takeExact(record: PageRecord | VisitRecord, lastUrl: CanonicalUrl): Pinned | undefined {
    const at = this.#jobs.findIndex((job) => job.entry.url === lastUrl && isAnswer(record, job));
    return at < 0 ? undefined : this.#jobs.splice(at, 1)[0];
  }

  /** Earliest time at which `take` may give something; Infinity when only the end of a request can help. */
  nextWillingAt(now: number): number {
    const hosts = new Set<string>();
    for (const job of this.#jobs) if (!hosts.has(job.entry.host) && this.#hasRoom(job)) hosts.add(job.entry.host);
    let earliest = Number.POSITIVE_INFINITY;
    for (const host of hosts) earliest = Math.min(earliest, this.#hosts.nextWillingAt(host, now));
    return earliest;
  }
}
