import { describe, expect, it } from 'vitest';
import { type CanonicalUrl, DEFAULTS } from '../../../src/core/index.ts';
import { makeOrdering, type Ordering } from '../../../src/crawl/index.ts';
import { entry } from '../support/entries.ts';
import { changesOf, follow, page } from '../support/pages.ts';

const HUB = 'http://hub.test/';
const links = (host: string, n: number): string[] => Array.from({ length: n }, (_, i) => `http://${host}.test/${i}`);
const ALL_LINKS = ['a', 'b', 'y', 'z'].flatMap((host) => links(host, 100));
const make = (): Ordering => makeOrdering('hub-boosted', { seed: 1, tunnelDecay: DEFAULTS.crawl.tunnelDecay });

/** Fetches URLs whose pages have this confidence and no links; returns all changed priorities. */
function fetch(ordering: Ordering, urls: readonly string[], calibrated: number): Map<string, number> {
  const changes = new Map<string, number>();
  for (const url of urls) {
    ordering.gone(url as CanonicalUrl);
    ordering.judged(page(url, { scores: { calibrated }, entry: entry(url) }));
    for (const [changed, priority] of changesOf(ordering, ALL_LINKS)) changes.set(changed, priority);
  }
  return changes;
}

describe('hub-boosted', () => {
  it('starts with the confidence of the page, like confidence', () => {
    expect(follow(make(), page(HUB, { scores: { calibrated: 0.4 }, links: links('a', 2) }))).toEqual([0.4, 0.4]);
  });

  it('recognises a hub with little text by its links, and prefers it to better texts', () => {
    const ordering = make();
    const [list] = follow(ordering, page(HUB, { scores: { calibrated: 0.1 }, accepted: false, links: links('a', 20) }));
    const [prose] = follow(
      ordering,
      page('http://prose.test/', { scores: { calibrated: 0.6 }, links: links('b', 20) }),
    );
    expect(list).toBeLessThan(prose!);
    const changes = fetch(ordering, links('a', 8), 1);
    expect([...changes.keys()].every((url) => url.startsWith('http://a.test/'))).toBe(true);
    expect(changes.get('http://a.test/19')).toBeGreaterThan(prose!);
  });

  it('trusts a longer record more', () => {
    const ordering = make();
    follow(ordering, page(HUB, { scores: { calibrated: 0 }, links: links('a', 30) }));
    const after = [5, 10, 15].map((n) => fetch(ordering, links('a', n).slice(n - 5), 1).get('http://a.test/29')!);
    expect(after[0]).toBeLessThan(after[1]!);
    expect(after[1]).toBeLessThan(after[2]!);
    expect(after[2]).toBeLessThan(1);
  });

  it('recognises a hub at once if its links were fetched before it', () => {
    const ordering = make();
    fetch(ordering, links('a', 5), 1);
    const [known] = follow(
      ordering,
      page(HUB, { scores: { calibrated: 0 }, links: [...links('a', 5), 'http://new.test/'] }),
    ).slice(-1);
    expect(known).toBeGreaterThan(0.3);
  });

  it('rates a link by the best page that has it', () => {
    const ordering = make();
    const shared = 'http://shared.test/';
    const given = [0.2, 0.7, 0.5].map((calibrated, i) =>
      follow(ordering, page(`http://p${i}.test/`, { scores: { calibrated }, links: [shared] })),
    );
    expect(given).toEqual([[0.2], [0.7], [0.7]]);
  });

  it('raises links of the best hubs of a round slightly, until the next round', () => {
    const ordering = make();
    follow(ordering, page(HUB, { scores: { calibrated: 0.5 }, links: links('a', 2) }));
    ordering.hubsFound?.(new Set([HUB as CanonicalUrl]));
    expect(fetch(ordering, links('z', 5), 0).get('http://a.test/0')).toBeCloseTo(0.6, 12);
    ordering.hubsFound?.(new Set());
    expect(fetch(ordering, links('y', 5), 0).get('http://a.test/0')).toBeCloseTo(0.5, 12);
  });

  it('does not rate a page as a hub for one outlier', () => {
    const ordering = make();
    follow(ordering, page(HUB, { scores: { calibrated: 0 }, links: links('a', 5) }));
    const changes = fetch(ordering, ['http://a.test/0', ...links('z', 4)], 1000);
    expect(changes.get('http://a.test/4')).toBeLessThan(0.6);
  });
});
