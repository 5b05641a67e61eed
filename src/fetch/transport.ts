import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { type CanonicalUrl, decodeCredential, largestBody } from '../core/index.ts';
import { LruMap } from '../kit/index.ts';
import { isLocalName } from './address.ts';
import { assertNameAllowed, checkedConnector, RefusedAddressError } from './connector.ts';
import type { Resolver } from './dns/resolver.ts';
import {
  asksForOldHttp,
  type BodyPlan,
  Exchange,
  isAgainstRules,
  isReset,
  NoHttpError,
  type RawOutcome,
} from './exchange.ts';
import { blamingProxy, withoutTunnel } from './fetch-error.ts';
import { watchHttp2Streams } from './http2-streams.ts';
import { converse } from './old-response.ts';
import { SocketTable } from './socket-table.ts';
import { socksConnector } from './socks.ts';
import { Agent, makeConnector, Pool, proxyAgent } from './undici-parts.ts';

/** The part of `network` that connections need. */
export interface TransportSettings {
  readonly concurrency: number;
  readonly perHost: number;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** Minimum rate of a body, over every sixth of the total timeout; 0 = none. */
  readonly minBytesPerSecond: number;
  readonly maxBodyBytes: number;
  /** See `network.maxBytesByType`. Default: no other limits. */
  readonly maxBytesByType?: readonly string[];
  readonly proxy: string;
  readonly allowPrivate: boolean;
  readonly insecureTls: boolean;
}

/** Idle connections are closed after this time; a server cannot extend it. */
const KEEP_ALIVE_MS = 5_000;
const MAX_HEADER_BYTES = 32 * 1024;
/** The origin used for all data from a proxy. */
const PROXY = 'proxy';
/** Maximum number of servers remembered as violating HTTP. */
const MAX_OLD = 1_000;

/**
 * Sends single requests, mostly GET, over pooled connections, checked by {@link checkedConnector}. One undici agent serves all
 * hosts; it forgets a host when its last connection closes.
 *
 * With `proxy`, only the proxy resolves names: `http:` goes there in absolute form, `https:` through a tunnel; through
 * a SOCKS5 proxy everything is tunnelled. The proxy's own address is the user's choice and is not checked. Literal private addresses and local names are still
 * refused.
 */
export class Transport {
  readonly #settings: TransportSettings;
  readonly #agent: Dispatcher;
  readonly #forward: Dispatcher | undefined;
  readonly #proxyHeaders: readonly string[];
  readonly #sockets: SocketTable;
  /** For servers that violate HTTP/1.1 or do not want HTTP/2. Behind a proxy, those servers talk to the proxy. */
  readonly #dial: buildConnector.connector | undefined;
  readonly #old = new LruMap<string, true>(MAX_OLD);
  readonly #unwatch = watchHttp2Streams();

