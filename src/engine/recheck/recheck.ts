import type { Config, PageHistory } from '../../core/index.ts';
import { distance, type Fingerprint, type UrlRules } from '../../crawl/index.ts';

export type RecheckRules = Config['recheck'];

/** Different bits of two 64-bit fingerprints that count as the same page (Manku, Jain, Das Sarma 2007 §3.3). */
const NEAR_BITS = 3;

/**
 * How long after the last look at a page it is due again, in ms.
 *
 * Changes are taken for a Poisson process. Of n looks, I apart on average, X found a change; then r = −ln((n − X + ½) /
 * (n + ½)) / I is a nearly unbiased estimate of its rate (Cho, Garcia-Molina: Estimating frequency of change, ACM TOIT
 * 2003, §4.2), and after −ln(1 − p) / r it has changed with probability p. Without any change seen the estimate is 0: the
 * pause is then as long as the page is known to have stayed the same (our choice).
 */
export function recheckPauseMs(history: PageHistory, rules: RecheckRules): number {
  const { checks: n, changes: X, missing, firstAt, checkedAt, triedAt } = history;
  const bound = (ms: number): number => Math.min(rules.maxMs, Math.max(rules.minMs, ms));
  // A page that is missed is looked for soon, then less and less often; one that could not be reached, soon.
  if (missing > 0) return bound(rules.minMs * 2 ** (missing - 1));
  if (triedAt > checkedAt) return rules.minMs;
  if (n === 0) return bound(rules.firstMs);
  const I = (checkedAt - firstAt) / n;
  if (X === 0) return bound(Math.max(rules.firstMs, checkedAt - firstAt));
  const r = -Math.log((n - X + 0.5) / (n + 0.5)) / I;
  return bound(-Math.log(1 - rules.changed) / r);
}

/** When a page is due, in ms since 1970. */
export function recheckAt(history: PageHistory, rules: RecheckRules): number {
  return history.triedAt + recheckPauseMs(history, rules);
}

/** Which pages a recheck looks at. */
export interface RecheckPlan {
  /** Most overdue first. */
  readonly due: readonly PageHistory[];
  /** Pages that are kept fresh, due or not. */
  readonly pages: number;
  /** Pages that would be kept fresh, but for a person's rules on addresses. */
  readonly keptOut: number;
  /** When the next of the others is due, in ms since 1970; Infinity when there is none. */
  readonly nextAt: number;
}

/**
 * Chooses the pages that are due.
 * @param all every page, whatever its date
 * @param urls a person's rules on addresses. Default: none
 */
export async function planRecheck(
  histories: AsyncIterable<PageHistory>,
  rules: RecheckRules,
  { now, all = false, urls }: { readonly now: number; readonly all?: boolean; readonly urls?: UrlRules },
): Promise<RecheckPlan> {
  const due: { readonly at: number; readonly page: PageHistory }[] = [];
  let pages = 0;
  let keptOut = 0;
  let nextAt = Number.POSITIVE_INFINITY;
  for await (const page of histories) {
    if (!isRechecked(page)) continue;
    if (urls !== undefined && !mayBeAskedFor(page, urls)) {
      keptOut++;
      continue;
    }
    pages++;
    // A clock that went wrong has been set right: when the page was looked at last nobody knows.
    const at = page.triedAt > now ? now : recheckAt(page, rules);
    if (all || at <= now) due.push({ at, page });
    else nextAt = Math.min(nextAt, at);
  }
  due.sort((a, b) => a.at - b.at || a.page.sequence - b.page.sequence);
  return { due: due.map(({ page }) => page), pages, keptOut, nextAt };
}

/**
 * True for pages that are worth keeping fresh: accepted ones and examples. OTHERS teach what they taught; but one that was accepted
 * before it changed, into a page of maintenance say, may be again. An example that is none any more is kept fresh where it is accepted.
 */
export function isRechecked({ role, others, changes }: PageHistory): boolean {
  return !others || (role !== 'others' && changes > 0);
}

/** False for pages that a person's rules on addresses keep out; those that a person named are looked at all the same. */
export function mayBeAskedFor({ role, origin, finalUrl }: PageHistory, urls: UrlRules): boolean {
  return role !== 'crawled' || origin.via === 'seed' || urls.against(finalUrl) === undefined;
}

/** True when two versions differ in no more than a counter or a date. */
export function isNearlySame(a: Fingerprint, b: Fingerprint): boolean {
  return distance(a, b) <= NEAR_BITS;
}
