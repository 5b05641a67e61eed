import { type Fields, hash32 } from '../../kit/index.ts';

/** A 64-bit fingerprint as two unsigned halves. */
export type Fingerprint = readonly [number, number];

/** Returns the number of bits in which two fingerprints differ, 0 to 64. */
export function distance(a: Fingerprint, b: Fingerprint): number {
  return bitCount(a[0] ^ b[0]) + bitCount(a[1] ^ b[1]);
}

/** Counts the one bits of a 32-bit number. */
export function bitCount(n: number): number {
  let v = n - ((n >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Number of bands of a fingerprint, 12 or 13 bits each. Fingerprints that differ in at most four bits share a band. */
const BANDS = 5;
const BUCKETS = 8_192;
/** The largest distance at which a match is always found. */
export const MAX_DISTANCE: number = BANDS - 1;
/** Maximum number of fingerprints; the oldest are replaced. 36 bytes each. */
const CAPACITY = 1 << 20;
/** Maximum number of comparisons per bucket, from the newest, so that common bands stay cheap. */
const MAX_LOOKS = 64;

/**
 * Finds fingerprints of pages within {@link MAX_DISTANCE} bits (the tables of Manku, Jain and Das Sarma 2007). There
 * are five tables, one per band. They hold linked lists over two arrays, which grow to a million pages and are then
 * overwritten in turn:
 *
 *   heads[band, bits] ──▶ newest page with these bits ──next──▶ older ──next──▶ …
 *
 * Replacing the oldest page leaves the lists unchanged. Its lists then continue into the lists of the new page. That
 * only costs extra comparisons, because every page found through a list is compared.
 */
export class NearPages {
  #high = new Uint32Array(1024);
  #low = new Uint32Array(1024);
  #pages = new Uint32Array(1024);
  /** Hashes of titles. */
  #titles = new Uint32Array(1024);
  #next = new Int32Array(1024 * BANDS).fill(-1);
  #heads = new Int32Array(BANDS * BUCKETS).fill(-1);
  #size = 0;

  /** Number of pages added, including replaced ones. */
  get size(): number {
    return this.#size;
  }

  /**
   * Returns the page nearest to a fingerprint, the newest among equals; `undefined` if none is within `limit`.
   * @param limit - bits, 0 to {@link MAX_DISTANCE}
   * @param isCounted - returns false for pages to skip, by number and title hash
   */
  find(
    print: Fingerprint,
    limit: number,
    isCounted: (page: number, title: number) => boolean = () => true,
  ): number | undefined {
    let best = limit + 1;
    let page: number | undefined;
    for (let band = 0; band < BANDS && best > 0; band++) {
      let at = this.#heads[band * BUCKETS + bandOf(print, band)]!;
      for (let looks = 0; at >= 0 && looks < MAX_LOOKS; looks++) {
        const bits = bitCount(this.#high[at]! ^ print[0]) + bitCount(this.#low[at]! ^ print[1]);
        if (bits < best && isCounted(this.#pages[at]!, this.#titles[at]!)) {
          best = bits;
          page = this.#pages[at]!;
        }
        at = this.#next[at * BANDS + band]!;
      }
    }
    return page;
  }

  add(print: Fingerprint, page: number, title = ''): void {
    const at = this.#size++ % CAPACITY;
    if (at >= this.#high.length) this.#grow();
    this.#high[at] = print[0];
    this.#low[at] = print[1];
    this.#pages[at] = page;
    this.#titles[at] = hash32(title);
    for (let band = 0; band < BANDS; band++) {
      const head = band * BUCKETS + bandOf(print, band);
      this.#next[at * BANDS + band] = this.#heads[head]!;
      this.#heads[head] = at;
    }
  }

  #grow(): void {
    const length = Math.min(CAPACITY, this.#high.length * 2);
    const wider = (old: Uint32Array): Uint32Array<ArrayBuffer> => {
      const grown = new Uint32Array(length);
      grown.set(old);
      return grown;
    };
    this.#high = wider(this.#high);
    this.#low = wider(this.#low);
    this.#pages = wider(this.#pages);
    this.#titles = wider(this.#titles);
    const next = new Int32Array(length * BANDS).fill(-1);
    next.set(this.#next);
    this.#next = next;
  }

  exchange(fields: Fields): void {
    this.#high = fields.numbers(this.#high);
    this.#low = fields.numbers(this.#low);
    this.#pages = fields.numbers(this.#pages);
    this.#titles = fields.numbers(this.#titles);
    this.#next = fields.numbers(this.#next);
    this.#heads = fields.numbers(this.#heads);
    this.#size = fields.value(this.#size);
  }
}

function bandOf([high, low]: Fingerprint, band: number): number {
  switch (band) {
    case 0:
      return low & 0x1fff;
    case 1:
      return (low >>> 13) & 0x1fff;
    case 2:
      return (low >>> 26) | ((high & 0x7f) << 6);
    case 3:
      return (high >>> 7) & 0x1fff;
    default:
      return high >>> 20;
  }
}
