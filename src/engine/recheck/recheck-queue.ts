import type { PageHistory, RecheckCounts } from '../../core/index.ts';
import type { HostClocks } from '../../crawl/index.ts';
import type { RecheckJob } from '../state/jobs.ts';

/** Result of one recheck, whatever was known about the page before. */
export type RecheckEnd = Exclude<keyof RecheckCounts, 'total' | 'back' | 'away'>;

type Hosts = Pick<HostClocks, 'isWilling' | 'nextWillingAt' | 'isBad'>;

/** Pages waiting for a recheck, round-robin over hosts, so that no host delays the others. */
export class RecheckQueue {
  readonly #hosts: Hosts;
  readonly #byHost = new Map<string, RecheckJob[]>();
  readonly #turn: string[] = [];
  #size = 0;
  readonly counts: { -readonly [K in keyof RecheckCounts]: number };

  /** @param pages most overdue first */
  constructor(pages: readonly PageHistory[], hosts: Hosts) {
    this.#hosts = hosts;
    this.counts = { total: pages.length, unchanged: 0, changed: 0, moved: 0, gone: 0, back: 0, away: 0, failed: 0 };
    for (const page of pages) this.add(recheckJob(page));
  }

  /** True if no pages wait. Pages of hosts that turned bad do not count. */
  get isEmpty(): boolean {
    return this.#size === 0;
  }

  add(job: RecheckJob): void {
    this.#waitingFor(job).push(job);
    this.#size++;
  }

  /** Puts a job before all others of its host. */
  addFirst(job: RecheckJob): void {
    this.#waitingFor(job).unshift(job);
    this.#size++;
  }

  /** Counts a finished recheck. */
  count({ recheck: { ending } }: RecheckJob, end: RecheckEnd, isThere: boolean): void {
    if (ending === undefined) this.counts[end]++;
    else this.counts[isThere ? 'back' : 'away']++;
  }

  /** Removes and returns all jobs that match, without fetching them. */
  withdraw(host: string, fits: (job: RecheckJob) => boolean): readonly RecheckJob[] {
    const waiting = this.#byHost.get(host) ?? [];
    const withdrawn = waiting.filter(fits);
    const left = waiting.filter((job) => !fits(job));
    this.#size -= withdrawn.length;
    // The host keeps its turn; if it has no jobs left, it loses the turn when it is due.
    if (withdrawn.length > 0) this.#byHost.set(host, left);
    return withdrawn;
  }

  /** Returns the next job whose host may be asked. The caller must `acquire` the host. */
  take(now: number): RecheckJob | undefined {
    for (let looked = this.#turn.length; looked > 0; looked--) {
      const host = this.#turn.shift()!;
      const waiting = this.#byHost.get(host)!;
      const isBad = this.#hosts.isBad(host);
      const job = !isBad && this.#hosts.isWilling(host, now) ? waiting.shift() : undefined;
      if (job !== undefined) this.#size--;
      if (isBad) this.#drop(waiting);
      if (isBad || waiting.length === 0) this.#byHost.delete(host);
      else this.#turn.push(host);
      if (job !== undefined) return job;
    }
    return undefined;
  }

  /** Returns the earliest time at which `take` may return a job; Infinity if a running request must end first. */
  nextWillingAt(now: number): number {
    return this.#turn.reduce(
      (min, host) => Math.min(min, this.#hosts.nextWillingAt(host, now)),
      Number.POSITIVE_INFINITY,
    );
  }

  #waitingFor({ entry: { host } }: RecheckJob): RecheckJob[] {
    const known = this.#byHost.get(host);
    if (known !== undefined) return known;
    const waiting: RecheckJob[] = [];
    this.#byHost.set(host, waiting);
    this.#turn.push(host);
    return waiting;
  }

  #drop(waiting: readonly RecheckJob[]): void {
    this.#size -= waiting.length;
    for (const job of waiting) this.count(job, 'failed', false);
  }
}

function recheckJob(page: PageHistory): RecheckJob {
  const { finalUrl, host, redirects, origin, role } = page;
  const { topic, priority, depth, tunnelDepth, from } = origin;
  const place = { topic, priority: Number.isFinite(priority) ? priority : 0, depth, tunnelDepth, from };
  return { entry: { url: finalUrl, host, ...place, via: 'recheck', tries: 0, redirects }, role, recheck: page };
}
