import type { Config, PageHistory } from '../../core/index.ts';
import { distance, type Fingerprint, type UrlRules } from '../../crawl/index.ts';

export type RecheckRules = Config['recheck'];

/** Different bits of two 64-bit fingerprints that count as the same page (Manku, Jain, Das Sarma 2007 §3.3). */
const NEAR_BITS = 3;

/**
 * Returns how long after its last fetch a page is due again, in ms.
 *
 * Changes are modelled as a Poisson process. If n fetches, I apart on average, found X changes, then r = −ln((n − X +
 * ½) / (n + ½)) / I is a nearly unbiased estimate of the change rate (Cho, Garcia-Molina: Estimating frequency of
 * change, ACM TOIT
 * 2003, §4.2). After −ln(1 − p) / r the page has changed with probability p. Without any observed change the estimate
 * is 0: the interval is then the time that the page is known to have stayed the same (our choice).
 */
export function recheckPauseMs(history: PageHistory, rules: RecheckRules): number {
  const { checks: n, changes: X, missing, firstAt, checkedAt, triedAt } = history;
  const bound = (ms: number): number => Math.min(rules.maxMs, Math.max(rules.minMs, ms));
  // A missing page is retried soon, then less and less often; an unreachable one, soon.
  if (missing > 0) return bound(rules.minMs * 2 ** (missing - 1));
  if (triedAt > checkedAt) return rules.minMs;
  if (n === 0) return bound(rules.firstMs);
  const I = (checkedAt - firstAt) / n;
  if (X === 0) return bound(Math.max(rules.firstMs, checkedAt - firstAt));
  const r = -Math.log((n - X + 0.5) / (n + 0.5)) / I;
  return bound(-Math.log(1 - rules.changed) / r);
}

/**
 * A good hub is due after this share of the pause: its new links lead to good pages (Focused crawling §3.2: the visit
 * priorities of hubs are raised). The share is our choice.
 */
const HUB_SHARE = 0.5;

interface Due {
  readonly rules: RecheckRules;
  readonly isHub?: boolean;
}

/** When a page is due, in ms since 1970. */
export function recheckAt(history: PageHistory, { rules, isHub = false }: Due): number {
  const pause = recheckPauseMs(history, rules);
  return history.triedAt + (isHub ? Math.max(rules.minMs, pause * HUB_SHARE) : pause);
}

/** The pages that a recheck fetches. */
export interface RecheckPlan {
  /** In the order of `recheck.order`. */
  readonly due: readonly PageHistory[];
  /** Pages that are kept fresh, whether due or not. */
  readonly pages: number;
  /** Pages that would be kept fresh if the user's address rules did not exclude them. */
  readonly keptOut: number;
  /** When the next page becomes due, in ms since 1970; Infinity if no page will be. */
  readonly nextAt: number;
}

/** What a plan depends on besides the pages. */
export interface RecheckOptions {
  readonly now: number;
  readonly all?: boolean;
  readonly urls?: UrlRules;
  readonly hubs?: ReadonlySet<number>;
  readonly scores?: ReadonlyMap<number, LinkScores>;
}

/** Scores of one page by the last link analysis, the greatest over the topics; in [0,1]. */
export interface LinkScores {
  readonly hub: number;
  readonly authority: number;
}

interface DuePage {
  /** When it became due, in ms since 1970. */
  readonly at: number;
  readonly page: PageHistory;
}

/**
 * Chooses the pages that are due.
 * @param all every page, whatever its date
 * @param urls the user's address rules. Default: none
 * @param hubs sequences of the best hubs, which are due more often, and also if they were rejected. Default: none
 * @param scores of the link analysis by sequence, for the orders `hubs` and `authorities`. Default: none
 */
export async function planRecheck(
  histories: AsyncIterable<PageHistory>,
  rules: RecheckRules,
  { now, all = false, urls, hubs, scores = new Map() }: RecheckOptions,
): Promise<RecheckPlan> {
  const due: DuePage[] = [];
  /** Pages that are kept fresh, by host. */
  const load = new Map<string, number>();
  let pages = 0;
  let keptOut = 0;
  let nextAt = Number.POSITIVE_INFINITY;
  for await (const page of histories) {
    const isHub = hubs?.has(page.sequence) === true;
    if (!isRechecked(page) && !isHub) continue;
    if (urls !== undefined && !mayBeAskedFor(page, urls)) {
      keptOut++;
      continue;
    }
    pages++;
    load.set(page.host, (load.get(page.host) ?? 0) + 1);
    // The clock was wrong and has been corrected: the date of the last fetch is unknown.
    const at = page.triedAt > now ? now : recheckAt(page, { rules, isHub });
    if (all || at <= now) due.push({ at, page });
    else nextAt = Math.min(nextAt, at);
  }
  const rank = rankOf(rules.order, scores);
  // Among equals, servers with few pages come first (Focus 1999 §3.2: serverload).
  const loadOf = ({ page }: DuePage): number => load.get(page.host)!;
  due.sort((a, b) => rank(a) - rank(b) || loadOf(a) - loadOf(b) || a.at - b.at || a.page.sequence - b.page.sequence);
  return { due: due.map(({ page }) => page), pages, keptOut, nextAt };
}

/** Returns the number by which due pages are sorted, least first. */
function rankOf(order: RecheckRules['order'], scores: ReadonlyMap<number, LinkScores>): (due: DuePage) => number {
  switch (order) {
    case 'due':
      return ({ at }) => at;
    case 'oldest':
      return ({ page }) => page.triedAt;
    case 'hubs':
      return ({ page }) => -(scores.get(page.sequence)?.hub ?? 0);
    case 'authorities':
      return ({ page }) => -(scores.get(page.sequence)?.authority ?? 0);
  }
}

/**
 * True for pages worth keeping fresh: accepted pages and examples. Rejected pages are skipped, except one that was
 * accepted before it changed, for example into a maintenance page. A former example is kept fresh if it is accepted.
 */
export function isRechecked({ role, others, changes }: PageHistory): boolean {
  return !others || (role !== 'others' && changes > 0);
}

/** False for pages that the user's address rules exclude. Pages that the user named are always fetched. */
export function mayBeAskedFor({ role, origin, finalUrl }: PageHistory, urls: UrlRules): boolean {
  return role !== 'crawled' || origin.via === 'seed' || urls.against(finalUrl) === undefined;
}

/** True if two versions differ at most in a counter or a date. */
export function isNearlySame(a: Fingerprint, b: Fingerprint): boolean {
  return distance(a, b) <= NEAR_BITS;
}
