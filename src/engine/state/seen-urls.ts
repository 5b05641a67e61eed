import { type Fields, freeBytes, hash53 } from '../../kit/index.ts';

/**
 * Which URLs are finished, and which page each led to. Exact up to 53-bit hash collisions. Takes 16 to 32 bytes per
 * URL, so ten million fit in 201 MB, and half as much again for a moment while the table grows (`npm run bench:urls`).
 *
 * Open addressing with linear probing over two parallel arrays, at most three quarters full:
 *
 *   keys    | 0 | h(a) | h(c) | 0 | h(b) | 0 | …      0 = free
 * pages   |   |   12 |    0 |   |   12 |   | …      0 = no page was stored; a and b are aliases of page 12
 */
export class SeenUrls {
  #keys = new Float64Array(1024);
  #pages = new Uint32Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(url: string): boolean {
    return this.#keys[this.#slot(hash53(url) || 1)] !== 0;
  }

  /** Returns the sequence of the page that a URL led to, 0 if it led to none, `undefined` if it was not seen. */
  pageOf(url: string): number | undefined {
    const slot = this.#slot(hash53(url) || 1);
    return this.#keys[slot] === 0 ? undefined : this.#pages[slot];
  }

  /** Marks a URL as seen; marking it again changes its page. */
  add(url: string, page: number): void {
    const key = hash53(url) || 1;
    const slot = this.#slot(key);
    if (this.#keys[slot] === 0) {
      this.#keys[slot] = key;
      this.#size++;
    }
    this.#pages[slot] = page;
    if (this.#size * 4 > this.#keys.length * 3) this.#grow();
  }

  #slot(key: number): number {
    const mask = this.#keys.length - 1;
    let slot = key & mask;
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const pages = this.#pages;
    this.#keys = new Float64Array(keys.length * 2);
    this.#pages = new Uint32Array(keys.length * 2);
    for (const [i, key] of keys.entries()) {
      if (key === 0) continue;
      const slot = this.#slot(key);
      this.#keys[slot] = key;
      this.#pages[slot] = pages[i]!;
    }
    freeBytes(keys);
    freeBytes(pages);
  }

  exchange(fields: Fields): void {
    this.#keys = fields.numbers(this.#keys);
    this.#pages = fields.numbers(this.#pages);
    this.#size = fields.value(this.#size);
  }
}
