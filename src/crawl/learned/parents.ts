import { type Fields, GROWTH, grown, HashSlots } from '../../kit/index.ts';

/** Number of a {@link Parents parent}. */
export type ParentId = number;

/** Number of stretches of a page for which link outcomes are counted. */
export const STRETCHES = 32;

/** Weight of an outcome for links two stretches before it, one before, … two after: about exp(−distance). */
const NEARNESS = Float64Array.of(0.14, 0.37, 1, 0.37, 0.14);
const REACH = 2;

/** Maximum number of outcomes counted per stretch. Hardly any page has more links. */
const MOST = 0xffff;

const FIRST_CAPACITY = 64;

/**
 * Fetched pages as the parents of links: what their links turned out to be worth, in all and by stretches of the page. A parent is
 * forgotten when the last link that it offered is. Each has a key, by which other shards name it.
 *
 *   totals    known links and the sum of their relevance, by parent
 *   counts    the same by stretch, 32 numbers for each parent of which something is known
 *   sums
 */
export class Parents {
  #totals = new Float64Array(2 * FIRST_CAPACITY);
  readonly #byKey = new HashSlots();
  #uses = new Uint32Array(FIRST_CAPACITY);
  /** Index of a parent's counts and sums; 0 = none. */
  #records = new Uint32Array(FIRST_CAPACITY);
  #counts = new Uint16Array(STRETCHES * FIRST_CAPACITY);
  #sums = new Float32Array(STRETCHES * FIRST_CAPACITY);
  readonly #free: ParentId[] = [];
  readonly #freeRecords: number[] = [];
  #end = 0;
  #recordsEnd = 1;

  /** Adds a parent with one reference. */
  add(key: number): ParentId {
    const parent = this.#free.pop() ?? this.#end++;
    this.#byKey.set(key, parent);
    if (parent === this.#uses.length) this.#grow();
    this.#uses[parent] = 1;
    return parent;
  }

  /** Returns the last parent added with this key, unless it is forgotten. */
  find(key: number): ParentId | undefined {
    return this.#byKey.find(key);
  }

  keyOf(parent: ParentId): number {
    return this.#byKey.hashOf(parent);
  }

  retain(parent: ParentId): void {
    this.#uses[parent]! += 1;
  }

  release(parent: ParentId): void {
    this.#uses[parent]! -= 1;
    if (this.#uses[parent] !== 0) return;
    this.#byKey.delete(parent);
    this.#totals.fill(0, 2 * parent, 2 * parent + 2);
    if (this.#records[parent] !== 0) this.#freeRecords.push(this.#records[parent]!);
    this.#records[parent] = 0;
    this.#free.push(parent);
  }

  /** Records that one of its links led to a page of this relevance. */
  learn(parent: ParentId, stretch: number, relevance: number): void {
    if (this.#records[parent] === 0) this.#records[parent] = this.#newRecord();
    const at = STRETCHES * this.#records[parent]! + stretch;
    if (this.#counts[at] !== MOST) {
      this.#counts[at]! += 1;
      this.#sums[at]! += relevance;
    }
    this.#totals[2 * parent]! += 1;
    this.#totals[2 * parent + 1]! += relevance;
  }

  /**
   * Returns the mean relevance of its known links, shrunken towards `prior` as if `strength` more links had that
   * relevance.
   */
  hubRecord(parent: ParentId, prior: number, strength: number): number {
    return (this.#totals[2 * parent + 1]! + strength * prior) / (this.#totals[2 * parent]! + strength);
  }

  /** Returns the mean relevance near a place on the page, shrunken towards the page's own record. `strength` = 1. */
  nearRecord(parent: ParentId, stretch: number, prior: number): number {
    const record = this.hubRecord(parent, prior, 1);
    if (this.#records[parent] === 0) return record;
    const counts = this.#counts;
    const sums = this.#sums;
    const start = STRETCHES * this.#records[parent]!;
    const last = Math.min(STRETCHES - 1, stretch + REACH);
    let weight = 1;
    let sum = record;
    for (let near = Math.max(0, stretch - REACH); near <= last; near++) {
      const nearness = NEARNESS[near - stretch + REACH]!;
      weight += nearness * counts[start + near]!;
      sum += nearness * sums[start + near]!;
    }
    return sum / weight;
  }

  #newRecord(): number {
    const record = this.#freeRecords.pop() ?? this.#recordsEnd++;
    const [from, to] = [STRETCHES * record, STRETCHES * (record + 1)];
    if (to > this.#counts.length) {
      const capacity = Math.ceil(to * GROWTH);
      this.#counts = grown(this.#counts, new Uint16Array(capacity));
      this.#sums = grown(this.#sums, new Float32Array(capacity));
    }
    this.#counts.fill(0, from, to);
    this.#sums.fill(0, from, to);
    return record;
  }

  #grow(): void {
    const capacity = Math.ceil(this.#uses.length * GROWTH);
    this.#totals = grown(this.#totals, new Float64Array(2 * capacity));
    this.#uses = grown(this.#uses, new Uint32Array(capacity));
    this.#records = grown(this.#records, new Uint32Array(capacity));
  }

  exchange(fields: Fields): void {
    this.#byKey.exchange(fields);
    this.#totals = fields.numbers(this.#totals);
    this.#uses = fields.numbers(this.#uses);
    this.#records = fields.numbers(this.#records);
    this.#counts = fields.numbers(this.#counts);
    this.#sums = fields.numbers(this.#sums);
    fields.list(this.#free);
    fields.list(this.#freeRecords);
    this.#end = fields.value(this.#end);
    this.#recordsEnd = fields.value(this.#recordsEnd);
  }
}

/** Returns the stretch of a position on a page, see `Link.position`. */
export function stretchOf(position: number): number {
  return Math.min(STRETCHES - 1, Math.max(0, Math.floor(position * STRETCHES)));
}
