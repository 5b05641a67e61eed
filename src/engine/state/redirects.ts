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
import type { SeenUrls } from './seen.ts';
import type { TrainingPages } from './training-pages.ts';
import type { Waiting } from './waiting.ts';

/** What following a redirect needs of the crawl. */
export interface RedirectPorts {
  readonly limits: Pick<Config['crawl'], 'maxRedirects'>;
  readonly seen: SeenUrls;
  readonly training: TrainingPages;
  readonly waiting: Waiting;
  readonly guard: TrapGuard;
  readonly gate: LinkGate;
  readonly frontier: () => Frontier;
}

/** Addresses that lead to one that is asked for already; forgotten when there are more. */
const MAX_LED = 10_000;

/** Where redirects lead: to a page that is stored, to one that is fetched next, or nowhere. */
export class Redirects {
  readonly #ports: RedirectPorts;
  /** By address all that redirected there when it was asked for already: its page is theirs. */
  readonly #led = new Map<CanonicalUrl, readonly CanonicalUrl[]>();

  constructor(ports: RedirectPorts) {
    this.#ports = ports;
  }

  /**
   * A redirect's target is fetched at once, in its entry's place; a target that was seen gives the URL an alias.
   * @returns why the target is not fetched; `''` when it is, or was
   */
  follow(record: Pick<VisitRecord, 'target'>, job: Pinned): string {
    const { seen, training, waiting, frontier } = this.#ports;
    const target = canonicalize(record.target);
    if (target === undefined) return 'it redirects to what is no address of the web';
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
    const barred = this.#whyBarred(target, host, { redirects, job });
    if (barred !== '') return barred;
    this.#lead(led, target);
    frontier().moved(target);
    waiting.pinned.addFirst({ ...job, entry: { ...job.entry, url: target, host, redirects, tries: 0 } });
    return '';
  }

  /** What redirected to one of these addresses while it was asked for; it is forgotten. */
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

  /** A page was stored: training pages that were sent to it, and wait for its address, need not be fetched any more. */
  arrived(record: PageRecord): void {
    const { seen, training, waiting } = this.#ports;
    // Thousands of training pages may wait, and this is asked for each page.
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

  /** @param way - addresses that led here */
  #whyDeadEnd(
    target: CanonicalUrl,
    way: readonly CanonicalUrl[],
    { job, isKnown }: { readonly job: Pinned; readonly isKnown: boolean },
  ): string {
    const isBack = way.includes(target);
    // Walls send a visitor back to where he came from once they have set a cookie. Whoever is sent round again has none.
    if (isBack && new Set(way).size < way.length) return 'it redirects in a circle';
    // A training page or seed is asked for whatever came of its target before: a person named it, and it may be there by now.
    const isNamed = job.role !== 'crawled' || job.entry.via === 'seed';
    return isKnown && !isBack && !isNamed ? 'it redirects to what gave no page' : '';
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
      return 'it redirects without end';
    }
    const isSpent = isBudgeted(job) && waiting.isSpent({ ...job.entry, host });
    const why = isSpent ? `${host}, where nothing may be fetched` : gate.whyNotTo(target, host);
    return why === '' ? '' : `it redirects to ${why}`;
  }

  exchange(fields: Fields): void {
    fields.map(this.#led);
  }
}
