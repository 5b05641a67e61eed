import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Place {
  readonly at: number;
  readonly length: number;
}

/**
 * Byte strings that memory has no room for, in one temporary file. It is unlinked while open, so the kernel frees it
 * when the process ends in any way. A cache: if the disk is full or the limit is reached, older strings are missing.
 */
export class SpillFile<Key> {
  readonly #limit: number;
  readonly #places = new Map<Key, Place>();
  #file: number | undefined;
  #folder: string | undefined;
  #end = 0;
  #isBroken = false;

  /** @param limit maximum size of the file, in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  has(key: Key): boolean {
    return this.#places.has(key);
  }

  get(key: Key): Buffer<ArrayBuffer> | undefined {
    const place = this.#places.get(key);
    if (place === undefined || this.#file === undefined) return undefined;
    const bytes = Buffer.alloc(place.length);
    try {
      for (let done = 0; done < bytes.length; ) {
        const read = readSync(this.#file, bytes, done, bytes.length - done, place.at + done);
        if (read === 0) return undefined;
        done += read;
      }
      return bytes;
    } catch {
      return undefined;
    }
  }

  /** Writes a string. Starts again at the beginning of the file, without the earlier ones, if there is no room. */
  set(key: Key, bytes: Uint8Array): void {
    if (this.#isBroken || bytes.length > this.#limit) return;
    if (this.#end + bytes.length > this.#limit) {
      this.#places.clear();
      this.#end = 0;
    }
    try {
      this.#file ??= this.#open();
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#file, bytes, done, bytes.length - done, this.#end + done);
      this.#places.set(key, { at: this.#end, length: bytes.length });
      this.#end += bytes.length;
    } catch {
      this.#isBroken = true;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#places.clear();
    this.#removeFolder();
  }

  #open(): number {
    this.#folder = mkdtempSync(join(tmpdir(), 'bingo-'));
    const file = openSync(join(this.#folder, 'spill'), 'wx+', 0o600);
    this.#removeFolder();
    return file;
  }

  /** Windows refuses to remove an open file; `close` then removes it. */
  #removeFolder(): void {
    if (this.#folder === undefined) return;
    try {
      rmSync(this.#folder, { recursive: true, force: true });
      this.#folder = undefined;
    } catch {}
  }
}
