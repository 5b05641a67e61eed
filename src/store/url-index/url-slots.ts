import { hash32 } from '../../kit/index.ts';

/** Seed of the second hash. With it, two URLs collide with a chance of 1 in 2⁶⁸ per pair. */
const CHECK_SEED = 0x2545f491;
/** Slots at first; at least a third of them stay free. */
const SLOTS = 1 << 16;

/** Returns the second hash of a URL. */
export function checkOf(url: string): number {
  return hash32(url, CHECK_SEED);
}

/** Maps two hashes of a URL to its number, 16 bytes per slot. */
export class UrlSlots {
  #hashes = new Float64Array(SLOTS);
  #checks = new Uint32Array(SLOTS);
  /** 0 = free. */
  #ids = new Uint32Array(SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns 0 if the URL is missing. */
  get(hash: number, check: number): number {
    return this.#ids[this.#slot(hash, check)]!;
  }

  set(hash: number, check: number, id: number): void {
    if (3 * this.#size >= 2 * this.#ids.length) this.#grow();
    const slot = this.#slot(hash, check);
    if (this.#ids[slot] === 0) this.#size++;
    this.#hashes[slot] = hash;
    this.#checks[slot] = check;
    this.#ids[slot] = id;
  }

  clear(): this {
    this.#ids.fill(0);
    this.#size = 0;
    return this;
  }

  /** Returns hash and number of each URL, sorted by hash. */
  sorted(): readonly (readonly [hash: number, id: number])[] {
    const entries: [number, number][] = [];
    for (const [slot, id] of this.#ids.entries()) if (id !== 0) entries.push([this.#hashes[slot]!, id]);
    return entries.sort(([a], [b]) => a - b);
  }

  #slot(hash: number, check: number): number {
    const mask = this.#ids.length - 1;
    let slot = check & mask;
    while (this.#ids[slot] !== 0 && (this.#hashes[slot] !== hash || this.#checks[slot] !== check))
      slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [hashes, checks, ids] = [this.#hashes, this.#checks, this.#ids];
    this.#hashes = new Float64Array(2 * ids.length);
    this.#checks = new Uint32Array(2 * ids.length);
    this.#ids = new Uint32Array(2 * ids.length);
    this.#size = 0;
    for (const [slot, id] of ids.entries()) if (id !== 0) this.set(hashes[slot]!, checks[slot]!, id);
  }
}
