import { hashesOf, type TermCounts } from '../core/index.ts';
import { freeBytes, ownCopy } from '../kit/index.ts';

/** Feature numbers, of two bytes each if they are kept and there are few features. */
export type FeatureIds = Int32Array | Uint16Array;

/** A bag of features by number: `counts[k]` occurrences of feature `ids[k]`, each id once. */
export interface Bag {
  readonly ids: FeatureIds;
  readonly counts: Uint16Array;
}

/** Bags that share one numbering of their features. */
export interface Corpus {
  /** Feature by number, in order of first occurrence. */
  readonly names: readonly string[];
  /** One bag per document, in the given order. A document without features has an empty bag. */
  readonly bags: readonly Bag[];
}

const EMPTY_BAG: Bag = Object.freeze({ ids: new Int32Array(0), counts: new Uint16Array(0) });

/**
 * Number of features per slab, with two or four bytes for a number and two for a count. The C library allocates a
 * slab of this size on its own and returns it to the system. Thousands of small arrays would fragment the heap.
 */
const SLAB = 1 << 17;
/** Below this number of features, a feature number has two bytes. */
const FEW = 1 << 16;

const FIRST_SLOTS = 1 << 12;
/** Layout of a slot: two hashes of a name, and its number + 1; 0 = free. */
const SLOT = 3;

/**
 * Keeps documents by the numbers of their features, in four bytes per feature, or six if there are many. So training
 * again on mostly the same documents reads no string twice. It affects only time and memory: a corpus has its own
 * numbering, whatever was kept before. Names are identified by two hashes, see `hashesOf`: with a million names two
 * of them collide in one of 10^7 crawls.
 *
 * slab | ids ids ids … | counts counts counts … |     one bag after another
 */
export class FeatureNames {
  /** At most half full. */
  #slots = new Uint32Array(SLOT * FIRST_SLOTS);
  #names: string[] = [];
  /** In the order of their slabs. */
  readonly #bags = new Set<KeptBag>();
  #slabs: ArrayBuffer[] = [];
  /** Number of features in the last slab. */
  #filled = 0;
  #capacity = 0;
  /** Bytes per feature number. */
  #width: 2 | 4 = 2;
  /** Whether bags were dropped since the last compaction. */
  #hasGaps = false;

  /** Feature names by number. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Keeps a document's features; the document itself may be freed. */
  keep(document: TermCounts): KeptBag {
    const numbers = this.#numbersOf(document);
    const bag = this.#kept(numbers, document.counts);
    freeBytes(numbers);
    return bag;
  }

  /** Keeps features by number, in a numbering that begins with `names`. */
  keepNumbered(ids: Int32Array, counts: Uint16Array): KeptBag {
    return this.#kept(ids, counts);
  }

