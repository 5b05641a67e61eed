const BLOCK_BYTES = 1 << 20;

/**
 * Rows of bytes in blocks of 1 MB. One buffer per row would take a hundred bytes more each, and could fragment the
 * memory.
 */
export class ByteRows {
  #block = new Uint8Array(0);
  /** Bytes in use of the last block. */
  #used = 0;
  readonly #blocks: Uint8Array[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  /** Adds a row that consists of these parts. */
  push(...parts: readonly Uint8Array[]): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (this.#used + length > this.#block.length) {
      this.#block = new Uint8Array(Math.max(BLOCK_BYTES, length));
      this.#used = 0;
    }
    this.#blocks.push(this.#block);
    this.#starts.push(this.#used);
    for (const part of parts) {
      this.#block.set(part, this.#used);
      this.#used += part.length;
    }
    this.#ends.push(this.#used);
  }

  /** Yields all rows in order, without copying. */
  *[Symbol.iterator](): Generator<Uint8Array> {
    for (const [n, block] of this.#blocks.entries()) yield block.subarray(this.#starts[n]!, this.#ends[n]!);
  }
}
