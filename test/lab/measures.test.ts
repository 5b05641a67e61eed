import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  averagePrecision,
  bootstrapMean,
  classifierQuality,
  foundCurve,
  harvestRateAt,
  mean,
  recallArea,
  recallAt,
  shareOnTopic,
} from '../../src/lab/index.ts';

describe('recall over fetches', () => {
  const found = foundCurve([true, false, true, false]);

  test('the area is the mean recall after each fetch of the budget', () => {
    // After 1, 2, 3, 4 fetches: 1/4, 1/4, 2/4, 2/4.
    expect(recallArea(found, 4, 4)).toBeCloseTo(6 / 16);
  });

  test('a crawl that ends early keeps its recall to the end of the budget', () => {
    expect(recallArea(found, 4, 8)).toBeCloseTo((6 + 4 * 2) / 32);
    expect(recallAt(found, 4, 8, 100)).toBe(0.5);
  });

  test('a budget far greater than the web takes no extra time', () => {
    expect(recallArea(found, 4, 2 ** 52)).toBeCloseTo(0.5);
  });

  test('finding everything at once has the area 1 − (R − 1) / 2B', () => {
    const best = foundCurve(Array.from({ length: 100 }, (_, i) => i < 10));

    expect(recallArea(best, 10, 100)).toBeCloseTo(1 - 9 / 200);
  });

  test('recall and harvest rate are read at shares of the budget', () => {
    const hits = foundCurve(Array.from({ length: 20 }, (_, i) => i % 2 === 0));

    expect([10, 25, 50, 100].map((p) => recallAt(hits, 10, 20, p))).toEqual([0.1, 0.3, 0.5, 1]);
    expect([10, 25, 50, 100].map((p) => harvestRateAt(hits, 20, p))).toEqual([0.5, 0.6, 0.5, 0.5]);
  });

  test('the harvest rate of a crawl that ended early is over the pages it fetched', () => {
    expect(harvestRateAt(found, 100, 100)).toBe(0.5);
  });

  test('without relevant pages all measures are unknown', () => {
    expect([recallArea(found, 0, 4), recallAt(found, 0, 4, 50)]).toEqual([Number.NaN, Number.NaN]);
  });

  test('fetching a relevant page one step earlier makes the area larger', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 30 }),
        fc.array(fc.boolean(), { maxLength: 30 }),
        (before, after) => {
          const later = [...before, false, true, ...after];
          const earlier = [...before, true, false, ...after];
          const area = (hits: boolean[]): number => recallArea(foundCurve(hits), 70, hits.length);
          expect(area(earlier)).toBeGreaterThan(area(later));
        },
      ),
    );
  });
});

describe('the classifier', () => {
  const pages = [
    { truth: ['a'], verdict: 'a', score: 0.9 },
    { truth: ['a'], verdict: 'b', score: 0.7 },
    { truth: [], verdict: 'a', score: 0.8 },
    { truth: ['b'], verdict: null, score: 0.1 },
    { truth: [], verdict: null, score: 0 },
  ];

  test('precision is over accepted pages, recall over relevant ones; a wrong topic is an error', () => {
    expect(classifierQuality(pages)).toMatchObject({ precision: 1 / 3, recall: 1 / 3, f1: 1 / 3 });
  });

  test('average precision counts a page on any topic as relevant', () => {
    // Relevant at ranks 1, 3, 4.
    expect(classifierQuality(pages).averagePrecision).toBeCloseTo((1 + 2 / 3 + 3 / 4) / 3);
  });

  test('if nothing is accepted, precision is unknown and F1 is 0', () => {
    const none = classifierQuality([{ truth: ['a'], verdict: null, score: 0 }]);

    expect([none.precision, none.recall, none.f1]).toEqual([Number.NaN, 0, 0]);
  });

  test('equal scores have the precision of their group, in any order', () => {
    const tied = [true, false, false, true].map((relevant) => [0.5, relevant] as const);

    expect(averagePrecision(tied)).toBe(0.5);
    expect(averagePrecision(tied.toReversed())).toBe(0.5);
  });

  test('average precision is 1 exactly if all relevant pages are ranked first', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 20 }), (relevant, others) => {
        const ranking = Array.from({ length: relevant + others }, (_, i) => [-i, i < relevant] as const);
        expect(averagePrecision(ranking)).toBeCloseTo(1);
      }),
    );
  });
});

describe('archetypes and means', () => {
  test('unjudged archetypes are left out of the share on topic', () => {
    expect(shareOnTopic([true, undefined, false, true, true])).toBe(0.75);
    expect(shareOnTopic([undefined])).toBeNaN();
  });

  test('unknown values are left out of a mean', () => {
    expect(mean([1, Number.NaN, 3])).toBe(2);
    expect(mean([])).toBeNaN();
  });

  test('the bootstrap interval is reproducible, contains the mean, and is a point for equal values', () => {
    const values = [0.1, 0.5, 0.9, 0.4, 0.6];
    const interval = bootstrapMean(values, 7);

    expect(interval).toEqual(bootstrapMean(values, 7));
    expect(interval.mean).toBeCloseTo(0.5);
    expect([interval.low < 0.5, interval.high > 0.5, interval.count]).toEqual([true, true, 5]);
    expect(bootstrapMean([0.3, 0.3, 0.3])).toMatchObject({ low: expect.closeTo(0.3), high: expect.closeTo(0.3) });
  });

  test('the interval of many values is that of the normal distribution', () => {
    // 1,000 values, half 0 and half 1: standard error 0.5 / √1000.
    const { low, high } = bootstrapMean(Array.from({ length: 1000 }, (_, i) => i % 2));

    expect(low).toBeCloseTo(0.5 - (1.96 * 0.5) / Math.sqrt(1000), 2);
    expect(high).toBeCloseTo(0.5 + (1.96 * 0.5) / Math.sqrt(1000), 2);
  });
});
