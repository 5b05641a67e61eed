import type { PageHistory, RecheckCounts } from '../../core/index.ts';
import type { HostClocks } from '../../crawl/index.ts';
import type { RecheckJob } from '../state/jobs.ts';

/** What a look says of a page, whatever was known of it before. */
export type RecheckEnd = Exclude<keyof RecheckCounts, 'total' | 'back' | 'away'>;

type Hosts = Pick<HostClocks, 'isWilling' | 'nextWillingAt' | 'isBad'>;

/** Pages that wait for a recheck, host by host in turn, so that none of them holds up the others. */
export class RecheckQueue {
  readonly #hosts: Hosts;
  readonly #byHost = new Map<string, RecheckJob[]>();
  #turn: string[] = [];
  #size = 0;
  readonly counts: { -readonly [K in keyof RecheckCounts]: number };

  /** @param pages most overdue first */
  constructor(pages: readonly PageHistory[], hosts: Hosts) {
    this.#hosts = hosts;
    this.counts = { total: pages.length, unchanged: 0, changed: 0, moved: 0, gone: 0, back: 0, away: 0, failed: 0 };
    for (const page of pages) this.add(recheckJob(page));
  }

  /** Pages that wait; those of a host that turned bad on the way are not waited for. */
  get isEmpty(): boolean {
    return this.#size === 0;
  }

  add(job: RecheckJob): void {
    this.#waitingFor(job).push(job);
    this.#size++;
  }

  /** Ahead of all others of its host. */
  addFirst(job: RecheckJob): void {
    this.#waitingFor(job).unshift(job);
    this.#size++;
  }

  /** The look at a page is over. */
  count({ recheck: { ending } }: RecheckJob, end: RecheckEnd, isThere: boolean): void {
    if (ending === undefined) this.counts[end]++;
    else this.counts[isThere ? 'back' : 'away']++;
  }

  /** Takes all jobs out that fit, without asking. */
  withdraw(host: string, fits: (job: RecheckJob) => boolean): readonly RecheckJob[] {
    const waiting = this.#byHost.get(host) ?? [];
    const withdrawn = waiting.filter(fits);
    const left = waiting.filter((job) => !fits(job));
    this.#size -= withdrawn.length;
    // The host keeps its turn; with nothing left it loses it when that comes.
    if (withdrawn.length > 0) this.#byHost.set(host, left);
    return withdrawn;
  }

  /** The next job whose host is willing; who asks for it must `acquire` the host. */
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

  /** Earliest time at which `take` may give something; Infinity when only the end of a request can help. */
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
