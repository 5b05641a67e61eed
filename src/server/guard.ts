import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { safeJson } from '../kit/index.ts';
import { errorReply, RefusedError } from './errors.ts';
import { isOwnName } from './host-check.ts';
import { SAFE_HEADERS } from './reply.ts';

/** Browsers send no longer URLs; a longer one is rejected. */
const MAX_ADDRESS_CHARS = 4_000;
/** Largest body of a request. */
export const MAX_BODY_BYTES: number = 1024 * 1024;
/** Largest body of a request that hands over files. */
export const MAX_UPLOAD_BYTES: number = 24 * MAX_BODY_BYTES;
const UPLOADS = /^\/api\/v1\/(workspaces|lists)$/;
/** A client that reads nothing for this long is disconnected. */
const STALL_MS = 60_000;

/** Which requests are meant for a server. */
export interface GuardOptions {
  /** Names that clients use, besides those of this machine; empty: loopback only. */
  readonly hosts: readonly string[];
  /** Origins of web pages that may send requests. */
  readonly origins: readonly string[];
}

/** Refuses requests that are not meant for this server, before any of them is read. */
export function guarded(answer: RequestListener, options: GuardOptions): RequestListener {
  return (request, response) => {
    const refusal = refusalOf(request, options);
    if (refusal !== undefined) return refuse(refusal, response);
    dropIfStalled(response);
    return answer(request, response);
  };
}

function refusalOf(
  { headers, url = '/', method = 'GET' }: IncomingMessage,
  options: GuardOptions,
): RefusedError | undefined {
  if (!isServed(headers.host, options.hosts))
    return refused(421, 'FOREIGN_HOST', 'Use the address that bingo serve printed.', 'Name another host with --host.');
  if (url.length > MAX_ADDRESS_CHARS) return refused(414, 'TOO_LONG', 'The address is too long.');
  const limit = UPLOADS.test(url) ? MAX_UPLOAD_BYTES : MAX_BODY_BYTES;
  if (Number(headers['content-length'] ?? 0) > limit) return tooLarge(limit);
  const isForPrograms = /^\/(api|mcp)\b/.test(url) || (method !== 'GET' && method !== 'HEAD');
  if (isForPrograms && isForeign(headers, options.origins))
    return refused(
      403,
      'FOREIGN_ORIGIN',
      'Web pages of other origins may not send requests.',
      'Allow one with --origin.',
    );
  return undefined;
}

/** Names that a foreign name server cannot point at this server: addresses, this machine, and what the user named. */
function isServed(host: string | undefined, hosts: readonly string[]): boolean {
  if (isOwnName(host)) return true;
  const name = (host ?? '').toLowerCase().replace(/:\d+$/, '');
  return hosts.length > 0 && (isIP(name.replace(/^\[|\]$/g, '')) !== 0 || hosts.includes(name));
}

/** Whether a browser sends it on behalf of a page of another origin. */
function isForeign(headers: IncomingMessage['headers'], origins: readonly string[]): boolean {
  const { origin, host } = headers;
  // Pages without a referrer send the origin "null"; only browsers set the other field, and pages cannot.
  if (origin === 'null' && headers['sec-fetch-site'] === 'same-origin') return false;
  if (origin !== undefined) return !origins.includes(origin) && URL.parse(origin)?.host !== host;
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** Refuses a body above a limit in bytes. */
export function tooLarge(limit: number): RefusedError {
  return refused(413, 'TOO_LARGE', `The body is larger than ${limit / 1024 / 1024} MiB.`, 'Send less at a time.');
}

function refused(status: number, code: string, message: string, hint?: string): RefusedError {
  return new RefusedError(status, { code, message, ...(hint !== undefined && { hint }) });
}

function refuse(refusal: RefusedError, response: ServerResponse): void {
  const body = Buffer.from(`${safeJson({ error: errorReply(refusal) })}\n`);
  const head = { ...SAFE_HEADERS, 'content-type': 'application/json', 'content-length': body.length };
  response.writeHead(refusal.status, { ...head, connection: 'close' });
  response.end(body);
}

/** Work may take long; only once an answer begins must the client read. */
function dropIfStalled(response: ServerResponse): void {
  const { writeHead } = response;
  response.writeHead = ((...args: Parameters<typeof writeHead>) => {
    response.setTimeout(STALL_MS, () => response.destroy());
    return writeHead.apply(response, args);
  }) as typeof writeHead;
}
