import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { RawFields } from '../warc/index.ts';
import { BodyPieces } from './body-pieces.ts';
import { errors } from './undici-parts.ts';

/** A response with its body as received. */
export interface RawResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The header fields as received. */
  readonly rawFields: RawFields;
  readonly body: Buffer;
  /** Only a part of the body was read: it is longer than wanted, or it broke off and the headers suffice. */
  readonly cut: boolean;
  /** Address dialled; `''` behind a proxy. */
  readonly address: string;
  readonly durationMs: number;
}

/** A response or an error. */
export type RawOutcome = RawResponse | RawError;

export interface RawError {
  readonly kind: 'error';
  readonly error: unknown;
  /** The response headers had arrived. */
  readonly answered: boolean;
  /** The part received, if the connection or the time ended within the body of a page. */
  readonly part?: RawResponse;
}

/** How much of a body to read. */
export interface BodyWish {
  /** 0 = none of it. */
  readonly bytes: number;
  /** True: the beginning of a longer body is useful. False: all or nothing. */
  readonly partial: boolean;
}

/** Decides from the status and headers how much to read. */
export type BodyPlan = (status: number, headers: IncomingHttpHeaders) => BodyWish;

/** Thrown if the whole response did not arrive in time. */
export class DeadlineError extends Error {
  constructor(afterMs: number) {
    super(`no complete answer after ${afterMs} ms`);
  }
}

/** Thrown if a body arrives too slowly; it would hold its connection until the timeout. */
export class DripError extends DeadlineError {
  override readonly message: string;

  constructor(bytesPerSecond: number, stretchMs: number) {
    super(stretchMs);
    this.message = `less than ${bytesPerSecond} bytes per second for ${stretchMs} ms`;
  }
}

/** Thrown if the response is not HTTP; the message says why. */
export class NoHttpError extends Error {
  constructor(why: string) {
    super(`the server's answer is not HTTP: ${why}`);
  }
}

/** Error text for status 101, after which the connection uses another protocol. */
export const OTHER_PROTOCOL = 'status 101, an unrequested change to another protocol';

/**
 * Number of intervals of the total timeout in which the rate of a body is measured, and the minimum length of an
 * interval.
 */
const STRETCHES = 6;
const MIN_STRETCH_MS = 1_000;

/** An unwanted body up to this size and duration is read and discarded, because a new connection costs more. */
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 1_000;

export interface ExchangeOptions {
  readonly plan: BodyPlan;
  readonly timeoutMs: number;
  readonly minBytesPerSecond: number;
  /** Returns the address of the server; called after the response arrived. */
  readonly address: () => string;
  readonly settle: (outcome: RawOutcome) => void;
  /** Called when the request is written: there is a connection. */
  readonly onBegin?: (() => void) | undefined;
  /** Called if the rest of a response is refused. */
  readonly onRefused?: (() => void) | undefined;
}

/** Controls an active response: the part of undici's controller that we need. */
interface Control {
  abort(reason: Error): void;
  readonly rawHeaders?: RawFields;
}

