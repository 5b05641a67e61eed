import { expect, test } from 'vitest';
import { DEFAULTS, ROOT, type TopicId, type TrainingEntry, topicTree } from '../../../src/core/index.ts';
import { KeptPages } from '../../../src/engine/state/kept-pages.ts';
import { page } from '../../contracts/store-records.ts';

const address = (n: number): string => `http://found.test/${n}`;

test('a rejected page that looks like the topic to a model without it is none of OTHERS any more', () => {
  const tree = topicTree(
    [{ name: 'rail', examples: [{ kind: 'url', url: 'http://found.test/' }] }],
    [{ kind: 'url', url: 'http://found.test/others' }],
  );
  const kept = new KeptPages(tree, DEFAULTS);
  for (const n of [1, 2, 3, 4])
    kept.note(page(n, address(n), { others: true, relevance: n === 4 ? 0.4 : 0.1 }), undefined);
  const names = (): string[] =>
    kept.rejected
      .values()
      .map(({ url }) => url)
      .toSorted();
  expect(names()).toEqual([1, 2, 3].map(address));

  const entry = (n: number, confidence: number, origin: TrainingEntry['origin'] = 'rejected'): TrainingEntry => {
    return { key: address(n), title: '', topic: ROOT as TopicId, origin, confidence };
  };
  kept.trained([entry(1, 0.29), entry(2, 0.31), entry(3, 2, 'others'), entry(9, 1)]);
  expect(names()).toEqual([1, 3].map(address));
  kept.trained([entry(1, Number.NaN)]);
  expect(names()).toEqual([1, 3].map(address));
});
