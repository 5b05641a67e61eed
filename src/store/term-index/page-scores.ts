import type { IndexParts } from './index-parts.ts';
import { COUNT_WEIGHTS, NORM_SCALE, type PostingList } from './segment.ts';

/** BM25: saturation of counts, and how much a page's length matters (Robertson & Zaragoza 2009; the usual values). */
const K1 = 1.2;
const B = 0.75;

/** The scores of all indexed pages in one search. Arrays are by sequence − `first`. */
export class PageScores {
  readonly #parts: IndexParts;
  readonly #bm25: Float64Array;
  readonly #cosines: Float64Array;
  /** Words that a page must have, and pairs of words, and has. */
  readonly #musts: Uint16Array;
  readonly #barred: Uint8Array;
  #required = 0;
  /** Sum of the squared weights of the words looked for. */
  #querySquare = 0;

  constructor(parts: IndexParts) {
    this.#parts = parts;
    const span = parts.lengths.length;
    this.#bm25 = new Float64Array(span);
    this.#cosines = new Float64Array(span);
    this.#musts = new Uint16Array(span);
    this.#barred = new Uint8Array(span);
  }

  /** Adds the scores of a word; with `must` it is one that every page has. */
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

  /** Pages with the word match no more. */
  bar({ pages, length }: PostingList): void {
    for (let i = 0; i < length; i++) this.#barred[pages[i]! - this.#parts.first] = 1;
  }

  /** So many more marks of {@link mark} are required of every page. */
  require(marks: number): void {
    this.#required += marks;
  }

  mark(page: number): void {
    this.#musts[page - this.#parts.first]!++;
  }

  /** Whether a page has all that is required so far, and nothing that is barred. */
  isMatch(page: number): boolean {
    const at = page - this.#parts.first;
    return this.#musts[at] === this.#required && this.#barred[at] === 0;
  }

  /** Sequences of all pages that match, with a score when nothing is required. */
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

  /** Cosine of page and words, in [0,1]: "lnc.ltc" in the notation of Salton, idf on the side of the words alone. */
  cosine(page: number): number {
    const at = page - this.#parts.first;
    const norm = (this.#parts.norms[at]! / NORM_SCALE) * Math.sqrt(this.#querySquare);
    return norm > 0 ? Math.min(1, this.#cosines[at]! / norm) : 0;
  }
}