  /** Numbers the names, one per line, that have no number yet, in their order. */
  learn(names: string, many: number): void {
    freeBytes(this.#numbersOf({ features: names, counts: new Uint16Array(many) }));
  }

  /** Frees the features of a bag; it is empty afterwards. */
  drop(bag: KeptBag): void {
    if (!this.#bags.delete(bag)) return;
    bag.move(EMPTY_BAG.ids, EMPTY_BAG.counts);
    this.#hasGaps = true;
  }

  /** True for a bag that this object keeps. */
  has(document: TermCounts): document is KeptBag {
    return document instanceof KeptBag && this.#bags.has(document);
  }

  /**
   * Renumbers the features in order of first occurrence: in these own bags first, then in the others. Forgets
   * features that no bag holds. @returns how many features the first bags hold
   */
  renumber(first: readonly KeptBag[]): number {
    const old = this.#names;
    const numbers = new Int32Array(old.length);
    const names: string[] = [];
    const number = (bag: KeptBag): void => {
      const { ids } = bag;
      for (let k = 0; k < ids.length; k++) {
        const id = ids[k]!;
        if (numbers[id] === 0) numbers[id] = names.push(old[id]!);
      }
    };
    for (const bag of first) number(bag);
    const count = names.length;
    for (const bag of this.#bags) number(bag);
    if (!this.#hasGaps && numbers.every((value, id) => value === id + 1)) return count;
    this.#names = names;
    this.#moveAll(numbers);
    this.#renumberSlots(numbers);
    return count;
  }

  #kept(ids: Int32Array, counts: Uint16Array): KeptBag {
    const bag = new KeptBag(this);
    this.#place(bag, ids, counts);
    this.#bags.add(bag);
    return bag;
  }

  /**
   * Copies the features of a bag to the end of the last slab, or to a new one. @param numbers new numbers + 1 of its
   * features
   */
  #place(bag: KeptBag, ids: FeatureIds, counts: Uint16Array, numbers?: Int32Array): void {
    const { length } = ids;
    const width = this.#names.length <= FEW ? 2 : 4;
    if (this.#filled + length > this.#capacity || width > this.#width) this.#addSlab(length, width);
    const slab = this.#slabs.at(-1)!;
    const at = this.#width * this.#filled;
    const ownIds = this.#width === 2 ? new Uint16Array(slab, at, length) : new Int32Array(slab, at, length);
    if (numbers === undefined) ownIds.set(ids);
    else for (let k = 0; k < length; k++) ownIds[k] = numbers[ids[k]!]! - 1;
    const ownCounts = new Uint16Array(slab, this.#width * this.#capacity + 2 * this.#filled, length);
    ownCounts.set(counts);
    bag.move(ownIds, ownCounts);
    this.#filled += length;
  }

  #addSlab(least: number, width: 2 | 4): void {
    this.#capacity = Math.max(SLAB, least);
    this.#width = width;
    this.#slabs.push(new ArrayBuffer((width + 2) * this.#capacity));
    this.#filled = 0;
  }

  /** Renumbers and compacts all bags. Each slab is freed once it has been read. */
  #moveAll(numbers: Int32Array): void {
    const old = this.#slabs;
    this.#slabs = [];
    this.#capacity = 0;
    this.#filled = 0;
    this.#hasGaps = false;
    let at = 0;
    for (const bag of this.#bags) {
      const { ids, counts } = bag;
      if (ids.length > 0) while (old[at] !== ids.buffer) freeBytes(new Uint8Array(old[at++]!));
      this.#place(bag, ids, counts, numbers);
    }
    for (; at < old.length; at++) freeBytes(new Uint8Array(old[at]!));
  }

  #renumberSlots(numbers: Int32Array): void {
    const old = this.#slots;
    let capacity = FIRST_SLOTS;
    while (capacity < 2 * this.#names.length) capacity *= 2;
    this.#slots = new Uint32Array(SLOT * capacity);
    for (let at = 0; at < old.length; at += SLOT) {
      const number = old[at + 2] === 0 ? 0 : numbers[old[at + 2]! - 1]!;
      if (number > 0) this.#put(this.#slotOf(old[at]!, old[at + 1]!), old[at]!, old[at + 1]!, number);
    }
    freeBytes(old);
  }

  #numbersOf(document: TermCounts): Int32Array {
    const hashes = hashesOf(document);
    const numbers = new Int32Array(hashes.length / 2);
    let names: readonly string[] | undefined;
    for (let k = 0; k < numbers.length; k++) {
      const slot = this.#slotOf(hashes[2 * k]!, hashes[2 * k + 1]!);
      const number = this.#slots[slot + 2]!;
      if (number > 0) numbers[k] = number - 1;
      else {
        names ??= document.features.split('\n');
        numbers[k] = this.#names.push(ownCopy(names[k]!)) - 1;
        this.#put(slot, hashes[2 * k]!, hashes[2 * k + 1]!, this.#names.length);
        if (2 * SLOT * this.#names.length > this.#slots.length) this.#grow();
      }
    }
    if (document.hashes === undefined) freeBytes(hashes);
    return numbers;
  }

  /** Returns the slot of a name, or the free slot where it belongs. */
  #slotOf(first: number, second: number): number {
    const slots = this.#slots;
    const mask = slots.length / SLOT - 1;
    for (let slot = first & mask; ; slot = (slot + 1) & mask) {
      const at = SLOT * slot;
      if (slots[at + 2] === 0 || (slots[at] === first && slots[at + 1] === second)) return at;
    }
  }

  #put(at: number, first: number, second: number, number: number): void {
    this.#slots[at] = first;
    this.#slots[at + 1] = second;
    this.#slots[at + 2] = number;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += SLOT) {
      if (old[at + 2] === 0) continue;
      this.#put(this.#slotOf(old[at]!, old[at + 1]!), old[at]!, old[at + 1]!, old[at + 2]!);
    }
    freeBytes(old);
  }
}

/** A document's features, stored in {@link FeatureNames}. They are decoded on demand. */
export class KeptBag implements TermCounts, Bag {
  readonly #names: FeatureNames;
  #ids: FeatureIds = EMPTY_BAG.ids;
  #counts = EMPTY_BAG.counts;

  constructor(names: FeatureNames) {
    this.#names = names;
  }

  get ids(): FeatureIds {
    return this.#ids;
  }

  get counts(): Uint16Array {
    return this.#counts;
  }

  get features(): string {
    const { names } = this.#names;
    return Array.from(this.#ids, (id) => names[id]!).join('\n');
  }

  /** Called by the owner if the features move. */
  move(ids: FeatureIds, counts: Uint16Array): void {
    this.#ids = ids;
    this.#counts = counts;
  }
}

/**
 * Numbers the features of some documents, so that all later counting runs on arrays.
 * @param remembered kept from one corpus to the next, which invalidates the previous one. The result does not depend
 * on it. Documents that it keeps are not read again
 */
export function corpusOf(
  documents: readonly (TermCounts | undefined)[],
  remembered: FeatureNames = new FeatureNames(),
): Corpus {
  const read: KeptBag[] = [];
  const bags = documents.map((document): KeptBag | undefined => {
    if (document === undefined || document.counts.length === 0) return undefined;
    if (remembered.has(document)) return document;
    const bag = remembered.keep(document);
    read.push(bag);
    return bag;
  });
  const size = remembered.renumber(bags.filter((bag) => bag !== undefined));
  const corpus = {
    names: remembered.names.slice(0, size),
    bags: bags.map((bag): Bag => (bag === undefined ? EMPTY_BAG : { ids: bag.ids, counts: bag.counts })),
  };
  // Documents that were read only for this corpus.
  for (const bag of read) remembered.drop(bag);
  return corpus;
}

/** Number of documents that hold each feature. Length = `size`. */
export function documentFrequencies(bags: Iterable<Bag>, size: number): Int32Array {
  const frequencies = new Int32Array(size);
  for (const { ids } of bags) for (let k = 0; k < ids.length; k++) frequencies[ids[k]!]!++;
  return frequencies;
}
