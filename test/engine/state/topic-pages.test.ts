import { expect, test } from 'vitest';
import { canonicalize } from '../../../src/core/index.ts';
import { type TopicPage, TopicPages } from '../../../src/engine/state/topic-pages.ts';

function page(sequence: number, calibrated: number): TopicPage {
  const url = canonicalize(`http://example.org/${sequence}`)!;
  return { sequence, url, title: '', host: 'example.org', relevance: 1, calibrated, links: '' };
}

test('gives the most confident pages first, the earlier of equals first', () => {
  const pages = new TopicPages(10);
  for (const [sequence, calibrated] of [
    [1, 0.2],
    [2, 0.9],
    [3, 0.2],
    [4, 0.5],
  ] as const)
    pages.add(page(sequence, calibrated));
  expect(pages.best().map((p) => p.sequence)).toEqual([2, 4, 1, 3]);
  expect(pages.best(2).map((p) => p.sequence)).toEqual([2, 4]);
});

test('forgets the weakest beyond its limit but counts all', () => {
  const pages = new TopicPages(5);
  for (let i = 1; i <= 1000; i++) pages.add(page(i, (i * 37) % 1000));
  expect(pages.accepted).toBe(1000);
  expect(pages.best().map((p) => p.calibrated)).toEqual([999, 998, 997, 996, 995]);
  expect(pages.meanConfidence).toBeCloseTo(499.5, 6);
});
