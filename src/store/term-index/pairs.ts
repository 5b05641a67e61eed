import { freeBytes, PAIR_BITS, packSorted, sortByDigit, unpackSorted } from '../../kit/index.ts';
import { BUCKET_BITS, Buckets } from './buckets.ts';

/** Entries of a block: unpacked in some microseconds, and six blocks fill a page of an SQLite file. */
const BLOCK_ENTRIES = 450;
/** Bits of a page's place among those of its segment. */
const PLACE_BITS = 32 - PAIR_BITS;
const MAX_PLACES = 2 ** PLACE_BITS;
/** Bits of a pair that a bucket leaves to sort by. */
const REST_BITS = PAIR_BITS - BUCKET_BITS;

/**
 * Which pages of a segment have a pair of words, for consecutive pairs. An entry is (pair − first pair) × pages of the
 * segment + place of the page among them; all entries are packed by `packSorted`.
 */
export interface PairBlock {
  /** The first pair. */
  readonly pair: number;
  readonly data: Uint8Array;
}

/** Makes the pair blocks of a segment of the pairs of its pages (see `wordPairs`). */
export class PairBuilder {
  /** Pair, then place: 32 bits. */
  readonly #entries: Buckets;
  #pages = 0;
  #isComplete = true;

  /** @param pairs of all pages together, each counted by {@link countSorted} */
  constructor(pairs: number) {
    this.#entries = new Buckets(pairs, 1);
  }

  /** @param pairs `undefined`: not known of a page that an older version stored */
  add(pairs: Uint8Array | undefined): void {
    const place = this.#pages++;
    if (pairs === undefined || place >= MAX_PLACES) this.#isComplete = false;
    if (pairs === undefined || !this.#isComplete) return;
    const entries = unpackSorted(pairs);
    for (let i = 0; i < entries.length; i++) entries[i] = (entries[i]! << PLACE_BITS) | place;
    this.#entries.addAll(entries);
    freeBytes(entries);
  }

  /** Blocks over all pages added, at least one; none when not all of their pairs are known. To be gone through once. */
  *build(): Generator<PairBlock> {
    if (this.#isComplete) yield* this.#blocks();
    this.#entries.free();
  }

  *#blocks(): Generator<PairBlock> {
    const blocks = new PairBlocks(this.#pages);
    let sorted = new Uint32Array(0);
    for (const entries of this.#entries.read()) {
      const count = entries.length;
      if (sorted.length < count) sorted = new Uint32Array(count);
      // Places rise already: what is left of the pair sorts the rest.
      sortByDigit(entries, sorted, { count, shift: PLACE_BITS, bits: REST_BITS });
      blocks.add(sorted.subarray(0, count));
      yield* blocks.take();
    }
    blocks.finish();
    yield* blocks.take();
  }
}

/** Places among a segment's pages that have a pair, by the block in which it would be. */
export function placesOf({ pair: first, data }: PairBlock, pair: number, pages: number): Uint32Array {
  const entries = unpackSorted(data);
  const from = (pair - first) * pages;
  const start = lowerBound(entries, from);
  const end = lowerBound(entries, from + pages);
  return entries.subarray(start, end).map((entry) => entry - from);
}

/** Whether a page's own pairs, as `packSorted` packed them, hold one. */
export function hasPair(pairs: Uint32Array, pair: number): boolean {
  return pairs[lowerBound(pairs, pair)] === pair;
}

/** Makes blocks of sorted entries. */
class PairBlocks {
  #blocks: PairBlock[] = [];
  #isFirst = true;
  readonly #pages: number;
  /** Those of the block that is being made. */
  readonly #entries = new Uint32Array(BLOCK_ENTRIES + MAX_PLACES);
  #count = 0;

  constructor(pages: number) {
    this.#pages = pages;
  }

  add(entries: Uint32Array): void {
    for (let i = 0; i < entries.length; ) {
      const block = this.#entries;
      let count = this.#count;
      // A pair is in one block.
      while (
        i < entries.length &&
        (count < BLOCK_ENTRIES || entries[i]! >>> PLACE_BITS === block[count - 1]! >>> PLACE_BITS)
      )
        block[count++] = entries[i++]!;
      this.#count = count;
      if (i < entries.length) this.#cut();
    }
  }

  finish(): void {
    if (this.#count > 0 || this.#isFirst) this.#cut();
  }

  /** Blocks made since it was asked last. */
  take(): readonly PairBlock[] {
    const taken = this.#blocks;
    this.#blocks = [];
    return taken;
  }

  #cut(): void {
    const numbers = this.#entries.subarray(0, this.#count);
    const first = this.#isFirst ? 0 : numbers[0]! >>> PLACE_BITS;
    this.#isFirst = false;
    for (let i = 0; i < numbers.length; i++)
      numbers[i] = ((numbers[i]! >>> PLACE_BITS) - first) * this.#pages + (numbers[i]! & (MAX_PLACES - 1));
    this.#blocks.push({ pair: first, data: packSorted(numbers) });
    this.#count = 0;
  }
}

/** Index of the first number that is not less. */
function lowerBound(numbers: Uint32Array, least: number): number {
  let from = 0;
  for (let to = numbers.length; from < to; ) {
    const middle = (from + to) >>> 1;
    if (numbers[middle]! < least) from = middle + 1;
    else to = middle;
  }
  return from;
}
