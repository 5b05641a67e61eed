import { hashesOf } from '../core/index.ts';
import { freeBytes } from '../kit/index.ts';

/** Layout of a slot: two hashes of a name, and the name's number + 1 (0 = free). */
const SLOT = 3;

/**
 * Numbers of a vocabulary's names, found by the two hashes in a page's bag (`hashesOf` in core), without creating or
 * comparing a string. With 64 bits, an unknown name collides with one of 10,000 names once in 10^15.
 */
export class FeatureTable {
  readonly #slots: Uint32Array;
  readonly #mask: number;

  /** @param names joined by `\n`, in the order of their numbers */
  constructor(names: string, count: number) {
    const size = 1 << Math.ceil(Math.log2(2 * count + 2));
    this.#slots = new Uint32Array(SLOT * size);
    this.#mask = size - 1;
    const hashes = hashesOf({ features: names, counts: new Uint16Array(count) });
    for (let number = 0; number < count; number++) this.#put(hashes[2 * number]!, hashes[2 * number + 1]!, number);
    freeBytes(hashes);
  }

  /** Frees the table; no look-up is possible afterwards. */
  free(): void {
    freeBytes(this.#slots);
  }

  /** The name's number, from 0; −1 if the vocabulary has no such name. */
  find(first: number, second: number): number {
    const slots = this.#slots;
    for (let slot = first & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = SLOT * slot;
      const number = slots[at + 2]!;
      if (number === 0) return -1;
      if (slots[at] === first && slots[at + 1] === second) return number - 1;
    }
  }

  /**
   * {@link find} for many names, whose hashes are adjacent; writes their numbers to `numbers`. It reads the slots
   * ahead, all at once: waiting for one after the other would be slow.
   */
  findAll(hashes: Uint32Array, count: number, numbers: Int32Array): void {
    const slots = this.#slots;
    const mask = this.#mask;
    for (let i = 0; i < count; i++) numbers[i] = slots[SLOT * (hashes[2 * i]! & mask) + 2]!;
    for (let i = 0; i < count; i++) numbers[i] = numbers[i] === 0 ? -1 : this.find(hashes[2 * i]!, hashes[2 * i + 1]!);
  }

  #put(first: number, second: number, number: number): void {
    let slot = first & this.#mask;
    while (this.#slots[SLOT * slot + 2] !== 0) slot = (slot + 1) & this.#mask;
    this.#slots[SLOT * slot] = first;
    this.#slots[SLOT * slot + 1] = second;
    this.#slots[SLOT * slot + 2] = number + 1;
  }
}
