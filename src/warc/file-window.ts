import type { FileHandle } from 'node:fs/promises';

/** Bytes per read. */
const READ_BYTES = 4 * 1024 * 1024;

/** A window on a file that moves forward only and grows on demand, so that records can be parsed without copying. */
export class FileWindow {
  readonly #file: FileHandle;
  /** File offset of the end. */
  readonly #end: number;
  /** File offset of the first byte of `bytes`. */
  #start: number;
  #bytes: Uint8Array = new Uint8Array(0);
  #ended = false;

  /** @param range part of the file to read. Default: all of it */
  constructor(file: FileHandle, range: { readonly offset: number; readonly length: number } | undefined = undefined) {
    this.#file = file;
    this.#start = range?.offset ?? 0;
    this.#end = range === undefined ? Number.POSITIVE_INFINITY : range.offset + range.length;
  }

  /** File offset of the first byte that is not dropped yet. */
  get offset(): number {
    return this.#start;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** True if `bytes` reaches the end of the file. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Moves the start of the window forward, possibly beyond what was read, but not beyond the end of the file. */
  drop(count: number): void {
    this.#bytes = this.#bytes.subarray(count);
    this.#start += count;
  }

  /**
   * Reads more bytes, up to the end of the file: at least `needed` if given, otherwise doubles the window, so that
   * little is copied repeatedly.
   */
  async grow(needed?: number): Promise<void> {
    if (this.#ended) return;
    const missing =
      needed === undefined ? this.#bytes.length : Math.min(needed - this.#bytes.length, await this.left());
    const from = this.#start + this.#bytes.length;
    const wanted = Math.min(Math.max(READ_BYTES, missing), this.#end - from);
    const larger = new Uint8Array(this.#bytes.length + wanted);
    larger.set(this.#bytes);
    const { bytesRead } = await this.#file.read(larger, this.#bytes.length, wanted, from);
    this.#ended = bytesRead < wanted || from + bytesRead === this.#end;
    this.#bytes = larger.subarray(0, this.#bytes.length + bytesRead);
  }

  /** Returns the number of bytes after the window. The length in a damaged record may exceed what the file has. */
  async left(): Promise<number> {
    return Math.min((await this.#file.stat()).size, this.#end) - this.#start - this.#bytes.length;
  }
}