/**
 * One request and its response, driven by undici's callbacks. Settles exactly once; afterwards it only refuses
 * further data.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #controller: Control | undefined;
  #settled = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #rawFields: RawFields;
  #wanted = 0;
  #partial = false;
  readonly #body = new BodyPieces();
  #received = 0;
  /** Bytes of the body received before the current interval. */
  #receivedBefore = 0;
  #stretch: NodeJS.Timeout | undefined;
  #drain: NodeJS.Timeout | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    const { timeoutMs } = options;
    this.#timer = setTimeout(() => this.fail(new DeadlineError(timeoutMs)), timeoutMs);
  }

  fail(error: unknown): void {
    this.#options.onRefused?.();
    this.#breakOff(error);
    this.#controller?.abort(error instanceof Error ? error : new Error(String(error)));
  }

  onRequestStart(controller: Control): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('given up'));
    else this.#options.onBegin?.();
  }

  onResponseStart(controller: Control, status: number, headers: IncomingHttpHeaders): void {
    if (status < 100) this.fail(new NoHttpError(`status ${String(status).padStart(3, '0')}`));
    if (status === 101) this.fail(new NoHttpError(OTHER_PROTOCOL));
    if (status < 200 || this.#settled) return;
    this.#status = status;
    this.#headers = headers;
    this.#rawFields = controller.rawHeaders ?? headers;
    const { bytes, partial } = this.#options.plan(status, headers);
    this.#wanted = bytes;
    this.#partial = partial;
    if (bytes === 0) this.#drain ??= setTimeout(() => this.#cutOff(controller), DRAIN_MS);
    else if (this.#options.minBytesPerSecond > 0) this.#watchRate();
    const declared = Number(headers['content-length'] ?? 0);
    if (!partial && declared > Math.max(bytes, DRAIN_BYTES)) this.#cutOff(controller);
  }

  onResponseData(controller: Control, chunk: Buffer): void {
    if (this.#settled) return;
    this.#received += chunk.length;
    if (this.#received <= this.#wanted) this.#body.add(chunk);
    else if (this.#received > DRAIN_BYTES || this.#wanted > 0) this.#cutOff(controller, chunk);
  }

  onResponseEnd(): void {
    this.#respond(this.#received > this.#wanted);
  }

  onResponseError(_controller: Control, error: Error): void {
    this.#breakOff(error);
  }

  /**
   * Handles a broken connection. For a redirect, an error or an unsupported media type, the headers suffice, so the
   * body does not matter.
   */
  #breakOff(thrown: unknown): void {
    const error = plainly(thrown);
    const isSaid = this.#status >= 300 || (this.#status >= 200 && this.#wanted === 0);
    if (this.#settled) return;
    if (isSaid) this.#respond(true);
    else if (this.#isWhole) this.#respond(false);
    else {
      const isPart = this.#status >= 200 && !this.#body.isEmpty;
      const part = isPart && { part: this.#response(false) };
      this.#settle({ kind: 'error', error, answered: this.#status > 0, ...part });
    }
  }

  /** True if all announced bytes have arrived: the end of the connection does not matter then. */
  get #isWhole(): boolean {
    // With chunked coding, a content length is ignored.
    const { 'content-length': length, 'transfer-encoding': coding } = this.#headers;
    const isAll = coding === undefined && this.#received === Number(length);
    return isAll && this.#received > 0 && this.#received <= this.#wanted;
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

  #cutOff(controller: Control, chunk?: Buffer): void {
    if (chunk !== undefined && this.#partial) {
      this.#body.add(chunk.subarray(0, chunk.length - (this.#received - this.#wanted)));
    }
    this.#options.onRefused?.();
    this.#respond(true);
    controller.abort(new Error('cut off'));
  }

  #respond(cut: boolean): void {
    if (cut && !this.#partial) this.#body.clear();
    this.#settle(this.#response(cut));
  }

  #response(cut: boolean): RawResponse {
    return {
      kind: 'response',
      status: this.#status,
      headers: this.#headers,
      rawFields: this.#rawFields,
      body: this.#body.joined(),
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
    clearTimeout(this.#drain);
    this.#body.clear();
    this.#options.settle(outcome);
  }
}

/** Rewords errors for responses that a browser could not read either. */
function plainly(error: unknown): unknown {
  if (error instanceof errors.HTTPParserError && error.message.includes('Expected HTTP/') && !isMisspelt(error))
    return new NoHttpError('it does not begin with HTTP/');
  const isOther = error instanceof errors.SocketError && error.message === 'bad upgrade';
  return isOther ? new NoHttpError(OTHER_PROTOCOL) : error;
}

/** Matches a status line with leading blanks, a truncated "HTTP", or lower case, which the lenient parser accepts. */
const MISSPELT = /^\s{0,4}h?t{0,2}p?\/\d/i;

/** @param error - its `data` are the bytes of the response from the first one the parser rejected */
function isMisspelt(error: Error): boolean {
  const { data = '' } = error as { readonly data?: unknown };
  return MISSPELT.test(String(data).slice(0, 20));
}

/**
 * Returns true if the server violated HTTP/1.1 in the response head or the chunks, as old servers do. Browsers accept
 * that.
 */
export function isAgainstRules({ error, answered }: RawError): boolean {
  const isOfTwoLengths = error instanceof errors.ResponseContentLengthMismatchError;
  const isContinuing = error instanceof errors.SocketError && error.message === 'bad response';
  const isParsed = error instanceof errors.HTTPParserError;
  const isBadHead = isParsed && !answered;
  const isBadChunk = isParsed && answered && /chunk/i.test(error.message);
  return isOfTwoLengths || isContinuing || isBadHead || isBadChunk;
}

/**
 * Returns true if the server supports HTTP/2, but not for this page. Either it asks for HTTP/1.1 (RFC 9113 §7), or
 * its response head violates HTTP/2, mostly with a field that only HTTP/1.1 allows, such as `Upgrade`.
 */
export function asksForOldHttp({ error, answered }: RawError): boolean {
  if (!(error instanceof Error) || answered) return false;
  const isBroken = (error as NodeJS.ErrnoException).code === 'ERR_HTTP2_ERROR';
  return isBroken || /NGHTTP2_(?:HTTP_1_1_REQUIRED|PROTOCOL_ERROR)/.test(error.message);
}

/** Returns true if the server closed the connection before any part of the response arrived. */
export function isReset(error: unknown): boolean {
  return /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(String((error as { readonly code?: unknown } | null)?.code));
}
