import { describe, expect, it } from 'vitest';
import type { CanonicalUrl } from '../../../src/core/index.ts';
import { makeOrdering, type Ordering } from '../../../src/crawl/index.ts';
import { entry } from '../support/entries.ts';
import { changesOf, follow, page } from '../support/pages.ts';

const make = (): Ordering => makeOrdering('pagerank', { seed: 1, tunnelDecay: 0.5 });
const at = (i: number): string => `http://p${i}.test/`;

/** Crawls pages 0, 1, 2, … with links by number; after each page, passes the changes to the frontier. */
function crawl(ordering: Ordering, links: readonly (readonly number[])[]): Map<string, number> {
  const waiting = new Map<string, number>();
  for (const [i, targets] of links.entries()) {
    const fetched = page(at(i), { entry: entry(at(i)), links: targets.map(at) });
    ordering.judged(fetched);
    const unseen = fetched.links.filter((link) => Number(/\d+/.exec(link.url)![0]) > i);
    for (const link of unseen)
      waiting.set(link.url, ordering.priorityOf({ ...offerOf(link.url), link, page: fetched }));
    for (const [url, priority] of changesOf(ordering, waiting.keys())) waiting.set(url, priority);
    ordering.gone(at(i) as CanonicalUrl);
    waiting.delete(at(i));
  }
  return waiting;
}

function offerOf(url: string): Omit<Parameters<Ordering['priorityOf']>[0], 'link' | 'page'> {
  return { url: url as CanonicalUrl, host: new URL(url).host, topic: '' as never, depth: 1, tunnelDepth: 0 };
}

/** Solves IR(P) = 0.1 + 0.9·(Σ IR(T)/c(T) + Σ of pages without links / N) by a thousand plain substitutions. */
function slowRanks(links: readonly (readonly number[])[], size: number): number[] {
  let ranks: number[] = Array(size).fill(1);
  for (let round = 0; round < 1000; round++) {
    const loose = links.reduce((sum, targets, i) => sum + (targets.length === 0 ? ranks[i]! : 0), 0);
    ranks = ranks.map((_, p) => {
      const shares = links.map((targets, t) => (targets.includes(p) ? ranks[t]! / targets.length : 0));
      return 0.1 + 0.9 * (shares.reduce((a, b) => a + b, 0) + loose / size);
    });
  }
  return ranks;
}

describe('pagerank', () => {
  it('gives every new link the lowest rank until the next computation', () => {
    const ordering = make();
    expect(follow(ordering, page(at(0), { links: [at(1), at(2)] }))).toEqual([1 - 0.9, 1 - 0.9]);
    expect(follow(ordering, page(at(3), { links: [at(1)] }))).toEqual([1 - 0.9]);
  });

  it('gives waiting links the ranks that solve the equations, at each computation', () => {
    // A hundred pages, every seventh without links; doubled links count once; 100 to 105 wait.
    const links = Array.from({ length: 100 }, (_, i) =>
      i % 7 === 3
        ? []
        : [...new Set([i + 1, (i * 31) % 100, 100 + (i % 6), 100 + ((i * i) % 4)])].filter((t) => t !== i),
    );
    const waiting = crawl(make(), links);
    const truth = slowRanks(links, 106);
    const expected = new Map([100, 101, 102, 103, 104, 105].map((i) => [at(i), truth[i]!]));
    expect([...waiting.keys()].sort()).toEqual([...expected.keys()]);
    for (const [url, rank] of expected) expect(waiting.get(url)).toBeCloseTo(rank, 4);
  });

  it('reports no change before that', () => {
    const ordering = make();
    follow(ordering, page(at(0), { links: [at(1), at(2)] }));
    expect([...ordering.changes()]).toEqual([]);
  });

  it('computes after as many pages as the interval says', () => {
    const computedAt = (rankInterval: number): readonly number[] => {
      const ordering = makeOrdering('pagerank', { seed: 1, tunnelDecay: 0.5, rankInterval });
      return Array.from({ length: 12 }, (_, i) => i).filter((i) => {
        follow(ordering, page(at(i), { entry: entry(at(i)), links: [at(i + 1), at(i + 100)] }));
        return [...ordering.changes()].length > 0;
      });
    };
    expect(computedAt(5)).toEqual([4, 9]);
    expect(computedAt(1)).toHaveLength(12);
    expect(computedAt(0)).toEqual([]);
  });

  it('computes less often as the crawl grows', () => {
    const ordering = make();
    let computed = 0;
    for (let i = 0; i < 3000; i++) {
      const links = [at(i + 1), at(i + 10_000), at((i * 7) % (i + 1))];
      const fetched = page(at(i), { entry: entry(at(i)), links });
      ordering.judged(fetched);
      for (const link of fetched.links.slice(0, 2)) ordering.priorityOf({ ...offerOf(link.url), link, page: fetched });
      if ([...ordering.changes()].length > 0) computed++;
      ordering.gone(at(i) as CanonicalUrl);
    }
    expect(computed).toBeGreaterThan(18);
    expect(computed).toBeLessThan(35);
  });
});
