/** A size and its extensions take no more; nobody honest comes near. */
const MAX_LINE_CHARS = 4_096;
/** Old servers pad a size with blanks; what stands behind a semicolon says nothing to us. */
const SIZE = /^[ \t]*([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i;
const NEWLINE = 0x0a;

/** Undoes the chunked coding of a body (RFC 9112 §7.1) as forgivingly as browsers do: blanks around a size, bare line feeds. */
export class ChunkReader {
  #line = '';
  /** Bytes of the present chunk that are still to come. */
  #left = 0;
  #isOver = false;

  /** The last chunk was read. What follows it, trailers included, is nobody's business. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * @param bytes - what comes next
   * @returns the data within; `undefined` for what is no chunk
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

  /** An empty line is the end of the chunk before. */
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
