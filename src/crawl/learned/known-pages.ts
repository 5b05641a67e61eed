import { type Fields, hash32, SECOND_SEED } from '../../kit/index.ts';

/** Number of slots; a power of two. Nine bytes each. */
const SLOTS = 1 << 18;

/**
 * Relevance of pages by URL, in a table of fixed size. A page is forgotten if a later page uses its slot. Two pages
 * are confused with a probability of 1 in 2³² per lookup.
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

  /** Returns `undefined` if the page is unknown or forgotten. */
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
