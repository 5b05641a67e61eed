import { connect } from 'node:net';
import { allValues, type CanonicalUrl, type Config, canonicalize, decodeBody, redirectTarget } from '../core/index.ts';
import { isLocalName, isPublicAddress, literalAddress } from './address.ts';
import { badPortOf } from './bad-port.ts';
import { Resolver } from './dns/resolver.ts';
import type { BodyWish, RawOutcome } from './exchange.ts';
import { troubleOf } from './fetch-error.ts';
import { Transport } from './transport.ts';

/** A request to a service that the user names, such as a search service. */
export interface NamedOriginRequest {
  readonly userAgent: string;
  /** Media type to request. */
  readonly accept: string;
  /** Timeout per redirect hop. > 0 */
  readonly timeoutMs: number;
  /** Maximum size of the body, compressed and decompressed. */
  readonly maxBytes: number;
  readonly network: Config['network'];
}

/** Response of an origin named by the user, after redirects. */
export type NamedOriginAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Uint8Array }
  | { readonly kind: 'too-large' }
  /** The body ended early. */
  | { readonly kind: 'broken-off'; readonly detail: string }
  /** No response; `at` is the URL that did not respond. */
  | { readonly kind: 'unanswered'; readonly detail: string; readonly at: string };

const MAX_REDIRECTS = 5;
const NOTHING: BodyWish = { bytes: 0, partial: false };

/**
 * Sends a request to an origin named by the user. That origin may be anywhere, even on this machine. A redirect to
 * another origin obeys the rules of the crawl: its address must be public unless `network.allowPrivate` is set. A
 * proxy is used, unless the origin is on this machine or its network.
 */
export async function askNamedOrigin(address: string, request: NamedOriginRequest): Promise<NamedOriginAnswer> {
  const start = canonicalize(address);
  if (start === undefined) return { kind: 'unanswered', detail: 'is not an http(s) address', at: address };
  const { network, timeoutMs } = request;
  const resolver = new Resolver(network);
  const limits = {
    ...network,
    connectTimeoutMs: timeoutMs,
    headersTimeoutMs: timeoutMs,
    totalTimeoutMs: timeoutMs,
    minBytesPerSecond: 0,
  };
  const { origin, hostname } = new URL(start);
  const proxy = isOnThisNetwork(hostname) ? '' : network.proxy;
  const named = new Transport({ ...limits, proxy, allowPrivate: true }, resolver);
  const elsewhere = new Transport(limits, resolver);
  try {
    let url: CanonicalUrl = start;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const isNamed = new URL(url).origin === origin;
      const refusal = isNamed ? undefined : badPortOf(url);
      const raw = refusal
        ? ({ kind: 'error', error: refusal, answered: false } as const)
        : await ask(isNamed ? named : elsewhere, url, request);
      const target = raw.kind === 'response' ? redirectTarget(url, raw.status, raw.headers) : undefined;
      if (target === undefined) return await answerOf(raw, url, request);
      url = target;
    }
    return { kind: 'unanswered', detail: `more than ${MAX_REDIRECTS} redirects`, at: url };
  } finally {
    resolver.close();
    await Promise.all([named.close(), elsewhere.close()]);
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

function ask(transport: Transport, url: CanonicalUrl, request: NamedOriginRequest): Promise<RawOutcome> {
  const headers = ['user-agent', request.userAgent, 'accept', request.accept];
  const wish: BodyWish = { bytes: request.maxBytes, partial: false };
  return transport.get(url, { headers, plan: (status) => (status >= 200 && status < 300 ? wish : NOTHING) });
}

async function answerOf(raw: RawOutcome, url: CanonicalUrl, request: NamedOriginRequest): Promise<NamedOriginAnswer> {
  const { timeoutMs, maxBytes } = request;
  if (raw.kind === 'error') {
    const trouble = troubleOf(raw.error);
    const isLate = trouble.reason === 'timeout';
    const detail = isLate ? `no answer within ${timeoutMs / 1000} s` : trouble.detail;
    return raw.answered ? { kind: 'broken-off', detail } : { kind: 'unanswered', detail, at: url };
  }
  const { status } = raw;
  if (status < 200 || status >= 300) return { kind: 'answer', status, body: new Uint8Array() };
  if (raw.cut) return { kind: 'too-large' };
  const decoded = await decodeBody(raw.body, allValues(raw.headers['content-encoding']), maxBytes);
  if (decoded.kind === 'too-large') return decoded;
  if (decoded.kind === 'damaged') return { kind: 'broken-off', detail: decoded.detail };
  return { kind: 'answer', status, body: decoded.body };
}

function isOnThisNetwork(hostname: string): boolean {
  const literal = literalAddress(hostname);
  return literal === undefined ? isLocalName(hostname) : !isPublicAddress(literal);
}
