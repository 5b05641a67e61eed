import { freeBytes } from '../kit/index.ts';
import { distinctEdges, type Edges, type LinkGraph } from './graph.ts';

export interface PageRankOptions {
  /** Share of a page's rank that it passes on through its links. In (0,1). Default: 0.9 (Cho 1998 §6). */
  readonly damping?: number;
  /** Ends when no rank changes by more. Default: 1e-6. */
  readonly tolerance?: number;
  readonly maxIterations?: number;
  /** Ranks to start from, of length `size`, such as those of an earlier, smaller graph. Default: all 1. */
  readonly start?: Float64Array;
  /** 1 for pages whose links are not known yet: they pass nothing on. Default: none. */
  readonly open?: Uint8Array;
}

/**
 * PageRank as in Cho 1998 §2: IR(P) = (1 − d) + d·Σ IR(T)/c(T) over the pages T that link to P and have c(T) links. A
 * page without links counts as linking to every page. Repeated links and links of a page to itself do not count. The
 * mean rank is 1.
 */
export function pageRank(graph: LinkGraph, options: PageRankOptions = {}): Float64Array {
  const edges = distinctEdges(graph);
  const ranks = pageRankOf({ size: graph.size, ...edges }, options);
  freeBytes(edges.sources, edges.targets);
  return ranks;
}

/** The same for edges that are distinct and without loops, in any order. */
export function pageRankOf(
  { size, sources, targets }: Edges & Pick<LinkGraph, 'size'>,
  { damping = 0.9, tolerance = 1e-6, maxIterations = 100, start, open }: PageRankOptions = {},
): Float64Array {
  const degrees = new Int32Array(size);
  for (const source of sources) degrees[source]! += 1;
  let ranks = start?.slice() ?? new Float64Array(size).fill(1);
  let next = new Float64Array(size);
  for (let i = 0, change = Number.POSITIVE_INFINITY; i < maxIterations && change > tolerance; i++) {
    let loose = 0;
    for (let v = 0; v < size; v++) if (degrees[v] === 0 && open?.[v] !== 1) loose += ranks[v]!;
    next.fill(1 - damping + (damping * loose) / size);
    for (let e = 0; e < sources.length; e++) {
      const source = sources[e]!;
      next[targets[e]!]! += (damping * ranks[source]!) / degrees[source]!;
    }
    change = 0;
    for (let v = 0; v < size; v++) change = Math.max(change, Math.abs(next[v]! - ranks[v]!));
    [ranks, next] = [next, ranks];
  }
  freeBytes(next, degrees);
  return ranks;
}

/** Backlink counts: the number of pages that link to each page. */
export function backlinks(graph: LinkGraph): Int32Array {
  const edges = distinctEdges(graph);
  const counts = new Int32Array(graph.size);
  for (const target of edges.targets) counts[target]! += 1;
  freeBytes(edges.sources, edges.targets);
  return counts;
}
