import { hashesOf, ownCopy, type TermCounts } from '../core/index.ts';

/** A bag of features by number: `counts[k]` occurrences of feature `ids[k]`, each id once. */
export interface Bag {
  readonly ids: Int32Array;
  readonly counts: Uint16Array;
}

/** Bags that share one numbering of features. */
export interface Corpus {
  /** Feature by number, in order of first occurrence. */
  readonly names: readonly string[];
  /** One bag a document, in the order given; a document without features has an empty bag. */
  readonly bags: readonly Bag[];
}

const EMPTY_BAG: Bag = Object.freeze({ ids: new Int32Array(0), counts: new Uint16Array(0) });

/** Names beyond which `FeatureNames` starts afresh. */
const MAX_NAMES = 1_000_000;

const FIRST_SLOTS = 1 << 12;
/** A slot: two hashes of a name, and its number + 1; 0 = free. */
const SLOT = 3;

/**
 * Remembers the features of documents as numbers, so that training again on mostly the same documents reads no string
 * twice. It changes nothing but time: a corpus has its own numbering, whatever was remembered. Names are known by their two hashes, see
 * `hashesOf`: with a million of them two are taken for one once in 10^7 crawls.
 */
export class FeatureNames {
  /** At most half full. */
  #slots = new Uint32Array(SLOT * FIRST_SLOTS);
  #names: string[] = [];
  #known = new WeakMap<TermCounts, Int32Array>();

  /** Called between corpora, never while one is made. */
  forgetIfMany(): void {
    if (this.#names.length <= MAX_NAMES) return;
    this.#slots = new Uint32Array(SLOT * FIRST_SLOTS);
    this.#names = [];
    this.#known = new WeakMap();
  }

  get size(): number {
    return this.#names.length;
  }

  nameOf(number: number): string {
    return this.#names[number]!;
  }

  /** The features of a document, in its order. */
  numbersOf(document: TermCounts): Int32Array {
    const known = this.#known.get(document);
    if (known !== undefined) return known;
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
        this.#put(slot, hashes[2 * k]!, hashes[2 * k + 1]!);
      }
    }
    this.#known.set(document, numbers);
    return numbers;
  }

  /** Where a name stands, or would stand. */
  #slotOf(first: number, second: number): number {
    const slots = this.#slots;
    const mask = slots.length / SLOT - 1;
    for (let slot = first & mask; ; slot = (slot + 1) & mask) {
      const at = SLOT * slot;
      if (slots[at + 2] === 0 || (slots[at] === first && slots[at + 1] === second)) return at;
    }
  }

  /** Gives the last of the names the slot of its hashes. */
  #put(at: number, first: number, second: number): void {
    this.#slots[at] = first;
    this.#slots[at + 1] = second;
    this.#slots[at + 2] = this.#names.length;
    if (2 * SLOT * this.#names.length > this.#slots.length) this.#grow();
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += SLOT) {
      if (old[at + 2] === 0) continue;
      const to = this.#slotOf(old[at]!, old[at + 1]!);
      for (let i = 0; i < SLOT; i++) this.#slots[to + i] = old[at + i]!;
    }
  }
}

/**
 * Numbers the features of some documents, so that all later counting runs on arrays.
 * @param remembered kept from one corpus to the next; the result does not depend on it
 */
export function corpusOf(
  documents: readonly (TermCounts | undefined)[],
  remembered: FeatureNames = new FeatureNames(),
): Corpus {
  remembered.forgetIfMany();
  const read = documents.map((document) =>
    document === undefined || document.counts.length === 0 ? undefined : remembered.numbersOf(document),
  );
  // Number of the corpus by remembered number, plus one; 0: not met yet.
  const numbers = new Int32Array(remembered.size);
  const names: string[] = [];
  const bags = documents.map((document, i): Bag => {
    const known = read[i];
    if (document === undefined || known === undefined) return EMPTY_BAG;
    const ids = new Int32Array(known.length);
    for (let k = 0; k < known.length; k++) {
      const number = known[k]!;
      if (numbers[number] === 0) numbers[number] = names.push(remembered.nameOf(number));
      ids[k] = numbers[number]! - 1;
    }
    return { ids, counts: document.counts };
  });
  return { names, bags };
}

/** Number of documents that hold each feature. Length = `size`. */
export function documentFrequencies(bags: Iterable<Bag>, size: number): Int32Array {
  const frequencies = new Int32Array(size);
  for (const { ids } of bags) for (let k = 0; k < ids.length; k++) frequencies[ids[k]!]!++;
  return frequencies;
}
