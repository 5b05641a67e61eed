import type { TermCounts } from '../core/index.ts';

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

/**
 * Remembers the features of documents as numbers, so that training again on mostly the same documents reads no string
 * twice. It changes nothing but time: a corpus has its own numbering, whatever was remembered.
 */
export class FeatureNames {
  #numbers = new Map<string, number>();
  #names: string[] = [];
  #known = new WeakMap<TermCounts, Int32Array>();

  /** Called between corpora, never while one is made. */
  forgetIfMany(): void {
    if (this.#names.length <= MAX_NAMES) return;
    this.#numbers = new Map();
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
    const numbers = Int32Array.from(document.features.split('\n'), (name) => this.#numberOf(name));
    this.#known.set(document, numbers);
    return numbers;
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#names.length);
    return this.#names.push(name) - 1;
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
    const ids = known.map((number) => {
      if (numbers[number] === 0) numbers[number] = names.push(remembered.nameOf(number));
      return numbers[number]! - 1;
    });
    return { ids, counts: document.counts };
  });
  return { names, bags };
}

/** Number of documents that hold each feature. Length = `size`. */
export function documentFrequencies(bags: Iterable<Bag>, size: number): Int32Array {
  const frequencies = new Int32Array(size);
  for (const { ids } of bags) for (const id of ids) frequencies[id]!++;
  return frequencies;
}
