import type { IncomingHttpHeaders } from 'node:http';
import {
  allValues,
  type BodyLimits,
  bodyLimit,
  type CanonicalUrl,
  type Decoded,
  decodeBody,
  type FetchedPage,
  type FetchOutcome,
  firstValue,
  isPackedText,
  isPartial,
  isPassingStatus,
  isReadableInPart,
  isUsableType,
  PART_STATUS,
  pageHeaders,
  parseMediaType,
  redirectTarget,
  strayRedirect,
} from '../core/index.ts';
import type { BodyWish, RawResponse } from './exchange.ts';
import { statusDetail, type Trouble } from './fetch-error.ts';
import { NO_BODY } from './http-client.ts';
import { parseHttpDate } from './http-date.ts';
import { parseRetryAfter } from './retry-after.ts';

/** The page a response belongs to, its time, and the limits of its size. */
export interface AnswerContext {
  readonly url: CanonicalUrl;
  readonly fetchedAt: number;
  /** Apply to the compressed and the decompressed size. */
  readonly limits: BodyLimits;
}

/** Decides how much of the body to read. Unsupported media types are cut off after the headers. */
export function pageWish(url: CanonicalUrl, headers: IncomingHttpHeaders, limits: BodyLimits): BodyWish {
  const { type } = parseMediaType(allValues(headers['content-type']));
  const isUsable = isUsableType(type, url, firstValue(headers['content-disposition']));
  return isUsable ? { bytes: bodyLimit(limits, type), partial: false } : NO_BODY;
}

/** Converts a response with status 2xx into a page, or into the reason why there is no page. */
export async function pageOf(raw: RawResponse, context: AnswerContext): Promise<FetchOutcome> {
  const { outcome, isWhole } = await read(raw, context);
  if (outcome.kind !== 'fetched' || isWhole || isPartial(raw.status, raw.headers)) return outcome;
  return truncated(raw, outcome, { reason: 'truncated', detail: NO_END });
}

/** Reason for a complete response whose compressed data is incomplete. */
export const NO_END = 'its compressed data is incomplete';

interface Read {
  readonly outcome: FetchOutcome;
  /** The compressed data of the page is complete. */
  readonly isWhole: boolean;
}

async function read(raw: RawResponse, context: AnswerContext): Promise<Read> {
  const { url, fetchedAt } = context;
  const headers = pageHeaders(raw.headers);
  const limit = bodyLimit(context.limits, headers.contentType);
  const without = (outcome: FetchOutcome): Read => ({ outcome, isWhole: true });
  if (!isUsableType(headers.contentType, url, firstValue(raw.headers['content-disposition']))) {
    const detail = `media type ${headers.contentType}`;
    return without({ kind: 'refused', url, reason: 'type', detail, fetchedAt });
  }
  const tooLarge = (what: string): Read => {
    return without({ kind: 'refused', url, reason: 'size', detail: `${what} more than ${limit} bytes`, fetchedAt });
  };
  if (raw.cut) return tooLarge('the body has');
  const decoded = await unpacked(raw, headers.contentType, limit);
  if (decoded.kind === 'too-large') return tooLarge(`${raw.body.length} bytes unpack to`);
  if (decoded.kind === 'damaged') {
    const { detail } = decoded;
    const { status } = raw;
    return without({ kind: 'failed', url, retry: 'never', reason: 'protocol', detail, status, fetchedAt });
  }
  const { body, isWhole } = decoded;
  const { address, durationMs } = raw;
  const page = { kind: 'fetched', url, headers, body, address, fetchedAt, durationMs } as const;
  const status = raw.status === PART_STATUS ? 200 : raw.status;
  return { outcome: isPartial(raw.status, raw.headers) ? partOf(page) : { ...page, status }, isWhole };
}

/**
 * Decompresses a body. Some servers send compressed text, or compress it twice, without declaring it. An archive
 * declared as text stays unchanged if it cannot be decompressed.
 */
async function unpacked({ body, headers }: RawResponse, type: string, limit: number): Promise<Decoded> {
  const decoded = await decodeBody(body, allValues(headers['content-encoding']), limit);
  if (decoded.kind !== 'decoded' || !isPackedText(type, decoded.body)) return decoded;
  const inner = await decodeBody(Buffer.from(decoded.body.buffer), 'gzip', limit);
  return inner.kind === 'decoded' ? { ...inner, isWhole: decoded.isWhole && inner.isWhole } : decoded;
}

