import type { IncomingHttpHeaders } from 'node:http';
import type { Cookie } from 'tough-cookie';
import { ACCEPT_ENCODING, type CanonicalUrl, type Config, hostOf, withoutPort } from '../core/index.ts';
import { plainFields, type Recorder } from '../warc/index.ts';
import { AccessList, type HostAccess } from './access/host-access.ts';
import { literalAddress } from './address.ts';
import { AddressGate } from './address-gate.ts';
import { badPortOf } from './bad-port.ts';
import { CookieJar } from './cookie-jar.ts';
import type { Resolver } from './dns/resolver.ts';
import type { BodyPlan, BodyWish, RawOutcome, RawResponse } from './exchange.ts';
import { NotNowError } from './fetch-error.ts';
import { Transport, type TransportRequest } from './transport.ts';

/** Settings for fetching. */
export type NetworkSettings = Config['network'];

/** The page's version at an earlier fetch; `''` = unknown. */
export interface KnownVersion {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** Options of a request, and its callback. */
export interface Question {
  /** Decides how much of the body to read if the status is 2xx. */
  readonly wish: (headers: IncomingHttpHeaders) => BodyWish;
  readonly known?: KnownVersion | undefined;
  /** Called when the request really begins: its address has room and there is a connection. */
  readonly onBegin?: (() => void) | undefined;
}

/** Result of a request. */
export interface Asked {
  readonly raw: RawOutcome;
  readonly fetchedAt: number;
  /** The request named a version, so the response may be "not modified". */
  readonly isConditional: boolean;
}

/** External functions used by an asker. */
export interface AskerPorts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly resolver: Resolver;
  /** Records every exchange. */
  readonly recorder: Recorder | undefined;
  /** Called before every exchange is sent. */
  readonly onSend: (url: CanonicalUrl) => void;
  /** Returns false once no further requests may begin. */
  readonly isWanted: () => boolean;
  /** Cookies and header fields of the user. Default: none. */
  readonly credentials?: Credentials | undefined;
}

/** What the user is allowed to see. It is sent to its hosts and recorded nowhere. */
export interface Credentials {
  readonly cookies: readonly Cookie[];
  readonly access: readonly HostAccess[];
}

/** Reads no body. */
export const NO_BODY: BodyWish = { bytes: 0, partial: false };
/** A recording stores the bodies of responses without a page, up to the size limit of an unwanted body. */
const RECORDED_BODY: BodyWish = { bytes: 64 * 1024, partial: true };
/** As a condition, every version matches it (RFC 9110 §13.1.2), so the page would never be seen to change. */
const ANY_VERSION = '*';
const CONDITIONS = ['if-none-match', 'if-modified-since'];
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,application/pdf;q=0.8,text/plain;q=0.8,*/*;q=0.5';

/**
 * Sends requests to servers, one at a time, with the cookies of their site, if their address has room. Records each
 * exchange. It does not interpret the response or check robots.txt.
 */
export class Asker {
  readonly #settings: NetworkSettings;
  readonly #ports: AskerPorts;
  readonly #transport: Transport;
  readonly #cookies: CookieJar;
  readonly #gate: AddressGate;
  readonly #access: AccessList;
  /** Cookies of the user are never recorded, nor those that replace them. */
  readonly #hidesCookies: boolean;
  readonly #headers: readonly string[];
  /** How much of the body to read if the response has no page. */
  readonly #noPage: BodyWish;

  constructor(settings: NetworkSettings, ports: AskerPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#transport = new Transport(settings, ports.resolver);
    const { cookies, access } = ports.credentials ?? { cookies: [], access: [] };
    this.#cookies = new CookieJar(ports.now, cookies);
    this.#access = new AccessList(access);
    this.#hidesCookies = cookies.length > 0 || access.length > 0;
    this.#gate = new AddressGate(settings.perAddress);
    this.#headers = requestHeaders(settings);
    this.#noPage = ports.recorder === undefined ? NO_BODY : RECORDED_BODY;
  }

