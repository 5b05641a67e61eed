import { freeBytes } from '../kit/index.ts';

/** A directed graph in arrays: edge i leads from node `sources[i]` to node `targets[i]`. Nodes are 0 … size − 1. */
export interface LinkGraph {
  readonly size: number;
  /** Length = number of edges. */
  readonly sources: Int32Array;
  /** Length = number of edges. */
  readonly targets: Int32Array;
}

/** Edges of a graph by source, each pair of nodes once, without loops. */
export interface Edges {
  /** Length = number of edges; ascending by source, then by target. */
  readonly sources: Int32Array;
  readonly targets: Int32Array;
}

/**
 * Sorts edges and drops duplicates and loops: a page that links twice to another recommends it once.
 * @throws RangeError if an edge has a node outside the graph
 */
export function distinctEdges({ size, sources, targets }: LinkGraph): Edges {
  for (let i = 0; i < sources.length; i++)
    if (!isNode(sources[i], size) || !isNode(targets[i], size))
      throw new RangeError(`Expected edges among nodes 0 to ${size - 1}, got ${sources[i]} -> ${targets[i]}`);
  const byTarget = groupedBy(targets, size);
  const bySource = groupedBy(sources, size, byTarget.order);
  const kept = { sources: new Int32Array(sources.length), targets: new Int32Array(sources.length) };
  let n = 0;
  for (const i of bySource.order) {
    const source = sources[i]!;
    const target = targets[i]!;
    if (source === target || (n > 0 && kept.sources[n - 1] === source && kept.targets[n - 1] === target)) continue;
    kept.sources[n] = source;
    kept.targets[n++] = target;
  }
  const edges = { sources: kept.sources.slice(0, n), targets: kept.targets.slice(0, n) };
  freeBytes(kept.sources, kept.targets, byTarget.starts, byTarget.order, bySource.starts, bySource.order);
  return edges;
}

/**
 * Groups edges by the node at one end (a counting sort). The edges of node v are `order[starts[v] … starts[v + 1])`.
 * @param before order of the edges of one node; default: by number
 */
export function groupedBy(
  ends: Int32Array,
  size: number,
  before?: Int32Array,
): { readonly starts: Int32Array; readonly order: Int32Array } {
  const starts = new Int32Array(size + 1);
  for (let i = 0; i < ends.length; i++) starts[ends[i]! + 1]! += 1;
  for (let v = 0; v < size; v++) starts[v + 1]! += starts[v]!;
  const next = starts.slice();
  const order = new Int32Array(ends.length);
  for (let i = 0; i < ends.length; i++) {
    const edge = before === undefined ? i : before[i]!;
    order[next[ends[edge]!]!++] = edge;
  }
  freeBytes(next);
  return { starts, order };
}

function isNode(i: number | undefined, size: number): boolean {
  return i !== undefined && i >= 0 && i < size;
}
