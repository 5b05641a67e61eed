import type { CanonicalUrl } from './ids.ts';
import type { Origin, PageRole } from './record.ts';

/**
 * How a page left: `gone` for good, `moved` to a page that is stored already, `same` as another page by now, or `noindex`,
 * asking to be left out. It may come back.
 */
export const ENDINGS = ['gone', 'moved', 'same', 'noindex'] as const;
export type Ending = (typeof ENDINGS)[number];

const ENDS: Readonly<Record<string, Ending>> = { gone: 'gone', duplicate: 'same', noindex: 'noindex' };

/** How a page left, by what a recheck gave; `undefined`: that does not tell. */
export function endingOf({ result, reason }: { readonly result: string; readonly reason: string }): Ending | undefined {
  return result === 'redirected' && reason === 'merged' ? 'moved' : ENDS[result];
}

/** What became of a stored page. Times are in ms since 1970. */
export interface PageNews {
  /** When it was found. */
  readonly firstAt: number;
  /** When its newest version was fetched; equal to `firstAt` while it never changed. */
  readonly changedAt: number;
  /** When it was last seen alive. */
  readonly checkedAt: number;
  /** When it was last asked for. */
  readonly triedAt: number;
  /** Rechecks that found it alive, and how many of them found it changed. */
  readonly checks: number;
  readonly changes: number;
  /** Rechecks in a row, the last ones, that were told it is not there. */
  readonly missing: number;
  /** When it was last sent elsewhere for good, and from which address; 0 and `''` when it never was. */
  readonly movedAt: number;
  readonly movedFrom: string;
  /** When it was there again after it had left; 0 when it never was. */
  readonly backAt: number;
  readonly ending: Ending | undefined;
  readonly endedAt: number;
  /** Where a page went that has moved to a known one; else `''`. */
  readonly target: string;
}

/** What rechecks told about a stored page: a fold over its page and visit records. Times are in ms since 1970. */
export interface PageHistory extends PageNews {
  /** Of its newest version. */
  readonly sequence: number;
  readonly url: CanonicalUrl;
  readonly finalUrl: CanonicalUrl;
  /** Every redirect on the way, `url` first, `finalUrl` left out. */
  readonly redirects: readonly CanonicalUrl[];
  readonly host: string;
  readonly role: PageRole;
  readonly others: boolean;
  /** How its newest version was reached; before the first recheck, how it was found. */
  readonly origin: Origin;
  readonly etag: string;
  readonly lastModified: string;
  readonly contentHash: string;
  readonly simhash: readonly [number, number];
}
