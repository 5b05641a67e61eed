import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KnownPages } from '../../../src/crawl/learned/known-pages.ts';

test('recognises nearly all pages of a crawl of thousands', () => {
  const known = new KnownPages();
  for (let i = 0; i < 5000; i++) known.set(`http://a.test/${i}`, i / 5000);
  let right = 0;
  for (let i = 0; i < 5000; i++) {
    const relevance = known.get(`http://a.test/${i}`);
    if (relevance === undefined) continue;
    expect(relevance).toBeCloseTo(i / 5000, 5);
    right++;
  }
  expect(right).toBeGreaterThan(4900);
});

test('does not confuse two pages', () => {
  fc.assert(
    fc.property(fc.webUrl(), fc.webUrl(), (a, b) => {
      fc.pre(a !== b);
      const known = new KnownPages();
      known.set(a, 0.5);
      expect(known.get(b)).toBeUndefined();
      expect(known.get(a)).toBe(0.5);
    }),
    { numRuns: 20 },
  );
});
