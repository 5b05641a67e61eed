import { expect, test } from 'vitest';
import { PagePacker } from '../../../src/engine/state/packed-page.ts';
import { StartPages } from '../../../src/engine/state/start-pages.ts';
import { page } from '../../crawl/support/pages.ts';

const at = (i: number): string => `http://a.test/${i}`;
const judged = (i: number) =>
  page(at(i), {
    title: `Page ${i}`,
    scores: { calibrated: Number.NaN },
    links: [{ url: at(-i), anchor: `"ünd\u2028" \ud800`, context: '… x', flags: i % 4, position: i / 65535 }],
  });

test('returns the last 200 to 400 pages in order', () => {
  const starts = new StartPages(new PagePacker());
  const pages = Array.from({ length: 700 }, (_, i) => judged(i));
  pages.forEach((one, i) => {
    starts.add(one);
    const from = i < 399 ? 0 : 200 * Math.floor((i + 1) / 200 - 1);
    if (i % 37 === 0 || i === 399) expect([...starts]).toEqual(pages.slice(from, i + 1));
  });
});

test('frees the memory of a removed page at once', () => {
  const starts = new StartPages(new PagePacker());
  const links = [{ url: at(1), anchor: 'x'.repeat(3_000), context: '', flags: 0, position: 0 }];
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 3_000; i++) starts.add(page(at(i), { title: '', scores: { calibrated: Number.NaN }, links }));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(400 * 6_000);
});
