import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backlinks, type LinkGraph, pageRank, pageRankOf } from '../../src/graph/index.ts';

type Edge = readonly [number, number];

function graph(size: number, edges: readonly Edge[]): LinkGraph {
  return {
    size,
    sources: Int32Array.from(edges, ([from]) => from),
    targets: Int32Array.from(edges, ([, to]) => to),
  };
}

describe('pageRank', () => {
  it('solves the equations of the paper', () => {
    // 0 -> 1, 0 -> 2, 1 -> 2, 2 -> 0; d = 0.5: r0 = .5 + .5 r2, r1 = .5 + .25 r0, r2 = .5 + .25 r0 + .5 r1.
    const ranks = pageRank(
      graph(3, [
        [0, 1],
        [0, 2],
        [1, 2],
        [2, 0],
      ]),
      { damping: 0.5, tolerance: 1e-12 },
    );
    expect(ranks[0]).toBeCloseTo(14 / 13, 9);
    expect(ranks[1]).toBeCloseTo(10 / 13, 9);
    expect(ranks[2]).toBeCloseTo(15 / 13, 9);
  });

  it('treats a page without links as one that links to every page', () => {
    const links: readonly Edge[] = [
      [0, 1],
      [1, 0],
      [1, 2],
    ];
    const everywhere = [0, 1, 2].map((to): Edge => [2, to]);
    const explicit = pageRankOf(graph(3, [...links, ...everywhere]));
    const implicit = pageRank(graph(3, links));
    for (const v of [0, 1, 2]) expect(implicit[v]).toBeCloseTo(explicit[v]!, 5);
  });

  it('keeps a mean of 1, and does not depend on the start', () => {
    const edges = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 40 });
    fc.assert(
      fc.property(
        edges,
        fc.array(fc.double({ min: 0.1, max: 5, noNaN: true }), { minLength: 10, maxLength: 10 }),
        (links, from) => {
          const ranks = pageRank(graph(10, links), { tolerance: 1e-10, maxIterations: 500 });
          const sum = from.reduce((total, value) => total + value, 0);
          const start = Float64Array.from(from, (value) => (10 * value) / sum);
          const again = pageRank(graph(10, links), { tolerance: 1e-10, maxIterations: 500, start });
          expect(ranks.reduce((total, value) => total + value, 0)).toBeCloseTo(10, 6);
          for (let v = 0; v < 10; v++) expect(again[v]).toBeCloseTo(ranks[v]!, 6);
        },
      ),
    );
  });
});

describe('backlinks', () => {
  it('counts linking pages once each, without links of a page to itself', () => {
    expect([
      ...backlinks(
        graph(3, [
          [0, 1],
          [0, 1],
          [2, 1],
          [1, 1],
          [1, 0],
        ]),
      ),
    ]).toEqual([1, 2, 0]);
  });
});
