import { type Fields, freeBytes, GROWTH, grown, HashSlots } from '../../kit/index.ts';
import { bitCount } from './near-pages.ts';
import { PATTERN_KINDS, type PatternKind, patternsOf, type TrapStanding, type UrlPatterns } from './url-patterns.ts';

/** When a pattern of addresses is worn out. */
export interface YieldLimits {
  /** Wasted fetches of a narrow pattern before it is judged; wide ones need more. >= 1 */
  readonly wastedFetches: number;
  /** Share of a pattern's fetches that were wasted from which it is doubtful. In (0,1] */
  readonly wastedShare: number;
}

/** What is known of a pattern, side by side: how many fetches, and of the last {@link MEMORY} one bit each, the youngest lowest. */
const COLUMNS = 4;
const FETCHED = 0;
const WASTED = 1;
/** Of the wasted ones, those whose page was accepted into a topic. */
const ACCEPTED = 2;
/** Wasted fetches in a row, none of them accepted. */
const USELESS = 3;
const MEMORY = 16;
const OF_MEMORY = 2 ** MEMORY - 1;

const FIRST_CAPACITY = 64;

/** A wide pattern has more to lose: how many times the wasted fetches of a narrow one it needs. */
const CAUTION: { readonly [K in PatternKind]: number } = { template: 1, path: 1, folder: 1, top: 2 };
/** If most of the waste was accepted into a topic, doubt takes this many times as much of it. Our choice. */
const ACCEPTED_CAUTION = 2;
/** A pattern is barred, not merely doubtful, after this many times the wasted fetches in a row. Our choice. */
const BARRED_TIMES = 25;
/** Patterns remembered; beyond it those without waste are forgotten, the oldest first. */
const MAX_PATTERNS = 50_000;

/**
 * Counts what came of the addresses of each pattern: a page that says something new, or a wasted fetch. A fold over the
 * fetches: the same fetches give the same standings.
 */
export class PatternYield {
  readonly #limits: YieldLimits;
  /** Rows by pattern, in the order in which they came. */
  #rows = new HashSlots();
  #table = new Uint32Array(COLUMNS * FIRST_CAPACITY);

  constructor(limits: YieldLimits) {
    this.#limits = limits;
  }

  /** A fetch gave a page that says something new. */
  fresh(url: string): void {
    const patterns = patternsOf(url);
    for (const kind of PATTERN_KINDS) if (isOwn(patterns, kind)) this.#note(this.#row(patterns[kind]), []);
  }

  /**
   * A fetch gave nothing new.
   * @param isAccepted - it gave a page, and that was accepted into a topic
   * @param only - the kinds of patterns to blame. Default: all
   * @returns true if a pattern became worse than it was
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

  /** A page that was counted as wasted led to one that was worth its fetch. */
  redeemed(url: string): void {
    const patterns = patternsOf(url);
    for (const kind of PATTERN_KINDS) {
      // A forgotten pattern started again from zero.
      const row = isOwn(patterns, kind) ? this.#rows.find(patterns[kind]) : undefined;
      if (row === undefined) continue;
      const at = COLUMNS * row;
      const bits = this.#table[at + WASTED]! & ~this.#table[at + ACCEPTED]!;
      this.#table[at + WASTED]! &= ~(bits & -bits);
      this.#table[at + USELESS] = 0;
    }
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
    const at = COLUMNS * row;
    const enough = this.#limits.wastedFetches * CAUTION[kind];
    if (this.#table[at + USELESS]! >= BARRED_TIMES * enough) return 'barred';
    const wasted = bitCount(this.#table[at + WASTED]! & OF_MEMORY);
    const accepted = bitCount(this.#table[at + ACCEPTED]! & OF_MEMORY);
    const least = enough * (2 * accepted > wasted ? ACCEPTED_CAUTION : 1);
    const fetched = Math.min(MEMORY, this.#table[at + FETCHED]!);
    return wasted >= Math.min(least, MEMORY) && wasted >= this.#limits.wastedShare * fetched ? 'doubtful' : 'free';
  }

  /** A fetch for which the bits of these columns are set. */
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

  /** Half of them: first those without waste, then all, the oldest first. */
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

/** A URL without parameters has one pattern for path and template: it counts once. */
function isOwn(patterns: UrlPatterns, kind: PatternKind): boolean {
  return kind !== 'path' || patterns.path !== patterns.template;
}
