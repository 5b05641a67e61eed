import type { IncomingHttpHeaders } from 'node:http';
import {
  type CanonicalUrl,
  type Config,
  canonicalize,
  type FetchedPage,
  type FetchOutcome,
  freeBytes,
  hostOf,
  isGzip,
  isPassingStatus,
  PART_STATUS,
  type PageHeaders,
  PROXY_PASSWORD_STATUS,
} from '../../core/index.ts';
import { plainFields, type Recorder } from '../warc/recording.ts';
import { AddressGate } from './address-gate.ts';
import { ageClock } from './age-clock.ts';
import { ACCEPT_ENCODING, decodeBody } from './content-coding.ts';
import { CookieJar } from './cookie-jar.ts';
import type { BodyPlan, BodyWish, RawOutcome, RawResponse } from './exchange.ts';
import { isUsableType, parseMediaType } from './media-type.ts';
import { Resolver } from './resolver.ts';
import { parseRetryAfter } from './retry-after.ts';
import { type RobotsAnswer, RobotsCache, type RobotsDecision } from './robots-cache.ts';
import { Transport } from './transport.ts';
import { statusDetail, type Trouble, troubleOf } from './trouble.ts';

/** All that fetching needs to know. */
export type NetworkSettings = Config['network'];

/** What an earlier fetch of the page said of its version; `''` = nothing. */
export interface KnownVersion {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** What a fetcher takes from outside; tests pass their own. */
export interface FetcherPorts {
  /** Milliseconds since 1970, by a clock that may be set. */
  readonly now: () => number;
  /** Milliseconds by a clock that nobody sets. */
  readonly steadyNow: () => number;
  readonly resolver: Resolver;
  /** Keeps every exchange, robots.txt included. */
  readonly recorder: Recorder;
}

/** RFC 9309 §2.3.1.2: at least five. A longer chain counts as "there is none". */
const ROBOTS_REDIRECTS = 5;
const NO_BODY: BodyWish = { bytes: 0, partial: false };
/** A recording keeps what answers without a page say, up to what a server may send without being cut off. */
const RECORDED_BODY: BodyWish = { bytes: 64 * 1024, partial: true };
/** Types whose beginning can be read by itself. */
const TEXT_TYPE = /^(?:|text\/html|application\/xhtml\+xml|text\/plain|text\/markdown)$/;
/** As a condition it is met by every version (RFC 9110 §13.1.2), and the page would never be seen to change. */
const ANY_VERSION = '*';
const CONDITIONS = ['if-none-match', 'if-modified-since'];
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,application/pdf;q=0.8,text/plain;q=0.8,*/*;q=0.5';

/**
 * Fetches single pages: robots.txt, addresses, sizes, types and times checked, no redirect followed. It never rejects
 * for what the web does, only when a recording can no longer be written. Politeness in time (delays, parallel requests) is the caller's.
 */
export class HttpFetcher {
  readonly #settings: NetworkSettings;
  readonly #now: () => number;
  readonly #resolver: Resolver;
  readonly #transport: Transport;
  readonly #robots: RobotsCache;
  readonly #cookies: CookieJar;
  readonly #gate: AddressGate;
  readonly #headers: readonly string[];
  readonly #recorder: Recorder | undefined;
  /** What is wanted of the body of an answer that gives no page. */
  readonly #noPage: BodyWish;

