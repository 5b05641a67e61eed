import { type Fields, GROWTH, grown } from '../../kit/index.ts';

const FIRST_CAPACITY = 256;

/**
 * Round-robin over a set of numbers. Numbers added during a round are visited in that round; re-added numbers go
 * last. Numbers are small and dense, because they index a linked list.
 *
 *   next   | 4 | – | 0 | … |     by number + 1; place 0 is both ends
 */
export class Ring {
  #next = new Uint32Array(FIRST_CAPACITY);
  #previous = new Uint32Array(FIRST_CAPACITY);
  #isIn = new Uint8Array(FIRST_CAPACITY);
  /** The number visited last; if it is deleted, the one before it. */
  #at = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a number. Does nothing if it is already in the ring. */
  add(number: number): void {
    const place = number + 1;
    if (place >= this.#isIn.length) this.#grow(Math.ceil((place + 1) * GROWTH));
    if (this.#isIn[place] === 1) return;
    this.#isIn[place] = 1;
    this.#size++;
    this.#join(this.#previous[0]!, place);
    this.#join(place, 0);
  }

  /** Removes a number. Does nothing if it is not in the ring. */
  delete(number: number): void {
    const place = number + 1;
    if (place >= this.#isIn.length || this.#isIn[place] === 0) return;
    this.#isIn[place] = 0;
    this.#size--;
    if (this.#at === place) this.#at = this.#previous[place]!;
    this.#join(this.#previous[place]!, this.#next[place]!);
  }

  /** Returns the next number; after the last one, the first. `undefined` if the ring is empty. */
  next(): number | undefined {
    this.#at = this.#next[this.#at]!;
    if (this.#at === 0) this.#at = this.#next[0]!;
    return this.#at === 0 ? undefined : this.#at - 1;
  }

  #join(before: number, after: number): void {
    this.#next[before] = after;
    this.#previous[after] = before;
  }

  #grow(capacity: number): void {
    this.#next = grown(this.#next, new Uint32Array(capacity));
    this.#previous = grown(this.#previous, new Uint32Array(capacity));
    this.#isIn = grown(this.#isIn, new Uint8Array(capacity));
  }

  exchange(fields: Fields): void {
    this.#next = fields.numbers(this.#next);
    this.#previous = fields.numbers(this.#previous);
    this.#isIn = fields.numbers(this.#isIn);
    this.#at = fields.value(this.#at);
    this.#size = fields.value(this.#size);
  }
}
