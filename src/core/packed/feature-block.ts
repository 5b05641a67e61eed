import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { freeBytes, GROWTH, grown } from '../../kit/index.ts';
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
/** Length of fresh arrays; a power of two. */
const LEAST = 1 << 16;
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
 * Memory is kept from block to block: fresh pages of memory cost more than the packing.
 */
export class FeatureBlockPacker {
  readonly #distinct = new DistinctHashes();
  #sequences: number[] = [];
  #sizes: number[] = [];
  /** Features of all pages: their numbers and counts. */
  #numbers = new Uint32Array(LEAST);
  #counts = new Uint16Array(LEAST);
  #entries = 0;
  #bytes = new Uint8Array(LEAST);

  /** Pages that were added since the last block. */
  get pages(): number {
    return this.#sequences.length;
  }

  /** Features of these pages. */
  get entries(): number {
    return this.#entries;
  }

  /** Reads the features at once; their memory may then be freed. */
  add({ sequence, features }: BlockPage): void {
    this.#sequences.push(sequence % FEATURE_BLOCK);
    for (const space of FEATURE_SPACES) {
      const bag = features[space];
      this.#sizes.push(bag?.counts.length ?? ABSENT);
      if (bag !== undefined) this.#addBag(bag);
    }
  }

  #addBag(bag: TermCounts): void {
    const from = this.#entries;
    this.#entries += bag.counts.length;
    if (this.#entries > this.#numbers.length) {
      const room = Math.ceil(GROWTH * this.#entries);
      this.#numbers = grown(this.#numbers, new Uint32Array(room));
      this.#counts = grown(this.#counts, new Uint16Array(room));
    }
    this.#distinct.number(hashesOf(bag), this.#numbers.subarray(from, this.#entries));
    this.#counts.set(bag.counts, from);
  }

  /**
   * Returns the packed block, and begins the next one.
   * @param basis a number that identifies how missing features were computed; 0 if all are as the crawl stored them
   */
  pack(basis: number): Uint8Array<ArrayBuffer> {
    const { hashes, size } = this.#distinct;
    const numbers = this.#numbers.subarray(0, this.#entries);
    const width = size > MAX_NARROW ? WIDE : WIDE / 2;
    const sequences = this.#sequences;
    const head = [FORMAT, basis % HALF, Math.floor(basis / HALF), sequences.length, size, this.#entries, width];
    const idsAt = 4 * (HEAD + sequences.length + this.#sizes.length + hashes.length);
    const countsAt = idsAt + width * this.#entries;
    const end = countsAt + 2 * this.#entries;
    if (end > this.#bytes.length) this.#bytes = grown(this.#bytes, new Uint8Array(Math.ceil(GROWTH * end)));
    const { buffer } = this.#bytes;
    let at = 0;
    for (const part of [head, sequences, this.#sizes, hashes]) {
      new Uint32Array(buffer, at, part.length).set(part);
      at += 4 * part.length;
    }
    const ids = width === WIDE ? Uint32Array : Uint16Array;
    new ids(buffer, idsAt, this.#entries).set(numbers);
    new Uint16Array(buffer, countsAt, this.#entries).set(this.#counts.subarray(0, this.#entries));
    const bytes = this.#bytes.subarray(0, end);
    const frame = zstdCompressSync(bytes, { params: FRAME, chunkSize: 1 << 20, pledgedSrcSize: end });
    this.clear();
    return new Uint8Array(frame);
  }

  /** Forgets the pages that were added. */
  clear(): void {
    this.#sequences = [];
    this.#sizes = [];
    this.#entries = 0;
    this.#distinct.clear();
  }
}

/** Packs pages that are all at hand, see {@link FeatureBlockPacker}. */
export function packFeatureBlock(pages: readonly BlockPage[], basis: number): Uint8Array<ArrayBuffer> {
  const packer = new FeatureBlockPacker();
  for (const page of pages) packer.add(page);
  return packer.pack(basis);
}

/**
 * Packs the features of one page for the thread that packs its block: the number of features in each space, then two hashes
 * per feature, then counts, two in a number.
 */
export function packBags(features: DocumentFeatures): Uint32Array<ArrayBuffer> {
  const bags = FEATURE_SPACES.map((space) => features[space]);
  const entries = bags.reduce((sum, bag) => sum + (bag?.counts.length ?? 0), 0);
  const packed = new Uint32Array(SPACES + 2 * entries + Math.ceil(entries / 2));
  const counts = new Uint16Array(packed.buffer, 4 * (SPACES + 2 * entries));
  let at = 0;
  for (const [s, bag] of bags.entries()) {
    packed[s] = bag?.counts.length ?? ABSENT;
    if (bag === undefined) continue;
    packed.set(hashesOf(bag), SPACES + 2 * at);
    counts.set(bag.counts, at);
    at += bag.counts.length;
  }
  return packed;
}

/** Restores counts and hashes of the features, which stay in the packed memory; the names are missing. */
export function unpackBags(packed: Uint32Array): DocumentFeatures {
  const entries = packed.subarray(0, SPACES).reduce((sum, size) => sum + (size === ABSENT ? 0 : size), 0);
  const counts = new Uint16Array(packed.buffer, packed.byteOffset + 4 * (SPACES + 2 * entries), entries);
  const features: Partial<Record<FeatureSpace, TermCounts>> = {};
  let at = 0;
  for (const [s, space] of FEATURE_SPACES.entries()) {
    const size = packed[s]!;
    if (size === ABSENT) continue;
    const hashes = packed.subarray(SPACES + 2 * at, SPACES + 2 * (at + size));
    features[space] = { features: '', counts: counts.subarray(at, at + size), hashes };
    at += size;
  }
  return features;
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
  /** A feature's number + 1; 0 = free. */
  #slots = new Uint32Array(LEAST);
  #hashes = new Uint32Array(LEAST);
  size = 0;

  /** Two hashes per feature. The array is used again. */
  get hashes(): Uint32Array {
    return this.#hashes.subarray(0, 2 * this.size);
  }

  /** Writes the numbers of features, given by two hashes each. */
  number(hashes: Uint32Array, numbers: Uint32Array): void {
    for (let i = 0; i < numbers.length; i++) {
      // At most half of the slots are used.
      if (2 * this.size === this.#slots.length) this.#grow();
      numbers[i] = this.#numberOf(hashes[2 * i]!, hashes[2 * i + 1]!);
    }
  }

  clear(): void {
    this.#slots.fill(0);
    this.size = 0;
  }

  #numberOf(first: number, second: number): number {
    const [slots, known] = [this.#slots, this.#hashes];
    const mask = slots.length - 1;
    let slot = first & mask;
    for (let number = slots[slot]!; number !== 0; number = slots[slot]!) {
      if (known[2 * number - 2] === first && known[2 * number - 1] === second) return number - 1;
      slot = (slot + 1) & mask;
    }
    known[2 * this.size] = first;
    known[2 * this.size + 1] = second;
    slots[slot] = ++this.size;
    return this.size - 1;
  }

  #grow(): void {
    this.#hashes = grown(this.#hashes, new Uint32Array(2 * this.#slots.length));
    freeBytes(this.#slots);
    const slots = new Uint32Array(this.#hashes.length);
    const mask = slots.length - 1;
    for (let number = 1; number <= this.size; number++) {
      let slot = this.#hashes[2 * number - 2]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
    this.#slots = slots;
  }
}
