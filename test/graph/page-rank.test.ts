import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backlinks, GrowingPageRank, type LinkGraph, pageRank } from '../../src/graph/index.ts';

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

  it('treats a page without links as one that links to every page, with a mean rank of 1', () => {
    // 0 -> 1 and 1 -> nothing: r0 = .1 + .45 r1, r1 = .1 + .9 r0 + .45 r1.
    const ranks = pageRank(graph(2, [[0, 1]]));
    expect(ranks[0]).toBeCloseTo(0.1 + 0.45 * ranks[1]!, 5);
    expect(ranks[1]).toBeCloseTo(0.1 + 0.9 * ranks[0]! + 0.45 * ranks[1]!, 5);
    expect(ranks[0]! + ranks[1]!).toBeCloseTo(2, 5);
  });
});

describe('GrowingPageRank', () => {
  it('reaches the ranks of the whole graph, in whatever order the pages arrive', () => {
    const links = fc.array(fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 5 }), { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(links, fc.shuffledSubarray([...Array(10).keys()], { minLength: 10 }), (all, order) => {
        const own = all.map((targets, page) => {
          const others = targets.filter((target) => target !== page);
          return others.length > 0 ? others : [(page + 1) % 10];
        });
        const growing = new GrowingPageRank(10, 1e-9);
        for (const page of order) growing.add(page, Int32Array.from(own[page]!));
        const edges = own.flatMap((targets, page) => targets.map((target): Edge => [page, target]));
        const whole = pageRank(graph(10, edges), { tolerance: 1e-10, maxIterations: 500 });
        for (let v = 0; v < 10; v++) expect(growing.ranks[v]).toBeCloseTo(whole[v]!, 3);
      }),
    );
  });

  it('passes nothing on from pages that are not known yet', () => {
    const growing = new GrowingPageRank(3);
    growing.add(0, Int32Array.of(1, 2));
    expect([...growing.ranks]).toEqual([0.1, 0.1 + 0.045, 0.1 + 0.045].map((rank) => expect.closeTo(rank, 9)));
    growing.add(1, Int32Array.of(2));
    expect(growing.ranks[2]).toBeCloseTo(0.1 + 0.045 + 0.9 * 0.145, 5);
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
