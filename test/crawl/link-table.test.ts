import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CanonicalUrl } from '../../src/core/index.ts';
import type { FrontierEntry } from '../../src/crawl/index.ts';
import { LinkTable } from '../../src/crawl/link-table.ts';
import { entry } from './support/entries.ts';
import { heldBytes } from './support/held-bytes.ts';

const urlOf = (n: number): CanonicalUrl => `http://h${n % 7}.test/${n}` as CanonicalUrl;

describe('LinkTable', () => {
  it('restores every field of an entry', () => {
    const table = new LinkTable();
    const full: FrontierEntry = entry('http://a.test/x?y=1', {
      priority: -0.25,
      depth: 70_000,
      tunnelDepth: 3,
      via: 'redirect',
      from: 'http://b.test/',
      tries: 2,
      redirects: ['http://c.test/1' as CanonicalUrl, 'http://c.test/2' as CanonicalUrl],
    });
    expect(table.entryOf(table.add(full, 1))).toEqual(full);
  });

  it('restores every field of many entries, however it grew', () => {
    const table = new LinkTable();
    const entries = Array.from({ length: 3000 }, (_, n) =>
      entry(urlOf(n), {
        ...{ priority: n / 8, depth: n, tunnelDepth: n % 3, via: n % 2 === 0 ? 'link' : 'hub' },
        ...{ from: `http://from${n % 11}.test/${n % 13}`, tries: n % 4 },
      }),
    );
    const links = entries.map((one, order) => table.add(one, order));
    expect(links.map((link) => table.entryOf(link))).toEqual(entries);
    expect(links.map((link) => table.orderOf(link))).toEqual([...entries.keys()]);
  });

  it('finds the same entries as a plain map after any changes', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 60 })), { maxLength: 600 });
    fc.assert(
      fc.property(steps, (all) => {
        const table = new LinkTable();
        const model = new Map<string, number>();
        all.forEach(([adds, n], order) => {
          const before = table.find(urlOf(n));
          expect(before !== undefined).toBe(model.has(urlOf(n)));
          if (adds) {
            table.add(entry(urlOf(n), { priority: order }), order);
            model.set(urlOf(n), order);
          } else model.delete(urlOf(n));
          if (before !== undefined) table.free(before);
        });
        expect(table.size).toBe(model.size);
        const links = [...table.links()].map((link) => [table.urlOf(link), table.priorityOf(link)] as const);
        expect(new Map(links)).toEqual(model);
      }),
      { numRuns: 100 },
    );
  });

  it('stores 30,000 links in 12 MB, however long their source pages were', () => {
    const table = new LinkTable();
    const before = heldBytes();
    for (let page = 0; page < 30_000; page++) {
      const links = Array.from({ length: 30 }, (_, i) => `http://host${i}.test/some/path/of/page/${page}/link/${i}`);
      const [url] = links.join('\n').split('\n');
      table.add(entry(url!, { from: `http://from.test/page/${page}` }), page);
    }
    expect((heldBytes() - before) / 2 ** 20).toBeLessThan(12);
    expect(table.size).toBe(30_000);
  });
});
