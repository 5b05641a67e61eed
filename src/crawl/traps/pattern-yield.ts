import { type Fields, freeBytes, GROWTH, grown, HashSlots } from '../../kit/index.ts';
import { PATTERN_KINDS, type PatternKind, patternsOf, type TrapStanding, type UrlPatterns } from './url-patterns.ts';

/** When a pattern of addresses is worn out. */
export interface YieldLimits {
  /** Wasted fetches of a narrow pattern before it is judged; wide ones need more. >= 1 */
  readonly wastedFetches: number;
  /** Share of a pattern's fetches that were wasted from which it is doubtful. In (0,1] */
  readonly wastedShare: number;
}

/** Counts of a pattern, side by side. */
const COUNTS = 4;
const FETCHED = 0;
const WASTED = 1;
/** Of the wasted ones: pages that were merely much like others or led nowhere yet, and how many of these were relevant. */
const STALE = 2;
const STALE_RELEVANT = 3;

const FIRST_CAPACITY = 64;

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
  /** Rows by pattern, in the order in which they came. */
  #rows = new HashSlots();
  #counts = new Uint32Array(COUNTS * FIRST_CAPACITY);

  constructor(limits: YieldLimits) {
    this.#limits = limits;
  }

  /** A fetch gave a page of its own. */
  fresh(url: string): void {
    const patterns = patternsOf(url);
    for (const kind of PATTERN_KINDS) if (isOwn(patterns, kind)) this.#add(this.#row(patterns[kind]), FETCHED);
  }

  /**
   * A fetch was wasted.
   * @param only - the kinds of patterns to blame. Default: all
   * @returns true when a pattern became worse than it was
   */
  wasted(url: string, only: readonly PatternKind[] = PATTERN_KINDS): boolean {
    return this.#charge(url, only, []);
  }

  /**
   * A fetch gave a page that is much like others of its host, or one that was not to be stored.
   * @returns true when a pattern became worse than it was
   */
  stale(url: string, isRelevant: boolean): boolean {
    return this.#charge(url, PATTERN_KINDS, isRelevant ? [STALE, STALE_RELEVANT] : [STALE]);
  }

  /** An irrelevant page that `stale` was told of has led to one that was worth its fetch. */
  redeemed(url: string): void {
    const patterns = patternsOf(url);
    for (const kind of PATTERN_KINDS) {
      const row = isOwn(patterns, kind) ? this.#rows.find(patterns[kind]) : undefined;
      // What was forgotten since began at nothing again.
      if (row === undefined || this.#get(row, STALE) <= this.#get(row, STALE_RELEVANT)) continue;
      this.#add(row, WASTED, -1);
      this.#add(row, STALE, -1);
    }
  }

  #charge(url: string, kinds: readonly PatternKind[], also: readonly number[]): boolean {
    const patterns = patternsOf(url);
    let worse = false;
    for (const kind of kinds) {
      if (!isOwn(patterns, kind)) continue;
      const row = this.#row(patterns[kind]);
      const before = this.#standingOf(kind, row);
      for (const count of [FETCHED, WASTED, ...also]) this.#add(row, count);
      if (this.#standingOf(kind, row) !== before) worse = true;
    }
    return worse;
  }

  /** The worst standing of the URL's patterns. */
  standing(url: string): TrapStanding {
    const patterns = patternsOf(url);
    let worst: TrapStanding = 'free';
    for (const kind of PATTERN_KINDS) {
      const row = this.#rows.find(patterns[kind]);
      const standing = row === undefined ? 'free' : this.#standingOf(kind, row);
      if (standing === 'barred') return 'barred';
      if (standing === 'doubtful') worst = 'doubtful';
    }
    return worst;
  }

  #standingOf(kind: PatternKind, row: number): TrapStanding {
    const [fetched, wasted] = [this.#get(row, FETCHED), this.#get(row, WASTED)];
    const enough = this.#limits.wastedFetches * CAUTION[kind];
    if (wasted < enough || wasted < this.#limits.wastedShare * fetched) return 'free';
    if (wasted < BARRED_TIMES * enough || wasted < BARRED_SHARE * fetched) return 'doubtful';
    const [stale, staleRelevant] = [this.#get(row, STALE), this.#get(row, STALE_RELEVANT)];
    // Copies and errors leave no doubt.
    if (2 * (wasted - stale) >= wasted) return 'barred';
    const isUseless = staleRelevant < STALE_BARRED_RELEVANT * stale;
    return isUseless && wasted >= STALE_BARRED_TIMES * enough ? 'barred' : 'doubtful';
  }

  #get(row: number, count: number): number {
    return this.#counts[COUNTS * row + count]!;
  }

  #add(row: number, count: number, more = 1): void {
    this.#counts[COUNTS * row + count]! += more;
  }

  #row(pattern: number): number {
    const known = this.#rows.find(pattern);
    if (known !== undefined) return known;
    if (this.#rows.size >= MAX_PATTERNS) this.#forget();
    const row = this.#rows.size;
    if (COUNTS * row === this.#counts.length)
      this.#counts = grown(this.#counts, new Uint32Array(COUNTS * Math.ceil(row * GROWTH)));
    this.#rows.set(pattern, row);
    return row;
  }

  /** Half of them: first those without waste, then all, the oldest first. */
  #forget(): void {
    const [rows, counts] = [this.#rows, this.#counts];
    const isForgotten = new Uint8Array(rows.size);
    let left = rows.size;
    for (const worst of [0, Number.POSITIVE_INFINITY])
      for (let row = 0; row < rows.size && left > MAX_PATTERNS / 2; row++) {
        if (isForgotten[row] === 1 || counts[COUNTS * row + WASTED]! > worst) continue;
        isForgotten[row] = 1;
        left--;
      }
    this.#rows = new HashSlots();
    this.#counts = new Uint32Array(COUNTS * MAX_PATTERNS);
    for (let row = 0; row < rows.size; row++) {
      if (isForgotten[row] === 1) continue;
      const kept = this.#row(rows.hashOf(row));
      this.#counts.set(counts.subarray(COUNTS * row, COUNTS * (row + 1)), COUNTS * kept);
    }
    rows.free();
    freeBytes(counts);
  }

  exchange(fields: Fields): void {
    this.#rows.exchange(fields);
    this.#counts = fields.numbers(this.#counts);
  }
}

/** A URL without parameters has one pattern for path and template: it counts once. */
function isOwn(patterns: UrlPatterns, kind: PatternKind): boolean {
  return kind !== 'path' || patterns.path !== patterns.template;
}
