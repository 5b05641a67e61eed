import { setTimeout as sleep } from 'node:timers/promises';
import {
  allValues,
  type CanonicalUrl,
  canonicalize,
  decodeBody,
  hostOf,
  isPartial,
  PROXY_PASSWORD_STATUS,
  redirectTarget,
} from '../core/index.ts';
import { isGzip } from '../kit/index.ts';
import type { BodyWish, RawResponse } from './exchange.ts';
import { statusDetail, type Trouble, troubleOf } from './fetch-error.ts';
import type { Asker, NetworkSettings } from './http-client.ts';
import { NO_END, statusTrouble } from './read-response.ts';
import type { KnownRobots, RobotsAnswer } from './robots-cache.ts';

/** RFC 9309 §2.3.1.2: at least five. A longer chain counts as a missing file. */
const REDIRECTS = 5;

export interface RobotsRequestOptions extends Pick<NetworkSettings, 'robotsMaxBytes'> {
  /** Returns why a host must not be requested, if no page of it was requested. */
  readonly objectionTo: (url: CanonicalUrl) => Trouble | undefined;
  /** Reserves the next turn of that host. @returns the wait until then, in ms */
  readonly reserve: (url: CanonicalUrl) => number;
  /** Returns the known file of an origin, or of any other URL that a redirect led to. */
  readonly known: (place: string) => KnownRobots | undefined;
}

const OWN_FILE = /^(https?:\/\/[^/]+)\/robots\.txt$/;

/** Returns the key of a file elsewhere: its origin if it is the origin's own robots.txt, otherwise its URL. */
function placeOf(url: CanonicalUrl): string {
  return OWN_FILE.exec(url)?.[1] ?? url;
}

/**
 * Requests the robots.txt of an origin. Follows up to five redirects, also to other hosts; each hop obeys the same
 * address rules. Blocked hosts are not requested for another host's file either; the file then counts as unreachable.
 */
export async function askForRobots(
  asker: Asker,
  origin: string,
  { robotsMaxBytes, objectionTo, reserve, known }: RobotsRequestOptions,
): Promise<RobotsAnswer> {
  const start = canonicalize(`${origin}/robots.txt`)!;
  let url: CanonicalUrl | undefined = start;
  // One more byte shows whether the file is longer.
  const wish: BodyWish = { bytes: robotsMaxBytes + 1, partial: true };
  const asked = new Set<string>();
  for (let hops = 0; url !== undefined && hops <= REDIRECTS; hops++) {
    const elsewhere: CanonicalUrl | undefined = hops > 0 ? url : undefined;
    const other = elsewhere && placeOf(elsewhere);
    const before = other === undefined ? undefined : known(other);
    if (before !== undefined) return before;
    if (hostOf(url) !== hostOf(start)) {
      const objection = objectionTo(url);
      if (objection !== undefined) return unreachable(objection, url);
      await sleep(reserve(url));
      const meanwhile = other === undefined ? undefined : known(other);
      if (meanwhile !== undefined) return meanwhile;
    }
    // A loop counts as a chain without an end. A file that sets a cookie and redirects to itself expects the cookie.
    const question = `${url} ${asker.hasCookie(url)}`;
    if (asked.has(question)) return { kind: 'absent' };
    asked.add(question);
    const { raw, fetchedAt } = await asker.ask(url, { wish: () => wish });
    if (raw.kind === 'error') return unreachable(troubleOf(raw.error), elsewhere);
    const { status } = raw;
    if (isPartial(raw.status, raw.headers) || status === 304) return unreachable(notWhole(status), elsewhere);
    if (status >= 200 && status < 300) {
      const file = await robotsFile(raw, robotsMaxBytes);
      return file.kind === 'file' && other !== undefined ? { ...file, of: other } : file;
    }
    if (status >= 500 || status === 429 || status === PROXY_PASSWORD_STATUS)
      return unreachable(statusTrouble(raw, fetchedAt), elsewhere);
    url = redirectTarget(url, status, raw.headers);
  }
  return { kind: 'absent' };
}

/** Handles a partial or "not modified" response, which was not requested: a cache on the way is faulty. */
function notWhole(status: number): Trouble {
  const detail = `${statusDetail(status)}, which was not requested`;
  return { kind: 'failed', retry: 'later', reason: 'http', detail, status };
}

async function robotsFile(raw: RawResponse, limit: number): Promise<RobotsAnswer> {
  // Some servers compress the file without declaring it.
  const coding = allValues(raw.headers['content-encoding']) || (isGzip(raw.body) ? 'gzip' : '');
  // The remaining rules of a broken file could allow anything. Beyond the limit, rules are ignored anyway.
  const decoded = await decodeBody(raw.body, coding, limit * 8);
  if (decoded.kind === 'decoded' && (decoded.isWhole || raw.cut))
    return { kind: 'file', body: wholeLines(decoded.body, limit) };
  const detail = decoded.kind === 'damaged' ? decoded.detail : decoded.kind === 'decoded' ? NO_END : 'too large';
  return unreachable({ kind: 'failed', retry: 'later', reason: 'protocol', detail, status: raw.status });
}

/**
 * Returns the complete lines before the limit. A line that is cut could change its meaning: `Disallow: /` may remain
 * of a longer path.
 */
function wholeLines(body: Uint8Array, limit: number): Uint8Array {
  if (body.length <= limit) return body;
  const end = Math.max(body.lastIndexOf(NEWLINE, limit), body.lastIndexOf(RETURN, limit));
  return body.subarray(0, end + 1);
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Converts trouble with a robots.txt. A garbled file is not a reason to give up its pages forever.
 * @param target - redirect target, if the trouble is there. Its faults do not apply to the pages, but the user's
 * rules apply to both
 */
function unreachable(trouble: Trouble, target?: CanonicalUrl): RobotsAnswer {
  if (trouble.kind === 'refused' && trouble.reason === 'locked-host') {
    const detail = `robots.txt redirects to ${target}: ${trouble.detail}`;
    return { kind: 'unreachable', trouble: { ...trouble, detail } };
  }
  if (target !== undefined) {
    const { reason, detail } = trouble;
    const told = { status: 0, ...trouble, detail: `it redirects to ${target}: ${detail}` };
    return { kind: 'unreachable', trouble: { ...told, kind: 'failed', retry: 'later', reason } };
  }
  const passing = trouble.kind === 'failed' && trouble.reason === 'protocol';
  return { kind: 'unreachable', trouble: passing ? { ...trouble, retry: 'later' } : trouble };
}
