import type { Fields } from '../../kit/index.ts';
import { WORD_SLOTS, type Words } from './link-words.ts';

/**
 * Number of average pages added to each word's record: a word seen on one page gets a sixth of that page's relevance.
 */
const DOUBT = 5;

/** Pages after which a word's record changes so little that other shards need not learn from further ones. */
const RARE = 30;

/**
 * Mean relevance of the fetched pages that contain a word. It covers words of a topic that the examples lack. Updated
 * with each page, in tables of fixed size.
 */
export class PageWords {
  #relevance = new Float32Array(WORD_SLOTS);
  #pages = new Float32Array(WORD_SLOTS);
  /** The last page with each word, numbered from 1. */
  #lastPage = new Uint32Array(WORD_SLOTS);
  #page = 0;
  #relevanceSum = 0.5;
  #pageCount = 10;

  /** Adds a page with the words `units[from … to)`, each counted once. */
  add(units: ArrayLike<number>, from: number, to: number, relevance: number): void {
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

  /** Returns the distinct words of `units[from … to)` that few pages have had, ascending. */
  rare({ units, from, to }: Words): number[] {
    const found = new Set<number>();
    for (let i = from; i < to; i++) if (this.#pages[units[i]!]! <= RARE) found.add(units[i]!);
    return [...found].toSorted((a, b) => a - b);
  }

  /** Returns the score of the words `units[from … to)`, as a difference from the mean page; 0 for unknown words. */
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
