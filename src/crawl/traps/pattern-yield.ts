import { type Fields, freeBytes, GROWTH, grown, HashSlots } from '../../kit/index.ts';
import { bitCount } from './near-duplicates.ts';
import { PATTERN_KINDS, type PatternKind, patternsOf, type TrapStanding, type UrlPatterns } from './url-patterns.ts';

/** Thresholds at which a URL pattern counts as exhausted. */
export interface YieldLimits {
  /** Number of wasted fetches before a narrow pattern is judged; wide patterns need more. >= 1 */
  readonly wastedFetches: number;
  /** Share of wasted fetches at which a pattern becomes doubtful. In (0,1] */
  readonly wastedShare: number;
}

/**
 * Columns per pattern: the number of fetches, and one bit for each of the last {@link MEMORY} fetches, the newest in
 * the lowest bit.
 */
const COLUMNS = 4;
const FETCHED = 0;
const WASTED = 1;
/** Wasted fetches whose page was accepted into a topic. */
const ACCEPTED = 2;
/** Wasted fetches in a row, none of them accepted. */
const USELESS = 3;
const MEMORY = 16;
const OF_MEMORY = 2 ** MEMORY - 1;

const FIRST_CAPACITY = 64;

/** Factor on the wasted fetches that a kind of pattern needs. Wrongly barring a wide pattern loses more pages. */
const CAUTION: { readonly [K in PatternKind]: number } = { template: 1, path: 1, folder: 1, top: 2 };
/** Factor on the wasted fetches if most of them were accepted into a topic. Our choice. */
const ACCEPTED_CAUTION = 2;
/**
 * A pattern is barred after this many times the number of consecutive wasted fetches that make it doubtful. Our
 * choice.
 */
const BARRED_TIMES = 25;
/** Maximum number of patterns. Beyond it, patterns without waste are forgotten first, the oldest first. */
const MAX_PATTERNS = 50_000;

/**
 * Counts the outcomes of the URLs of each pattern: a new page, or a wasted fetch. Its state depends only on the
 * recorded fetches.
 */
export class PatternYield {
  readonly #limits: YieldLimits;
  /** Rows by pattern, in the order of insertion. */
  #rows = new HashSlots();
  #table = new Uint32Array(COLUMNS * FIRST_CAPACITY);

  constructor(limits: YieldLimits) {
    this.#limits = limits;
  }

  /** Records a fetch that returned a new page. */
  fresh(url: string): void {
    const patterns = patternsOf(url);
    for (const kind of PATTERN_KINDS) if (isOwn(patterns, kind)) this.#note(this.#row(patterns[kind]), []);
  }

  /**
   * Records a wasted fetch.
   * @param isAccepted - it returned a page that was accepted into a topic
   * @param only - the kinds of patterns to count it for. Default: all
   * @returns true if the standing of a pattern became worse
   */
  wasted(url: string, isAccepted = false, only: readonly PatternKind[] = PATTERN_KINDS): boolean {
    const patterns = patternsOf(url);
    let isWorse = false;
    for (const kind of only) {
      if (!isOwn(patterns, kind)) continue;
      const row = this.#row(patterns[kind]);
      const before = this.#standingOf(kind, row);
      this.#note(row, isAccepted ? [WASTED, ACCEPTED] : [WASTED]);
      if (this.#standingOf(kind, row) !== before) isWorse = true;
    }
    return isWorse;
  }

  /** Withdraws a wasted fetch whose page led to a useful page. */
  redeemed(url: string): void {
    const patterns = patternsOf(url);
    for (const kind of PATTERN_KINDS) {
      // A forgotten pattern restarted at zero.
      const row = isOwn(patterns, kind) ? this.#rows.find(patterns[kind]) : undefined;
      if (row === undefined) continue;
      const at = COLUMNS * row;
      const bits = this.#table[at + WASTED]! & ~this.#table[at + ACCEPTED]!;
      this.#table[at + WASTED]! &= ~(bits & -bits);
      this.#table[at + USELESS] = 0;
    }
  }

  /** Returns the worst standing of the URL's patterns. */
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
    const at = COLUMNS * row;
    const enough = this.#limits.wastedFetches * CAUTION[kind];
    if (this.#table[at + USELESS]! >= BARRED_TIMES * enough) return 'barred';
    const wasted = bitCount(this.#table[at + WASTED]! & OF_MEMORY);
    const accepted = bitCount(this.#table[at + ACCEPTED]! & OF_MEMORY);
    const least = enough * (2 * accepted > wasted ? ACCEPTED_CAUTION : 1);
    const fetched = Math.min(MEMORY, this.#table[at + FETCHED]!);
    return wasted >= Math.min(least, MEMORY) && wasted >= this.#limits.wastedShare * fetched ? 'doubtful' : 'free';
  }

  /** Adds a fetch and sets its bit in these columns. */
  #note(row: number, columns: readonly number[]): void {
    const at = COLUMNS * row;
    this.#table[at + FETCHED]!++;
    for (const column of [WASTED, ACCEPTED])
      this.#table[at + column] = (this.#table[at + column]! << 1) | (columns.includes(column) ? 1 : 0);
    const isUseless = columns.includes(WASTED) && !columns.includes(ACCEPTED);
    this.#table[at + USELESS] = isUseless ? this.#table[at + USELESS]! + 1 : 0;
  }

  #row(pattern: number): number {
    const known = this.#rows.find(pattern);
    if (known !== undefined) return known;
    if (this.#rows.size >= MAX_PATTERNS) this.#forget();
    const row = this.#rows.size;
    if (COLUMNS * row === this.#table.length)
      this.#table = grown(this.#table, new Uint32Array(COLUMNS * Math.ceil(row * GROWTH)));
    this.#rows.set(pattern, row);
    return row;
  }

  /** Removes half of the patterns: first those without waste, then any, the oldest first. */
  #forget(): void {
    const [rows, table] = [this.#rows, this.#table];
    const isForgotten = new Uint8Array(rows.size);
    let left = rows.size;
    for (const worst of [0, Number.POSITIVE_INFINITY])
      for (let row = 0; row < rows.size && left > MAX_PATTERNS / 2; row++) {
        if (isForgotten[row] === 1 || table[COLUMNS * row + WASTED]! > worst) continue;
        isForgotten[row] = 1;
        left--;
      }
    this.#rows = new HashSlots();
    this.#table = new Uint32Array(COLUMNS * MAX_PATTERNS);
    for (let row = 0; row < rows.size; row++) {
      if (isForgotten[row] === 1) continue;
      const kept = this.#row(rows.hashOf(row));
      this.#table.set(table.subarray(COLUMNS * row, COLUMNS * (row + 1)), COLUMNS * kept);
    }
    rows.free();
    freeBytes(table);
  }

  exchange(fields: Fields): void {
    this.#rows.exchange(fields);
    this.#table = fields.numbers(this.#table);
  }
}

/** Returns false if the pattern equals another one. A URL without parameters has one pattern for path and template. */
function isOwn(patterns: UrlPatterns, kind: PatternKind): boolean {
  return kind !== 'path' || patterns.path !== patterns.template;
}
