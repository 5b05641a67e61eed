import { freeBytes } from '../core/index.ts';

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
 * Sorts edges and drops repeated ones and loops: a page that links twice to another recommends it once.
 * @throws RangeError when an edge leads to a node that is not there
 */
export function distinctEdges({ size, sources, targets }: LinkGraph): Edges {
  const keys = new Float64Array(sources.length);
  let n = 0;
  for (let i = 0; i < sources.length; i++) {
    const source = sources[i]!;
    const target = targets[i]!;
    if (!isNode(source, size) || !isNode(target, size))
      throw new RangeError(`Expected edges among nodes 0 to ${size - 1}, got ${source} -> ${target}`);
    // An exact integer while size < 2^26.
    if (source !== target) keys[n++] = source * size + target;
  }
  const sorted = keys.subarray(0, n).sort();
  let kept = 0;
  for (let i = 0; i < n; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[kept++] = sorted[i]!;
  const distinct = sorted.subarray(0, kept);
  const edges = {
    sources: Int32Array.from(distinct, (key) => Math.floor(key / size)),
    targets: Int32Array.from(distinct, (key) => key % size),
  };
  freeBytes(keys);
  return edges;
}

function isNode(i: number | undefined, size: number): boolean {
  return i !== undefined && i >= 0 && i < size;
}
