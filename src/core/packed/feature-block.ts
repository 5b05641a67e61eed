import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { freeBytes } from '../../kit/index.ts';
import { type DocumentFeatures, FEATURE_SPACES, type FeatureSpace, hashesOf, type TermCounts } from '../document.ts';

/** Records per feature block. Block n holds the pages among the records n · 512 … n · 512 + 511. */
export const FEATURE_BLOCK = 512;

/** Features of one page in one space: `ids[i]` is the i-th feature's number within the block. */
export interface BlockBag {
  readonly ids: Uint16Array | Uint32Array;
  readonly counts: Uint16Array;
}

/** A page to be packed into a block. */
export interface BlockPage {
  readonly sequence: number;
  readonly features: DocumentFeatures;
}

const FORMAT = 1;
const SPACES = FEATURE_SPACES.length;
/** Marks a space that was not built; a built one may be empty. */
const ABSENT = 0xffffffff;
/** Format, basis in two halves, pages, distinct features, features of all pages, bytes per id. */
const HEAD = 7;
const WIDE = 4;
const MAX_NARROW = 0x10000;
const HALF = 2 ** 32;
const FRAME = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
/** Large enough for most blocks, so that nothing is copied. */
const UNPACKED_BYTES = 1 << 22;

/**
 * Returns the block of a record.
 * @param sequence > 0
 */
export function featureBlockOf(sequence: number): number {
  return Math.floor(sequence / FEATURE_BLOCK);
}

/**
 * Packs the features of pages, in the order of their bags. Each distinct feature is stored once, by its hashes. Inside
 * a zstd frame, numbers are little-endian:
 *
 *     head        32-bit, see above
 *     sequences   32-bit, counted from the start of the block
 *     sizes       32-bit, page by page: features in each space (all bits set: space not built)
 *     hashes      32-bit, two for each distinct feature, see `hashesOf`
 *     ids         16-bit, or 32-bit if there are more than 65,536 distinct features; page by page, space by space
 *     counts      16-bit, in the same order
 *
 * @param basis a number that identifies how missing features were computed; 0 if all are as the crawl stored them
 */
export function packFeatureBlock(pages: readonly BlockPage[], basis: number): Uint8Array<ArrayBuffer> {
  const bags = pages.map(({ features }) => FEATURE_SPACES.map((space) => features[space]));
  const entries = bags.flat().reduce((sum, bag) => sum + (bag?.counts.length ?? 0), 0);
  const numbers = new Uint32Array(entries);
  const counts = new Uint16Array(entries);
  const distinct = new DistinctHashes();
  let at = 0;
  for (const bag of bags.flat()) {
    if (bag === undefined) continue;
    distinct.number(hashesOf(bag), numbers.subarray(at, at + bag.counts.length));
    counts.set(bag.counts, at);
    at += bag.counts.length;
  }
  const { size, hashes } = distinct;
  const ids = size > MAX_NARROW ? numbers : Uint16Array.from(numbers);
  const head = [FORMAT, basis % HALF, Math.floor(basis / HALF), pages.length, size, entries, ids.BYTES_PER_ELEMENT];
  const sequences = pages.map(({ sequence }) => sequence % FEATURE_BLOCK);
  const sizes = bags.flat().map((bag: TermCounts | undefined) => bag?.counts.length ?? ABSENT);
  const parts = [Uint32Array.from([...head, ...sequences, ...sizes]), hashes, ids, counts];
  const bytes = Buffer.concat(
    parts.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  );
  const frame = zstdCompressSync(bytes, { params: FRAME, chunkSize: 1 << 20, pledgedSrcSize: bytes.length });
  freeBytes(numbers, counts, hashes);
  return new Uint8Array(frame);
}

/** Features of the pages of one block, read from {@link packFeatureBlock}. */
export class FeatureBlock {
  /** See `packFeatureBlock`. */
  readonly basis: number;
  /** Two per distinct feature. */
  readonly hashes: Uint32Array;
  readonly #bytes: Buffer;
  readonly #indices = new Map<number, number>();
  readonly #sizes: Uint32Array;
  /** Start of each page among the features of all pages. */
  readonly #starts: Uint32Array;
  readonly #ids: Uint16Array | Uint32Array;
  readonly #counts: Uint16Array;

