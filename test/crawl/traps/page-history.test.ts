import { expect, test } from 'vitest';
import { MetPages } from '../../../src/crawl/traps/page-history.ts';

test('stores URL and fingerprint of the last 20,000 pages, and of no others', () => {
  const met = new MetPages();
  const url = (page: number): string => `http://h${page % 7}.test/ü/${page}`;
  // Page numbers have gaps.
  for (let page = 0; page < 150_000; page += 3) met.add(page, url(page), [0xffffffff - page, page]);
  for (const page of [1, 0, 45_000, 89_997]) {
    expect(met.url(page)).toBeUndefined();
    expect(met.print(page)).toBeUndefined();
  }
  for (let page = 90_000; page < 150_000; page += 3) {
    expect(met.url(page)).toBe(url(page));
    expect(met.print(page)).toEqual([0xffffffff - page, page]);
  }
});