  constructor(settings: NetworkSettings, ports: Partial<FetcherPorts> = {}) {
    this.#settings = settings;
    this.#now = ports.now ?? Date.now;
    const age = ageClock(this.#now, ports.steadyNow ?? (() => performance.now()));
    this.#resolver = ports.resolver ?? new Resolver(settings, { now: age });
    this.#transport = new Transport(settings, this.#resolver);
    this.#robots = new RobotsCache(settings, { fetch: (origin) => this.#fetchRobots(origin), now: age });
    this.#cookies = new CookieJar(this.#now);
    this.#gate = new AddressGate(settings.perAddress);
    this.#headers = requestHeaders(settings);
    this.#recorder = ports.recorder;
    this.#noPage = ports.recorder === undefined ? NO_BODY : RECORDED_BODY;
  }

  /**
   * One request. With a known version it is a conditional one, and may come out as `unchanged`.
   * @param onBegin - told when it really begins: robots.txt is known, and the address has room
   */
  async fetch(url: CanonicalUrl, known?: KnownVersion, onBegin?: () => void): Promise<FetchOutcome> {
    const trouble = await this.#forbidden(url);
    if (trouble !== undefined) return { ...trouble, url, fetchedAt: this.#now() };
    const ask = (): Promise<FetchOutcome> => this.#request(url, { known, onBegin });
    const first = await ask();
    // A page that sets a cookie and sends us to itself wants to see the cookie.
    const again = isSelfRedirect(first) && this.#cookies.header(url) !== '' ? await ask() : first;
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

  /** Resolves a host's name ahead of time; false when it cannot be resolved now. A proxy resolves for itself. */
  async resolve(host: string): Promise<boolean> {
    if (this.#settings.proxy !== '' || host.startsWith('[')) return true;
    return (await this.#resolver.resolve(host.replace(/:\d+$/, ''))).kind === 'resolved';
  }

  /** Whether the page's server answers at all, whatever it says: its robots.txt is asked for. */
  async isReachable(url: CanonicalUrl): Promise<boolean> {
    const robots = canonicalize('/robots.txt', url)!;
    return (await this.#get(robots, { headers: this.#headers, plan: () => NO_BODY })).kind === 'response';
  }

  /** Its body is empty from now on. */
  release(page: FetchedPage): void {
    freeBytes(page.body);
  }

  async close(): Promise<void> {
    this.#resolver.close();
    await this.#transport.close();
  }

  async #forbidden(url: CanonicalUrl): Promise<Trouble | undefined> {
    if (!this.#settings.robots) return undefined;
    const slash = url.indexOf('/', 8);
    const decision = this.#robots.check(url.slice(0, slash), url.slice(slash));
    return forbiddenBy(decision instanceof Promise ? await decision : decision);
  }

  async #request(url: CanonicalUrl, { known, onBegin }: Wanted): Promise<FetchOutcome> {
    const headers = this.#requestHeaders(url, known);
    const plan: BodyPlan = (status, responseHeaders) => this.#wish(url, status, responseHeaders);
    const raw = await this.#get(url, { headers, plan, onBegin });
    const fetchedAt = this.#now();
    if (raw.kind === 'error') {
      const trouble = troubleOf(raw.error);
      return raw.part === undefined
        ? { ...trouble, url, fetchedAt }
        : await this.#brokenOff(url, { headers, part: raw.part, fetchedAt }, trouble);
    }
    await this.#record(url, headers, raw);
    this.#cookies.store(url, raw.headers['set-cookie']);
    if (raw.status >= 200 && raw.status < 300) return this.#page(url, raw, fetchedAt);
    const isConditional = CONDITIONS.some((name) => headers.includes(name));
    if (raw.status === 304 && !isConditional) return unasked304(url, fetchedAt);
    // It holds for changes alone: a page that is only read has no condition to fail.
    if (raw.status === 412 && isConditional) return this.#request(url, { known: undefined, onBegin: undefined });
    return withoutPage(url, raw, fetchedAt);
  }

  /** Waits until the server's address has room; the time limits of the request begin after that. */
  async #get(url: CanonicalUrl, { headers, plan, onBegin }: Question): Promise<RawOutcome> {
    const address = await this.#addressOf(url);
    if (address !== undefined) await this.#gate.enter(address);
    onBegin?.();
    if (address === undefined) return this.#transport.get(url, headers, plan);
    try {
      return await this.#transport.get(url, headers, plan);
    } finally {
      this.#gate.leave(address);
    }
  }

  /** The address that will be dialled first; `undefined` where none is known or a proxy dials. */
  async #addressOf(url: CanonicalUrl): Promise<string | undefined> {
    if (this.#settings.perAddress === 0 || this.#settings.proxy !== '') return undefined;
    const host = hostOf(url);
    if (host.startsWith('[')) return host.slice(0, host.indexOf(']') + 1);
    const resolution = await this.#resolver.resolve(host.replace(/:\d+$/, ''));
    return resolution.kind === 'resolved' ? resolution.addresses[0] : undefined;
  }

  async #record(
    url: CanonicalUrl,
    requestFields: readonly string[],
    raw: RawResponse,
    isBrokenOff = false,
  ): Promise<void> {
    if (this.#recorder === undefined) return;
    const { address, status, body, cut } = raw;
    const responseFields = plainFields(raw.rawFields);
    await this.#recorder.record({
      url,
      fetchedAt: this.#now(),
      address,
      requestFields,
      status,
      responseFields,
      body,
      cut,
      isBrokenOff,
    });
  }

  #requestHeaders(url: CanonicalUrl, known: KnownVersion = {}): readonly string[] {
    const cookie = this.#cookies.header(url);
    if (cookie === '' && !known.etag && !known.lastModified) return this.#headers;
    const headers = [...this.#headers];
    if (cookie !== '') headers.push('cookie', cookie);
    if (isSendable(known.etag) && known.etag !== ANY_VERSION) headers.push('if-none-match', known.etag);
    if (isSendable(known.lastModified)) headers.push('if-modified-since', known.lastModified);
    return headers;
  }

  /** Media types that the crawler cannot use are cut off at the headers. */
  #wish(url: CanonicalUrl, status: number, headers: IncomingHttpHeaders): BodyWish {
    if (status < 200 || status >= 300) return this.#noPage;
    const { type } = parseMediaType(one(headers['content-type']));
    const isUsable = isUsableType(type, url, one(headers['content-disposition']));
    return isUsable ? { bytes: this.#settings.maxBodyBytes, partial: false } : NO_BODY;
  }

  async #page(url: CanonicalUrl, raw: RawResponse, fetchedAt: number): Promise<FetchOutcome> {
    const headers = pageHeaders(raw.headers);
    if (!isUsableType(headers.contentType, url, one(raw.headers['content-disposition']))) {
      return { kind: 'refused', url, reason: 'type', detail: `media type ${headers.contentType}`, fetchedAt };
    }
    const limit = this.#settings.maxBodyBytes;
    const tooLarge = (what: string): FetchOutcome => {
      return { kind: 'refused', url, reason: 'size', detail: `${what} more than ${limit} bytes`, fetchedAt };
    };
    if (raw.cut) return tooLarge('the body has');
    const decoded = await decodeBody(raw.body, one(raw.headers['content-encoding']), limit);
    if (decoded.kind === 'too-large') return tooLarge(`${raw.body.length} bytes unpack to`);
    if (decoded.kind === 'damaged') {
      const { detail } = decoded;
      return { kind: 'failed', url, retry: 'never', reason: 'protocol', detail, status: raw.status, fetchedAt };
    }
    const { status, address, durationMs } = raw;
    return { kind: 'fetched', url, status, headers, body: decoded.body, address, fetchedAt, durationMs };
  }

  /**
   * The connection ended within the body. The next try may bring all of it; should none, the beginning of a text is worth
   * having. It has no version to ask for: a recheck shall bring the rest.
   */
  async #brokenOff(
    url: CanonicalUrl,
    { headers, part, fetchedAt }: BrokenAnswer,
    trouble: Trouble,
  ): Promise<FetchOutcome> {
    await this.#record(url, headers, part, true);
    const page = await this.#page(url, part, fetchedAt);
    if (page.kind !== 'fetched') return { ...trouble, url, fetchedAt };
    const detail = `the body broke off after ${part.body.length} bytes: ${trouble.detail}`;
    const failed = { kind: 'failed', url, retry: 'later', reason: 'truncated', detail, fetchedAt } as const;
    if (!TEXT_TYPE.test(page.headers.contentType)) return { ...failed, status: part.status };
    const nameless = { ...page.headers, etag: '', lastModified: '' };
    return { ...failed, status: part.status, part: { ...page, headers: nameless, status: PART_STATUS } };
  }

