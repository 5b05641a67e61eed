import { type CanonicalUrl, canonicalize, type FetchedPage, type FetchOutcome, withoutPort } from '../core/index.ts';
import { freeBytes } from '../kit/index.ts';
import type { Recorder } from '../warc/index.ts';
import { fewAddresses, literalAddress } from './address.ts';
import { ageClock } from './age-clock.ts';
import { brokenOff, pageOf, pageWish, withoutPage } from './answer.ts';
import { Asker, type KnownVersion, type NetworkSettings } from './asker.ts';
import { Resolver } from './dns/resolver.ts';
import { RobotsCache, type RobotsDecision, type RobotsPorts } from './robots-cache.ts';
import { askForRobots } from './robots-request.ts';
import { type Trouble, troubleOf } from './trouble.ts';

/** What a fetcher takes from outside; tests pass their own. */
export interface FetcherPorts {
  /** Milliseconds since 1970, by a clock that may be set. */
  readonly now: () => number;
  /** Milliseconds by a clock that nobody sets. */
  readonly steadyNow: () => number;
  readonly resolver: Resolver;
  /** Keeps every exchange, robots.txt included. */
  readonly recorder: Recorder;
  /** What stands against asking the host of an address to which the robots.txt of another leads. */
  readonly objectionTo: (url: CanonicalUrl) => Trouble | undefined;
  /** Takes the next turn of such a host. @returns how long it is until then, in ms */
  readonly reserve: (url: CanonicalUrl) => number;
  /** Hears of every exchange before it is sent: pages, robots.txt, and each time that one is asked for again. */
  readonly onSend: (url: CanonicalUrl) => void;
  /** False: the crawl ends, and no request begins. */
  readonly isWanted: () => boolean;
}

/**
 * Fetches single pages: robots.txt, addresses, sizes, types and times checked, no redirect followed. It never rejects
 * for what the web does, only when a recording can no longer be written. Politeness in time (delays, parallel requests) is the caller's.
 */
export class HttpFetcher {
  readonly #settings: NetworkSettings;
  readonly #now: () => number;
  readonly #resolver: Resolver;
  readonly #asker: Asker;
  readonly #robots: RobotsCache;

