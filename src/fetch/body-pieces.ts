/**
 * Smaller pieces are copied into blocks of this size. As separate buffers, one-byte pieces would take two hundred
 * times the memory.
 */
const SMALL_BYTES = 1024;
const BLOCK_BYTES = 16 * 1024;

/** The parts of a body received so far. */
export class BodyPieces {
  #pieces: Buffer[] = [];
  /** The end of the body, if it arrived in small pieces, with room for more. */
  #block: Buffer = Buffer.alloc(0);
  #used = 0;

  get isEmpty(): boolean {
    return this.#pieces.length === 0 && this.#used === 0;
  }

  add(piece: Buffer): void {
    if (piece.length >= SMALL_BYTES) {
      this.#closeBlock();
      this.#pieces.push(piece);
      return;
    }
    if (this.#used + piece.length > this.#block.length) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    }
    this.#block.set(piece, this.#used);
    this.#used += piece.length;
  }

  /**
   * Returns the body in its own memory, which is freed with it. Memory from Node's pool is freed only with all its
   * other content.
   */
  joined(): Buffer {
    this.#closeBlock();
    const body = Buffer.allocUnsafeSlow(this.#pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of this.#pieces) {
      body.set(piece, at);
      at += piece.length;
    }
    return body;
  }

  clear(): void {
    this.#pieces = [];
    this.#block = Buffer.alloc(0);
    this.#used = 0;
  }

  #closeBlock(): void {
    if (this.#used === 0) return;
    this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }
}