  /** Up to five redirects, also to other hosts; each hop under the same address rules. */
  async #fetchRobots(origin: string): Promise<RobotsAnswer> {
    let url = canonicalize(`${origin}/robots.txt`);
    const wish: BodyWish = { bytes: this.#settings.robotsMaxBytes, partial: true };
    const plan: BodyPlan = (status) => (status < 300 ? wish : this.#noPage);
    for (let hops = 0; url !== undefined && hops <= ROBOTS_REDIRECTS; hops++) {
      const headers = this.#requestHeaders(url);
      const raw = await this.#get(url, { headers, plan });
      const isElsewhere = hops > 0;
      if (raw.kind === 'error') return unreachable(troubleOf(raw.error), isElsewhere ? url : undefined);
      await this.#record(url, headers, raw);
      this.#cookies.store(url, raw.headers['set-cookie']);
      const { status } = raw;
      if (status >= 200 && status < 300) return this.#robotsFile(raw);
      const location = redirectTarget(url, raw);
      if (status >= 500 || status === 429 || status === PROXY_PASSWORD_STATUS)
        return unreachable(statusTrouble(raw, this.#now()), isElsewhere ? url : undefined);
      if (location === undefined) return { kind: 'absent' };
      url = location;
    }
    return { kind: 'absent' };
  }

  async #robotsFile(raw: RawResponse): Promise<RobotsAnswer> {
    const limit = this.#settings.robotsMaxBytes;
    // Some servers hold it packed and do not say so.
    const coding = one(raw.headers['content-encoding']) || (isGzip(raw.body) ? 'gzip' : '');
    const decoded = await decodeBody(raw.body, coding, limit * 8);
    if (decoded.kind === 'decoded') return { kind: 'file', body: decoded.body.subarray(0, limit) };
    const detail = decoded.kind === 'damaged' ? decoded.detail : 'too large';
    return unreachable({ kind: 'failed', retry: 'later', reason: 'protocol', detail, status: raw.status });
  }
}

/** What of a page is asked for, and who is told when. */
interface Wanted {
  readonly known: KnownVersion | undefined;
  readonly onBegin: (() => void) | undefined;
}

interface Question {
  readonly headers: readonly string[];
  readonly plan: BodyPlan;
  readonly onBegin?: (() => void) | undefined;
}

/** An answer whose body broke off, with what had been asked. */
interface BrokenAnswer {
  readonly headers: readonly string[];
  readonly part: RawResponse;
  readonly fetchedAt: number;
}

function requestHeaders(settings: NetworkSettings): readonly string[] {
  const agent = settings.contact === '' ? settings.userAgent : `${settings.userAgent} (+${settings.contact})`;
  return ['user-agent', agent, 'accept', ACCEPT, 'accept-encoding', ACCEPT_ENCODING];
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

/**
 * A garbled robots.txt is no reason to give up its pages for good.
 * @param target - of a redirect, when the trouble is there; what is wrong there is not so for the pages
 */
function unreachable(trouble: Trouble, target?: CanonicalUrl): RobotsAnswer {
  if (target !== undefined) {
    const { reason, detail } = trouble;
    const told = { status: 0, ...trouble, detail: `it redirects to ${target}: ${detail}` };
    return { kind: 'unreachable', trouble: { ...told, kind: 'failed', retry: 'later', reason } };
  }
  const passing = trouble.kind === 'failed' && trouble.reason === 'protocol';
  return { kind: 'unreachable', trouble: passing ? { ...trouble, retry: 'later' } : trouble };
}

/** Answers other than 2xx. */
function withoutPage(url: CanonicalUrl, raw: RawResponse, fetchedAt: number): FetchOutcome {
  const { status } = raw;
  if (status === 304) {
    const { etag, lastModified } = pageHeaders(raw.headers);
    return { kind: 'unchanged', url, etag, lastModified, fetchedAt };
  }
  const target = redirectTarget(url, raw);
  if (target !== undefined) {
    return { kind: 'redirected', url, target, status, permanent: status === 301 || status === 308, fetchedAt };
  }
  const location = one(raw.headers.location);
  if (status >= 300 && status < 400 && location !== '') {
    return {
      kind: 'refused',
      url,
      reason: 'scheme',
      detail: `redirect to ${location.slice(0, 200)}, which is no address of the web`,
      fetchedAt,
    };
  }
  return { ...statusTrouble(raw, fetchedAt), url, fetchedAt };
}

/** The page may be there: a cache on the way is at fault. */
function unasked304(url: CanonicalUrl, fetchedAt: number): FetchOutcome {
  const detail = 'HTTP status 304 (not modified), although the request named no version';
  return { kind: 'failed', url, retry: 'later', reason: 'http', detail, status: 304, fetchedAt };
}

/** Of redirects only those without a Location come here. */
function statusTrouble(raw: RawResponse, now: number): Trouble {
  const { status } = raw;
  const isLost = status > 300 && status < 400;
  const detail = `${statusDetail(status)}${isLost ? ', a redirect that does not say where to' : ''}`;
  if (!isPassingStatus(status)) return { kind: 'failed', retry: 'never', reason: 'http', detail, status };
  // By the server's own clock, where it tells: ours may be wrong.
  const date = Date.parse(one(raw.headers.date));
  const retryAfterMs = parseRetryAfter(one(raw.headers['retry-after']), Number.isNaN(date) ? now : date);
  const trouble = { kind: 'failed', retry: 'later', reason: 'http', detail, status } as const;
  return retryAfterMs === undefined ? trouble : { ...trouble, retryAfterMs };
}

function redirectTarget(url: CanonicalUrl, raw: RawResponse): CanonicalUrl | undefined {
  const location = one(raw.headers.location);
  return raw.status >= 300 && raw.status < 400 && raw.status !== 304 && location !== ''
    ? canonicalize(utf8(location), url)
    : undefined;
}

function isSelfRedirect(outcome: FetchOutcome): outcome is FetchOutcome & { kind: 'redirected' } {
  return outcome.kind === 'redirected' && outcome.target === outcome.url;
}

function selfRedirected(outcome: FetchOutcome & { kind: 'redirected' }): FetchOutcome {
  const { url, status, fetchedAt } = outcome;
  const detail = 'the page redirects to itself';
  return { kind: 'failed', url, retry: 'never', reason: 'too-many-redirects', detail, status, fetchedAt };
}

function pageHeaders(headers: IncomingHttpHeaders): PageHeaders {
  const { type, charset } = parseMediaType(one(headers['content-type']));
  return {
    contentType: type,
    charset,
    etag: one(headers.etag),
    lastModified: one(headers['last-modified']),
    xRobotsTag: lines(headers['x-robots-tag']),
    contentLanguage: one(headers['content-language']),
    refresh: utf8(one(headers.refresh)),
  };
}

/** A stored value that could not be sent back would spoil the whole request. */
function isSendable(value: string | undefined): value is string {
  return value !== undefined && /^[\x20-\x7e]+$/.test(value);
}

/** The value of a header; the first one where a server sends several. */
function one(value: string | string[] | undefined): string {
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}

/** All values of a header, one a line. */
function lines(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.join('\n') ?? '');
}

/** Headers arrive as bytes, one a character; servers write UTF-8 into them. */
function utf8(header: string): string {
  if (!/[\x80-\xff]/.test(header)) return header;
  const text = Buffer.from(header, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? header : text;
}
