import { freeBytes } from '../../kit/index.ts';

/** Highest bits of an entry's last word that tell its bucket. */
export const BUCKET_BITS = 8;
const BUCKETS = 2 ** BUCKET_BITS;
const BUCKET_SHIFT = 32 - BUCKET_BITS;
/** Entries of a piece of memory of one bucket; half of the last piece of each is lost. */
const PIECE = 256;
const NONE = -1;

/**
 * Entries of one or two words, put in order coarsely as they come, so that each bucket can be sorted by itself, in the processor's cache and
 * with little memory beside. Within a bucket entries stay in the order in which they came.
 *
 *     words   [ piece of bucket 7 | piece of bucket 130 | next piece of bucket 7 | … ]
 */
export class Buckets {
  /** Words of an entry. */
  readonly #width: number;
  readonly #pieceWords: number;
  readonly #words: Uint32Array;
  /** By piece: the next one of its bucket. */
  readonly #next: Int32Array;
  /** By bucket: its first piece, and where its next entry goes. */
  readonly #first = new Int32Array(BUCKETS).fill(NONE);
  readonly #at = new Uint32Array(BUCKETS);
  #pieces = 0;

  /** @param entries greatest number of entries */
  constructor(entries: number, width: 1 | 2) {
    const pieces = Math.ceil(entries / PIECE) + BUCKETS;
    this.#width = width;
    this.#pieceWords = PIECE * width;
    this.#words = new Uint32Array(pieces * this.#pieceWords);
    this.#next = new Int32Array(pieces).fill(NONE);
  }

  /** Adds entries of one word each. They are best in ascending order: those of a bucket then come one after the other. */
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

  /** Adds an entry of two words, in order of the second. */
  addTwo(low: number, high: number): void {
    const at = this.#place(high);
    this.#words[at] = low;
    this.#words[at + 1] = high;
  }

  /** The entries of each bucket that has some, in order of buckets; they lie there until the next is asked for. */
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

  /** Gives the memory back; to be called last. */
  free(): void {
    freeBytes(this.#words);
  }

  #place(last: number): number {
    const bucket = last >>> BUCKET_SHIFT;
    let at = this.#at[bucket]!;
    // At the end of a piece, or without one.
    if ((at & (this.#pieceWords - 1)) === 0) at = this.#take(bucket, at);
    this.#at[bucket] = at + this.#width;
    return at;
  }

  /** The next piece for a bucket that is full up to `at`. */
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
