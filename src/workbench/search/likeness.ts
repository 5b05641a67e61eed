import { type TermCounts, UsageError } from '../../core/index.ts';
import { damp } from '../../learn/index.ts';
import { type Comparable, isAlike } from '../../postprocess/index.ts';
import type { SearchHit, Store } from '../../store/index.ts';
import { storedUnder } from '../workspace/typed-address.ts';

/** Terms of a page that are searched for. Our choice, as in other search engines. */
const MOST_TERMS = 25;
/** Terms of a page whose document frequencies are read: its most frequent ones. With more, rare words crowd out the subject. */
const MOST_COUNTED = 50;
/** Best pages by terms that are ranked by terms and vectors. Bounds time and memory. */
export const VECTOR_CANDIDATES = 200;

/** Reads what a page is compared by. */
export type LikenessStore = Pick<Store, 'pageOf' | 'words' | 'documents' | 'documentFrequencies'>;

/** What pages like a page are found by. */
export interface Likeness {
  readonly page: Comparable & { readonly sequence: number };
  /** Stems that distinguish the page from the other stored pages, most distinguishing first. */
  readonly terms: readonly string[];
  /** Its vector in the space `meaning`; absent if it was stored without one. */
  readonly vector?: ReadonlyMap<number, number>;
}

/**
 * Returns what pages like a stored page are found by: its terms of highest tf·idf, and its vector.
 * @throws UsageError if no page is stored under the URL, or the page has no terms
 */
export async function likenessOf(store: LikenessStore, url: string): Promise<Likeness> {
  const page = await storedUnder(store, url);
  if (page === undefined)
    throw new UsageError(`No page is stored under ${url}.`, `Look up the reason: bingo why DIR ${url}`);
  const { sequence } = page;
  const terms = await ownTerms(store, (await store.words([sequence])).get(sequence)?.terms);
  if (terms.length === 0)
    throw new UsageError(
      `${url} has no words in common with other stored pages.`,
      `Search for words instead: bingo search DIR WORDS`,
    );
  const { contentHash, simhash, tokens, features } = (await store.documents([sequence])).get(sequence)!;
  const likeness = { page: { sequence, contentHash, simhash, tokens }, terms };
  const vector = vectorIn(features.meaning);
  return vector === undefined ? likeness : { ...likeness, vector };
}

/** Returns the terms of highest tf·idf, best first. Terms of one page find no other. */
async function ownTerms(store: LikenessStore, counted: TermCounts | undefined): Promise<readonly string[]> {
  if (counted === undefined || counted.features === '') return [];
  const most = counted.features
    .split('\n')
    .map((stem, i) => ({ stem, count: counted.counts[i]! }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_COUNTED);
  const { pages, counts } = await store.documentFrequencies(most.map(({ stem }) => stem));
  return most
    .map(({ stem, count }, i) => ({ stem, weight: counts[i]! < 2 ? 0 : damp(count) * Math.log(pages / counts[i]!) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_TERMS)
    .map(({ stem }) => stem);
}

/**
 * Removes the page and its near duplicates from candidates. If it has a vector, the `cosine` of the others becomes that of
 * the vectors; 0 for a page without one.
 */
export async function likest(
  store: Pick<Store, 'documents'>,
  hits: readonly SearchHit[],
  { page, vector }: Likeness,
): Promise<{ readonly found: readonly SearchHit[]; readonly left: number }> {
  const found = hits.filter((hit) => hit.sequence !== page.sequence && !isAlike(hit, page));
  const left = hits.length - found.length;
  if (vector === undefined) return { found, left };
  const documents = await store.documents(found.map(({ sequence }) => sequence));
  const likeness = (sequence: number): number =>
    cosineOf(vector, vectorIn(documents.get(sequence)?.features.meaning) ?? new Map());
  return { found: found.map((hit) => ({ ...hit, cosine: likeness(hit.sequence) })), left };
}

/** Returns the vector that the features of the space `meaning` stand for: `+5` is a positive fifth component. */
function vectorIn(features: TermCounts | undefined): ReadonlyMap<number, number> | undefined {
  if (features === undefined || features.features === '') return undefined;
  const names = features.features.split('\n');
  return new Map(names.map((name, i) => [Number(name.slice(1)), Number(`${name[0]}1`) * damp(features.counts[i]!)]));
}

function cosineOf(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): number {
  let product = 0;
  for (const [at, value] of a) product += value * (b.get(at) ?? 0);
  const size = Math.hypot(...a.values()) * Math.hypot(...b.values());
  return size > 0 ? Math.max(0, product / size) : 0;
}
