import { bytesOf, partOf } from './url-hash.ts';

/** Bytes of a filter per row of `url_block`. */
export const PIECE_BYTES = 3_968;
/** Bits per URL, words per line, and the bits that a hash sets in its line: 1.3 % of the answers are wrong. */
const BITS = 10;
const LINE_WORDS = 16;
const LINE_BYTES = 4 * LINE_WORDS;
const SPREAD = [0x9e3779b1, 0x85ebca77] as const;

/** Returns the size of a filter for so many URLs. */
export function filterBytes(urls: number): number {
  return Math.ceil((urls * BITS) / (8 * LINE_BYTES)) * LINE_BYTES;
}

/**
 * A Bloom filter whose bits of one hash are all in one line of 64 bytes (Putze, Sanders and Singler 2009, "Cache-,
 * hash- and space-efficient Bloom filters"). It says which runs cannot have a URL, so that a new URL reads no block.
 */
export class UrlFilter {
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #lines: number;

  constructor(urls: number) {
    this.#lines = filterBytes(urls) / LINE_BYTES;
    this.#words = new Uint32Array(this.#lines * LINE_WORDS);
  }

  add(hash: number): void {
    const line = partOf(hash, this.#lines) * LINE_WORDS;
    for (const factor of SPREAD) {
      const bits = Math.imul(hash, factor) >>> 5;
      for (let shift = 0; shift < 27; shift += 9) {
        const bit = (bits >>> shift) & 511;
        this.#words[line + (bit >>> 5)]! |= 1 << (bit & 31);
      }
    }
  }

  mayHave(hash: number): boolean {
    const line = partOf(hash, this.#lines) * LINE_WORDS;
    for (const factor of SPREAD) {
      const bits = Math.imul(hash, factor) >>> 5;
      for (let shift = 0; shift < 27; shift += 9) {
        const bit = (bits >>> shift) & 511;
        if ((this.#words[line + (bit >>> 5)]! & (1 << (bit & 31))) === 0) return false;
      }
    }
    return true;
  }

  /** Returns the rows of the filter in `url_block`. */
  *pieces(): Generator<Uint8Array> {
    const bytes = bytesOf(this.#words);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.slice(at, at + PIECE_BYTES);
  }

  /** Reads piece number `n`. */
  setPiece(n: number, piece: Uint8Array): void {
    bytesOf(this.#words).set(piece, n * PIECE_BYTES);
  }
}
