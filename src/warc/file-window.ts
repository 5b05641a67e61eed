import type { FileHandle } from 'node:fs/promises';

/** Bytes per read. */
const READ_BYTES = 4 * 1024 * 1024;

/** A window on a file that moves forward only and grows on demand, so that records can be parsed without copying. */
export class FileWindow {
  readonly #file: FileHandle;
  /** File offset of the first byte of `bytes`. */
  #start = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #ended = false;

  constructor(file: FileHandle) {
    this.#file = file;
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
    const wanted = Math.max(READ_BYTES, missing);
    const larger = new Uint8Array(this.#bytes.length + wanted);
    larger.set(this.#bytes);
    const { bytesRead } = await this.#file.read(larger, this.#bytes.length, wanted, this.#start + this.#bytes.length);
    this.#ended = bytesRead < wanted;
    this.#bytes = larger.subarray(0, this.#bytes.length + bytesRead);
  }

  /** Returns the number of bytes after the window. The length in a damaged record may exceed what the file has. */
  async left(): Promise<number> {
    return (await this.#file.stat()).size - this.#start - this.#bytes.length;
  }
}
