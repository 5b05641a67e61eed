import type { TermCounts } from '../../core/index.ts';
import { type Bag, corpusOf, damp, documentFrequencies } from '../../learn/index.ts';

/** A page as a sparse row over the chosen features; `weights` has length 1. */
export interface ClusterRow {
  readonly columns: readonly number[];
  readonly weights: readonly number[];
}

/** Share of pages with a vector from which vectors count: otherwise pages without one would be a group of their own. */
const LEAST_MEANT = 0.9;

/** What pages are compared by. */
export type ComparedFeatures = { readonly [space in 'terms' | 'meaning']?: TermCounts | undefined };

/** Returns the features of the pages that form clusters: their terms and, if nearly all pages have vectors, these too. */
export function comparedBags(pages: readonly (ComparedFeatures | undefined)[]): readonly (TermCounts | undefined)[] {
  const meant = pages.filter((page) => hasFeatures(page?.meaning)).length;
  return pages.map((page) => (meant >= LEAST_MEANT * pages.length ? comparedBag(page) : page?.terms));
}

/** Returns the terms of a page and the features of its vector. Both have about the same length (docs/quality.md). */
export function comparedBag(page: ComparedFeatures | undefined): TermCounts | undefined {
  const bags = [page?.terms, page?.meaning].filter(hasFeatures);
  if (bags.length < 2) return bags[0];
  return {
    features: bags.map(({ features }) => features).join('\n'),
    counts: Uint16Array.from(bags.flatMap(({ counts }) => [...counts])),
  };
}

/** Whether a feature is a term. Those of vectors are `+5` and `-5`. */
export function isTerm(feature: string): boolean {
  return !/^[+-]\d+$/.test(feature);
}

function hasFeatures(bag: TermCounts | undefined): bag is TermCounts {
  return bag !== undefined && bag.features !== '';
}

/** The few features used to compare pages, chosen from the pages themselves. */
export interface ClusterSpace {
  /** Feature by column, greatest variance first. */
  readonly names: readonly string[];
  /** Returns the row of a page; `undefined` if it has none of the features. */
  readonly row: (bag: TermCounts | undefined) => ClusterRow | undefined;
}

/** Features in fewer pages do not characterise a group; those in more than this share do not distinguish groups. */
const MIN_PAGES = 3;
const MIN_SHARE = 0.01;
const MAX_SHARE = 0.75;

/**
 * Chooses the features in which the pages differ most: tf·idf over these pages, so that common words weigh little,
 * then the greatest variance. Ignores numbers and single letters. Needs no labels.
 * @param size maximum number of features; > 0
 */
export function clusterSpace(bags: readonly (TermCounts | undefined)[], size: number): ClusterSpace {
  const corpus = corpusOf(bags);
  const pages = corpus.bags.length;
  const frequencies = documentFrequencies(corpus.bags, corpus.names.length);
  const idf = Float64Array.from(frequencies, (df) => Math.log((1 + pages) / (1 + df)));
  const spread = variances(corpus.bags, idf, corpus.names.length);
  const fits = (id: number): boolean => {
    const df = frequencies[id]!;
    return df >= Math.max(Math.min(MIN_PAGES, pages / 2), MIN_SHARE * pages) && df <= MAX_SHARE * pages;
  };
  const chosen = [...corpus.names.keys()]
    .filter((id) => fits(id) && !/^(?:\p{N}+|\p{ASCII})$/u.test(corpus.names[id]!))
    .sort((a, b) => spread[b]! - spread[a]! || (corpus.names[a]! < corpus.names[b]! ? -1 : 1))
    .slice(0, size);
  const names = chosen.map((id) => corpus.names[id]!);
  const weights = chosen.map((id) => idf[id]!);
  const columns = new Map(names.map((name, column) => [name, column]));
  return { names, row: (bag) => rowOf(bag, columns, weights) };
}

/** Variance of each feature's weight over pages normalised to length 1. */
function variances(bags: readonly Bag[], idf: Float64Array, size: number): Float64Array {
  const sums = new Float64Array(size);
  const squares = new Float64Array(size);
  for (const { ids, counts } of bags) {
    let square = 0;
    for (let k = 0; k < ids.length; k++) square += (damp(counts[k]!) * idf[ids[k]!]!) ** 2;
    if (square === 0) continue;
    for (let k = 0; k < ids.length; k++) {
      const weight = damp(counts[k]!) * idf[ids[k]!]!;
      sums[ids[k]!]! += weight / Math.sqrt(square);
      squares[ids[k]!]! += weight ** 2 / square;
    }
  }
  return squares.map((square, id) => square - sums[id]! ** 2 / bags.length);
}

function rowOf(
  bag: TermCounts | undefined,
  columns: ReadonlyMap<string, number>,
  idf: readonly number[],
): ClusterRow | undefined {
  if (bag === undefined || bag.counts.length === 0) return undefined;
  const found: number[] = [];
  const weights: number[] = [];
  for (const [i, name] of bag.features.split('\n').entries()) {
    const column = columns.get(name);
    if (column === undefined) continue;
    found.push(column);
    weights.push(damp(bag.counts[i]!) * idf[column]!);
  }
  const length = Math.hypot(...weights);
  return length > 0 ? { columns: found, weights: weights.map((weight) => weight / length) } : undefined;
}
