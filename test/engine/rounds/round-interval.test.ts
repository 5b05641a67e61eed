import { describe, expect, it, test } from 'vitest';
import { lastRoundDue, pagesToNextRound, roundInterval } from '../../../src/engine/rounds/round-interval.ts';

/** Counts of pages at which a round is due. */
function rounds(pages: number, every: number): number[] {
  return Array.from({ length: pages }, (_, i) => i + 1).filter((n) => n % roundInterval(n, every) === 0);
}

describe('the interval between rounds', () => {
  it('is constant at first and then doubles with the crawl', () => {
    expect(rounds(2000, 100)).toEqual([100, 200, 300, 400, 600, 800, 1200, 1600]);
  });

  it('keeps the number of rounds of a long crawl small', () => {
    expect(rounds(100_000, 100)).toHaveLength(19);
  });

  it('works for every page', () => {
    expect(rounds(10, 1)).toEqual([1, 2, 3, 4, 6, 8]);
  });
});

describe('the pages to the next round', () => {
  it('end at a due round', () => {
    const due = rounds(5000, 100);
    for (const fetched of [1, 99, 100, 399, 400, 401, 1000, 1599, 1600, 1601, 3000])
      expect(fetched + pagesToNextRound(fetched, 100)).toBe(due.find((n) => n > fetched));
  });
});

test('the last due round is the last one before here', () => {
  const due = rounds(5000, 100);
  for (const fetched of [0, 1, 99, 100, 399, 400, 401, 1000, 1599, 1600, 1601, 3000])
    expect(lastRoundDue(fetched, 100)).toBe(due.findLast((n) => n <= fetched) ?? 0);
});
