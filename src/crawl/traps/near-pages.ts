import { type Fields, hash32 } from '../../kit/index.ts';

/** A 64-bit fingerprint as two unsigned halves. */
export type Fingerprint = readonly [number, number];

/** Bits in which two fingerprints differ, 0 to 64. */
export function distance(a: Fingerprint, b: Fingerprint): number {
  return bitCount(a[0] ^ b[0]) + bitCount(a[1] ^ b[1]);
}

/** Of a number of 32 bits. */
export function bitCount(n: number): number {
  let v = n - ((n >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Bands of a fingerprint, 12 or 13 bits each. Fingerprints that differ in at most four bits have one in common. */
const BANDS = 5;
const BUCKETS = 8_192;
/** The greatest distance that is certain to be found. */
export const MAX_DISTANCE: number = BANDS - 1;
/** Fingerprints kept: the oldest give way. 36 bytes each. */
const CAPACITY = 1 << 20;
/** Of one bucket, the last so many are compared: common bands must not make a page expensive. */
const MAX_LOOKS = 64;

/**
 * Fingerprints of pages, found again within {@link MAX_DISTANCE} bits (the tables of Manku, Jain and Das Sarma 2007). Five tables,
 * one for each band, of linked lists over two arrays that grow to a million pages and then are used again from the start:
 *
 *   heads[band, bits] ──▶ newest page with these bits ──next──▶ older ──next──▶ …
 *
 * A page that takes the place of the oldest one leaves the lists as they are: where the oldest stood, the last of all, they run on
 * into the new page's. That costs looks, no more, for whatever a list leads to is compared.
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

  /** Pages noted, forgotten ones included. */
  get size(): number {
    return this.#size;
  }

  /**
   * The page nearest to a fingerprint, the youngest of equals; `undefined` if none is within `limit`.
   * @param limit - bits, 0 to {@link MAX_DISTANCE}
   * @param isCounted - false for pages that are passed over, by number and hash of the title
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
