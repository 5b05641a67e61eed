/** Smaller pieces are put together in blocks of this size: as a buffer each, those of one byte would take two hundred times their memory. */
const SMALL_BYTES = 1024;
const BLOCK_BYTES = 16 * 1024;

/** What came of a body so far, in whatever pieces. */
export class BodyPieces {
  #pieces: Buffer[] = [];
  /** The end of the body, where it came in small pieces, and room for more of them. */
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

  /** In memory of its own, which is freed with the body: one of Node's pools would wait for all that lies in it. */
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
