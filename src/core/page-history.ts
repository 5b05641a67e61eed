import type { CanonicalUrl } from './ids.ts';
import type { Origin, PageRole } from './record.ts';

/**
 * How a page ended: `gone` for good, `moved` to a stored page, `same` content as another page, or `noindex`, asking
 * not to be listed. It may return.
 */
export const ENDINGS = ['gone', 'moved', 'same', 'noindex'] as const;
export type Ending = (typeof ENDINGS)[number];

const ENDS: Readonly<Record<string, Ending>> = { gone: 'gone', duplicate: 'same', noindex: 'noindex' };

/** Returns how a page ended, from the result of a recheck; `undefined` if the recheck is inconclusive. */
export function endingOf({ result, reason }: { readonly result: string; readonly reason: string }): Ending | undefined {
  return result === 'redirected' && reason === 'merged' ? 'moved' : ENDS[result];
}

/** Recheck history of a stored page. Times are in ms since 1970. */
export interface PageNews {
  /** When it was found. */
  readonly firstAt: number;
  /** When its newest version was fetched; equal to `firstAt` if it never changed. */
  readonly changedAt: number;
  /** When it was last seen to exist. */
  readonly checkedAt: number;
  /** When it was last requested. */
  readonly triedAt: number;
  /** Rechecks that found the page, and how many of them found a change. */
  readonly checks: number;
  readonly changes: number;
  /** Latest consecutive rechecks that reported the page as missing. */
  readonly missing: number;
  /** Time and source of its last permanent redirect; 0 and `''` if it never moved. */
  readonly movedAt: number;
  readonly movedFrom: string;
  /** When it last returned after it had left; 0 if it never did. */
  readonly backAt: number;
  readonly ending: Ending | undefined;
  readonly endedAt: number;
  /** The known page to which it moved; else `''`. */
  readonly target: string;
}

/** Recheck results of a stored page, computed from its page and visit records. Times are in ms since 1970. */
export interface PageHistory extends PageNews {
  /** Sequence of its newest version. */
  readonly sequence: number;
  readonly url: CanonicalUrl;
  readonly finalUrl: CanonicalUrl;
  /** Every redirect on the way, starting with `url`, without `finalUrl`. */
  readonly redirects: readonly CanonicalUrl[];
  readonly host: string;
  readonly role: PageRole;
  readonly others: boolean;
  /** Origin of its newest version; before the first recheck, how the page was found. */
  readonly origin: Origin;
  readonly etag: string;
  readonly lastModified: string;
  readonly contentHash: string;
  readonly simhash: readonly [number, number];
}
