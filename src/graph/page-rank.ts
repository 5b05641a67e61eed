import { distinctEdges, type LinkGraph } from './graph.ts';

export interface PageRankOptions {
  /** Share of a page's rank that its links pass on. In [0,1); 0.85 is usual. */
  readonly damping: number;
  /** Ends when the sum of all changes is at most this. > 0 */
  readonly tolerance: number;
  readonly maxIterations: number;
}

export interface PageRank {
  /** Length = `size`, of sum 1. */
  readonly ranks: Float64Array;
  readonly iterations: number;
  readonly converged: boolean;
}

/**
 * PageRank (Brin and Page 1998): where a surfer is who follows a random link with probability `damping`, and else, or
 * when there is no link, goes to a random page.
 */
export function pageRank(graph: LinkGraph, { damping, tolerance, maxIterations }: PageRankOptions): PageRank {
  const { size } = graph;
  const { sources, targets } = distinctEdges(graph);
  const outDegrees = new Int32Array(size);
  for (const source of sources) outDegrees[source]!++;
  let ranks = new Float64Array(size).fill(size === 0 ? 0 : 1 / size);
  for (let iterations = 1; iterations <= maxIterations; iterations++) {
    const next = new Float64Array(size).fill((1 - damping + damping * looseRank(ranks, outDegrees)) / size);
    for (let i = 0; i < sources.length; i++) {
      const source = sources[i]!;
      next[targets[i]!]! += (damping * ranks[source]!) / outDegrees[source]!;
    }
    let change = 0;
    for (let i = 0; i < size; i++) change += Math.abs(next[i]! - ranks[i]!);
    ranks = next;
    if (change <= tolerance) return { ranks, iterations, converged: true };
  }
  return { ranks, iterations: maxIterations, converged: false };
}

/** Rank of the pages without links. */
function looseRank(ranks: Float64Array, outDegrees: Int32Array): number {
  let sum = 0;
  for (let i = 0; i < ranks.length; i++) if (outDegrees[i] === 0) sum += ranks[i]!;
  return sum;
}
