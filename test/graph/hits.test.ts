import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/core/index.ts';
import { type Distillation, type DistillationGraph, distill, distilling } from '../../src/graph/index.ts';
import { apply, limit, matrix, multiply, toSumOne } from './support/dense.ts';

type Edge = readonly [number, number];

/** A graph whose pages are fully relevant and each on its own host, unless `fields` says otherwise. */
function graph(size: number, edges: readonly Edge[], fields: Partial<DistillationGraph> = {}): DistillationGraph {
  return {
    size,
    sources: Int32Array.from(edges, ([from]) => from),
    targets: Int32Array.from(edges, ([, to]) => to),
    hosts: Int32Array.from({ length: size }, (_, i) => i),
    relevance: new Float64Array(size).fill(1),
    ...fields,
  };
}

function scoresOf(g: DistillationGraph): Distillation {
  return distill(g, DEFAULTS.distill);
}

function expectClose(actual: Float64Array, expected: readonly number[], digits = 6): void {
  expect(actual).toHaveLength(expected.length);
  for (const [i, value] of expected.entries()) expect(actual[i]).toBeCloseTo(value, digits);
}

describe('distill', () => {
  it('returns nothing for an empty graph', () => {
    expect(scoresOf(graph(0, []))).toMatchObject({ converged: true, hubs: new Float64Array(0) });
  });

  it('gives 0 to all pages of a set without links', () => {
    const { hubs, authorities, converged } = scoresOf(graph(3, []));
    expect([...hubs, ...authorities, converged]).toEqual([0, 0, 0, 0, 0, 0, true]);
  });

  it('finds the hubs and authorities of a bipartite graph', () => {
    // Hubs 0 and 1 both recommend 2 and 3; hub 4 recommends only 3. By hand: authorities 1 : φ', with φ' = (1 + √17)
    // / 4.
    const { hubs, authorities, converged } = scoresOf(
      graph(5, [
        [0, 2],
        [0, 3],
        [1, 2],
        [1, 3],
        [4, 3],
      ]),
    );
    const ratio = (1 + Math.sqrt(17)) / 4;
    expect(converged).toBe(true);
    expectClose(authorities, toSumOne([0, 0, 1, ratio, 0]));
    expectClose(hubs, toSumOne([1 + ratio, 1 + ratio, 0, 0, ratio]));
  });

  it('lets the stronger of two communities win', () => {
    const strong: Edge[] = [0, 1, 2].flatMap((hub) => [3, 4].map((to): Edge => [hub, to]));
    const weak: Edge[] = [5, 6].flatMap((hub) => [7, 8].map((to): Edge => [hub, to]));
    const { authorities } = scoresOf(graph(9, [...strong, ...weak]));
    expectClose(authorities, [0, 0, 0, 0.5, 0.5, 0, 0, 0, 0]);
  });

  it('gives two communities of equal strength equal shares', () => {
    const edges = [0, 4].flatMap((base): Edge[] => [
      [base, base + 2],
      [base, base + 3],
      [base + 1, base + 2],
      [base + 1, base + 3],
    ]);
    const { hubs, authorities } = scoresOf(graph(8, edges));
    expectClose(authorities, [0, 0, 0.25, 0.25, 0, 0, 0.25, 0.25]);
    expectClose(hubs, [0.25, 0.25, 0, 0, 0.25, 0.25, 0, 0]);
  });

  it('ignores links within a host', () => {
    const edges: Edge[] = [
      [0, 1],
      [1, 0],
      [2, 3],
    ];
    const { authorities } = scoresOf(graph(4, edges, { hosts: Int32Array.of(7, 7, 8, 9) }));
    expectClose(authorities, [0, 0, 0, 1]);
  });

  it('counts many linking pages on one host as a single vote', () => {
    // Ten pages of host 1 recommend page 0; pages 12 and 13, each on its own host, recommend page 11.
    const farm = Array.from({ length: 10 }, (_, i): Edge => [i + 1, 0]);
    const honest: Edge[] = [
      [12, 11],
      [13, 11],
    ];
    const hosts = Int32Array.from({ length: 14 }, (_, i) => (i >= 1 && i <= 10 ? 1 : i + 10));
    const g = graph(14, [...farm, ...honest], { hosts });
    expectClose(scoresOf(g).authorities, toSumOne([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]));
    const unweighted = { ...g, hosts: Int32Array.from({ length: 14 }, (_, i) => i) };
    expectClose(scoresOf(unweighted).authorities, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('splits the vote of a hub among the pages of one host that it links to', () => {
    // Hub 0 links to 2 and 3 on one host, hub 1 to 4 and 5 on two hosts.
    const edges: Edge[] = [
      [0, 2],
      [0, 3],
      [1, 4],
      [1, 5],
    ];
    const { hubs } = scoresOf(graph(6, edges, { hosts: Int32Array.of(0, 1, 2, 2, 4, 5) }));
    expectClose(hubs, [0, 1, 0, 0, 0, 0]);
  });

  it('counts a repeated link of a page once', () => {
    const edges: Edge[] = [
      [0, 2],
      [0, 2],
      [1, 2],
      [1, 3],
    ];
    const once = scoresOf(graph(4, edges.slice(1)));
    expect(scoresOf(graph(4, edges))).toEqual(once);
  });

  it('gives no score to an irrelevant page that everyone links to', () => {
    const relevance = Float64Array.of(0.9, 0.9, 0.9, 0.8, 0.7, 0.05);
    const fans = [0, 1, 2, 3, 4].map((from): Edge => [from, 5]);
    const edges: Edge[] = [...fans, [0, 3], [1, 3], [2, 3], [2, 4]];
    const { authorities } = scoresOf(graph(6, edges, { relevance }));
    expect(authorities[5]).toBe(0);
    expect(authorities[3]).toBeGreaterThan(authorities[4]!);
  });

  it('does not make a hub of an irrelevant page that links to all authorities', () => {
    const relevance = Float64Array.of(0, 0.9, 0.9, 0.9);
    const edges: Edge[] = [
      [0, 2],
      [0, 3],
      [1, 2],
    ];
    const { hubs, authorities } = scoresOf(graph(4, edges, { relevance }));
    expectClose(hubs, [0, 1, 0, 0]);
    expectClose(authorities, [0, 0, 1, 0]);
  });

  it('makes only pages of the topic authorities, if the caller names them', () => {
    const edges: Edge[] = [
      [0, 1],
      [0, 2],
    ];
    const { authorities } = scoresOf(graph(3, edges, { positive: Uint8Array.of(1, 0, 1) }));
    expectClose(authorities, [0, 0, 1]);
  });

  it('reports that it ran out of iterations', () => {
    const edges: Edge[] = [
      [0, 2],
      [0, 3],
      [1, 3],
    ];
    const options = { ...DEFAULTS.distill, maxIterations: 2 };
    expect(distill(graph(4, edges), options)).toMatchObject({ converged: false, iterations: 2 });
  });

  it('yields to other work between iterations', () => {
    const edges: Edge[] = [
      [0, 2],
      [0, 3],
      [1, 3],
    ];
    const { iterations } = scoresOf(graph(4, edges));
    expect(iterations).toBeGreaterThan(2);
    expect([...distilling(graph(4, edges), DEFAULTS.distill)].length).toBeGreaterThan(iterations);
  });

  it('rejects links to unknown pages', () => {
    expect(() => scoresOf(graph(2, [[0, 2]]))).toThrow(/Expected edges among nodes 0 to 1, got 0 -> 2/);
  });

  it('equals the dense eigenvectors on small random graphs', () => {
    const node = fc.nat(7);
    const random = fc.record({
      edges: fc.array(fc.tuple(node, node), { maxLength: 30 }),
      hosts: fc.array(fc.nat(4), { minLength: 8, maxLength: 8 }),
      relevance: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 8, maxLength: 8 }),
    });
    fc.assert(
      fc.property(random, ({ edges, hosts, relevance }) => {
        const g = graph(8, edges, {
          hosts: Int32Array.from(hosts),
          relevance: Float64Array.from(relevance, (r) => r / 10),
        });
        const exact = { relevanceThreshold: 0.5, tolerance: 1e-13, maxIterations: 100_000 };
        const { hubs, authorities, converged } = distill(g, exact);
        const truth = denseScores(g, 0.5);
        // Communities of nearly equal strength separate slowly: then the iteration reports that it did not converge.
        if (!converged) return;
        expectClose(hubs, truth.hubs, 5);
        expectClose(authorities, truth.authorities, 5);
      }),
      { numRuns: 150 },
    );
  });
});

/** The definition by matrices: authorities are the limit of (F·B)^n, and hubs are B times the authorities. */
function denseScores(g: DistillationGraph, threshold: number): { hubs: number[]; authorities: number[] } {
  const { size, hosts, relevance } = g;
  const links = matrix(size, () => 0);
  for (const [i, u] of g.sources.entries()) if (hosts[u] !== hosts[g.targets[i]!]) links[u]![g.targets[i]!] = 1;
  const nodes = [...Array(size).keys()];
  const votersOf = (u: number, v: number): number => nodes.filter((w) => hosts[w] === hosts[u] && links[w]![v]).length;
  const votesOf = (u: number, v: number): number => nodes.filter((w) => hosts[w] === hosts[v] && links[u]![w]).length;
  const counts = (u: number, v: number): boolean => links[u]![v] === 1 && relevance[v]! > threshold;
  const forward = matrix(size, (v, u) => (counts(u, v) ? relevance[v]! / votersOf(u, v) : 0));
  const backward = matrix(size, (u, v) => (counts(u, v) ? relevance[u]! / votesOf(u, v) : 0));
  const authorities = limit(multiply(forward, backward), Array(size).fill(1 / size));
  return { authorities, hubs: toSumOne(apply(backward, authorities)) };
}
