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

/** Numbers the features of some documents, so that all later counting runs on arrays. */
export function corpusOf(documents: readonly (TermCounts | undefined)[]): Corpus {
  const numbers = new Map<string, number>();
  const bags = documents.map((document): Bag => {
    if (document === undefined || document.counts.length === 0) return EMPTY_BAG;
    const ids = document.features.split('\n').map((name) => {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      numbers.set(name, numbers.size);
      return numbers.size - 1;
    });
    return { ids: Int32Array.from(ids), counts: document.counts };
  });
  return { names: [...numbers.keys()], bags };
}

/** Number of documents that hold each feature. Length = `size`. */
export function documentFrequencies(bags: Iterable<Bag>, size: number): Int32Array {
  const frequencies = new Int32Array(size);
  for (const { ids } of bags) for (const id of ids) frequencies[id]!++;
  return frequencies;
}
