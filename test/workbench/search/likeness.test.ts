import { expect, test } from 'vitest';
import { type TermCounts, topicTree } from '../../../src/core/index.ts';
import { meaningFeatures } from '../../../src/engine/analysis/meaning.ts';
import type { SearchHit, SearchQuery, Store } from '../../../src/store/index.ts';
import { readSearch, searchContext, searchPages } from '../../../src/workbench/search/local-search.ts';

const ADDRESS = 'https://a.example/';
const tree = topicTree([{ name: 'cycling' }] as never, []);

function counted(counts: Readonly<Record<string, number>>): TermCounts {
  return { features: Object.keys(counts).join('\n'), counts: Uint16Array.from(Object.values(counts)) };
}

/**
 * A store of five pages; page 1 is stored under ADDRESS, page 2 repeats it, and page 4 is rejected. By terms the others
 * are ordered 3, 4, 5.
 * @param vectors by page
 */
function storeOf(vectors: Readonly<Record<number, readonly number[]>> = {}) {
  const asked: SearchQuery[] = [];
  const facts = (sequence: number) => ({
    contentHash: sequence < 3 ? 'same' : String(sequence),
    simhash: [0, 0],
    tokens: 0,
  });
  const hit = (sequence: number): SearchHit =>
    ({ ...facts(sequence), sequence, others: sequence === 4, bm25: 9 - sequence, cosine: 0, relevance: 0 }) as never;
  const documentOf = (sequence: number) => {
    const vector = vectors[sequence];
    return { ...facts(sequence), features: vector === undefined ? {} : { meaning: meaningFeatures(vector) } };
  };
  const frequencies: Readonly<Record<string, number>> = { the: 5, wheel: 3, hub: 2, typo: 1 };
  const store = {
    languages: async () => ['en'],
    pageOf: async (url: string) => (url === ADDRESS ? { sequence: 1 } : undefined),
    words: async () => new Map([[1, { text: '', terms: counted({ the: 9, wheel: 1, hub: 2, typo: 1 }) }]]),
    documents: async (sequences: readonly number[]) => new Map(sequences.map((one) => [one, documentOf(one)])),
    documentFrequencies: async (stems: readonly string[]) => ({ pages: 5, counts: stems.map((s) => frequencies[s]) }),
    texts: async () => new Map(),
    snippetLimits: async () => new Map(),
    fields: async () => new Map(),
    search: async (query: SearchQuery) => {
      asked.push(query);
      return { hits: [1, 2, 3, 4, 5].map(hit), matches: 5, unchecked: 0, ended: 0 };
    },
  };
  return { store: store as unknown as Store, asked };
}

async function pagesLike(store: Store, options: Parameters<typeof readSearch>[1] = {}, words = '') {
  const context = await searchContext(store, words, { tree, limit: 10, like: ADDRESS });
  const { results, matches } = await searchPages(store, readSearch(words, options, context));
  return { found: results.map(({ sequence }) => sequence), matches };
}

test('searches for the terms that distinguish a page, and leaves out the page and its copies', async () => {
  const { store, asked } = storeOf();
  expect(await pagesLike(store)).toEqual({ found: [3, 4, 5], matches: 3 });
  // `the` is on every page, `typo` on no other.
  expect(asked.map(({ any, all }) => ({ any, all }))).toEqual([{ any: [['hub'], ['wheel']], all: [] }]);
});

test('requires the words of a query, if there are any', async () => {
  const { store, asked } = storeOf();
  await pagesLike(store, {}, 'brake');
  expect(asked[0]).toMatchObject({ any: [['hub'], ['wheel']], all: [expect.arrayContaining(['brake'])] });
});

test('ranks candidates by their vectors, unless another ranking is named', async () => {
  const vectors = { 1: [1, 0, 0.5], 3: [-1, 0, -0.5], 5: [1, 0.4, 0.5] };
  expect((await pagesLike(storeOf(vectors).store)).found).toEqual([5, 3, 4]);
  expect((await pagesLike(storeOf(vectors).store, { rank: 'bm25' })).found).toEqual([3, 4, 5]);
});

test('names an address under which no page is stored', async () => {
  const { store } = storeOf();
  await expect(searchContext(store, '', { tree, limit: 1, like: 'https://b.example/' })).rejects.toThrow(
    'No page is stored under https://b.example/.',
  );
});
