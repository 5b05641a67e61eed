import { freeBytes, PAIR_BITS, packSorted, sortByDigit, unpackSorted } from '../../kit/index.ts';
import { BUCKET_BITS, Buckets } from './buckets.ts';

/** Entries per block: unpacked in some microseconds, and six blocks fill a page of an SQLite file. */
const BLOCK_ENTRIES = 450;
/** Bits of a page's position in its segment. */
const PLACE_BITS = 32 - PAIR_BITS;
const MAX_PLACES = 2 ** PLACE_BITS;
/** Bits of a pair left to sort within a bucket. */
const REST_BITS = PAIR_BITS - BUCKET_BITS;

/**
 * Pages of a segment that contain a word pair, for consecutive pairs. An entry is (pair − first pair) × pages of the
 * segment + position of the page; all entries are packed by `packSorted`.
 */
export interface PairBlock {
  /** The first pair. */
  readonly pair: number;
  readonly data: Uint8Array;
}

/** Builds the pair blocks of a segment from the pairs of its pages (see `wordPairs`). */
export class PairBuilder {
  /** Pair, then position: 32 bits. */
  readonly #entries: Buckets;
  #pages = 0;
  #isComplete = true;

  /** @param pairs number of pairs of all pages, each counted by {@link countSorted} */
  constructor(pairs: number) {
    this.#entries = new Buckets(pairs, 1);
  }

  /** @param pairs `undefined` if unknown, because an older version stored the page */
  add(pairs: Uint8Array | undefined): void {
    const place = this.#pages++;
    if (pairs === undefined || place >= MAX_PLACES) this.#isComplete = false;
    if (pairs === undefined || !this.#isComplete) return;
    const entries = unpackSorted(pairs);
    for (let i = 0; i < entries.length; i++) entries[i] = (entries[i]! << PLACE_BITS) | place;
    this.#entries.addAll(entries);
    freeBytes(entries);
  }

  /**
   * Yields blocks over all pages added, at least one; no blocks if the pairs of a page are unknown. Can be iterated
   * once.
   */
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
      // Positions already ascend, so sorting by the rest of the pair suffices.
      sortByDigit(entries, sorted, { count, shift: PLACE_BITS, bits: REST_BITS });
      blocks.add(sorted.subarray(0, count));
      yield* blocks.take();
    }
    blocks.finish();
    yield* blocks.take();
  }
}

/** Returns positions of pages that have a pair, from the block that would contain it. */
export function placesOf({ pair: first, data }: PairBlock, pair: number, pages: number): Uint32Array {
  const entries = unpackSorted(data);
  const from = (pair - first) * pages;
  const start = lowerBound(entries, from);
  const end = lowerBound(entries, from + pages);
  return entries.subarray(start, end).map((entry) => entry - from);
}

/** Returns whether a page's own pairs, packed by `packSorted`, include this one. */
export function hasPair(pairs: Uint32Array, pair: number): boolean {
  return pairs[lowerBound(pairs, pair)] === pair;
}

/** Builds blocks from sorted entries. */
class PairBlocks {
  #blocks: PairBlock[] = [];
  #isFirst = true;
  readonly #pages: number;
  /** Entries of the current block. */
  readonly #entries = new Uint32Array(BLOCK_ENTRIES + MAX_PLACES);
  #count = 0;

  constructor(pages: number) {
    this.#pages = pages;
  }

  add(entries: Uint32Array): void {
    for (let i = 0; i < entries.length; ) {
      const block = this.#entries;
      let count = this.#count;
      // All entries of a pair are in one block.
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

  /** Returns the blocks completed since the last call. */
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

/** Returns the index of the first number that is not less than `least`. */
function lowerBound(numbers: Uint32Array, least: number): number {
  let from = 0;
  for (let to = numbers.length; from < to; ) {
    const middle = (from + to) >>> 1;
    if (numbers[middle]! < least) from = middle + 1;
    else to = middle;
  }
  return from;
}
