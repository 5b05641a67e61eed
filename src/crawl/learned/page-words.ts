import type { Fields } from '../../kit/index.ts';
import { WORD_SLOTS } from './link-words.ts';

/** Pages' worth of doubt: a word that only one page has says a sixth of that page's relevance. */
const DOUBT = 5;

/**
 * How relevant the fetched pages are that have a word: what the examples do not say of a topic's words, the crawl does.
 * Counted as pages come, in tables of fixed size.
 */
export class PageWords {
  #relevance = new Float32Array(WORD_SLOTS);
  #pages = new Float32Array(WORD_SLOTS);
  /** The last page that had a word, by its number from 1 on. */
  #lastPage = new Uint32Array(WORD_SLOTS);
  #page = 0;
  #relevanceSum = 0.5;
  #pageCount = 10;

  /** One page with the words `units[from … to)`, each of which counts once. */
  add(units: Uint16Array, from: number, to: number, relevance: number): void {
    this.#relevanceSum += relevance;
    this.#pageCount++;
    this.#page++;
    for (let i = from; i < to; i++) {
      const slot = units[i]!;
      if (this.#lastPage[slot] === this.#page) continue;
      this.#lastPage[slot] = this.#page;
      this.#relevance[slot]! += relevance;
      this.#pages[slot]! += 1;
    }
  }

  /** What the words `units[from … to)` promise, as a difference from the mean page; 0 for unknown words. */
  score(units: Uint16Array, from: number, to: number): number {
    if (from === to) return 0;
    const mean = this.#relevanceSum / this.#pageCount;
    const relevance = this.#relevance;
    const pages = this.#pages;
    let sum = 0;
    for (let i = from; i < to; i++) {
      const slot = units[i]!;
      const n = pages[slot]!;
      sum += (relevance[slot]! - n * mean) / (n + DOUBT);
    }
    return sum / Math.sqrt(to - from);
  }

  exchange(fields: Fields): void {
    this.#relevance = fields.numbers(this.#relevance);
    this.#pages = fields.numbers(this.#pages);
    this.#lastPage = fields.numbers(this.#lastPage);
    this.#page = fields.value(this.#page);
    this.#relevanceSum = fields.value(this.#relevanceSum);
    this.#pageCount = fields.value(this.#pageCount);
  }
}
