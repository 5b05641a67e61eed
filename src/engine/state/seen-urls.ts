import { type Fields, freeBytes, hash53 } from '../../kit/index.ts';

/** Power of two. Each part grows for itself, so that only a small share of the table is held twice while it grows. */
const PARTS = 64;
const FIRST_CAPACITY = 16;
const GROWTH = 1.25;
const TWO_32 = 2 ** 32;

/**
 * Which URLs are finished, and which page each led to. Exact up to 53-bit hash collisions. Takes 13 to 17 bytes per
 * URL (`npm run bench:urls`). The lowest bits of the hash choose one of {@link PARTS} tables.
 */
export class SeenUrls {
  readonly #parts = Array.from({ length: PARTS }, () => new Part());

  get size(): number {
    return this.#parts.reduce((sum, part) => sum + part.size, 0);
  }

  has(url: string): boolean {
    return this.pageOf(url) !== undefined;
  }

  /** Returns the sequence of the page that a URL led to, 0 if it led to none, `undefined` if it was not seen. */
  pageOf(url: string): number | undefined {
    const hash = hash53(url);
    return this.#partOf(hash).get(Math.floor(hash / PARTS));
  }

  /** Marks a URL as seen; marking it again changes its page. */
  add(url: string, page: number): void {
    const hash = hash53(url);
    this.#partOf(hash).set(Math.floor(hash / PARTS), page);
  }

  #partOf(hash: number): Part {
    return this.#parts[hash & (PARTS - 1)]!;
  }

  exchange(fields: Fields): void {
    for (const part of this.#parts) part.exchange(fields);
  }
}

/**
 * Open addressing with linear probing over three parallel arrays, at most three quarters full:
 *
 *   highs   | 0 | 7 | 2 | 0 | 9 | …       upper bits of the key + 1; 0 = free
 *   lows    |   | a | c |   | b | …       lower 32 bits
 *   pages   |   | 12| 0 |   | 12| …       0 = no page was stored; a and b are aliases of page 12
 */
class Part {
  #highs = new Uint16Array(FIRST_CAPACITY);
  #lows = new Uint32Array(FIRST_CAPACITY);
  #pages = new Uint32Array(FIRST_CAPACITY);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: number): number | undefined {
    const slot = this.#slot(Math.floor(key / TWO_32) + 1, key >>> 0);
    return this.#highs[slot] === 0 ? undefined : this.#pages[slot];
  }

  /** @param key below 2^47 */
  set(key: number, page: number): void {
    const [high, low] = [Math.floor(key / TWO_32) + 1, key >>> 0];
    const slot = this.#slot(high, low);
    if (this.#highs[slot] === 0) {
      this.#highs[slot] = high;
      this.#lows[slot] = low;
      this.#size++;
    }
    this.#pages[slot] = page;
    if (this.#size * 4 > this.#highs.length * 3) this.#grow();
  }

  #slot(high: number, low: number): number {
    const capacity = this.#highs.length;
    let slot = Math.floor((low / TWO_32) * capacity);
    while (this.#highs[slot] !== 0 && (this.#lows[slot] !== low || this.#highs[slot] !== high))
      slot = slot + 1 === capacity ? 0 : slot + 1;
    return slot;
  }

  #grow(): void {
    const [highs, lows, pages] = [this.#highs, this.#lows, this.#pages];
    const capacity = Math.ceil(highs.length * GROWTH);
    this.#highs = new Uint16Array(capacity);
    this.#lows = new Uint32Array(capacity);
    this.#pages = new Uint32Array(capacity);
    for (const [i, high] of highs.entries()) {
      if (high === 0) continue;
      const slot = this.#slot(high, lows[i]!);
      this.#highs[slot] = high;
      this.#lows[slot] = lows[i]!;
      this.#pages[slot] = pages[i]!;
    }
    freeBytes(highs, lows, pages);
  }

  exchange(fields: Fields): void {
    this.#highs = fields.numbers(this.#highs);
    this.#lows = fields.numbers(this.#lows);
    this.#pages = fields.numbers(this.#pages);
    this.#size = fields.value(this.#size);
  }
}
