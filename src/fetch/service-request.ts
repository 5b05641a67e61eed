import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { allValues, type CanonicalUrl, type Config, canonicalize, decodeBody, redirectTarget } from '../core/index.ts';
import { isLocalName, isPublicAddress, literalAddress } from './address.ts';
import { badPortOf } from './bad-port.ts';
import { Resolver } from './dns/resolver.ts';
import type { BodyWish, RawOutcome } from './exchange.ts';
import { troubleOf } from './fetch-error.ts';
import { Transport } from './transport.ts';

/** How a service that the user names is requested. */
export interface NamedOriginLimits {
  readonly userAgent: string;
  /** Timeout per redirect hop. > 0 */
  readonly timeoutMs: number;
  /** Maximum size of the body, compressed and decompressed. */
  readonly maxBytes: number;
  readonly network: Config['network'];
}

/** One request to a service. */
export interface NamedOriginQuestion {
  /** Media type to request. */
  readonly accept: string;
  /** Further header fields: name, value, name, value, … */
  readonly headers?: readonly string[];
  /** JSON sent by POST. Default: GET. */
  readonly json?: string | undefined;
  /** Maximum number of redirects to follow. Default: 5; none with `json`, which the named origin alone receives. */
  readonly redirects?: number;
}

/** A request to a service that the user names, such as a search service. */
export interface NamedOriginRequest extends NamedOriginLimits, NamedOriginQuestion {}

/** Response of an origin named by the user, after redirects. */
export type NamedOriginAnswer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** Empty for a status other than 2xx. */
      readonly body: Uint8Array;
    }
  | { readonly kind: 'too-large' }
  /** The body ended early. */
  | { readonly kind: 'broken-off'; readonly detail: string }
  /** No response; `at` is the URL that did not respond. */
  | { readonly kind: 'unanswered'; readonly detail: string; readonly at: string };

const MAX_REDIRECTS = 5;
const JSON_TYPE = ['content-type', 'application/json'] as const;
const NOTHING: BodyWish = { bytes: 0, partial: false };

/**
 * Sends requests to an origin named by the user. That origin may be anywhere, even on this machine. A redirect to
 * another origin obeys the rules of the crawl: its address must be public unless `network.allowPrivate` is set. A
 * proxy is used, unless the origin is on this machine or its network.
 */
export class NamedOrigin {
  readonly #origin: string;
  readonly #limits: NamedOriginLimits;
  readonly #resolver: Resolver;
  readonly #named: Transport;
  readonly #elsewhere: Transport;

  /** @param address any http(s) URL of the origin */
  constructor(address: string, limits: NamedOriginLimits) {
    const { network, timeoutMs } = limits;
    this.#limits = limits;
    this.#resolver = new Resolver(network);
    const times = { connectTimeoutMs: timeoutMs, headersTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs };
    const settings = { ...network, ...times, minBytesPerSecond: 0 };
    const { origin, hostname } = new URL(address);
    this.#origin = origin;
    const proxy = isOnThisNetwork(hostname) ? '' : network.proxy;
    this.#named = new Transport({ ...settings, proxy, allowPrivate: true }, this.#resolver);
    this.#elsewhere = new Transport(settings, this.#resolver);
  }

  async ask(address: string, question: NamedOriginQuestion): Promise<NamedOriginAnswer> {
    const start = canonicalize(address);
    if (start === undefined) return { kind: 'unanswered', detail: 'is not an http(s) address', at: address };
    const { redirects = question.json === undefined ? MAX_REDIRECTS : 0 } = question;
    let url: CanonicalUrl = start;
    for (let hops = 0; ; hops++) {
      const raw = await this.#get(url, question);
      const target = raw.kind === 'response' ? redirectTarget(url, raw.status, raw.headers) : undefined;
      if (target === undefined || redirects === 0) return await answerOf(raw, url, this.#limits);
      if (hops === redirects) return { kind: 'unanswered', detail: `more than ${redirects} redirects`, at: url };
      url = target;
    }
  }

  async close(): Promise<void> {
    this.#resolver.close();
    await Promise.all([this.#named.close(), this.#elsewhere.close()]);
  }

  #get(url: CanonicalUrl, { accept, headers = [], json }: NamedOriginQuestion): Promise<RawOutcome> | RawOutcome {
    const isNamed = new URL(url).origin === this.#origin;
    const refusal = isNamed ? undefined : badPortOf(url);
    if (refusal !== undefined) return { kind: 'error', error: refusal, answered: false };
    const { userAgent, maxBytes } = this.#limits;
    const wish: BodyWish = { bytes: maxBytes, partial: false };
    return (isNamed ? this.#named : this.#elsewhere).get(url, {
      headers: ['user-agent', userAgent, 'accept', accept, ...(json === undefined ? [] : JSON_TYPE), ...headers],
      body: json,
      plan: (status) => (status >= 200 && status < 300 ? wish : NOTHING),
    });
  }
}

/** Sends one request, see {@link NamedOrigin}. */
export async function askNamedOrigin(address: string, request: NamedOriginRequest): Promise<NamedOriginAnswer> {
  if (canonicalize(address) === undefined)
    return { kind: 'unanswered', detail: 'is not an http(s) address', at: address };
  const origin = new NamedOrigin(address, request);
  try {
    return await origin.ask(address, request);
  } finally {
    await origin.close();
  }
}

/**
 * Connects to a server named by the user, such as a proxy, and disconnects.
 * @throws Error that says why there is no connection
 */
export function knock(host: string, port: number, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: timeoutMs }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error(`no connection within ${timeoutMs} ms`)));
    socket.once('error', reject);
  });
}

async function answerOf(raw: RawOutcome, url: CanonicalUrl, limits: NamedOriginLimits): Promise<NamedOriginAnswer> {
  const { timeoutMs, maxBytes } = limits;
  if (raw.kind === 'error') {
    const trouble = troubleOf(raw.error);
    const isLate = trouble.reason === 'timeout';
    const detail = isLate ? `no answer within ${timeoutMs / 1000} s` : trouble.detail;
    return raw.answered ? { kind: 'broken-off', detail } : { kind: 'unanswered', detail, at: url };
  }
  const { status, headers } = raw;
  if (status < 200 || status >= 300) return { kind: 'answer', status, headers, body: new Uint8Array() };
  if (raw.cut) return { kind: 'too-large' };
  const decoded = await decodeBody(raw.body, allValues(raw.headers['content-encoding']), maxBytes);
  if (decoded.kind === 'too-large') return decoded;
  if (decoded.kind === 'damaged') return { kind: 'broken-off', detail: decoded.detail };
  return { kind: 'answer', status, headers, body: decoded.body };
}

function isOnThisNetwork(hostname: string): boolean {
  const literal = literalAddress(hostname);
  return literal === undefined ? isLocalName(hostname) : !isPublicAddress(literal);
}
