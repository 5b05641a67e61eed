import { expect, test } from 'vitest';
import { type TopicId, topicTree } from '../../../src/core/index.ts';
import type { SearchHit, SearchQuery, Store } from '../../../src/store/index.ts';
import { readSearch, searchContext, searchPages } from '../../../src/workbench/search/local-search.ts';

/** A store in which rejected pages match best, and fill every answer that may have them. */
function crowdedStore() {
  const hit = (sequence: number, others: boolean): SearchHit =>
    ({ sequence, others, bm25: others ? 2 : 1, relevance: 0, contentHash: '', simhash: [0, 0], tokens: 0 }) as never;
  const asked: SearchQuery[] = [];
  const store = {
    languages: async () => ['en'],
    texts: async () => new Map(),
    snippetLimits: async () => new Map(),
    fields: async () => new Map(),
    search: async (query: SearchQuery) => {
      asked.push(query);
      const isAccepted = query.topics?.length === 1;
      const hits = isAccepted ? [hit(9, false)] : Array.from({ length: 5 }, (_, i) => hit(i, true));
      return { hits, matches: 50, unchecked: 0, ended: 0 };
    },
  };
  return { store: store as unknown as Store, asked };
}

const tree = topicTree([{ name: 'cycling' }] as never, []);

async function answer(options: Parameters<typeof readSearch>[1]) {
  const { store, asked } = crowdedStore();
  const context = await searchContext(store, 'wheel', { tree, limit: 2 });
  const { results } = await searchPages(store, readSearch('wheel', options, context));
  return { shown: results.map(({ sequence }) => sequence), searches: asked.length };
}

test('accepted pages come first, though rejected ones fill the candidates', async () => {
  expect([...tree.nodes.keys()]).toContain('cycling' as TopicId);
  expect(await answer({})).toEqual({ shown: [9, 0], searches: 2 });
});

test('a search for rejected pages does not look for accepted ones', async () => {
  expect(await answer({ rejected: true })).toEqual({ shown: [0, 1], searches: 1 });
});