/** Returns an incomplete page without its version, so that a recheck fetches the rest. */
function partOf(page: Omit<FetchedPage, 'status'>): FetchedPage {
  return { ...page, headers: { ...page.headers, etag: '', lastModified: '' }, status: PART_STATUS };
}

/**
 * Handles a connection that ended, or a timeout, within the body. Some servers announce more bytes than they send,
 * then wait. The next try may get the whole body. If no try does, the beginning of a text is kept.
 */
export async function brokenOff(part: RawResponse, trouble: Trouble, context: AnswerContext): Promise<FetchOutcome> {
  const { outcome } = await read(part, context);
  if (outcome.kind !== 'fetched') return { ...trouble, url: context.url, fetchedAt: context.fetchedAt };
  // For the host, a page that times out counts as a timeout, even if part of it arrived.
  return truncated(part, outcome, { ...trouble, reason: trouble.reason === 'timeout' ? 'timeout' : 'truncated' });
}

interface Break {
  readonly reason: 'timeout' | 'truncated';
  readonly detail: string;
}

function truncated(raw: RawResponse, page: FetchedPage, { reason, detail: why }: Break): FetchOutcome {
  const { url, fetchedAt } = page;
  const detail = `the body broke off after ${raw.body.length} bytes: ${why}`;
  const status = reason === 'timeout' ? 0 : raw.status;
  const failed = { kind: 'failed', url, retry: 'later', reason, detail, status, fetchedAt } as const;
  return isReadableInPart(page.headers.contentType) ? { ...failed, part: partOf(page) } : failed;
}

/** Converts responses with a status other than 2xx. */
export function withoutPage(raw: RawResponse, isConditional: boolean, { url, fetchedAt }: AnswerContext): FetchOutcome {
  const { status } = raw;
  if (status === 304) return isConditional ? unchanged(raw, url, fetchedAt) : unasked304(url, fetchedAt);
  const target = redirectTarget(url, status, raw.headers);
  if (target !== undefined) {
    const permanent = status === 301 || status === 308;
    return { kind: 'redirected', url, target, status, permanent, ...waitOf(raw, fetchedAt), fetchedAt };
  }
  const stray = strayRedirect(url, status, raw.headers);
  if (stray !== undefined) return { kind: 'refused', url, reason: 'scheme', detail: stray, fetchedAt };
  return { ...statusTrouble(raw, fetchedAt), url, fetchedAt };
}

/** Some servers use it as a rate limit and say when to retry. */
const FORBIDDEN = 403;

/** Returns the trouble for a status other than 2xx; for redirects, only if they have no Location. */
export function statusTrouble(raw: RawResponse, now: number): Trouble {
  const { status } = raw;
  const isLost = status > 300 && status < 400;
  const detail = `${statusDetail(status)}${isLost ? ', a redirect without a target' : ''}`;
  const wait = waitOf(raw, now);
  const isPassing = isPassingStatus(status) || (status === FORBIDDEN && (wait.retryAfterMs ?? 0) > 0);
  if (!isPassing) return { kind: 'failed', retry: 'never', reason: 'http', detail, status };
  return { kind: 'failed', retry: 'later', reason: 'http', detail, status, ...wait };
}

/** Returns the pause the server asks for, if any. */
function waitOf({ headers }: RawResponse, now: number): { readonly retryAfterMs?: number } {
  // Uses the server's Date header if present, because the local clock may be wrong.
  const date = parseHttpDate(firstValue(headers.date));
  const retryAfterMs = parseRetryAfter(firstValue(headers['retry-after']), Number.isNaN(date) ? now : date);
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

function unchanged(raw: RawResponse, url: CanonicalUrl, fetchedAt: number): FetchOutcome {
  const { etag, lastModified } = pageHeaders(raw.headers);
  return { kind: 'unchanged', url, etag, lastModified, fetchedAt };
}

/** Handles a 304 to an unconditional request. The page may exist; a cache on the way is faulty. */
function unasked304(url: CanonicalUrl, fetchedAt: number): FetchOutcome {
  const detail = 'HTTP status 304 (not modified), although the request named no version';
  return { kind: 'failed', url, retry: 'later', reason: 'http', detail, status: 304, fetchedAt };
}