  /** Rejects only if the recording can no longer be written. */
  async ask(url: CanonicalUrl, { wish, known, onBegin }: Question): Promise<Asked> {
    const headers = this.#requestHeaders(url, known);
    const plan: BodyPlan = (status, fields) => (status >= 200 && status < 300 ? wish(fields) : this.#noPage);
    const secret = this.#access.fieldsFor(url);
    const sent = secret.length === 0 ? headers : [...headers, ...secret];
    const raw = await this.#get(url, { headers: sent, plan, onBegin });
    const fetchedAt = this.#ports.now();
    const answer = raw.kind === 'response' ? raw : raw.part;
    if (answer !== undefined) await this.#record(url, headers, { answer, isBrokenOff: raw.kind === 'error' });
    if (raw.kind === 'response') this.#cookies.store(url, raw.headers['set-cookie']);
    return { raw, fetchedAt, isConditional: CONDITIONS.some((name) => headers.includes(name)) };
  }

  /** Returns whether the server responds, with any status. */
  async isAnswered(url: CanonicalUrl): Promise<boolean> {
    if (badPortOf(url) !== undefined) return false;
    return (await this.#send(url, { headers: this.#headers, plan: () => NO_BODY })).kind === 'response';
  }

  /** Returns true if a request would send a cookie. */
  hasCookie(url: CanonicalUrl): boolean {
    return this.#cookies.header(url) !== '';
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /**
   * Sends nothing if the server's address is full. The caller holds a slot among all requests, which must not be
   * blocked by waiting.
   */
  async #get(url: CanonicalUrl, request: TransportRequest): Promise<RawOutcome> {
    const error = badPortOf(url);
    if (error !== undefined) return unsent(error);
    const address = await this.#addressOf(url);
    if (!this.#ports.isWanted()) return unsent(new NotNowError('the crawl ends'));
    if (address === undefined) return this.#send(url, request);
    if (!this.#gate.enter(address)) return unsent(new NotNowError(`${address} has reached its limit of requests`));
    try {
      return await this.#send(url, request);
    } finally {
      this.#gate.leave(address);
    }
  }

  #send(url: CanonicalUrl, request: TransportRequest): Promise<RawOutcome> {
    return this.#transport.get(url, { ...request, onSend: () => this.#ports.onSend(url) });
  }

  /** Returns the address that will be dialled first; `undefined` if it is unknown or a proxy dials. */
  async #addressOf(url: CanonicalUrl): Promise<string | undefined> {
    if (this.#settings.perAddress === 0 || this.#settings.proxy !== '') return undefined;
    const name = withoutPort(hostOf(url));
    const literal = literalAddress(name);
    if (literal !== undefined) return literal;
    const resolution = await this.#ports.resolver.resolve(name);
    return resolution.kind === 'resolved' ? resolution.addresses[0] : undefined;
  }

  async #record(url: CanonicalUrl, requestFields: readonly string[], { answer, isBrokenOff }: Recorded): Promise<void> {
    const { recorder, now } = this.#ports;
    if (recorder === undefined) return;
    const { address, status, body, cut } = answer;
    const received = plainFields(answer.rawFields);
    const hides = this.#hidesCookies;
    const fields = hides
      ? { requestFields: withoutCookies(requestFields), responseFields: withoutCookies(received) }
      : { requestFields, responseFields: received };
    await recorder.record({ ...{ url, fetchedAt: now(), address, status, body, cut, isBrokenOff }, ...fields });
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
}

function unsent(error: Error): RawOutcome {
  return { kind: 'error', error, answered: false };
}

/** Removes cookies from header fields. */
function withoutCookies(fields: readonly string[]): readonly string[] {
  return fields.filter((_, i) => !/^(?:set-)?cookie2?$/i.test(fields[i - (i % 2)] ?? ''));
}

interface Recorded {
  readonly answer: RawResponse;
  readonly isBrokenOff: boolean;
}

function requestHeaders(settings: NetworkSettings): readonly string[] {
  const agent = settings.contact === '' ? settings.userAgent : `${settings.userAgent} (+${settings.contact})`;
  return ['user-agent', agent, 'accept', ACCEPT, 'accept-encoding', ACCEPT_ENCODING];
}

/** Returns false for a stored value that cannot be sent in a header, because it would invalidate the request. */
function isSendable(value: string | undefined): value is string {
  return value !== undefined && /^[\x20-\x7e]+$/.test(value);
}
