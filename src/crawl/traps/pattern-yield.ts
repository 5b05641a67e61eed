import { PATTERN_KINDS, type PatternKind, patternsOf, type UrlPatterns } from './url-patterns.ts';

/** How links are treated: `doubtful` ones wait below all others, `barred` ones are not followed. */
export const STANDINGS = ['free', 'doubtful', 'barred'] as const;
export type TrapStanding = (typeof STANDINGS)[number];

/** When a pattern of addresses is worn out. */
export interface YieldLimits {
  /** Wasted fetches of a narrow pattern before it is judged; wide ones need more. >= 1 */
  readonly wastedFetches: number;
  /** Share of a pattern's fetches that were wasted from which it is doubtful. In (0,1] */
  readonly wastedShare: number;
}

interface Count {
  fetched: number;
  wasted: number;
  /** Of the wasted ones: pages that were merely much like others or led nowhere yet, and how many of these were relevant. */
  stale: number;
  staleRelevant: number;
}

/** A wide pattern has more to lose: how many times the wasted fetches of a narrow one it needs. */
const CAUTION: { readonly [K in PatternKind]: number } = { template: 1, path: 1, folder: 1, top: 2, host: 5 };
/** Barred, not merely doubtful: so many times the wasted fetches, and this share of them. */
const BARRED_TIMES = 2;
const BARRED_SHARE = 0.9;
/**
 * Pages that are much like others may be all that a site of short pages has: that alone bars a pattern only after so many times
 * the fetches that make it doubtful, and when less than this share of them were relevant.
 */
const STALE_BARRED_TIMES = 25;
const STALE_BARRED_RELEVANT = 0.25;
/** Patterns remembered; beyond it those without waste are forgotten, the oldest first. */
const MAX_PATTERNS = 50_000;

/**
 * What came of the addresses of each pattern: a page of its own, or a wasted fetch (a copy, next to a copy, an error). A fold
 * over the fetches: the same fetches, the same standings.
 */
export class PatternYield {
  readonly #limits: YieldLimits;
  readonly #counts = new Map<number, Count>();

  constructor(limits: YieldLimits) {
    this.#limits = limits;
  }

  /** A fetch gave a page of its own. */
  fresh(url: string): void {
    const patterns = patternsOf(url);
    for (const kind of PATTERN_KINDS) if (isOwn(patterns, kind)) this.#count(patterns[kind]).fetched++;
  }

  /**
   * A fetch was wasted.
   * @param only - the kinds of patterns to blame. Default: all
   * @returns true when a pattern became worse than it was
   */
  wasted(url: string, only: readonly PatternKind[] = PATTERN_KINDS): boolean {
    return this.#charge(url, only, { stale: 0, staleRelevant: 0 });
  }

  /**
   * A fetch gave a page that is much like others of its host, or one that was not to be stored.
   * @returns true when a pattern became worse than it was
   */
  stale(url: string, isRelevant: boolean): boolean {
    return this.#charge(url, PATTERN_KINDS, { stale: 1, staleRelevant: isRelevant ? 1 : 0 });
  }

  /** An irrelevant page that `stale` was told of has led to one that was worth its fetch. */
  redeemed(url: string): void {
    const patterns = patternsOf(url);
    for (const kind of PATTERN_KINDS) {
      const count = isOwn(patterns, kind) ? this.#counts.get(patterns[kind]) : undefined;
      // What was forgotten since began at nothing again.
      if (count === undefined || count.stale <= count.staleRelevant) continue;
      count.wasted--;
      count.stale--;
    }
  }

  #charge(url: string, kinds: readonly PatternKind[], more: Pick<Count, 'stale' | 'staleRelevant'>): boolean {
    const patterns = patternsOf(url);
    let worse = false;
    for (const kind of kinds) {
      if (!isOwn(patterns, kind)) continue;
      const count = this.#count(patterns[kind]);
      const before = this.#standingOf(kind, count);
      count.fetched++;
      count.wasted++;
      count.stale += more.stale;
      count.staleRelevant += more.staleRelevant;
      if (this.#standingOf(kind, count) !== before) worse = true;
    }
    return worse;
  }

  /** The worst standing of the URL's patterns. */
  standing(url: string): TrapStanding {
    const patterns = patternsOf(url);
    let worst: TrapStanding = 'free';
    for (const kind of PATTERN_KINDS) {
      const count = this.#counts.get(patterns[kind]);
      const standing = count === undefined ? 'free' : this.#standingOf(kind, count);
      if (standing === 'barred') return 'barred';
      if (standing === 'doubtful') worst = 'doubtful';
    }
    return worst;
  }

  #standingOf(kind: PatternKind, count: Count): TrapStanding {
    const { fetched, wasted, stale, staleRelevant } = count;
    const enough = this.#limits.wastedFetches * CAUTION[kind];
    if (wasted < enough || wasted < this.#limits.wastedShare * fetched) return 'free';
    if (wasted < BARRED_TIMES * enough || wasted < BARRED_SHARE * fetched) return 'doubtful';
    // Copies and errors leave no doubt.
    if (2 * (wasted - stale) >= wasted) return 'barred';
    const isUseless = staleRelevant < STALE_BARRED_RELEVANT * stale;
    return isUseless && wasted >= STALE_BARRED_TIMES * enough ? 'barred' : 'doubtful';
  }

  #count(pattern: number): Count {
    let count = this.#counts.get(pattern);
    if (count === undefined) {
      if (this.#counts.size >= MAX_PATTERNS) this.#forget();
      count = { fetched: 0, wasted: 0, stale: 0, staleRelevant: 0 };
      this.#counts.set(pattern, count);
    }
    return count;
  }

  #forget(): void {
    for (const [pattern, { wasted }] of this.#counts) {
      if (this.#counts.size <= MAX_PATTERNS / 2) return;
      if (wasted === 0) this.#counts.delete(pattern);
    }
    for (const pattern of this.#counts.keys()) {
      if (this.#counts.size <= MAX_PATTERNS / 2) return;
      this.#counts.delete(pattern);
    }
  }
}

/** A URL without parameters has one pattern for path and template: it counts once. */
function isOwn(patterns: UrlPatterns, kind: PatternKind): boolean {
  return kind !== 'path' || patterns.path !== patterns.template;
}
