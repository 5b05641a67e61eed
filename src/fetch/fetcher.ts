import {
  type CanonicalUrl,
  canonicalize,
  type FetchedPage,
  type FetchOutcome,
  type OfKind,
  withoutPort,
} from '../core/index.ts';
import { freeBytes } from '../kit/index.ts';
import type { Recorder } from '../warc/index.ts';
import { fewAddresses, literalAddress } from './address.ts';
import { ageClock } from './age-clock.ts';
import type { Resource } from './browser/page-requests.ts';
import { Resolver } from './dns/resolver.ts';
import { type Trouble, troubleOf } from './fetch-error.ts';
import { Asker, type Credentials, type KnownVersion, type NetworkSettings } from './http-client.ts';
import { brokenOff, pageOf, pageWish, withoutPage } from './read-response.ts';
import { requestResource } from './resource-request.ts';
import { RobotsCache, type RobotsDecision, type RobotsPorts } from './robots-cache.ts';
import { askForRobots } from './robots-request.ts';
import { SiteRights } from './site-rights.ts';

/** External functions used by a fetcher; tests pass their own. */
export interface FetcherPorts {
  /** Milliseconds since 1970, by a clock that may be adjusted. */
  readonly now: () => number;
  /** Milliseconds by a clock that is never adjusted. */
  readonly steadyNow: () => number;
  readonly resolver: Resolver;
  /** Records every exchange, including robots.txt. */
  readonly recorder: Recorder;
  /** Returns why a host must not be requested, if the robots.txt of another host redirects to it. */
  readonly objectionTo: (url: CanonicalUrl) => Trouble | undefined;
  /** Reserves the next turn of that host. @returns the wait until then, in ms */
  readonly reserve: (url: CanonicalUrl) => number;
  /** Called before every exchange is sent: pages, robots.txt, and retries. */
  readonly onSend: (url: CanonicalUrl) => void;
  /** Returns false once the crawl ends; no request begins then. */
  readonly isWanted: () => boolean;
  /** Cookies and header fields of the user. */
  readonly credentials: Credentials;
}

/**
 * Fetches single pages. Checks robots.txt, addresses, sizes, media types and timeouts; does not follow redirects.
 * Never rejects because of a server, only if a recording can no longer be written. The caller is responsible for
 * delays and parallel requests.
 */
export class HttpFetcher {
  readonly #settings: NetworkSettings;
  readonly #now: () => number;
  readonly #resolver: Resolver;
  readonly #asker: Asker;
  readonly #robots: RobotsCache;
  readonly #rights: SiteRights | undefined;
  readonly #ports: Pick<FetcherPorts, 'objectionTo' | 'reserve'>;

