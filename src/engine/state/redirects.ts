import {
  type CanonicalUrl,
  type Config,
  canonicalize,
  hostOf,
  type PageRecord,
  type VisitRecord,
} from '../../core/index.ts';
import type { Frontier, TrapGuard } from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';
import { isBudgeted, type Pinned } from './jobs.ts';
import type { LinkGate } from './link-gate.ts';
import { type OtherShards, sentEntry } from './other-shards.ts';
import type { Waiting } from './retry-queue.ts';
import type { SeenUrls } from './seen-urls.ts';
import type { TrainingPages } from './training-pages.ts';

/** What following a redirect needs from the crawl. */
export interface RedirectPorts {
  readonly limits: Pick<Config['crawl'], 'maxRedirects'>;
  readonly seen: SeenUrls;
  readonly training: TrainingPages;
  readonly waiting: Waiting;
  readonly guard: TrapGuard;
  readonly gate: LinkGate;
  readonly others: OtherShards;
  readonly frontier: () => Frontier;
}

/** Maximum number of addresses remembered because they lead to one being fetched; all are dropped beyond this. */
const MAX_LED = 10_000;

/** Where redirects lead: to a stored page, to one that is fetched next, or nowhere. */
export class Redirects {
  readonly #ports: RedirectPorts;
  /** By target: the addresses that redirected there while it was being fetched. They share its page. */
  readonly #led = new Map<CanonicalUrl, readonly CanonicalUrl[]>();

  constructor(ports: RedirectPorts) {
    this.#ports = ports;
  }

  /**
   * Follows a redirect. The target is fetched at once in place of the entry; if the target was seen, the URL becomes
   * an alias.
   * @returns why the target is not fetched; '' if it is or was
   */
  follow(record: Pick<VisitRecord, 'target'>, job: Pinned): string {
    const { seen, training, waiting, frontier } = this.#ports;
    const target = canonicalize(record.target);
    if (target === undefined) return 'it redirects to something that is not a web address';
    const redirects = [...job.entry.redirects, job.entry.url];
    const known = seen.pageOf(target);
    const led = this.ledTo([job.entry.url]);
    if (known !== undefined && known > 0) {
      for (const url of [...redirects, ...led]) seen.add(url, known);
      training.lead(job, known, [...redirects, target]);
      return '';
    }
    const why = this.#whyDeadEnd(target, redirects, { job, isKnown: known === 0 });
    if (why !== '') return why;
    if (job.role === 'crawled' && waiting.isAsked(target)) {
      this.#lead([...redirects, ...led], target);
      return '';
    }
    const host = hostOf(target);
    if (job.role === 'crawled' && this.#ports.others.isForeign(host)) {
      if (redirects.length > this.#ports.limits.maxRedirects) return 'it redirects too often';
      this.#ports.others.redirect({ ...sentEntry(job.entry), url: target, host });
      return '';
    }
    const barred = this.#whyBarred(target, host, { redirects, job });
    if (barred !== '') return barred;
    this.#lead(led, target);
    frontier().moved(target);
    waiting.pinned.addFirst({ ...job, entry: { ...job.entry, url: target, host, redirects, tries: 0 } });
    return '';
  }

  /** Returns and removes the addresses that redirected to one of these while it was being fetched. */
  ledTo(urls: readonly CanonicalUrl[]): readonly CanonicalUrl[] {
    const led = urls.flatMap((url) => this.#led.get(url) ?? []);
    for (const url of urls) this.#led.delete(url);
    return led;
  }

  #lead(urls: readonly CanonicalUrl[], target: CanonicalUrl): void {
    if (urls.length === 0) return;
    if (this.#led.size >= MAX_LED) this.#led.clear();
    this.#led.set(target, [...(this.#led.get(target) ?? []), ...urls]);
  }

  /** Called when a page was stored: training pages that were redirected to it need no fetch any more. */
  arrived(record: PageRecord): void {
    const { seen, training, waiting } = this.#ports;
    // This runs for each page, and thousands of training pages may wait.
    if (!waiting.pinned.hasSentTraining) return;
    const urls = new Set([record.url, ...record.redirects, record.finalUrl]);
    const isLedHere = ({ role, entry }: Pinned): boolean =>
      role !== 'crawled' && entry.redirects.length > 0 && urls.has(entry.url);
    for (const job of waiting.pinned.drop(isLedHere)) {
      const { redirects, url } = job.entry;
      for (const way of redirects) seen.add(way, record.sequence);
      training.lead(job, record.sequence, [...redirects, url]);
    }
  }

  /** @param way - the addresses that led here */
  #whyDeadEnd(
    target: CanonicalUrl,
    way: readonly CanonicalUrl[],
    { job, isKnown }: { readonly job: Pinned; readonly isKnown: boolean },
  ): string {
    const isBack = way.includes(target);
    // Cookie walls redirect visitors back once they have set a cookie. A second circle means the cookie was not
    // accepted.
    if (isBack && new Set(way).size < way.length) return 'it redirects in a circle';
    // A training page or seed is fetched whatever happened to its target before: the user named it, and it may exist
    // by now.
    const isNamed = job.role !== 'crawled' || job.entry.via === 'seed';
    return isKnown && !isBack && !isNamed ? 'it redirects to an address without a page' : '';
  }

  #whyBarred(
    target: CanonicalUrl,
    host: string,
    { redirects, job }: { readonly redirects: readonly CanonicalUrl[]; readonly job: Pinned },
  ): string {
    const { limits, guard, gate, waiting } = this.#ports;
    if (redirects.length > limits.maxRedirects) return 'it redirects too often';
    if (guard.standing(target, host) === 'barred') return `it redirects to a trap on ${host}`;
    if (guard.isEndlessRedirect(redirects, target)) {
      for (const url of redirects) guard.endlessRedirect(url, job.entry);
      return 'it redirects endlessly';
    }
    const isSpent = isBudgeted(job) && waiting.isSpent({ ...job.entry, host });
    const why = isSpent ? `${host}, which may not be fetched` : gate.whyNotTo(target, host);
    return why === '' ? '' : `it redirects to ${why}`;
  }

  exchange(fields: Fields): void {
    fields.map(this.#led);
  }
}
