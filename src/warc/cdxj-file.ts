import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { LruMap } from '../kit/index.ts';
import { type CdxjEntry, parseCdxjLine } from './cdxj.ts';

const BLOCK_BYTES = 4096;
/** Blocks kept in memory: the first steps of each search read the same ones. */
const CACHED_BLOCKS = 256;
const LF = 10;

/** A sorted CDXJ file. Looks entries up by binary search in the file; memory: a few blocks, whatever its size. */
export class CdxjFile {
  readonly #file: number;
  readonly #size: number;
  readonly #blocks = new LruMap<number, Buffer>(CACHED_BLOCKS);

  constructor(path: string) {
    this.#file = openSync(path, 'r');
    this.#size = fstatSync(this.#file).size;
  }

  /** Returns the entries of a key, in order of time. */
  entries(key: string): readonly CdxjEntry[] {
    const prefix = `${key} `;
    const found: CdxjEntry[] = [];
    for (const line of this.#linesFrom(this.#startOf(prefix))) {
      if (!line.startsWith(prefix)) {
        if (line < prefix) continue;
        break;
      }
      const entry = parseCdxjLine(line);
      if (entry !== undefined) found.push(entry);
    }
    return found;
  }

  /** Yields all entries in order. */
  *all(): Generator<CdxjEntry> {
    for (const line of this.#linesFrom(0)) {
      const entry = parseCdxjLine(line);
      if (entry !== undefined) yield entry;
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Returns the offset of a line that is not after the first one with the prefix, less than a block before it. */
  #startOf(prefix: string): number {
    let [low, high] = [0, Math.ceil(this.#size / BLOCK_BYTES)];
    // Invariant: the first line that starts in block `low` is before the wanted one, or `low` is 0.
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      const start = this.#firstLineAt(middle * BLOCK_BYTES);
      const [line = ''] = start < this.#size ? this.#linesFrom(start) : [];
      if (start < this.#size && line < prefix) low = middle;
      else high = middle;
    }
    return low === 0 ? 0 : this.#firstLineAt(low * BLOCK_BYTES);
  }

  /** Returns the offset of the first line that starts at or after an offset > 0; the size without such a line. */
  #firstLineAt(offset: number): number {
    for (let at = offset - 1; at < this.#size; ) {
      const number = Math.floor(at / BLOCK_BYTES);
      const found = this.#block(number).indexOf(LF, at % BLOCK_BYTES);
      if (found >= 0) return number * BLOCK_BYTES + found + 1;
      at = (number + 1) * BLOCK_BYTES;
    }
    return this.#size;
  }

  *#linesFrom(offset: number): Generator<string> {
    let rest = '';
    for (let at = offset; at < this.#size; at = (Math.floor(at / BLOCK_BYTES) + 1) * BLOCK_BYTES) {
      // One character per byte, since a block may end within a character.
      const text = rest + this.#block(Math.floor(at / BLOCK_BYTES)).toString('latin1', at % BLOCK_BYTES);
      const lines = text.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield Buffer.from(line, 'latin1').toString('utf8');
    }
    if (rest !== '') yield Buffer.from(rest, 'latin1').toString('utf8');
  }

  #block(number: number): Buffer {
    const known = this.#blocks.get(number);
    if (known !== undefined) return known;
    const block = Buffer.alloc(BLOCK_BYTES);
    const read = readSync(this.#file, block, 0, BLOCK_BYTES, number * BLOCK_BYTES);
    const bytes = block.subarray(0, read);
    this.#blocks.set(number, bytes);
    return bytes;
  }
}
