import { freeBytes } from '../kit/index.ts';
import { distinctEdges, type LinkGraph } from './graph.ts';

/** Share of a page's rank that it passes on through its links (Cho 1998 §6). */
const DAMPING = 0.9;

export interface PageRankOptions {
  /** In (0,1). Default: 0.9. */
  readonly damping?: number;
  /** Ends when no rank changes by more. Default: 1e-6. */
  readonly tolerance?: number;
  readonly maxIterations?: number;
}

/**
 * PageRank as in Cho 1998 §2: IR(P) = (1 − d) + d·Σ IR(T)/c(T) over the pages T that link to P and have c(T) links. A
 * page without links counts as linking to every page. Repeated links and links of a page to itself do not count. The
 * mean rank is 1.
 */
export function pageRank(
  graph: LinkGraph,
  { damping = DAMPING, tolerance = 1e-6, maxIterations = 100 }: PageRankOptions = {},
): Float64Array {
  const { size } = graph;
  const { sources, targets } = distinctEdges(graph);
  const degrees = new Int32Array(size);
  for (const source of sources) degrees[source]! += 1;
  let ranks = new Float64Array(size).fill(1);
  let next = new Float64Array(size);
  for (let i = 0, change = Number.POSITIVE_INFINITY; i < maxIterations && change > tolerance; i++) {
    let loose = 0;
    for (let v = 0; v < size; v++) if (degrees[v] === 0) loose += ranks[v]!;
    next.fill(1 - damping + (damping * loose) / size);
    for (let e = 0; e < sources.length; e++) {
      const source = sources[e]!;
      next[targets[e]!]! += (damping * ranks[source]!) / degrees[source]!;
    }
    change = 0;
    for (let v = 0; v < size; v++) change = Math.max(change, Math.abs(next[v]! - ranks[v]!));
    [ranks, next] = [next, ranks];
  }
  freeBytes(next, degrees, sources, targets);
  return ranks;
}

/** Rank that is not worth passing on: a thousandth of the least rank of a page. */
const LEAST = 1e-4;

/**
 * PageRank of a graph that grows by a page at a time, as a crawler sees it (Cho 1998 Fig. 2): pages whose links are not
 * known pass nothing on. A new page changes only the ranks behind its links, so that only these are computed again.
 */
export class GrowingPageRank {
  /** By page number; 0.1 for pages without known links to them. */
  readonly ranks: Float64Array;
  readonly #targets: (Int32Array | undefined)[] = [];
  /** Rank that arrived at a page and was not yet passed on. */
  readonly #arrived: Float64Array;

  readonly #least: number;

  /** @param least rank that arrived at a page is passed on if it exceeds this */
  constructor(size: number, least: number = LEAST) {
    this.#least = least;
    this.ranks = new Float64Array(size).fill(1 - DAMPING);
    this.#arrived = new Float64Array(size);
  }

  /** Adds the distinct links of a page. */
  add(page: number, targets: Int32Array): void {
    this.#targets[page] = targets;
    const queue: number[] = [];
    this.#pass(this.ranks[page]!, targets, queue);
    // First come, first served: what arrives meanwhile is passed on together.
    for (let at = 0; at < queue.length; at++) {
      const v = queue[at]!;
      const arrived = this.#arrived[v]!;
      this.#arrived[v] = 0;
      const links = this.#targets[v];
      if (links !== undefined) this.#pass(arrived, links, queue);
    }
  }

  #pass(rank: number, targets: Int32Array, queue: number[]): void {
    const share = (DAMPING * rank) / targets.length;
    for (const target of targets) {
      const before = this.#arrived[target]!;
      this.#arrived[target] = before + share;
      this.ranks[target]! += share;
      if (before <= this.#least && before + share > this.#least) queue.push(target);
    }
  }
}

/** Backlink counts: the number of pages that link to each page. */
export function backlinks(graph: LinkGraph): Int32Array {
  const edges = distinctEdges(graph);
  const counts = new Int32Array(graph.size);
  for (const target of edges.targets) counts[target]! += 1;
  freeBytes(edges.sources, edges.targets);
  return counts;
}
