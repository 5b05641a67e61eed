import { type Fields, hash32, SECOND_SEED } from '../../kit/index.ts';

/** Slots of the table; a power of two. Nine bytes each. */
const SLOTS = 1 << 18;

/**
 * Relevance of pages by URL, in a table of fixed size: a page is forgotten when a later one falls into its slot. Two
 * pages are taken for one with a chance of 1 in 2³² a look-up.
 */
export class KnownPages {
  #tags = new Uint32Array(SLOTS);
  #values = new Float32Array(SLOTS);
  #used = new Uint8Array(SLOTS);

  set(url: string, relevance: number): void {
    const slot = hash32(url) & (SLOTS - 1);
    this.#tags[slot] = hash32(url, SECOND_SEED);
    this.#values[slot] = relevance;
    this.#used[slot] = 1;
  }

  /** `undefined` when the page is unknown or forgotten. */
  get(url: string): number | undefined {
    const slot = hash32(url) & (SLOTS - 1);
    if (this.#used[slot] === 0 || this.#tags[slot] !== hash32(url, SECOND_SEED)) return undefined;
    return this.#values[slot];
  }

  exchange(fields: Fields): void {
    this.#tags = fields.numbers(this.#tags);
    this.#values = fields.numbers(this.#values);
    this.#used = fields.numbers(this.#used);
  }
}
