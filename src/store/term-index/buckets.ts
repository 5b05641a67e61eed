import { freeBytes } from '../../kit/index.ts';

/** Highest bits of an entry's last word; they select its bucket. */
export const BUCKET_BITS = 8;
const BUCKETS = 2 ** BUCKET_BITS;
const BUCKET_SHIFT = 32 - BUCKET_BITS;
/** Entries per piece of memory. Half of each bucket's last piece is wasted on average. */
const PIECE = 256;
const NONE = -1;

/**
 * Entries of one or two words, sorted coarsely into buckets on arrival. Each bucket can then be sorted in the
 * processor's cache with little extra memory. Within a bucket, entries keep their order of arrival.
 *
 *     words   [ piece of bucket 7 | piece of bucket 130 | next piece of bucket 7 | … ]
 */
export class Buckets {
  /** Words per entry. */
  readonly #width: number;
  readonly #pieceWords: number;
  readonly #words: Uint32Array;
  /** By piece: the next piece of its bucket. */
  readonly #next: Int32Array;
  /** By bucket: its first piece, and the position of its next entry. */
  readonly #first = new Int32Array(BUCKETS).fill(NONE);
  readonly #at = new Uint32Array(BUCKETS);
  #pieces = 0;

  /** @param entries maximum number of entries */
  constructor(entries: number, width: 1 | 2) {
    const pieces = Math.ceil(entries / PIECE) + BUCKETS;
    this.#width = width;
    this.#pieceWords = PIECE * width;
    this.#words = new Uint32Array(pieces * this.#pieceWords);
    this.#next = new Int32Array(pieces).fill(NONE);
  }

  /** Adds entries of one word each. Fastest in ascending order, because entries of a bucket are then consecutive. */
  addAll(entries: Uint32Array): void {
    const words = this.#words;
    for (let i = 0; i < entries.length; ) {
      const bucket = entries[i]! >>> BUCKET_SHIFT;
      let at = this.#at[bucket]!;
      for (; i < entries.length && entries[i]! >>> BUCKET_SHIFT === bucket; i++) {
        if (at % PIECE === 0) at = this.#take(bucket, at);
        words[at++] = entries[i]!;
      }
      this.#at[bucket] = at;
    }
  }

  /** Adds an entry of two words; the second word is the sort key. */
  addTwo(low: number, high: number): void {
    const at = this.#place(high);
    this.#words[at] = low;
    this.#words[at + 1] = high;
  }

  /**
   * Yields the entries of each non-empty bucket, in order of buckets. The array is valid until the next one is
   * requested.
   */
  *read(): Generator<Uint32Array> {
    let room = new Uint32Array(this.#pieceWords);
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      let used = 0;
      for (let piece = this.#first[bucket]!; piece !== NONE; piece = this.#next[piece]!) {
        const from = piece * this.#pieceWords;
        const isLast = this.#next[piece] === NONE;
        const words = this.#words.subarray(from, isLast ? this.#at[bucket]! : from + this.#pieceWords);
        if (used + words.length > room.length) room = grown(room);
        room.set(words, used);
        used += words.length;
      }
      if (used > 0) yield room.subarray(0, used);
    }
    freeBytes(room);
  }

  /** Frees the memory; the last call. */
  free(): void {
    freeBytes(this.#words);
  }

  #place(last: number): number {
    const bucket = last >>> BUCKET_SHIFT;
    let at = this.#at[bucket]!;
    // The piece is full, or the bucket has none yet.
    if ((at & (this.#pieceWords - 1)) === 0) at = this.#take(bucket, at);
    this.#at[bucket] = at + this.#width;
    return at;
  }

  /** Returns the next piece for a bucket that is full up to `at`. */
  #take(bucket: number, at: number): number {
    const piece = this.#pieces++;
    if (at === 0) this.#first[bucket] = piece;
    else this.#next[at / this.#pieceWords - 1] = piece;
    return piece * this.#pieceWords;
  }
}

function grown(words: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const bigger = new Uint32Array(2 * words.length);
  bigger.set(words);
  freeBytes(words);
  return bigger;
}
