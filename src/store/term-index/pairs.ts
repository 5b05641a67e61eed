import { freeBytes, PAIR_BITS, packSorted, sortByDigit, unpackSorted } from '../../core/index.ts';

/** Entries of a block: unpacked in some microseconds, and six blocks fill a page of an SQLite file. */
const BLOCK_ENTRIES = 450;
/** Bits of a page's place among those of its segment. */
const PLACE_BITS = 32 - PAIR_BITS;
const MAX_PLACES = 2 ** PLACE_BITS;
const HALF_BITS = PAIR_BITS / 2;

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
  readonly #entries: Uint32Array;
  #used = 0;
  #pages = 0;
  #isComplete = true;

  /** @param pairs of all pages together, each counted by {@link countSorted} */
  constructor(pairs: number) {
    this.#entries = new Uint32Array(pairs);
  }

  /** @param pairs `undefined`: not known of a page that an older version stored */
  add(pairs: Uint8Array | undefined): void {
    const place = this.#pages++;
    if (pairs === undefined || place >= MAX_PLACES) this.#isComplete = false;
    if (pairs === undefined || !this.#isComplete) return;
    const numbers = unpackSorted(pairs);
    const entries = this.#entries;
    let used = this.#used;
    for (let i = 0; i < numbers.length; i++) entries[used++] = (numbers[i]! << PLACE_BITS) | place;
    this.#used = used;
  }

  /** Blocks over all pages added, at least one; none when not all of their pairs are known. To be called once. */
  build(): readonly PairBlock[] {
    const blocks = this.#isComplete ? blocksOf(sortedByPair(this.#entries, this.#used), this.#pages) : [];
    freeBytes(this.#entries);
    return blocks;
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

/** Entries in order. Places rise already: two passes, over the lower and the upper half of the pair, sort the rest. */
function sortedByPair(entries: Uint32Array, used: number): Uint32Array {
  const other = new Uint32Array(used);
  sortByDigit(entries, other, { count: used, shift: PLACE_BITS, bits: HALF_BITS });
  sortByDigit(other, entries, { count: used, shift: PLACE_BITS + HALF_BITS, bits: HALF_BITS });
  freeBytes(other);
  return entries.subarray(0, used);
}

function blocksOf(entries: Uint32Array, pages: number): PairBlock[] {
  const blocks: PairBlock[] = [];
  const numbers = new Uint32Array(BLOCK_ENTRIES + MAX_PLACES);
  for (let at = 0; at < entries.length || blocks.length === 0; ) {
    const first = at === 0 ? 0 : entries[at]! >>> PLACE_BITS;
    let end = Math.min(entries.length, at + BLOCK_ENTRIES);
    // A pair is in one block.
    while (end < entries.length && entries[end]! >>> PLACE_BITS === entries[end - 1]! >>> PLACE_BITS) end++;
    for (let i = at; i < end; i++)
      numbers[i - at] = ((entries[i]! >>> PLACE_BITS) - first) * pages + (entries[i]! & (MAX_PLACES - 1));
    blocks.push({ pair: first, data: packSorted(numbers.subarray(0, end - at)) });
    at = end;
  }
  return blocks;
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