  constructor(settings: NetworkSettings, ports: Partial<FetcherPorts> = {}) {
    this.#settings = settings;
    this.#now = ports.now ?? Date.now;
    const age = ageClock(this.#now, ports.steadyNow ?? (() => performance.now()));
    this.#resolver = ports.resolver ?? new Resolver(settings, { now: age, kept: fewAddresses });
    const { onSend = () => {}, isWanted = () => true, recorder } = ports;
    const asker = new Asker(settings, { now: this.#now, resolver: this.#resolver, recorder, onSend, isWanted });
    this.#asker = asker;
    const { objectionTo = () => undefined, reserve = () => 0 } = ports;
    const { robotsMaxBytes } = settings;
    const fetch: RobotsPorts['fetch'] = (origin, known) =>
      askForRobots(asker, origin, { robotsMaxBytes, objectionTo, reserve, known });
    this.#robots = new RobotsCache(settings, { fetch, now: age });
  }

  /**
   * One request. With a known version it is a conditional one, and may come out as `unchanged`.
   * @param onBegin - told when it really begins: robots.txt is known, the address has room, and there is a connection
   */
  async fetch(url: CanonicalUrl, known?: KnownVersion, onBegin?: () => void): Promise<FetchOutcome> {
    const trouble = await this.#forbidden(url);
    if (trouble !== undefined) return { ...trouble, url, fetchedAt: this.#now() };
    const ask = (): Promise<FetchOutcome> => this.#request(url, known, onBegin);
    const first = await ask();
    // A page that sets a cookie and sends us to itself wants to see the cookie.
    const again = isSelfRedirect(first) && this.#asker.hasCookie(url) ? await ask() : first;
    return isSelfRedirect(again) ? selfRedirected(again) : again;
  }

  /** Least time between two requests that the host's robots.txt asks for, in ms; 0 = none, or not known yet. */
  crawlDelayMs(host: string): number {
    return Math.max(this.#robots.crawlDelayMs(`https://${host}`), this.#robots.crawlDelayMs(`http://${host}`));
  }

  /** Sitemaps that the host's robots.txt names, once it was read. */
  sitemaps(host: string): readonly string[] {
    return [...new Set([`https://${host}`, `http://${host}`].flatMap((origin) => this.#robots.sitemaps(origin)))];
  }

  /** Resolves a host's name ahead of time; false when it cannot be resolved now. A proxy resolves for itself, an address is none. */
  async resolve(host: string): Promise<boolean> {
    const name = withoutPort(host);
    if (this.#settings.proxy !== '' || literalAddress(name) !== undefined) return true;
    return (await this.#resolver.resolve(name)).kind === 'resolved';
  }

  /** The address of a host, as far as it is known now; `undefined` behind a proxy. */
  addressOf(host: string): string | undefined {
    if (this.#settings.proxy !== '') return undefined;
    const name = withoutPort(host);
    return literalAddress(name) ?? this.#resolver.known(name);
  }

  /** Whether the page's server answers at all, whatever it says: its robots.txt is asked for. */
  isReachable(url: CanonicalUrl): Promise<boolean> {
    return this.#asker.isAnswered(canonicalize('/robots.txt', url)!);
  }

  /** Whether a host's name is known, asked for anew; `undefined` where a proxy resolves, and for an address. */
  async isNamed(host: string): Promise<boolean | undefined> {
    const name = withoutPort(host);
    if (this.#settings.proxy !== '' || literalAddress(name) !== undefined) return undefined;
    return await this.#resolver.isKnown(name);
  }

  /** Asks again for names, and for each robots.txt that could not be had; where others answered in their place, for all of them. */
  forget(wasForged: boolean): void {
    this.#resolver.forget();
    this.#robots.forget(wasForged);
  }

  /** Its body is empty from now on. */
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
    const { maxBodyBytes } = this.#settings;
    const { raw, fetchedAt, isConditional } = await this.#asker.ask(url, {
      wish: (headers) => pageWish(url, headers, maxBodyBytes),
      known,
      onBegin,
    });
    const context = { url, fetchedAt, maxBodyBytes };
    if (raw.kind === 'error') {
      const trouble = troubleOf(raw.error);
      return raw.part === undefined ? { ...trouble, url, fetchedAt } : await brokenOff(raw.part, trouble, context);
    }
    if (raw.status >= 200 && raw.status < 300) return await pageOf(raw, context);
    // It holds for changes alone: a page that is only read has no condition to fail.
    if (raw.status === 412 && isConditional) return await this.#request(url, undefined, onBegin);
    return withoutPage(raw, isConditional, context);
  }
}

function forbiddenBy(decision: RobotsDecision): Trouble | undefined {
  if (decision.kind === 'unreachable') {
    const { trouble, retryAfterMs } = decision;
    // An address or a name that is at fault is so for the page as well.
    if (trouble.kind === 'refused' || trouble.retry === 'never') return trouble;
    return { ...trouble, detail: `robots.txt: ${trouble.detail}`, retryAfterMs };
  }
  if (decision.allowed || decision.rule === undefined) return undefined;
  return { kind: 'refused', reason: 'robots', detail: `robots.txt line ${decision.rule.line}: ${decision.rule.text}` };
}

function isSelfRedirect(outcome: FetchOutcome): outcome is FetchOutcome & { kind: 'redirected' } {
  return outcome.kind === 'redirected' && outcome.target === outcome.url;
}

function selfRedirected(outcome: FetchOutcome & { kind: 'redirected' }): FetchOutcome {
  const { url, status, fetchedAt } = outcome;
  const detail = 'the page redirects to itself';
  return { kind: 'failed', url, retry: 'never', reason: 'too-many-redirects', detail, status, fetchedAt };
}
