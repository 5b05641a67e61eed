import { stemNumber } from '../../core/index.ts';
import { BUCKET_BITS, Buckets } from './buckets.ts';

/** Maximum span of sequences in a segment: a page's position takes twelve bits. */
export const SEGMENT_SPAN = 4096;
/** Bytes per block: few enough to scan in some microseconds. */
const BLOCK_BYTES = 4096;
/** Bits of a stem's upper 32 left to sort within a bucket, in two steps. */
const DIGIT_BITS = (32 - BUCKET_BITS) / 2;
/** An entry adds at most a stem (7 bytes), a count (2) and one posting (3). */
const MAX_LENGTH = 65_535;

/**
 * The inverted index of some consecutive pages. Stems are sorted by number and cut into blocks; a page is stored as
 * its distance from `first`.
 *
 *     block    [ stem − stem before | pages | posting, posting, … ] [ stem − … ] …
 *     posting  distance from the page before << 3 | count − 1
 *
 * All are varints: seven bits per byte, lowest first; the eighth bit says that more bytes follow.
 */
export interface Segment {
  /** Sequences of the first and last page. */
  readonly first: number;
  readonly last: number;
  readonly pages: number;
  /** Length of each page from `first` to `last`, 0 if there is no page: two bytes, little-endian. */
  readonly lengths: Uint8Array;
  /** Length of each page's vector of {@link COUNT_WEIGHTS}, times {@link NORM_SCALE}, in the same format. */
  readonly norms: Uint8Array;
  /** Created on demand; can be iterated once. */
  readonly blocks: Iterable<Block>;
}

export interface Block {
  /** Number of the first stem. */
  readonly stem: number;
  readonly data: Uint8Array;
}

/**
 * Weight of a count in a page's vector, indexed by count: 1 + ln count, as in "lnc" weighting (Manning et al. 2008,
 * 6.4.3).
 */
export const COUNT_WEIGHTS: Float64Array = Float64Array.from({ length: 16 }, (_, n) => (n === 0 ? 0 : 1 + Math.log(n)));
/** The norm of a page with 100,000 stems still fits in two bytes. */
export const NORM_SCALE = 64;

/**
 * Builds a segment from the stems of pages (see `packStems`). Pages must be added by sequence, all within {@link
 * SEGMENT_SPAN}.
 */
export class SegmentBuilder {
  /** Two numbers per entry, as made by `packStems`. */
  readonly #entries: Buckets;
  readonly #lengths = new Uint16Array(SEGMENT_SPAN);
  readonly #norms = new Uint16Array(SEGMENT_SPAN);
  #first = 0;
  #last = 0;
  #pages = 0;

  /** @param entries number of stems of all pages */
  constructor(entries: number) {
    this.#entries = new Buckets(entries, 2);
  }

