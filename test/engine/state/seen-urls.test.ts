import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SeenUrls } from '../../../src/engine/state/seen-urls.ts';

test('agrees with a plain map for any sequence of marks', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.webUrl(), fc.nat(1000))), (marks) => {
      const seen = new SeenUrls();
      const truth = new Map<string, number>();
      for (const [url, page] of marks) {
        seen.add(url, page);
        truth.set(url, page);
      }
      expect(seen.size).toBe(truth.size);
      for (const [url, page] of truth) expect(seen.pageOf(url)).toBe(page);
      expect(seen.has('http://never.example/added')).toBe(truth.has('http://never.example/added'));
    }),
  );
});

test('keeps every URL while it grows', () => {
  const seen = new SeenUrls();
  for (let i = 1; i <= 50_000; i++) seen.add(`http://host${i % 97}.example/page/${i}`, i);
  expect(seen.size).toBe(50_000);
  for (let i = 1; i <= 50_000; i += 7) expect(seen.pageOf(`http://host${i % 97}.example/page/${i}`)).toBe(i);
  expect(seen.pageOf('http://host1.example/page/0')).toBeUndefined();
});

test('separates a URL without a page from an unknown URL', () => {
  const seen = new SeenUrls();
  seen.add('http://a.example/', 0);
  expect(seen.pageOf('http://a.example/')).toBe(0);
  expect(seen.pageOf('http://b.example/')).toBeUndefined();
});
