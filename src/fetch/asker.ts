import type { IncomingHttpHeaders } from 'node:http';
import { ACCEPT_ENCODING, type CanonicalUrl, type Config, hostOf, withoutPort } from '../core/index.ts';
import { plainFields, type Recorder } from '../warc/index.ts';
import { literalAddress } from './address.ts';
import { AddressGate } from './address-gate.ts';
import { badPortOf } from './bad-port.ts';
import { CookieJar } from './cookie-jar.ts';
import type { Resolver } from './dns/resolver.ts';
import type { BodyPlan, BodyWish, RawOutcome, RawResponse } from './exchange.ts';
import { Transport, type TransportRequest } from './transport.ts';
import { NotNowError } from './trouble.ts';

/** All that fetching needs to know. */
export type NetworkSettings = Config['network'];

/** What an earlier fetch of the page said of its version; `''` = nothing. */
export interface KnownVersion {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** What is asked for beside the URL, and who is told when. */
export interface Question {
  /** How much is wanted of the body of an answer of status 2xx. */
  readonly wish: (headers: IncomingHttpHeaders) => BodyWish;
  readonly known?: KnownVersion | undefined;
  /** Told when the request really begins: its address has room, and there is a connection. */
  readonly onBegin?: (() => void) | undefined;
}

/** What came of a question. */
export interface Asked {
  readonly raw: RawOutcome;
  readonly fetchedAt: number;
  /** A version was named: the answer may be that nothing has changed. */
  readonly isConditional: boolean;
}

/** What an asker takes from outside. */
export interface AskerPorts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly resolver: Resolver;
  /** Keeps every exchange. */
  readonly recorder: Recorder | undefined;
  /** Hears of every exchange before it is sent. */
  readonly onSend: (url: CanonicalUrl) => void;
  /** False: no request begins any longer. */
  readonly isWanted: () => boolean;
}

/** Nothing of a body. */
export const NO_BODY: BodyWish = { bytes: 0, partial: false };
/** A recording keeps what answers without a page say, up to what a server may send without being cut off. */
const RECORDED_BODY: BodyWish = { bytes: 64 * 1024, partial: true };
/** As a condition it is met by every version (RFC 9110 §13.1.2), and the page would never be seen to change. */
const ANY_VERSION = '*';
const CONDITIONS = ['if-none-match', 'if-modified-since'];
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,application/pdf;q=0.8,text/plain;q=0.8,*/*;q=0.5';

/**
 * Asks servers, one request at a time: with the cookies of their site, if their address has room, and into the recording. What
 * the answer means is not its business, nor whether one may ask.
 */
export class Asker {
  readonly #settings: NetworkSettings;
  readonly #ports: AskerPorts;
  readonly #transport: Transport;
  readonly #cookies: CookieJar;
  readonly #gate: AddressGate;
  readonly #headers: readonly string[];
  /** What is wanted of the body of an answer that gives no page. */
  readonly #noPage: BodyWish;

  constructor(settings: NetworkSettings, ports: AskerPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#transport = new Transport(settings, ports.resolver);
    this.#cookies = new CookieJar(ports.now);
    this.#gate = new AddressGate(settings.perAddress);
    this.#headers = requestHeaders(settings);
    this.#noPage = ports.recorder === undefined ? NO_BODY : RECORDED_BODY;
  }

  /** Rejects only when the recording can no longer be written. */
  async ask(url: CanonicalUrl, { wish, known, onBegin }: Question): Promise<Asked> {
    const headers = this.#requestHeaders(url, known);
    const plan: BodyPlan = (status, fields) => (status >= 200 && status < 300 ? wish(fields) : this.#noPage);
    const raw = await this.#get(url, { headers, plan, onBegin });
    const fetchedAt = this.#ports.now();
    const answer = raw.kind === 'response' ? raw : raw.part;
    if (answer !== undefined) await this.#record(url, headers, { answer, isBrokenOff: raw.kind === 'error' });
    if (raw.kind === 'response') this.#cookies.store(url, raw.headers['set-cookie']);
    return { raw, fetchedAt, isConditional: CONDITIONS.some((name) => headers.includes(name)) };
  }

  /** Whether there is an answer, whatever it says. */
  async isAnswered(url: CanonicalUrl): Promise<boolean> {
    if (badPortOf(url) !== undefined) return false;
    return (await this.#send(url, { headers: this.#headers, plan: () => NO_BODY })).kind === 'response';
  }

  /** A request would bring a cookie along. */
  hasCookie(url: CanonicalUrl): boolean {
    return this.#cookies.header(url) !== '';
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Sends nothing if the server's address is full: the caller has a place among all requests, which no wait may hold. */
  async #get(url: CanonicalUrl, request: TransportRequest): Promise<RawOutcome> {
    const error = badPortOf(url);
    if (error !== undefined) return unsent(error);
    const address = await this.#addressOf(url);
    if (!this.#ports.isWanted()) return unsent(new NotNowError('the crawl ends'));
    if (address === undefined) return this.#send(url, request);
    if (!this.#gate.enter(address)) return unsent(new NotNowError(`${address} has as many requests as it may`));
    try {
      return await this.#send(url, request);
    } finally {
      this.#gate.leave(address);
    }
  }

  #send(url: CanonicalUrl, request: TransportRequest): Promise<RawOutcome> {
    return this.#transport.get(url, { ...request, onSend: () => this.#ports.onSend(url) });
  }

  /** The address that will be dialled first; `undefined` where none is known or a proxy dials. */
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
    const responseFields = plainFields(answer.rawFields);
    const fetchedAt = now();
    await recorder.record({
      ...{ url, fetchedAt, address, requestFields, status, responseFields, body, cut, isBrokenOff },
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
}

function unsent(error: Error): RawOutcome {
  return { kind: 'error', error, answered: false };
}

interface Recorded {
  readonly answer: RawResponse;
  readonly isBrokenOff: boolean;
}

function requestHeaders(settings: NetworkSettings): readonly string[] {
  const agent = settings.contact === '' ? settings.userAgent : `${settings.userAgent} (+${settings.contact})`;
  return ['user-agent', agent, 'accept', ACCEPT, 'accept-encoding', ACCEPT_ENCODING];
}

/** A stored value that could not be sent back would spoil the whole request. */
function isSendable(value: string | undefined): value is string {
  return value !== undefined && /^[\x20-\x7e]+$/.test(value);
}
