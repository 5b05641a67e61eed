import type { IncomingHttpHeaders } from 'node:http';
import {
  allValues,
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
import { NO_BODY } from './asker.ts';
import type { BodyWish, RawResponse } from './exchange.ts';
import { parseHttpDate } from './http-date.ts';
import { parseRetryAfter } from './retry-after.ts';
import { statusDetail, type Trouble } from './trouble.ts';

/** Which page an answer is about, when it came, and how large a page may be. */
export interface AnswerContext {
  readonly url: CanonicalUrl;
  readonly fetchedAt: number;
  /** Packed and unpacked. */
  readonly maxBodyBytes: number;
}

/** Media types that the crawler cannot use are cut off at the headers. */
export function pageWish(url: CanonicalUrl, headers: IncomingHttpHeaders, maxBodyBytes: number): BodyWish {
  const { type } = parseMediaType(allValues(headers['content-type']));
  const isUsable = isUsableType(type, url, firstValue(headers['content-disposition']));
  return isUsable ? { bytes: maxBodyBytes, partial: false } : NO_BODY;
}

/** What an answer of status 2xx gives: a page, or why none. */
export async function pageOf(raw: RawResponse, context: AnswerContext): Promise<FetchOutcome> {
  const { outcome, isWhole } = await read(raw, context);
  if (outcome.kind !== 'fetched' || isWhole || isPartial(raw.status, raw.headers)) return outcome;
  return truncated(raw, outcome, { reason: 'truncated', detail: NO_END });
}

/** Of an answer that came as a whole, but holds only the beginning of what was packed. */
export const NO_END = 'its content coding has no end';

interface Read {
  readonly outcome: FetchOutcome;
  /** The coding of a page came to its end. */
  readonly isWhole: boolean;
}

async function read(raw: RawResponse, context: AnswerContext): Promise<Read> {
  const { url, fetchedAt, maxBodyBytes: limit } = context;
  const headers = pageHeaders(raw.headers);
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

/** Some servers hold texts packed, or pack them twice, and do not say so. An archive that is called a text stays as it is, if need be. */
async function unpacked({ body, headers }: RawResponse, type: string, limit: number): Promise<Decoded> {
  const decoded = await decodeBody(body, allValues(headers['content-encoding']), limit);
  if (decoded.kind !== 'decoded' || !isPackedText(type, decoded.body)) return decoded;
  const inner = await decodeBody(Buffer.from(decoded.body.buffer), 'gzip', limit);
  return inner.kind === 'decoded' ? { ...inner, isWhole: decoded.isWhole && inner.isWhole } : decoded;
}

/** It has no version to ask for: a recheck shall bring the rest. */
function partOf(page: Omit<FetchedPage, 'status'>): FetchedPage {
  return { ...page, headers: { ...page.headers, etag: '', lastModified: '' }, status: PART_STATUS };
}

/**
 * The connection or the time ended within the body: some servers tell of more than they send, and wait. The next try may bring all of it; should none, the beginning of a text is worth
 * having.
 */
export async function brokenOff(part: RawResponse, trouble: Trouble, context: AnswerContext): Promise<FetchOutcome> {
  const { outcome } = await read(part, context);
  if (outcome.kind !== 'fetched') return { ...trouble, url: context.url, fetchedAt: context.fetchedAt };
  // To its host, a page that does not come in time is one whatever came of it.
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

/** Answers other than 2xx. */
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

/** Some limit how often they are asked by it, and say when one may come back. */
const FORBIDDEN = 403;

/** What a status other than 2xx says of the page; of redirects, of those without a Location alone. */
export function statusTrouble(raw: RawResponse, now: number): Trouble {
  const { status } = raw;
  const isLost = status > 300 && status < 400;
  const detail = `${statusDetail(status)}${isLost ? ', a redirect that does not say where to' : ''}`;
  const wait = waitOf(raw, now);
  const isPassing = isPassingStatus(status) || (status === FORBIDDEN && (wait.retryAfterMs ?? 0) > 0);
  if (!isPassing) return { kind: 'failed', retry: 'never', reason: 'http', detail, status };
  return { kind: 'failed', retry: 'later', reason: 'http', detail, status, ...wait };
}

/** How long the server wants to be left alone, when it says so. */
function waitOf({ headers }: RawResponse, now: number): { readonly retryAfterMs?: number } {
  // By the server's own clock, where it tells: ours may be wrong.
  const date = parseHttpDate(firstValue(headers.date));
  const retryAfterMs = parseRetryAfter(firstValue(headers['retry-after']), Number.isNaN(date) ? now : date);
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

function unchanged(raw: RawResponse, url: CanonicalUrl, fetchedAt: number): FetchOutcome {
  const { etag, lastModified } = pageHeaders(raw.headers);
  return { kind: 'unchanged', url, etag, lastModified, fetchedAt };
}

/** The page may be there: a cache on the way is at fault. */
function unasked304(url: CanonicalUrl, fetchedAt: number): FetchOutcome {
  const detail = 'HTTP status 304 (not modified), although the request named no version';
  return { kind: 'failed', url, retry: 'later', reason: 'http', detail, status: 304, fetchedAt };
}
