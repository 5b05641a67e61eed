import { type Fields, GROWTH, grown } from '../../kit/index.ts';

const FIRST_CAPACITY = 256;

/**
 * Numbers in the order in which they came, gone round a few at a time: who comes in a round is visited in it still, who goes and
 * comes again is the last. Numbers are small and dense: they are places of a linked list.
 *
 *   next   | 4 | – | 0 | … |     by number + 1; place 0 is both ends
 */
export class Ring {
  #next = new Uint32Array(FIRST_CAPACITY);
  #previous = new Uint32Array(FIRST_CAPACITY);
  #isIn = new Uint8Array(FIRST_CAPACITY);
  /** Visited last; when it goes, the one before it. */
  #at = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Does nothing when the number is there. */
  add(number: number): void {
    const place = number + 1;
    if (place >= this.#isIn.length) this.#grow(Math.ceil((place + 1) * GROWTH));
    if (this.#isIn[place] === 1) return;
    this.#isIn[place] = 1;
    this.#size++;
    this.#join(this.#previous[0]!, place);
    this.#join(place, 0);
  }

  /** Does nothing when the number is not there. */
  delete(number: number): void {
    const place = number + 1;
    if (place >= this.#isIn.length || this.#isIn[place] === 0) return;
    this.#isIn[place] = 0;
    this.#size--;
    if (this.#at === place) this.#at = this.#previous[place]!;
    this.#join(this.#previous[place]!, this.#next[place]!);
  }

  /** The next number in turn, behind the last one the first; `undefined` when there is none. */
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
