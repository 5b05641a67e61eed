/** Limit on a chunk's size line; honest servers stay far below it. */
const MAX_LINE_CHARS = 4_096;
/** Old servers pad the size with blanks. Extensions after a semicolon are ignored. */
const SIZE = /^[ \t]*([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i;
const NEWLINE = 0x0a;

/**
 * Decodes a chunked body (RFC 9112 §7.1) as leniently as browsers: allows blanks around a size, and bare line feeds.
 */
export class ChunkReader {
  #line = '';
  /** Bytes missing from the current chunk. */
  #left = 0;
  #isOver = false;

  /** True once the last chunk was read. What follows, with trailers, is ignored. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * @param bytes the next bytes of the body
   * @returns the decoded data; `undefined` if the bytes are not a valid chunk
   */
  read(bytes: Buffer): readonly Buffer[] | undefined {
    const data: Buffer[] = [];
    for (let at = 0; at < bytes.length && !this.#isOver; ) {
      if (this.#left > 0) {
        const piece = bytes.subarray(at, at + this.#left);
        data.push(piece);
        this.#left -= piece.length;
        at += piece.length;
        continue;
      }
      const newline = bytes.indexOf(NEWLINE, at);
      const end = newline < 0 ? bytes.length : newline;
      this.#line += bytes.toString('latin1', at, Math.min(end, at + MAX_LINE_CHARS));
      if (this.#line.length >= MAX_LINE_CHARS) return undefined;
      at = end + 1;
      if (newline >= 0 && !this.#beginChunk()) return undefined;
    }
    return data;
  }

  /** An empty line ends the previous chunk. */
  #beginChunk(): boolean {
    const line = this.#line.replace(/\r+$/, '');
    this.#line = '';
    if (line === '') return true;
    const size = Number.parseInt(SIZE.exec(line)?.[1] ?? '', 16);
    this.#left = size;
    this.#isOver = size === 0;
    return !Number.isNaN(size);
  }
}