  constructor(settings: TransportSettings, resolver: Resolver) {
    this.#settings = settings;
    this.#sockets = new SocketTable(largestBody(settings));
    const { allowPrivate, insecureTls, connectTimeoutMs, headersTimeoutMs, totalTimeoutMs } = settings;
    const limits = {
      headersTimeout: headersTimeoutMs,
      bodyTimeout: totalTimeoutMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    };
    const onConnection = (origin: string, address: string, socket: Socket): void =>
      this.#sockets.add(origin, address, socket);
    if (settings.proxy === '') {
      const checked = { resolver, allowPrivate, insecureTls, connectTimeoutMs, onConnection };
      const connect = checkedConnector(checked);
      this.#dial = checkedConnector({ ...checked, allowH2: false });
      // At least two: with one, a slow response would block the request for robots.txt.
      this.#agent = new Agent({ ...limits, connect, connections: Math.max(2, settings.perHost) });
      this.#proxyHeaders = [];
      return;
    }
    const proxy = new URL(settings.proxy);
    if (proxy.protocol === 'socks5:') {
      const socks = {
        proxy,
        insecureTls,
        connectTimeoutMs,
        onConnection: (at: string, s: Socket) => onConnection(at, '', s),
      };
      this.#dial = socksConnector({ ...socks, allowH2: false });
      this.#agent = new Agent({
        ...limits,
        connect: socksConnector(socks),
        connections: Math.max(2, settings.perHost),
      });
      this.#proxyHeaders = [];
      return;
    }
    const tls = { rejectUnauthorized: !insecureTls };
    this.#agent = proxyAgent({
      ...{ ...limits, uri: settings.proxy, requestTls: tls, proxyTls: tls, connectTimeout: connectTimeoutMs },
      clientFactory: (origin, options) =>
        tunnels(origin, {
          ...options,
          connect: this.#watched((options as { readonly connect: buildConnector.connector }).connect),
          headersTimeout: connectTimeoutMs,
        }),
    });
    this.#forward = new Pool(proxy.origin, {
      ...limits,
      connections: settings.concurrency,
      connect: this.#watched(makeConnector({ timeout: connectTimeoutMs, allowH2: false, ...tls })),
    });
    this.#proxyHeaders = proxyAuthorization(proxy);
  }

  /** Never rejects, never throws. */
  async get(url: CanonicalUrl, request: TransportRequest): Promise<RawOutcome> {
    const slash = url.indexOf('/', 8);
    const origin = url.slice(0, slash);
    const refusal = this.#refusal(origin);
    if (refusal !== undefined) return { kind: 'error', error: refusal, answered: false };
    const outcome = await this.#ask({ ...request, origin, path: url.slice(slash) });
    if (this.#forward === undefined || outcome.kind === 'response') return outcome;
    return { ...outcome, error: blamingProxy(outcome.error) };
  }

  /**
   * Retries a server that violates HTTP/1.1 with a lenient parser, and uses that parser for it from then on. The same
   * applies to a server that supports HTTP/2 but does not want it.
   */
  async #ask(question: Question): Promise<RawOutcome> {
    const { origin } = question;
    const asBefore = this.#old.get(origin) === true ? await this.#forgive(question) : undefined;
    if (asBefore !== undefined && !isNoHttp(asBefore)) return asBefore;
    // Not all of its pages violate HTTP.
    this.#old.delete(origin);
    const outcome = await this.#exchangeTwice(question);
    if (this.#dial === undefined || outcome.kind === 'response' || question.body !== undefined) return outcome;
    if (!isAgainstRules(outcome) && !asksForOldHttp(outcome)) return outcome;
    const forgiven = asBefore ?? (await this.#forgive(question));
    // The lenient parser knows what is wrong, but a partly received page is worth more.
    if (isNoHttp(forgiven)) return outcome.part === undefined ? forgiven : outcome;
    const isRead = forgiven.kind === 'response' || forgiven.answered;
    if (isRead) this.#old.set(origin, true);
    return isRead ? forgiven : outcome;
  }

  #forgive(question: Question): Promise<RawOutcome> {
    return this.#exchange(question, (exchange) => this.#converse(question, exchange));
  }

  /** Retries if the server closed an idle connection just as it was reused, which is not a failure of the page. */
  async #exchangeTwice(question: Question): Promise<RawOutcome> {
    const kept = this.#sockets.isOpen(question.origin);
    const dispatch = (exchange: Exchange): void => this.#dispatch(question, exchange);
    const outcome = await this.#exchange(question, dispatch);
    const isStale = kept && outcome.kind === 'error' && !outcome.answered && isReset(outcome.error);
    return isStale && !isAgainstRules(outcome) ? this.#exchange(question, dispatch) : outcome;
  }

  async close(): Promise<void> {
    const error = new Error('closed');
    await Promise.all([this.#agent.destroy(error), this.#forward?.destroy(error)]);
    this.#sockets.close();
    this.#unwatch();
  }

  #refusal(origin: string): RefusedAddressError | undefined {
    if (this.#settings.proxy === '') return undefined;
    const host = new URL(origin).hostname;
    try {
      assertNameAllowed(host, this.#settings.allowPrivate);
    } catch (error) {
      if (error instanceof RefusedAddressError) return error;
      throw error;
    }
    return isLocalName(host) && !this.#settings.allowPrivate ? new RefusedAddressError(host, host) : undefined;
  }

  /** Counts the data from the proxy. */
  #watched(connect: buildConnector.connector): buildConnector.connector {
    return (target, callback) =>
      connect(target, (...made) => {
        const [, socket] = made;
        // On an error, undici passes no socket.
        if (socket) this.#sockets.add(PROXY, '', socket as Socket);
        callback(...made);
      });
  }

  async #exchange(question: Question, begin: (exchange: Exchange) => void): Promise<RawOutcome> {
    const key = this.#forward === undefined ? question.origin : PROXY;
    let isRefused = false;
    let exchange: Exchange | undefined;
    const onFlood = (error: Error): void => exchange?.fail(error);
    this.#sockets.use(key, onFlood);
    const outcome = await this.#settled(question, {
      onRefused: () => {
        isRefused = true;
      },
      begin: (made) => {
        exchange = made;
        begin(made);
      },
    });
    this.#sockets.release(key, onFlood);
    if (isRefused) this.#sockets.refused(key);
    return outcome;
  }

  #settled(question: Question, { begin, onRefused }: Beginning): Promise<RawOutcome> {
    return new Promise((settle) => {
      const address = (): string => this.#sockets.address(question.origin);
      const { totalTimeoutMs: timeoutMs, minBytesPerSecond } = this.#settings;
      const { plan, onBegin } = question;
      question.onSend?.();
      const exchange = new Exchange({ plan, timeoutMs, minBytesPerSecond, address, settle, onBegin, onRefused });
      try {
        begin(exchange);
      } catch (error) {
        exchange.fail(error);
      }
    });
  }

  #dispatch({ origin, path, headers, body }: Question, exchange: Exchange): void {
    const sent = body === undefined ? { method: 'GET' as const } : { method: 'POST' as const, body };
    if (this.#forward === undefined || origin.startsWith('https:')) {
      this.#agent.dispatch({ ...sent, origin, path, headers: headers as string[] }, exchange);
      return;
    }
    const all = [...headers, 'host', origin.slice(origin.indexOf('//') + 2), ...this.#proxyHeaders];
    this.#forward.dispatch({ ...sent, path: origin + path, headers: all }, exchange);
  }

  /** Sends one HTTP/1.0 request on its own connection. */
  #converse({ origin, path, headers }: Question, exchange: Exchange): void {
    const { protocol, hostname, host, port } = new URL(origin);
    const fields = ['host', host, ...headers, 'connection', 'close'];
    const lines = fields.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${fields[i + 1]}`] : []));
    this.#dial!({ protocol, hostname, host, port }, (error, socket) => {
      if (socket === null) exchange.fail(error);
      else converse(socket, `GET ${path} HTTP/1.0\r\n${lines.join('\r\n')}\r\n\r\n`, exchange);
    });
  }
}

/** How to start one exchange, and a callback for a refused response. */
interface Beginning {
  readonly begin: (exchange: Exchange) => void;
  readonly onRefused: () => void;
}

function isNoHttp(outcome: RawOutcome): boolean {
  return outcome.kind === 'error' && outcome.error instanceof NoHttpError;
}

/** A request to a page's server. */
export interface TransportRequest {
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  /** Sent by POST. Default: GET without a body. */
  readonly body?: string | undefined;
  readonly plan: BodyPlan;
  /** Called whenever a request is sent, once it has a connection. */
  readonly onBegin?: (() => void) | undefined;
  /** Called before each exchange is sent: one request may take several. */
  readonly onSend?: (() => void) | undefined;
}

interface Question extends TransportRequest {
  readonly origin: string;
  readonly path: string;
}

/**
 * Returns an agent that requests tunnels from a proxy. A failure of the tunnel counts as the proxy's, whatever its
 * target host.
 */
function tunnels(proxy: URL, options: object): Dispatcher {
  const pool = new Pool(proxy, options);
  const open = pool.connect.bind(pool) as (tunnel: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;
  const connect = (tunnel: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> =>
    open(tunnel).catch((error: unknown) => Promise.reject(withoutTunnel(error)));
  return Object.assign(pool, { connect });
}

function proxyAuthorization(proxy: URL): readonly string[] {
  if (proxy.username === '') return [];
  const credentials = `${decodeCredential(proxy.username)}:${decodeCredential(proxy.password)}`;
  return ['proxy-authorization', `Basic ${Buffer.from(credentials).toString('base64')}`];
}
