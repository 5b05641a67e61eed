import { describe, expect, test } from 'vitest';
import { Discernment } from '../../../src/engine/state/degenerate-model-check.ts';

/** Pages 1, 2, … of which the first are accepted. */
function judging(pages: number, accepted: number, limit = 300): Discernment<number> {
  const discernment = new Discernment<number>(limit, 100);
  for (let i = 1; i <= pages; i++) discernment.note(`page ${i}`, i, i <= accepted);
  return discernment;
}

describe('Discernment', () => {
  test('is missing if more than four fifths of ten or more pages are accepted', () => {
    expect(judging(9, 9).isLacking).toBe(false);
    expect(judging(10, 8).isLacking).toBe(false);
    expect(judging(10, 9).isLacking).toBe(true);
    expect(judging(20, 16).isLacking).toBe(false);
  });

  test('is rejecting if less than a twentieth of ten or more pages is accepted', () => {
    expect(judging(9, 0).isRejecting).toBe(false);
    expect(judging(10, 0).isRejecting).toBe(true);
    expect(judging(40, 1).isRejecting).toBe(true);
    expect(judging(40, 2).isRejecting).toBe(false);
  });

  test.each([
    [0, [10, 20, 40, 80]],
    [20, [30, 40, 80]],
    [320, [330]],
  ])(
    'asks for a round when a model is lacking after %i pages, and whenever the crawl has doubled, until every crawl has rounds',
    (from, rounds) => {
      const discernment = judging(from, 0);
      discernment.renew();
      const due: number[] = [];
      for (let i = from + 1; i <= 1000; i++) {
        discernment.note(`page ${i}`, i, i <= from + 10);
        if (discernment.isRoundDue) due.push(i);
      }
      expect(due).toEqual(rounds);
    },
  );

  test('needs no stand-ins while models separate pages', () => {
    const discernment = judging(100, 5);
    expect(discernment.isRoundDue).toBe(false);
    expect(discernment.candidates()).toEqual([]);
  });

  test('checks each model separately, and keeps the fetched pages', () => {
    const discernment = judging(20, 20);
    discernment.renew();
    expect(discernment.isLacking).toBe(false);
    expect(discernment.candidates()).toHaveLength(20);
    for (let i = 0; i < 10; i++) discernment.note(`more ${i}`, i, false);
    expect(discernment.isLacking).toBe(false);
  });

  test('does not count pages of the seeds’ sites while learning is confined to them', () => {
    const discernment = new Discernment<number>(300, 100);
    discernment.confine(true);
    for (let i = 1; i <= 50; i++) discernment.note(`page ${i}`, i, true);
    expect([discernment.isLacking, discernment.isRoundDue]).toEqual([false, false]);
    expect(discernment.candidates()).toEqual([]);
    discernment.confine(false);
    expect(discernment.isLacking).toBe(false);
    for (let i = 51; i <= 60; i++) discernment.note(`page ${i}`, i, true);
    expect([discernment.isLacking, discernment.isRoundDue]).toEqual([true, true]);
    expect(discernment.candidates()).toHaveLength(60);
  });

  test('selects stand-ins from an even sample of all pages, once they are needed', () => {
    expect(judging(9, 9).candidates()).toEqual([]);
    expect(
      judging(10, 10)
        .candidates()
        .toSorted((a, b) => a - b),
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const some = judging(2000, 2000, 100).candidates();
    expect(some).toHaveLength(100);
    expect(some.filter((page) => page > 1000).length).toBeGreaterThan(30);
    expect(some.filter((page) => page <= 1000).length).toBeGreaterThan(30);
  });
});
