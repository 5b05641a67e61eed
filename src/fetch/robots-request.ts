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
import { NO_END, statusTrouble } from './answer.ts';
import type { Asker, NetworkSettings } from './asker.ts';
import type { BodyWish, RawResponse } from './exchange.ts';
import type { KnownRobots, RobotsAnswer } from './robots-cache.ts';
import { statusDetail, type Trouble, troubleOf } from './trouble.ts';

/** RFC 9309 §2.3.1.2: at least five. A longer chain counts as "there is none". */
const REDIRECTS = 5;

export interface RobotsRequestOptions extends Pick<NetworkSettings, 'robotsMaxBytes'> {
  /** What stands against asking the host of an address where nobody wanted a page of it. */
  readonly objectionTo: (url: CanonicalUrl) => Trouble | undefined;
  /** Takes the next turn of that host. @returns how long it is until then, in ms */
  readonly reserve: (url: CanonicalUrl) => number;
  /** What is known of an origin's own file, or of one at any other address to which a redirect led. */
  readonly known: (place: string) => KnownRobots | undefined;
}

const OWN_FILE = /^(https?:\/\/[^/]+)\/robots\.txt$/;

/** What a file elsewhere is known by: the origin whose own it is, or its address. */
function placeOf(url: CanonicalUrl): string {
  return OWN_FILE.exec(url)?.[1] ?? url;
}

/**
 * Asks an origin for its robots.txt: up to five redirects, also to other hosts; each hop under the same address rules. Hosts that are
 * to be left alone are not asked for that of another either: it counts as unreachable then.
 */
export async function askForRobots(
  asker: Asker,
  origin: string,
  { robotsMaxBytes, objectionTo, reserve, known }: RobotsRequestOptions,
): Promise<RobotsAnswer> {
  const start = canonicalize(`${origin}/robots.txt`)!;
  let url: CanonicalUrl | undefined = start;
  // One byte more shows whether the file goes on.
  const wish: BodyWish = { bytes: robotsMaxBytes + 1, partial: true };
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

/** A cache on the way is at fault: nobody asked for a part, or for changes alone. */
function notWhole(status: number): Trouble {
  const detail = `${statusDetail(status)}, which nobody asked for`;
  return { kind: 'failed', retry: 'later', reason: 'http', detail, status };
}

async function robotsFile(raw: RawResponse, limit: number): Promise<RobotsAnswer> {
  // Some servers hold it packed and do not say so.
  const coding = allValues(raw.headers['content-encoding']) || (isGzip(raw.body) ? 'gzip' : '');
  // What is left of rules that broke off could allow anything; beyond the limit they end anyway.
  const decoded = await decodeBody(raw.body, coding, limit * 8);
  if (decoded.kind === 'decoded' && (decoded.isWhole || raw.cut))
    return { kind: 'file', body: wholeLines(decoded.body, limit) };
  const detail = decoded.kind === 'damaged' ? decoded.detail : decoded.kind === 'decoded' ? NO_END : 'too large';
  return unreachable({ kind: 'failed', retry: 'later', reason: 'protocol', detail, status: raw.status });
}

/** What lies before the limit, without a line that it cuts in two: `Disallow: /` may be all that is left of one. */
function wholeLines(body: Uint8Array, limit: number): Uint8Array {
  if (body.length <= limit) return body;
  const end = Math.max(body.lastIndexOf(NEWLINE, limit), body.lastIndexOf(RETURN, limit));
  return body.subarray(0, end + 1);
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * A garbled robots.txt is no reason to give up its pages for good.
 * @param target - of a redirect, when the trouble is there; what is wrong there is not so for the pages, but a person's wish holds for both
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
