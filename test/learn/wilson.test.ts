import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wilsonInterval } from '../../src/learn/index.ts';

describe('the confidence interval of a share', () => {
  it.each([
    // Newcombe 1998, table I, method 3.
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%i of %i', (hits, trials, low, high) => {
    const interval = wilsonInterval(hits, trials);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it('is wide for three of three, and the whole range for no trials', () => {
    expect(wilsonInterval(3, 3).low).toBeCloseTo(0.438, 3);
    expect(wilsonInterval(3, 3).high).toBe(1);
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });

  it('contains the share, stays in [0,1], and narrows with more trials', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.double({ min: 0, max: 1, noNaN: true }), (trials, part) => {
        const hits = Math.round(part * trials);
        const { low, high } = wilsonInterval(hits, trials);
        const more = wilsonInterval(hits * 4, trials * 4);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(hits / trials);
        expect(high).toBeGreaterThanOrEqual(hits / trials);
        expect(more.high - more.low).toBeLessThan(high - low);
      }),
    );
  });
});
