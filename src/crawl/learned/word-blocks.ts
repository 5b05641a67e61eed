import type { Fields } from '../../kit/index.ts';
import { MAX_WORDS, type Words } from './link-words.ts';

/** Number of a block of words. */
export type BlockId = number;

/** Block lengths are multiples of this; a free block has room for the number of the next one. */
const STEP = 4;
/** Half a megabyte: large enough that the C library allocates each segment separately. */
const SEGMENT_BITS = 18;
const SEGMENT = 1 << SEGMENT_BITS;

/**
 * Short lists of words in blocks. A freed block is reused by the next list of its size, so that nothing moves and no
 * room is reserved. One large array, compacted from time to time, took half as much again, and twice as much during
 * compaction.
 *
 * segment | w w w w w w ░ ░ | w w w ░ | → next free | …     ░ = unused room at the end of a block
 */
export class WordBlocks {
  readonly #segments: Uint16Array[] = [];
  /** First free block + 1 by size in steps; 0 = none. */
  #free = new Uint32Array((4 * MAX_WORDS) / STEP + 1);
  #end: BlockId = 0;

  /** @param length at most `4 · MAX_WORDS` */
  make(length: number): BlockId {
    const size = stepsOf(length);
    const free = this.#free[size]!;
    if (free === 0) return this.#fresh(STEP * size);
    const units = this.units(free - 1);
    const from = offsetOf(free - 1);
    this.#free[size] = units[from]! + units[from + 1]! * (1 << 16);
    return free - 1;
  }

  /** @param length - the length it was made with, or another one that {@link fits} */
  drop(block: BlockId, length: number): void {
    const size = stepsOf(length);
    const units = this.units(block);
    const next = this.#free[size]!;
    units[offsetOf(block)] = next;
    units[offsetOf(block) + 1] = next >>> 16;
    this.#free[size] = block + 1;
  }

  /** Returns the array that holds the words of a block, from {@link offsetOf} on. */
  units(block: BlockId): Uint16Array {
    return this.#segments[block >>> SEGMENT_BITS]!;
  }

  /** Writes words into a block. */
  write(block: BlockId, { units, from, to }: Words): void {
    this.units(block).set(units.subarray(from, to), offsetOf(block));
  }

  #fresh(length: number): BlockId {
    const last = this.#segments.length;
    if (this.#end + length > last * SEGMENT) {
      this.#segments.push(new Uint16Array(SEGMENT));
      this.#end = last * SEGMENT;
    }
    const block = this.#end;
    this.#end += length;
    return block;
  }

  exchange(fields: Fields): void {
    const segments = fields.value(this.#segments.length);
    for (let i = 0; i < segments; i++) this.#segments[i] = fields.numbers(this.#segments[i] ?? new Uint16Array());
    this.#free = fields.numbers(this.#free);
    this.#end = fields.value(this.#end);
  }
}

/** Returns the offset of a block in its segment. */
export function offsetOf(block: BlockId): number {
  return block & (SEGMENT - 1);
}

/** Returns true if lists of both lengths take blocks of the same size. */
export function fits(length: number, other: number): boolean {
  return stepsOf(length) === stepsOf(other);
}

function stepsOf(length: number): number {
  return Math.max(1, Math.ceil(length / STEP));
}
