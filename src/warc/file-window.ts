import type { FileHandle } from 'node:fs/promises';

/** Bytes read at once. */
const READ_BYTES = 4 * 1024 * 1024;

/** A window on a file that moves forward only and grows on demand, so that records can be parsed without copying. */
export class FileWindow {
  readonly #file: FileHandle;
  /** Offset in the file of the first byte of `bytes`. */
  #start = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #ended = false;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Offset in the file of the first byte that was not yet dropped. */
  get offset(): number {
    return this.#start;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** True: `bytes` reaches to the end of the file. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Moves the window's start forward, also beyond what was read; not beyond the file's end. */
  drop(count: number): void {
    this.#bytes = this.#bytes.subarray(count);
    this.#start += count;
  }

  /**
   * Reads on, unless the file ends: to so many bytes, where it is known how many are needed; else it doubles what is there, so that little is
   * copied again and again.
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

  /** Bytes of the file behind what was read: what a damaged record says of its length may be beyond all that there is. */
  async left(): Promise<number> {
    return (await this.#file.stat()).size - this.#start - this.#bytes.length;
  }
}
