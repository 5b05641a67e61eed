import { expect, test } from 'vitest';
import type { TermCounts, TopicId } from '../../../src/core/index.ts';
import { meaningFeatures } from '../../../src/engine/analysis/meaning.ts';
import type { Store } from '../../../src/store/index.ts';
import { clusterTopic } from '../../../src/workbench/judging/topic-clusters.ts';

/**
 * A store of so many pages of one topic, which say one of two things.
 * @param vectorOf the features of a page's vector
 */
function storeOf(
  pages: number,
  vectorOf: (sequence: number) => TermCounts | undefined = () => undefined,
): Pick<Store, 'exportPages' | 'documents' | 'texts' | 'languages'> {
  const store = {
    async *exportPages() {
      for (let sequence = 1; sequence <= pages; sequence++) {
        const url = `http://a.test/${sequence}`;
        yield { sequence, url, finalUrl: url, title: '', role: 'crawled', others: false };
      }
    },
    documents: async (sequences: readonly number[]) =>
      new Map(
        sequences.map((n) => {
          const terms = { features: n % 2 === 0 ? 'saddl\nwheel' : 'route\nferri', counts: Uint16Array.of(2, 1) };
          return [n, { features: { terms, meaning: vectorOf(n) } }];
        }),
      ),
    texts: async () => new Map(),
    languages: async () => [],
  };
  return store as unknown as Pick<Store, 'exportPages' | 'documents' | 'texts' | 'languages'>;
}

test('grouping many pages reports the pages read: those that form groups and those that join', async () => {
  const told: (readonly [number, number])[] = [];
  const onRead = (pages: number, of: number): void => {
    told.push([pages, of]);
  };
  const { pages, sampled } = await clusterTopic(storeOf(2_450), 'cycling' as TopicId, { clusters: 2, onRead });
  expect([pages, sampled]).toEqual([2_450, 2_000]);
  expect(told.map(([, of]) => of)).toEqual(told.map(() => 2_450));
  expect(told.map(([read]) => read)).toEqual([
    ...Array.from({ length: 10 }, (_, i) => 200 * (i + 1)),
    ...[2_200, 2_400, 2_450],
  ]);
});

test('grouping a sample only reads its pages alone, and estimates the size of each group', async () => {
  const store = storeOf(10_000);
  let read = 0;
  const documents: Store['documents'] = (sequences) => {
    read += sequences.length;
    return store.documents(sequences);
  };
  const found = await clusterTopic({ ...store, documents }, 'cycling' as TopicId, { clusters: 2, sampleOnly: true });
  expect([read, found.pages, found.sampled, found.unplaced]).toEqual([2_000, 10_000, 2_000, 0]);
  const sizes = found.clusters.map(({ pages }) => pages);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000);
  for (const size of sizes) expect(Math.abs(size - 5_000)).toBeLessThan(300);
});

/** Vectors divide the pages otherwise than words do. */
function vectorOf(sequence: number): TermCounts {
  return meaningFeatures(sequence % 4 < 2 ? [1, 0.1, 0, 0.5, 0.4] : [0, 0.2, -1, -0.4, -0.5]);
}

async function groupsOf(store: Parameters<typeof clusterTopic>[0]) {
  const { picture, clusters } = await clusterTopic(store, 'cycling' as TopicId, { clusters: 4 });
  const groups = Map.groupBy(picture, ({ cluster }) => cluster);
  const members = [...groups.values()].map((pages) => [...new Set(pages.map(({ sequence }) => sequence % 4))]);
  return { members: members.sort(), terms: new Set(clusters.flatMap(({ terms }) => terms)) };
}

test('pages with vectors are grouped by words and vectors, and groups are labelled by words', async () => {
  const { members, terms } = await groupsOf(storeOf(200, vectorOf));
  expect(members).toEqual([[0], [1], [2], [3]]);
  expect(terms).toEqual(new Set(['saddl', 'wheel', 'route', 'ferri']));
});

test('vectors do not count if more than a tenth of the pages have none', async () => {
  const few = (sequence: number) => (sequence <= 160 ? vectorOf(sequence) : undefined);
  expect((await groupsOf(storeOf(200, few))).members).toHaveLength(2);
});
