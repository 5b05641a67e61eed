import { type Config, freeBytes } from '../core/index.ts';
import { distinctEdges, type Edges, type LinkGraph } from './graph.ts';

/** A topic's base set as distillation sees it. All arrays have length `size`. */
export interface DistillationGraph extends LinkGraph {
  /** Number of each node's host, small and >= 0; links within a host recommend nothing. */
  readonly hosts: Int32Array;
  /** Relevance of each page to the topic, in [0,1]; 0 for pages that were not fetched. */
  readonly relevance: Float64Array;
  /** 1 for pages classified into the topic. When given, only these can be authorities. */
  readonly positive?: Uint8Array;
}

export interface Distillation {
  /** Hub score of each node, >= 0, of sum 1; all 0 when no relevant page is recommended by another. */
  readonly hubs: Float64Array;
  /** Authority score of each node, likewise. */
  readonly authorities: Float64Array;
  readonly iterations: number;
  readonly converged: boolean;
}

export type DistillationOptions = Pick<Config['distill'], 'relevanceThreshold' | 'tolerance' | 'maxIterations'>;

/** An edge counts this much of its hub's score for the authority, and of its authority's for the hub. */
interface WeightedEdges extends Edges {
  readonly forward: Float64Array;
  readonly backward: Float64Array;
}

/**
 * HITS with relevance (DESIGN §7, Focus §2.2): authorities are what good hubs recommend, hubs recommend good
 * authorities. Per link (u,v): E_F = R(v)/k for the authority v, where k pages of u's host link to v; E_B = R(u)/l for
 * the hub u, where u links to l pages of v's host (Bharat and Henzinger 1998). Links within a host are ignored.
 * Authorities need R > `relevanceThreshold`.
 *
 * Scores are normalised to sum 1 (L1) as in Focus Fig. 4, hubs first, and computed until the sum of all changes is at
 * most `tolerance`. The start is even, so that of several communities equally strong each gets its share.
 */
export function distill(graph: DistillationGraph, options: DistillationOptions): Distillation {
  const { size } = graph;
  const edges = weightedEdges(graph, options.relevanceThreshold);
  // Each pair changes its parts: new arrays at every step would be garbage of a hundred megabytes.
  let [authorities, nextAuthorities] = [new Float64Array(size).fill(size === 0 ? 0 : 1 / size), new Float64Array(size)];
  let [hubs, nextHubs] = [new Float64Array(size), new Float64Array(size)];
  let iterations = 0;
  let converged = false;
  while (!converged && iterations < options.maxIterations) {
    iterations++;
    normalize(spread(edges.targets, edges.sources, edges.backward, { from: authorities, into: nextHubs }));
    normalize(spread(edges.sources, edges.targets, edges.forward, { from: nextHubs, into: nextAuthorities }));
    converged = distance(hubs, nextHubs) + distance(authorities, nextAuthorities) <= options.tolerance;
    [hubs, nextHubs] = [nextHubs, hubs];
    [authorities, nextAuthorities] = [nextAuthorities, authorities];
  }
  freeBytes(nextHubs, nextAuthorities, edges.sources, edges.targets, edges.forward, edges.backward);
  return { hubs, authorities, iterations, converged };
}

/** Edges that recommend, with their weights; those that weigh nothing for the authority are left out. */
function weightedEdges(graph: DistillationGraph, threshold: number): WeightedEdges {
  const { hosts, relevance, positive } = graph;
  const all = betweenHosts(distinctEdges(graph), hosts);
  const perTarget = countPairs(all.sources, all.targets, hosts);
  const perSource = countPairs(all.targets, all.sources, hosts);
  const isAuthority = (v: number): boolean =>
    relevance[v]! > threshold && (positive === undefined || positive[v] === 1);
  const kept: number[] = [];
  for (let i = 0; i < all.targets.length; i++) if (isAuthority(all.targets[i]!)) kept.push(i);
  const edges = {
    sources: Int32Array.from(kept, (i) => all.sources[i]!),
    targets: Int32Array.from(kept, (i) => all.targets[i]!),
    forward: Float64Array.from(kept, (i) => relevance[all.targets[i]!]! / perTarget[i]!),
    backward: Float64Array.from(kept, (i) => relevance[all.sources[i]!]! / perSource[i]!),
  };
  freeBytes(perTarget, perSource, all.sources, all.targets);
  return edges;
}

function betweenHosts({ sources, targets }: Edges, hosts: Int32Array): Edges {
  const kept = { sources: new Int32Array(sources.length), targets: new Int32Array(targets.length) };
  let n = 0;
  for (let i = 0; i < sources.length; i++) {
    if (hosts[sources[i]!] === hosts[targets[i]!]) continue;
    kept.sources[n] = sources[i]!;
    kept.targets[n++] = targets[i]!;
  }
  const between = { sources: kept.sources.slice(0, n), targets: kept.targets.slice(0, n) };
  freeBytes(sources, targets, kept.sources, kept.targets);
  return between;
}

/** For each edge: how many edges join the host of its `from` end with the very page at its `to` end. */
function countPairs(from: Int32Array, to: Int32Array, hosts: Int32Array): Int32Array {
  const { starts, order } = groupedBy(to, hosts.length);
  const ofHost = new Int32Array(hosts.reduce((a, b) => Math.max(a, b), 0) + 1);
  const pairs = new Int32Array(from.length);
  for (let page = 0; page < hosts.length; page++) {
    const [first, end] = [starts[page]!, starts[page + 1]!];
    for (let at = first; at < end; at++) ofHost[hosts[from[order[at]!]!]!]! += 1;
    for (let at = first; at < end; at++) pairs[order[at]!] = ofHost[hosts[from[order[at]!]!]!]!;
    for (let at = first; at < end; at++) ofHost[hosts[from[order[at]!]!]!] = 0;
  }
  freeBytes(starts, order);
  return pairs;
}

/** Edges by the page at one of their ends (a counting sort): those of page v are `order[starts[v] … starts[v + 1])`. */
function groupedBy(
  ends: Int32Array,
  size: number,
): {
  readonly starts: Int32Array;
  readonly order: Int32Array;
} {
  const starts = new Int32Array(size + 1);
  for (let i = 0; i < ends.length; i++) starts[ends[i]! + 1]! += 1;
  for (let v = 0; v < size; v++) starts[v + 1]! += starts[v]!;
  const next = starts.slice();
  const order = new Int32Array(ends.length);
  for (let i = 0; i < ends.length; i++) order[next[ends[i]!]!++] = i;
  freeBytes(next);
  return { starts, order };
}

/** Scores that edges carry from the nodes at one end to those at the other. */
function spread(
  ends: Int32Array,
  others: Int32Array,
  weights: Float64Array,
  { from, into }: { readonly from: Float64Array; readonly into: Float64Array },
): Float64Array {
  into.fill(0);
  for (let i = 0; i < ends.length; i++) into[others[i]!]! += weights[i]! * from[ends[i]!]!;
  return into;
}

function normalize(scores: Float64Array): void {
  let sum = 0;
  for (const score of scores) sum += score;
  if (sum > 0) for (let i = 0; i < scores.length; i++) scores[i]! /= sum;
}

function distance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i]! - b[i]!);
  return sum;
}
