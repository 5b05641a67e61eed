import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { CanonicalUrl } from '../../core/index.ts';
import type { RawFields } from '../warc/recording.ts';
import { isLocalName } from './address.ts';
import { assertNameAllowed, checkedConnector, RefusedAddressError } from './connector.ts';
import type { Resolver } from './resolver.ts';
import { SocketTable } from './socket-table.ts';

/** The slice of `network` that connections need. */
export interface TransportSettings {
  readonly concurrency: number;
  readonly perHost: number;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** Least rate of a body, over every sixth of the whole time; 0 = none. */
  readonly minBytesPerSecond: number;
  readonly proxy: string;
  readonly allowPrivate: boolean;
  readonly insecureTls: boolean;
}

/** An answer, its body as it came over the wire. */
export interface RawResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The same as they came over the wire. */
  readonly rawFields: RawFields;
  readonly body: Buffer;
  /** The body is longer than wanted; only a part of it was read. */
  readonly cut: boolean;
  /** Address dialled; `''` behind a proxy. */
  readonly address: string;
  readonly durationMs: number;
}

/** Either an answer or what stood in its way. */
export type RawOutcome = RawResponse | RawError;

export interface RawError {
  readonly kind: 'error';
  readonly error: unknown;
  /** The headers of an answer had come. */
  readonly answered: boolean;
  /** The answer as far as it came, when the connection ended within the body of a page. */
  readonly part?: RawResponse;
}

/** How much of a body is wanted. */
export interface BodyWish {
  /** 0 = nothing of it. */
  readonly bytes: number;
  /** True: the beginning of a longer body is of use. False: all or nothing. */
  readonly partial: boolean;
}

/** Decides from the headers. */
export type BodyPlan = (status: number, headers: IncomingHttpHeaders) => BodyWish;

/** The whole response did not come in time. */
export class DeadlineError extends Error {
  constructor(afterMs: number) {
    super(`no whole answer after ${afterMs} ms`);
  }
}

/** A body drips in: it would hold its connection until the whole time is over. */
export class DripError extends DeadlineError {
  override readonly message: string;

  constructor(bytesPerSecond: number, stretchMs: number) {
    super(stretchMs);
    this.message = `less than ${bytesPerSecond} bytes a second for ${stretchMs} ms`;
  }
}

/** Parts of the whole time over each of which the rate of a body is taken, and how short such a stretch may be. */
const STRETCHES = 6;
const MIN_STRETCH_MS = 1_000;

/** Idle connections are closed after this; a server cannot ask for more. */
const KEEP_ALIVE_MS = 5_000;
/** An unwanted body up to this size is read and forgotten, because a new connection costs more. */
const DRAIN_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 32 * 1024;

/**
 * Sends single GET requests over pooled connections, checked by {@link checkedConnector}. One undici agent serves all
 * hosts; it forgets a host when its last connection closes.
 *
 * With `proxy`, names are resolved by the proxy alone: `http:` goes there in absolute form, `https:` through a tunnel.
 * The proxy's own address is the user's choice and not checked; literal private addresses and names that are local by
 * definition are refused all the same.
 */
export class Transport {
  readonly #settings: TransportSettings;
  readonly #agent: Dispatcher;
  readonly #forward: Pool | undefined;
  readonly #proxyHeaders: readonly string[];
  readonly #sockets = new SocketTable();

