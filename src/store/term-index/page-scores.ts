import type { IndexParts } from './index-parts.ts';
import { COUNT_WEIGHTS, NORM_SCALE, type PostingList } from './segment.ts';

/** BM25: saturation of counts, and influence of page length (Robertson & Zaragoza 2009; the usual values). */
const K1 = 1.2;
const B = 0.75;

/** Scores of all indexed pages in one search. Arrays are indexed by sequence − `first`. */
export class PageScores {
  readonly #parts: IndexParts;
  readonly #bm25: Float64Array;
  readonly #cosines: Float64Array;
  /** Number of required words and word pairs that each page has. */
  readonly #musts: Uint16Array;
  readonly #barred: Uint8Array;
  #required = 0;
  /** Sum of the squared weights of the query's words. */
  #querySquare = 0;

  constructor(parts: IndexParts) {
    this.#parts = parts;
    const span = parts.lengths.length;
    this.#bm25 = new Float64Array(span);
    this.#cosines = new Float64Array(span);
    this.#musts = new Uint16Array(span);
    this.#barred = new Uint8Array(span);
  }

  /** Adds the scores of a word; with `must`, pages without it do not match. */
  score({ pages, counts, length }: PostingList, must: boolean): void {
    const { first, pages: all, lengths, meanLength } = this.#parts;
    const idf = Math.log(1 + (all - length + 0.5) / (length + 0.5));
    const weight = Math.log(1 + all / Math.max(1, length));
    this.#querySquare += weight * weight;
    if (must) this.#required++;
    for (let i = 0; i < length; i++) {
      const at = pages[i]! - first;
      const count = counts[i]!;
      const norm = K1 * (1 - B + (B * lengths[at]!) / meanLength);
      this.#bm25[at]! += (idf * count * (K1 + 1)) / (count + norm);
      this.#cosines[at]! += weight * COUNT_WEIGHTS[Math.min(count, 15)]!;
      if (must) this.#musts[at]!++;
    }
  }

  /** Excludes pages with the word. */
  bar({ pages, length }: PostingList): void {
    for (let i = 0; i < length; i++) this.#barred[pages[i]! - this.#parts.first] = 1;
  }

  /** Requires this many more marks of {@link mark} on every page. */
  require(marks: number): void {
    this.#required += marks;
  }

  mark(page: number): void {
    this.#musts[page - this.#parts.first]!++;
  }

  /** Returns whether a page has everything required so far and nothing excluded. */
  isMatch(page: number): boolean {
    const at = page - this.#parts.first;
    return this.#musts[at] === this.#required && this.#barred[at] === 0;
  }

  /** Returns sequences of all matching pages; if nothing is required, of those with a score. */
  matches(): number[] {
    const found: number[] = [];
    const { first } = this.#parts;
    for (let at = 0; at < this.#bm25.length; at++)
      if (this.#musts[at] === this.#required && this.#barred[at] === 0 && (this.#required > 0 || this.#bm25[at]! > 0))
        found.push(at + first);
    return found;
  }

  bm25(page: number): number {
    return this.#bm25[page - this.#parts.first]!;
  }

  /**
   * Returns the cosine of page and query, in [0,1]: "lnc.ltc" in Salton's notation, with idf only on the query side.
   */
  cosine(page: number): number {
    const at = page - this.#parts.first;
    const norm = (this.#parts.norms[at]! / NORM_SCALE) * Math.sqrt(this.#querySquare);
    return norm > 0 ? Math.min(1, this.#cosines[at]! / norm) : 0;
  }
}
