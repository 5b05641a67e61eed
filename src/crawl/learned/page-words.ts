import { WORD_SLOTS, type Words } from './link-words.ts';

/** Pages' worth of doubt: a word that only one page has says a sixth of that page's relevance. */
const DOUBT = 5;

/**
 * How relevant the fetched pages are that have a word: what the examples do not say of a topic's words, the crawl does.
 * Counted as pages come, in tables of fixed size.
 */
export class PageWords {
  readonly #relevance = new Float32Array(WORD_SLOTS);
  readonly #pages = new Float32Array(WORD_SLOTS);
  #relevanceSum = 0.5;
  #pageCount = 10;

  /** @param words distinct words of one page, by number */
  add(words: Iterable<number>, relevance: number): void {
    this.#relevanceSum += relevance;
    this.#pageCount++;
    for (const slot of words) {
      this.#relevance[slot]! += relevance;
      this.#pages[slot]! += 1;
    }
  }

  /** What the words promise, as a difference from the mean page; 0 for unknown words. */
  score(words: Words): number {
    if (words.length === 0) return 0;
    const mean = this.#relevanceSum / this.#pageCount;
    const relevance = this.#relevance;
    const pages = this.#pages;
    let sum = 0;
    for (let i = 0; i < words.length; i++) {
      const slot = words.charCodeAt(i);
      const n = pages[slot]!;
      sum += (relevance[slot]! - n * mean) / (n + DOUBT);
    }
    return sum / Math.sqrt(words.length);
  }
}