  add(page: number, stems: Uint32Array): void {
    if (this.#pages === 0) this.#first = page;
    const entries = this.#entries;
    const place = (page - this.#first) << 4;
    let length = 0;
    let square = 0;
    for (let i = 0; i < stems.length; i += 2) {
      const low = stems[i]!;
      entries.addTwo(low | place, stems[i + 1]!);
      length += low & 15;
      square += COUNT_WEIGHTS[low & 15]! ** 2;
    }
    this.#lengths[page - this.#first] = Math.min(MAX_LENGTH, length);
    this.#norms[page - this.#first] = Math.min(MAX_LENGTH, Math.round(Math.sqrt(square) * NORM_SCALE));
    this.#last = page;
    this.#pages++;
  }

  /** Returns the segment of all pages added; can be called once. */
  build(): Segment {
    const first = this.#first;
    const last = this.#last;
    const bytes = (numbers: Uint16Array): Uint8Array => new Uint8Array(numbers.slice(0, last - first + 1).buffer);
    const facts = { first, last, pages: this.#pages, lengths: bytes(this.#lengths), norms: bytes(this.#norms) };
    return { ...facts, blocks: this.#blocks() };
  }

  *#blocks(): Generator<Block> {
    const blocks = new BlockMaker();
    let other = new Uint32Array(0);
    for (const entries of this.#entries.read()) {
      if (other.length < entries.length) other = new Uint32Array(entries.length);
      sortByStem(entries, other);
      blocks.add(entries);
      yield* blocks.take();
    }
    this.#entries.free();
    blocks.finish();
    yield* blocks.take();
  }
}

/**
 * Sorts the entries of a bucket by stem. The sort is stable, so entries of one stem stay sorted by page.
 * @param other scratch memory for as many words
 */
function sortByStem(words: Uint32Array, other: Uint32Array): void {
  const entries = words.length / 2;
  sortByDigit(words, other, { entries, shift: 0, bits: DIGIT_BITS });
  sortByDigit(other, words, { entries, shift: DIGIT_BITS, bits: DIGIT_BITS });
  // Even among 100,000 stems, two rarely share their upper 32 bits.
  for (let i = 1; i < entries; i++)
    if (words[2 * i + 1] === words[2 * i - 1] && words[2 * i]! >>> 16 < words[2 * i - 2]! >>> 16) moveBack(words, i);
}

/** Sorts entries stably by one digit of their stem's upper 32 bits. */
function sortByDigit(
  from: Uint32Array,
  to: Uint32Array,
  { entries, shift, bits }: { readonly entries: number; readonly shift: number; readonly bits: number },
): void {
  const mask = 2 ** bits - 1;
  const places = new Uint32Array(2 ** bits);
  for (let i = 0; i < entries; i++) places[(from[2 * i + 1]! >>> shift) & mask]!++;
  for (let digit = 0, place = 0; digit <= mask; digit++) {
    const many = places[digit]!;
    places[digit] = place;
    place += many;
  }
  for (let i = 0; i < entries; i++) {
    const high = from[2 * i + 1]!;
    const place = places[(high >>> shift) & mask]!++;
    to[2 * place] = from[2 * i]!;
    to[2 * place + 1] = high;
  }
}

/** Moves an entry before those of greater stems with the same upper 32 bits. */
function moveBack(words: Uint32Array, entry: number): void {
  const low = words[2 * entry]!;
  const high = words[2 * entry + 1]!;
  let i = entry;
  for (; i > 0 && words[2 * i - 1] === high && words[2 * i - 2]! >>> 16 > low >>> 16; i--)
    words[2 * i] = words[2 * i - 2]!;
  words[2 * i] = low;
}

/** Builds blocks from sorted entries; all postings of a stem are added at once. */
class BlockMaker {
  #blocks: Block[] = [];
  readonly #out = new Output();
  /** First and last stem of the current block. */
  #blockStem = 0;
  #before = 0;

  add(words: Uint32Array): void {
    const out = this.#out;
    const entries = words.length / 2;
    for (let i = 0; i < entries; ) {
      const high = words[2 * i + 1]!;
      const low = words[2 * i]! >>> 16;
      let end = i + 1;
      while (end < entries && words[2 * end + 1] === high && words[2 * end]! >>> 16 === low) end++;
      this.#begin(high * 0x10000 + low);
      out.number(end - i);
      let page = 0;
      for (; i < end; i++) {
        const place = (words[2 * i]! >>> 4) & (SEGMENT_SPAN - 1);
        out.number(((place - page) << 3) | ((words[2 * i]! & 15) - 1));
        page = place;
      }
    }
  }

  finish(): void {
    if (this.#out.length > 0) this.#cut();
  }

  /** Returns the blocks completed since the last call. */
  take(): readonly Block[] {
    const taken = this.#blocks;
    this.#blocks = [];
    return taken;
  }

  /** Starts a stem, in a new block if the current one is full. */
  #begin(stem: number): void {
    if (this.#out.length >= BLOCK_BYTES) this.#cut();
    if (this.#out.length === 0) {
      this.#blockStem = stem;
      this.#before = stem;
    }
    this.#out.long(stem - this.#before);
    this.#before = stem;
  }

  #cut(): void {
    this.#blocks.push({ stem: this.#blockStem, data: this.#out.take() });
  }
}

/** A byte buffer that grows. */
class Output {
  #bytes = new Uint8Array(1 << 14);
  length = 0;

  number(value: number): void {
    if (this.length + 5 > this.#bytes.length) this.#grow();
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.length++] = rest;
  }

  /** Writes a number of more than 31 bits. */
  long(value: number): void {
    let rest = value;
    for (; rest > 0x7fffffff; rest = Math.floor(rest / 128)) {
      if (this.length + 5 > this.#bytes.length) this.#grow();
      this.#bytes[this.length++] = (rest % 128) | 128;
    }
    this.number(rest);
  }

  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.length);
    this.length = 0;
    return taken;
  }

  #grow(): void {
    const bigger = new Uint8Array(this.#bytes.length * 2);
    bigger.set(this.#bytes);
    this.#bytes = bigger;
  }
}

/** Returns the number of a stem, as stored in blocks. */
export function stemKey(stem: string): number {
  const { high, low } = stemNumber(stem);
  return high * 0x10000 + low;
}

/** Pages of a word, with counts, in growing arrays. */
export class PostingList {
  pages: Uint32Array = new Uint32Array(64);
  counts: Uint8Array = new Uint8Array(64);
  length = 0;

  push(page: number, count: number): void {
    if (this.length === this.pages.length) this.#grow();
    this.pages[this.length] = page;
    this.counts[this.length++] = count;
  }

  /** Returns whether the list contains a page; pages are sorted. */
  has(page: number): boolean {
    let [from, to] = [0, this.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.pages[middle]! < page) from = middle + 1;
      else to = middle;
    }
    return from < this.length && this.pages[from] === page;
  }

  #grow(): void {
    const [pages, counts] = [this.pages, this.counts];
    this.pages = new Uint32Array(4 * pages.length);
    this.pages.set(pages);
    this.counts = new Uint8Array(4 * counts.length);
    this.counts.set(counts);
  }
}

/** Adds the pages of a stem, in order. A search spends most of its time in this loop. */
export function readPostings({ stem, data }: Block, wanted: number, first: number, into: PostingList): void {
  let at = 0;
  for (let current = stem; at < data.length; ) {
    let [distance, pages] = [0, 0];
    for (let scale = 1, byte = 128; byte > 127; scale *= 128) {
      byte = data[at++] ?? 0;
      distance += (byte & 127) * scale;
    }
    for (let scale = 1, byte = 128; byte > 127; scale *= 128) {
      byte = data[at++] ?? 0;
      pages += (byte & 127) * scale;
    }
    current += distance;
    if (current > wanted) return;
    if (current < wanted) {
      for (let left = pages; left > 0 && at < data.length; at++) if (data[at]! < 128) left--;
      continue;
    }
    for (let i = 0, page = first; i < pages && at < data.length; i++) {
      let byte = data[at++]!;
      let posting = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = data[at++] ?? 0;
        posting |= (byte & 127) << shift;
      }
      page += posting >>> 3;
      into.push(page, (posting & 7) + 1);
    }
    return;
  }
}

/** Adds the squared weights of all counts in a block to their pages, for segments without norms. */
export function addSquares({ data }: Pick<Block, 'data'>, squares: Float64Array): void {
  eachPosting({ stem: 0, data }, (_, place, count) => {
    if (place < squares.length) squares[place]! += COUNT_WEIGHTS[count]! ** 2;
  });
}

/** Calls `take` with each stem of a block, the place of each of its pages in the segment, and its count there. */
export function eachPosting({ stem, data }: Block, take: (stem: number, place: number, count: number) => void): void {
  let at = 0;
  const read = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = data[at++];
      // Bytes that end within a number were not written by Bingo.
      if (byte === undefined) return value;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  for (let current = stem; at < data.length; ) {
    current += read();
    const pages = read();
    for (let i = 0, place = 0; i < pages && at < data.length; i++) {
      const posting = read();
      place += Math.floor(posting / 8);
      take(current, place, (posting % 8) + 1);
    }
  }
}
