import { describe, expect, test } from 'vitest';
import { LEAST_FINDS, LEAST_PAGES, recallEstimate } from '../../src/learn/index.ts';

const figures = { pages: 1000, finds: 100, lateRate: 0.05, sampled: 100, once: 20, twice: 20 };
const share = (changed: Partial<typeof figures>): number => recallEstimate({ ...figures, ...changed })?.share ?? NaN;

describe('the estimate of recall', () => {
  test('follows its formula', () => {
    // decay = ln 101/52, unseen = 20·19/42, recapture = ln 100.5/10.05
    const logit = -0.98 + 0.89 * Math.log(101 / 52) + 0.27 * Math.log(100.5 / (380 / 42 + 1));
    const { share: about, low, high } = recallEstimate(figures) ?? { share: 0, low: 0, high: 0 };
    expect(about).toBeCloseTo(1 / (1 + Math.exp(-logit)), 12);
    expect(low).toBeCloseTo(1 / (1 + Math.exp(1.78 - logit)), 12);
    expect(high).toBeCloseTo(1 / (1 + Math.exp(-1.78 - logit)), 12);
  });

  test('rises if the finds decline, and if few relevant pages are linked only once', () => {
    expect(share({ lateRate: 0 })).toBeGreaterThan(share({}));
    expect(share({ lateRate: 0.2 })).toBeLessThan(share({}));
    expect(share({ once: 2 })).toBeGreaterThan(share({}));
    expect(share({ once: 60 })).toBeLessThan(share({}));
  });

  test('is missing for too few pages or finds', () => {
    expect(recallEstimate({ ...figures, pages: LEAST_PAGES - 1 })).toBeUndefined();
    expect(recallEstimate({ ...figures, finds: LEAST_FINDS - 1 })).toBeUndefined();
  });
});
