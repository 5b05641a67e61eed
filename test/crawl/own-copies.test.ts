import { expect, it } from 'vitest';
import { DEFAULTS, type Link, ORDERINGS, packLinks, unpackLinks } from '../../src/core/index.ts';
import { makeOrdering } from '../../src/crawl/index.ts';
import { siteOf } from '../../src/crawl/traps/site-of.ts';
import { heldBytes } from './support/held-bytes.ts';
import { offer, page } from './support/pages.ts';

const PAGES = 200;
const MOST_BYTES = 3 * 1024 * 1024;

/** Links of a page, 50 KB in total, as analysis returns them: their URLs are slices of one text. */
function linksOf(page: number): readonly Link[] {
  const urls = Array.from({ length: 1000 }, (_, i) => `http://www.a-host-of-page-${page}.test/folder/link-${i}.html`);
  const table = packLinks(urls.map((url) => ({ url, anchor: '', context: '', flags: 0, position: 0 })));
  return unpackLinks({ ...table, urls: Buffer.from(table.urls).toString() });
}

it.each(ORDERINGS)('the ordering %s keeps only the waiting links of a page, not all its links', (name) => {
  const ordering = makeOrdering(name, { seed: 1, tunnelDecay: DEFAULTS.crawl.tunnelDecay });
  const before = heldBytes();
  for (let i = 0; i < PAGES; i++) {
    const judged = page(`http://a.test/${i}`, { links: linksOf(i) });
    ordering.judged(judged);
    ordering.priorityOf(offer(judged, judged.links[0]!.url));
  }
  expect(heldBytes() - before).toBeLessThan(MOST_BYTES);
  expect(ordering.name).toBe(name);
});

it('remembers a host with its site, and without the page that names it', () => {
  const before = heldBytes();
  for (let i = 0; i < PAGES; i++) {
    const [{ url } = { url: '' }] = linksOf(i);
    expect(siteOf(url.slice(7, url.indexOf('/', 7)))).toBe(`a-host-of-page-${i}.test`);
  }
  expect(heldBytes() - before).toBeLessThan(MOST_BYTES);
});
