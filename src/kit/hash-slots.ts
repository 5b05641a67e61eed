import { freeBytes } from './free-bytes.ts';
import { GROWTH, grown } from './grow-array.ts';
import type { Fields } from './saved/fields.ts';

const FIRST_CAPACITY = 64;

/**
 * Finds numbers by a hash of up to 53 bits: `hash53` of a URL, or another number. Open addressing with linear
 * probing, at most three quarters full; numbers are small and dense.
 *
 *   slots   | 0 | 7 | 0 | 3 | …         by hash: number + 1; 0 = free
 *   hashes  |   |   | h(a) | h(b) | …     by number
 */
export class HashSlots {
  #slots = new Uint32Array(2 * FIRST_CAPACITY);
  #hashes = new Float64Array(FIRST_CAPACITY);
  #size = 0;

  /** Number of hashes in the table. */
  get size(): number {
    return this.#size;
  }

  find(hash: number): number | undefined {
    const found = this.#slots[this.#slot(hash)]!;
    return found === 0 ? undefined : found - 1;
  }

  /** Returns the hash of a number in the table. */
  hashOf(number: number): number {
    return this.#hashes[number]!;
  }

  /** Sets the number of a hash, replacing any number with the same hash. */
  set(hash: number, number: number): void {
    if (number >= this.#hashes.length)
      this.#hashes = grown(this.#hashes, new Float64Array(Math.ceil((number + 1) * GROWTH)));
    this.#hashes[number] = hash;
    const slot = this.#slot(hash);
    if (this.#slots[slot] === 0) this.#size++;
    this.#slots[slot] = number + 1;
    if (4 * this.#size > 3 * this.#slots.length) this.#rehash(2 * this.#slots.length);
  }

  /** Removes a number, unless another number has replaced it. */
  delete(number: number): void {
    const slot = this.#slot(this.#hashes[number]!);
    if (this.#slots[slot] === number + 1) this.#removeSlot(slot);
  }

  /** Frees the memory; the object must not be used afterwards. */
  free(): void {
    freeBytes(this.#slots, this.#hashes);
  }

  /** Yields all numbers, unordered; none may be added meanwhile. */
  *numbers(): Generator<number> {
    for (const found of this.#slots) if (found !== 0) yield found - 1;
  }

  /** Returns the slot of a hash, present or not. Uses its lowest bits, because `&` is twenty times as fast as `%`. */
  #slot(hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let found = this.#slots[slot]!; found !== 0 && this.#hashes[found - 1] !== hash; found = this.#slots[slot]!)
      slot = (slot + 1) & mask;
    return slot;
  }

  /** Moves later entries of the same probe sequence into the gap, so that no tombstone is needed. */
  #removeSlot(removed: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let gap = removed;
    for (let at = (gap + 1) & mask; slots[at] !== 0; at = (at + 1) & mask) {
      const home = this.#hashes[slots[at]! - 1]! & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      slots[gap] = slots[at]!;
      gap = at;
    }
    slots[gap] = 0;
    this.#size--;
  }

  #rehash(capacity: number): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(capacity);
    for (const found of old) if (found !== 0) this.#slots[this.#slot(this.#hashes[found - 1]!)] = found;
    freeBytes(old);
  }

  exchange(fields: Fields): void {
    this.#slots = fields.numbers(this.#slots);
    this.#hashes = fields.numbers(this.#hashes);
    this.#size = fields.value(this.#size);
  }
}