  /** @throws RangeError if the bytes are of another format, or their lengths do not match */
  constructor(packed: Uint8Array) {
    this.#bytes = zstdDecompressSync(packed, { chunkSize: UNPACKED_BYTES });
    const { buffer, byteOffset, length } = this.#bytes;
    const [format, low = 0, high = 0, pages = 0, features = 0, entries = 0, width = 0] =
      length < 4 * HEAD ? [] : new Uint32Array(buffer, byteOffset, HEAD);
    const sequencesAt = byteOffset + 4 * HEAD;
    const sizesAt = sequencesAt + 4 * pages;
    const hashesAt = sizesAt + 4 * SPACES * pages;
    const idsAt = hashesAt + 8 * features;
    const countsAt = idsAt + width * entries;
    if (format !== FORMAT || countsAt + 2 * entries !== byteOffset + length)
      throw new RangeError(`Cannot read a block of features of ${length} bytes`);
    this.basis = high * HALF + low;
    new Uint32Array(buffer, sequencesAt, pages).forEach((sequence, i) => {
      this.#indices.set(sequence, i);
    });
    this.#sizes = new Uint32Array(buffer, sizesAt, SPACES * pages);
    this.hashes = new Uint32Array(buffer, hashesAt, 2 * features);
    this.#ids = width === WIDE ? new Uint32Array(buffer, idsAt, entries) : new Uint16Array(buffer, idsAt, entries);
    this.#counts = new Uint16Array(buffer, countsAt, entries);
    this.#starts = startsOf(this.#sizes, pages);
  }

  /** Returns the index of a page; `undefined` if the block lacks it. */
  indexOf(sequence: number): number | undefined {
    return this.#indices.get(sequence % FEATURE_BLOCK);
  }

  /** Returns the features of a page; spaces that were not built are absent. */
  bagsOf(index: number): Readonly<Partial<Record<FeatureSpace, BlockBag>>> {
    const bags: Partial<Record<FeatureSpace, BlockBag>> = {};
    let at = this.#starts[index]!;
    for (let s = 0; s < SPACES; s++) {
      const size = this.#sizes[index * SPACES + s]!;
      if (size === ABSENT) continue;
      bags[FEATURE_SPACES[s]!] = {
        ids: this.#ids.subarray(at, at + size),
        counts: this.#counts.subarray(at, at + size),
      };
      at += size;
    }
    return bags;
  }

  /** Frees the memory; the last call. */
  free(): void {
    freeBytes(new Uint8Array(this.#bytes.buffer));
  }
}

function startsOf(sizes: Uint32Array, pages: number): Uint32Array {
  const starts = new Uint32Array(pages + 1);
  for (let i = 0; i < sizes.length; i++) {
    const page = Math.floor(i / SPACES);
    if (i % SPACES === 0) starts[page + 1] = starts[page]!;
    if (sizes[i] !== ABSENT) starts[page + 1]! += sizes[i]!;
  }
  return starts;
}

/** Numbers distinct features from 0, in the order in which they first occur. */
class DistinctHashes {
  #hashes = new Uint32Array(1 << 15);
  /** Number + 1 of the feature in each slot; 0 = free. */
  #slots = new Uint32Array(1 << 15);
  size = 0;

  /** Two hashes per feature. */
  get hashes(): Uint32Array {
    return this.#hashes.slice(0, 2 * this.size);
  }

  /** Writes the numbers of features, given by two hashes each. */
  number(hashes: Uint32Array, numbers: Uint32Array): void {
    for (let i = 0; i < numbers.length; i++) numbers[i] = this.#numberOf(hashes[2 * i]!, hashes[2 * i + 1]!);
  }

  #numberOf(first: number, second: number): number {
    if (2 * this.size >= this.#slots.length) this.#grow();
    const slot = this.#slotOf(first, second);
    const known = this.#slots[slot]!;
    if (known > 0) return known - 1;
    this.#hashes[2 * this.size] = first;
    this.#hashes[2 * this.size + 1] = second;
    this.#slots[slot] = this.size + 1;
    return this.size++;
  }

  #slotOf(first: number, second: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = first & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]!;
      if (number === 0) return slot;
      if (this.#hashes[2 * number - 2] === first && this.#hashes[2 * number - 1] === second) return slot;
    }
  }

  #grow(): void {
    const before = this.#hashes;
    this.#hashes = new Uint32Array(2 * before.length);
    this.#hashes.set(before);
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let n = 0; n < this.size; n++) this.#slots[this.#slotOf(before[2 * n]!, before[2 * n + 1]!)] = n + 1;
  }
}