  constructor(settings: NetworkSettings, ports: Partial<FetcherPorts> = {}) {
    this.#settings = settings;
    this.#now = ports.now ?? Date.now;
    const age = ageClock(this.#now, ports.steadyNow ?? (() => performance.now()));
    this.#resolver = ports.resolver ?? new Resolver(settings, { now: age, kept: fewAddresses });
    const { onSend = () => {}, isWanted = () => true, recorder } = ports;
    const { credentials } = ports;
    const callbacks = { recorder, onSend, isWanted, credentials };
    const asker = new Asker(settings, { now: this.#now, resolver: this.#resolver, ...callbacks });
    this.#asker = asker;
    const { objectionTo = () => undefined, reserve = () => 0 } = ports;
    this.#ports = { objectionTo, reserve };
    const { robotsMaxBytes } = settings;
    const fetch: RobotsPorts['fetch'] = (origin, known) =>
      askForRobots(asker, origin, { robotsMaxBytes, objectionTo, reserve, known });
    this.#robots = new RobotsCache(settings, { fetch, now: age });
    const read = (file: CanonicalUrl, signal: AbortSignal): Promise<Resource | undefined> =>
      this.resource(file, signal);
    this.#rights = settings.siteRights ? new SiteRights(settings.userAgent, read) : undefined;
  }

  /**
   * Sends one request. With a known version it is conditional, and its outcome may be `unchanged`.
   * @param onBegin - called when it really begins: robots.txt is known, the address has room, and there is a
   * connection
   */
  async fetch(url: CanonicalUrl, known?: KnownVersion, onBegin?: () => void): Promise<FetchOutcome> {
    const trouble = await this.#forbidden(url);
    if (trouble !== undefined) return { ...trouble, url, fetchedAt: this.#now() };
    const ask = (): Promise<FetchOutcome> => this.#request(url, known, onBegin);
    const first = await ask();
    // A page that sets a cookie and redirects to itself expects the cookie in the next request.
    const again = isSelfRedirect(first) && this.#asker.hasCookie(url) ? await ask() : first;
    if (again.kind === 'fetched' && this.#rights !== undefined) return await this.#rights.applied(again);
    return isSelfRedirect(again) ? selfRedirected(again) : again;
  }

  /**
   * Fetches what a rendered page asks for, under the rules for pages. `undefined` if it is refused or fails.
   * @param signal aborts when the page's time is up
   */
  resource(url: CanonicalUrl, signal: AbortSignal): Promise<Resource | undefined> {
    const { objectionTo, reserve } = this.#ports;
    const forbidden = (address: CanonicalUrl): Promise<Trouble | undefined> => this.#forbidden(address);
    const { maxBodyBytes: maxBytes } = this.#settings;
    return requestResource(url, { asker: this.#asker, forbidden, objectionTo, reserve, maxBytes }, signal);
  }

  /** Returns the Crawl-delay of the host's robots.txt, in ms; 0 = none, or not known yet. */
  crawlDelayMs(host: string): number {
    return Math.max(this.#robots.crawlDelayMs(`https://${host}`), this.#robots.crawlDelayMs(`http://${host}`));
  }

  /** Returns the sitemaps listed in the host's robots.txt, once it was read. */
  sitemaps(host: string): readonly string[] {
    return [...new Set([`https://${host}`, `http://${host}`].flatMap((origin) => this.#robots.sitemaps(origin)))];
  }

  /**
   * Resolves a host's name ahead of time. Returns false if it cannot be resolved now. Skips addresses, and all names
   * behind a proxy.
   */
  async resolve(host: string): Promise<boolean> {
    const name = withoutPort(host);
    if (this.#settings.proxy !== '' || literalAddress(name) !== undefined) return true;
    return (await this.#resolver.resolve(name)).kind === 'resolved';
  }

  /** Returns the currently known address of a host; `undefined` behind a proxy. */
  addressOf(host: string): string | undefined {
    if (this.#settings.proxy !== '') return undefined;
    const name = withoutPort(host);
    return literalAddress(name) ?? this.#resolver.known(name);
  }

  /** Returns whether the page's server responds at all, with any status, by requesting its robots.txt. */
  isReachable(url: CanonicalUrl): Promise<boolean> {
    return this.#asker.isAnswered(canonicalize('/robots.txt', url)!);
  }

  /**
   * Returns whether a host's name exists, with a new lookup; `undefined` for an address, or if a proxy resolves
   * names.
   */
  async isNamed(host: string): Promise<boolean | undefined> {
    const name = withoutPort(host);
    if (this.#settings.proxy !== '' || literalAddress(name) !== undefined) return undefined;
    return await this.#resolver.isKnown(name);
  }

  /**
   * Discards cached names and every robots.txt that could not be fetched. If answers were forged, discards every
   * robots.txt.
   */
  forget(wasForged: boolean): void {
    this.#resolver.forget();
    this.#robots.forget(wasForged);
  }

  /** Frees the page's body, which is empty afterwards. */
  release(page: FetchedPage): void {
    freeBytes(page.body);
  }

  async close(): Promise<void> {
    this.#resolver.close();
    await this.#asker.close();
  }

  async #forbidden(url: CanonicalUrl): Promise<Trouble | undefined> {
    if (!this.#settings.robots) return undefined;
    const slash = url.indexOf('/', 8);
    const decision = this.#robots.check(url.slice(0, slash), url.slice(slash));
    return forbiddenBy(decision instanceof Promise ? await decision : decision);
  }

  async #request(url: CanonicalUrl, known?: KnownVersion, onBegin?: () => void): Promise<FetchOutcome> {
    const limits = this.#settings;
    const { raw, fetchedAt, isConditional } = await this.#asker.ask(url, {
      wish: (headers) => pageWish(url, headers, limits),
      known,
      onBegin,
    });
    const context = { url, fetchedAt, limits };
    if (raw.kind === 'error') {
      const trouble = troubleOf(raw.error);
      return raw.part === undefined ? { ...trouble, url, fetchedAt } : await brokenOff(raw.part, trouble, context);
    }
    if (raw.status >= 200 && raw.status < 300) return await pageOf(raw, context);
    // 412 is meant for changes; a request that only reads must not fail its condition. Retries without one.
    if (raw.status === 412 && isConditional) return await this.#request(url, undefined, onBegin);
    return withoutPage(raw, isConditional, context);
  }
}

function forbiddenBy(decision: RobotsDecision): Trouble | undefined {
  if (decision.kind === 'unreachable') {
    const { trouble, retryAfterMs } = decision;
    // A fault of the address or the name applies to the page too.
    if (trouble.kind === 'refused' || trouble.retry === 'never') return trouble;
    return { ...trouble, detail: `robots.txt: ${trouble.detail}`, retryAfterMs };
  }
  if (decision.allowed || decision.rule === undefined) return undefined;
  return { kind: 'refused', reason: 'robots', detail: `robots.txt line ${decision.rule.line}: ${decision.rule.text}` };
}

function isSelfRedirect(outcome: FetchOutcome): outcome is OfKind<FetchOutcome, 'redirected'> {
  return outcome.kind === 'redirected' && outcome.target === outcome.url;
}

function selfRedirected(outcome: OfKind<FetchOutcome, 'redirected'>): FetchOutcome {
  const { url, status, fetchedAt } = outcome;
  const detail = 'the page redirects to itself';
  return { kind: 'failed', url, retry: 'never', reason: 'too-many-redirects', detail, status, fetchedAt };
}