  constructor(settings: TransportSettings, resolver: Resolver) {
    this.#settings = settings;
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
      const connect = checkedConnector({ resolver, allowPrivate, insecureTls, connectTimeoutMs, onConnection });
      // Two at the least: with one, a slow answer would hold up the request for robots.txt.
      this.#agent = new Agent({ ...limits, connect, connections: Math.max(2, settings.perHost) });
      this.#proxyHeaders = [];
      return;
    }
    const tls = { rejectUnauthorized: !insecureTls };
    const proxy = new URL(settings.proxy);
    this.#agent = new ProxyAgent({ ...limits, uri: settings.proxy, requestTls: tls, connectTimeout: connectTimeoutMs });
    this.#forward = new Pool(proxy.origin, {
      ...limits,
      connections: settings.concurrency,
      connect: { timeout: connectTimeoutMs, allowH2: false },
    });
    this.#proxyHeaders = proxyAuthorization(proxy);
  }

  /** Never rejects, never throws. `headers` as name, value, name, value, … */
  async get(url: CanonicalUrl, headers: readonly string[], plan: BodyPlan): Promise<RawOutcome> {
    const slash = url.indexOf('/', 8);
    const origin = url.slice(0, slash);
    const refusal = this.#refusal(origin);
    if (refusal !== undefined) return { kind: 'error', error: refusal, answered: false };
    this.#sockets.use(origin);
    try {
      return await this.#exchangeTwice({ origin, path: url.slice(slash), headers, plan });
    } finally {
      this.#sockets.release(origin);
    }
  }

  /** The server may close an idle connection just when it is used again: that says nothing about the page. */
  async #exchangeTwice(question: Question): Promise<RawOutcome> {
    const kept = this.#sockets.isOpen(question.origin);
    const outcome = await this.#exchange(question);
    const stale = kept && outcome.kind === 'error' && !outcome.answered && isReset(outcome.error);
    return stale ? this.#exchange(question) : outcome;
  }

  async close(): Promise<void> {
    const error = new Error('closed');
    await Promise.all([this.#agent.destroy(error), this.#forward?.destroy(error)]);
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

  #exchange(question: Question): Promise<RawOutcome> {
    return new Promise((settle) => {
      const address = (): string => this.#sockets.address(question.origin);
      const { totalTimeoutMs: timeoutMs, minBytesPerSecond } = this.#settings;
      const exchange = new Exchange({ plan: question.plan, timeoutMs, minBytesPerSecond, address, settle });
      try {
        this.#dispatch(question, exchange);
      } catch (error) {
        exchange.fail(error);
      }
    });
  }

  #dispatch({ origin, path, headers }: Question, exchange: Exchange): void {
    if (this.#forward === undefined || origin.startsWith('https:')) {
      this.#agent.dispatch({ origin, path, method: 'GET', headers: headers as string[] }, exchange);
      return;
    }
    const all = [...headers, 'host', origin.slice(origin.indexOf('//') + 2), ...this.#proxyHeaders];
    this.#forward.dispatch({ path: origin + path, method: 'GET', headers: all }, exchange);
  }
}

interface Question {
  readonly origin: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly plan: BodyPlan;
}

interface ExchangeOptions {
  readonly plan: BodyPlan;
  readonly timeoutMs: number;
  readonly minBytesPerSecond: number;
  /** Where the answer came from; asked when it has come. */
  readonly address: () => string;
  readonly settle: (outcome: RawOutcome) => void;
}

/** One request and its answer, as undici tells it. Settles exactly once; afterwards it only refuses further data. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #rawFields: RawFields;
  #wanted = 0;
  #partial = false;
  #chunks: Buffer[] = [];
  #received = 0;
  /** Of the body, when the present stretch began. */
  #receivedBefore = 0;
  #stretch: NodeJS.Timeout | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    const { timeoutMs } = options;
    this.#timer = setTimeout(() => this.fail(new DeadlineError(timeoutMs)), timeoutMs);
  }

  fail(error: unknown): void {
    this.#settle({ kind: 'error', error, answered: this.#status > 0 });
    this.#controller?.abort(error instanceof Error ? error : new Error(String(error)));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('given up'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#settled) return;
    this.#status = status;
    this.#headers = headers;
    this.#rawFields = controller.rawHeaders ?? headers;
    const { bytes, partial } = this.#options.plan(status, headers);
    this.#wanted = bytes;
    this.#partial = partial;
    if (this.#options.minBytesPerSecond > 0) this.#watchRate();
    const declared = Number(headers['content-length'] ?? 0);
    if (!partial && declared > Math.max(bytes, DRAIN_BYTES)) this.#cutOff(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    this.#received += chunk.length;
    if (this.#received <= this.#wanted) this.#chunks.push(chunk);
    else if (this.#received > DRAIN_BYTES || this.#wanted > 0) this.#cutOff(controller, chunk);
  }

  onResponseEnd(): void {
    this.#respond(this.#received > this.#wanted);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const isPart = this.#status >= 200 && this.#status < 300 && this.#chunks.length > 0;
    this.#settle({
      kind: 'error',
      error,
      answered: this.#status > 0,
      ...(isPart && { part: this.#response(this.#chunks, false) }),
    });
  }

  #watchRate(): void {
    const { minBytesPerSecond, timeoutMs } = this.#options;
    const stretchMs = Math.max(MIN_STRETCH_MS, Math.round(timeoutMs / STRETCHES));
    this.#stretch ??= setInterval(() => {
      const isDripping = (this.#received - this.#receivedBefore) * 1000 < minBytesPerSecond * stretchMs;
      this.#receivedBefore = this.#received;
      if (isDripping) this.fail(new DripError(minBytesPerSecond, stretchMs));
    }, stretchMs);
  }

  #cutOff(controller: Dispatcher.DispatchController, chunk?: Buffer): void {
    if (chunk !== undefined && this.#partial) {
      this.#chunks.push(chunk.subarray(0, chunk.length - (this.#received - this.#wanted)));
    }
    this.#respond(true);
    controller.abort(new Error('cut off'));
  }

  #respond(cut: boolean): void {
    this.#settle(this.#response(cut && !this.#partial ? [] : this.#chunks, cut));
  }

  #response(chunks: readonly Buffer[], cut: boolean): RawResponse {
    return {
      kind: 'response',
      status: this.#status,
      headers: this.#headers,
      rawFields: this.#rawFields,
      body: Buffer.concat(chunks),
      cut,
      address: this.#options.address(),
      durationMs: performance.now() - this.#startedAt,
    };
  }

  #settle(outcome: RawOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    clearInterval(this.#stretch);
    this.#chunks = [];
    this.#options.settle(outcome);
  }
}

/** The server closed the connection before anything of the answer came. */
export function isReset(error: unknown): boolean {
  return /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(String((error as { code?: unknown } | null)?.code));
}

function proxyAuthorization(proxy: URL): readonly string[] {
  if (proxy.username === '') return [];
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return ['proxy-authorization', `Basic ${Buffer.from(credentials).toString('base64')}`];
}
