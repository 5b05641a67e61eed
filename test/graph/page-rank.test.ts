import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LinkGraph, pageRank } from '../../src/graph/index.ts';
import { matrix, solve } from './support/dense.ts';

const OPTIONS = { damping: 0.85, tolerance: 1e-12, maxIterations: 1000 };

function graph(size: number, edges: readonly (readonly [number, number])[]): LinkGraph {
  return {
    size,
    sources: Int32Array.from(edges, ([from]) => from),
    targets: Int32Array.from(edges, ([, to]) => to),
  };
}

describe('pageRank', () => {
  it('of nothing is nothing', () => {
    expect(pageRank(graph(0, []), OPTIONS)).toMatchObject({ ranks: new Float64Array(0), converged: true });
  });

  it('is even without links and in a ring', () => {
    const ring = [0, 1, 2, 3].map((i) => [i, (i + 1) % 4] as const);
    for (const edges of [[], ring])
      expect([...pageRank(graph(4, edges), OPTIONS).ranks]).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  it('of a page and its one target is known in closed form', () => {
    // The target has no links: r0 = (1 − d)/2 + d·r1/2 and r1 = r0 + d·r0.
    const { ranks } = pageRank(graph(2, [[0, 1]]), OPTIONS);
    expect(ranks[1]! / ranks[0]!).toBeCloseTo(1.85, 9);
    expect(ranks[0]! + ranks[1]!).toBeCloseTo(1, 12);
  });

  it('says when it ran out of iterations', () => {
    const result = pageRank(graph(3, [[0, 1]]), { ...OPTIONS, maxIterations: 1 });
    expect(result).toMatchObject({ converged: false, iterations: 1 });
  });

  it('solves the linear equations on small random graphs', () => {
    const node = fc.nat(7);
    fc.assert(
      fc.property(fc.array(fc.tuple(node, node), { maxLength: 25 }), (edges) => {
        const { ranks, converged } = pageRank(graph(8, edges), OPTIONS);
        expect(converged).toBe(true);
        for (const [i, rank] of denseRanks(edges).entries()) expect(ranks[i]).toBeCloseTo(rank, 9);
      }),
    );
  });
});

/** r = (1 − d)/n + d·M·r, where M moves from a page to its targets, and from one without any to all. */
function denseRanks(edges: readonly (readonly [number, number])[]): number[] {
  const n = 8;
  const targets = [...Array(n).keys()].map(
    (u) => new Set(edges.filter(([a, b]) => a === u && b !== u).map(([, b]) => b)),
  );
  const move = matrix(n, (to, from) => {
    const out = targets[from]!;
    if (out.size === 0) return 1 / n;
    return out.has(to) ? 1 / out.size : 0;
  });
  const a = matrix(n, (i, j) => (i === j ? 1 : 0) - 0.85 * move[i]![j]!);
  return solve(a, Array(n).fill(0.15 / n));
}
