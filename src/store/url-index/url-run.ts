import { filterBytes, PIECE_BYTES } from './url-filter.ts';
import { bytesOf, partOf } from './url-hash.ts';

/** Mean number of URLs per block. A block with twice as many has never been seen; it would only be slower. */
const BLOCK_URLS = 300;
/** A hash (8 bytes) and a number (4). */
const URL_BYTES = 12;

/**
 * An immutable index of consecutive numbers in the table `url`, a row of `url_run`. It takes `blocks` + `pieces`
 * consecutive rows of `url_block`:
 *
 *     blocks   URLs by hash: block i has the i-th part of all hashes, so no table of first hashes is needed
 *     pieces   a Bloom filter of the hashes, see `url-filter.ts`
 */
export interface UrlRun {
  /** First and last number of a URL. */
  readonly first: number;
  readonly last: number;
  /** Id of the first block. */
  readonly base: number;
  readonly blocks: number;
  readonly pieces: number;
}

/** The columns of {@link UrlRun} in the order of the table. */
export type UrlRunRow = readonly [first: number, last: number, base: number, blocks: number, pieces: number];

/** Entries of a block, sorted by hash. */
export interface UrlEntries {
  readonly hashes: Float64Array;
  readonly ids: Uint32Array;
}

/** Returns the shape of a run of so many URLs. */
export function runOf(first: number, last: number, base: number): UrlRun {
  const urls = last - first + 1;
  const blocks = Math.max(1, Math.ceil(urls / BLOCK_URLS));
  return { first, last, base, blocks, pieces: Math.ceil(filterBytes(urls) / PIECE_BYTES) };
}

export function rowOfRun({ first, last, base, blocks, pieces }: UrlRun): UrlRunRow {
  return [first, last, base, blocks, pieces];
}

/** Returns the id after the last row of a run in `url_block`. */
export function endOf({ base, blocks, pieces }: Pick<UrlRun, 'base' | 'blocks' | 'pieces'>): number {
  return base + blocks + pieces;
}

/** Returns the block of a hash, as its id in `url_block`. */
export function blockOf({ base, blocks }: Pick<UrlRun, 'base' | 'blocks'>, hash: number): number {
  return base + partOf(hash, blocks);
}

export function packEntries({ hashes, ids }: UrlEntries): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hashes.length * URL_BYTES);
  bytes.set(bytesOf(hashes));
  bytes.set(bytesOf(ids), hashes.byteLength);
  return bytes;
}

/** Reads a block; the bytes may be at any offset. */
export function unpackEntries(bytes: Uint8Array): UrlEntries {
  const size = Math.floor(bytes.length / URL_BYTES);
  const own = new Uint8Array(size * URL_BYTES);
  own.set(bytes.subarray(0, own.length));
  return { hashes: new Float64Array(own.buffer, 0, size), ids: new Uint32Array(own.buffer, size * 8, size) };
}

/** Calls `onFound` with the number of each URL in a block that has this hash. */
export function idsIn({ hashes, ids }: UrlEntries, hash: number, onFound: (id: number) => void): void {
  let low = 0;
  for (let high = hashes.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (hashes[middle]! < hash) low = middle + 1;
    else high = middle;
  }
  for (; hashes[low] === hash; low++) onFound(ids[low]!);
}
