import { expect, test } from 'vitest';
import type { TopicId } from '../../../src/core/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { clusterTopic } from '../../../src/workbench/judging/topic-clusters.ts';

/** A store of so many pages of one topic, which say one of two things. */
function storeOf(pages: number): Pick<Store, 'exportPages' | 'documents' | 'texts' | 'languages'> {
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
          return [n, { features: { terms } }];
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
