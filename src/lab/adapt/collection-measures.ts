import { isStopWord, stemsIn } from '../../analyze/index.ts';

type Bag = ReadonlyMap<string, number>;

/**
 * Mean cosine of pages and the joined queries of a day, both as tf·idf over the pages (Pant et al. 2003, §4.3).
 * @returns 0 without pages
 */
export function meanCosine(texts: readonly string[], queries: readonly string[]): number {
  const bags = texts.map(bagOf);
  const frequency = new Map<string, number>();
  for (const bag of bags) for (const stem of bag.keys()) frequency.set(stem, (frequency.get(stem) ?? 0) + 1);
  const weigh = (bag: Bag): Bag =>
    new Map([...bag].map(([stem, n]) => [stem, n * Math.log(1 + bags.length / (frequency.get(stem) ?? 1))]));
  const query = weigh(bagOf(queries.join(' ')));
  return bags.reduce((sum, bag) => sum + cosine(weigh(bag), query), 0) / Math.max(1, bags.length);
}

function bagOf(text: string): Bag {
  const bag = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) {
    if (isStopWord(word)) continue;
    const [stem = word] = stemsIn(word, []);
    bag.set(stem, (bag.get(stem) ?? 0) + 1);
  }
  return bag;
}

function cosine(a: Bag, b: Bag): number {
  let common = 0;
  for (const [stem, weight] of b) common += weight * (a.get(stem) ?? 0);
  return common === 0 ? 0 : common / (lengthOf(a) * lengthOf(b));
}

function lengthOf(bag: Bag): number {
  return Math.sqrt([...bag.values()].reduce((sum, weight) => sum + weight * weight, 0));
}
