import { expect, test } from 'vitest';
import { Tally } from '../../../src/engine/state/crawl-totals.ts';

test('counts the pages since the last relevant one, without budget slots that had no page', () => {
  const tally = new Tally();
  const pages = (...relevant: boolean[]): void => {
    for (const isRelevant of relevant) tally.page('harvesting', isRelevant);
  };
  pages(false, false);
  expect(tally.sinceRelevant).toBe(2);
  pages(true);
  expect(tally.sinceRelevant).toBe(0);
  pages(false, false);
  tally.unstored('harvesting');
  pages(false);
  expect([tally.sinceRelevant, tally.fetched]).toEqual([3, 7]);
});
