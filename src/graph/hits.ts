import type { Config } from '../core/index.ts';
import { freeBytes } from '../kit/index.ts';
import { distinctEdges, type Edges, groupedBy, type LinkGraph } from './graph.ts';

/** A topic's base set for distillation. All arrays have length `size`. */
export interface DistillationGraph extends LinkGraph {
  /** Host number of each node, small and >= 0. Links within one host are ignored. */
  readonly hosts: Int32Array;
  /** Relevance of each page to the topic, in [0,1]; 0 for pages that were not fetched. */
  readonly relevance: Float64Array;
  /** 1 for pages classified into the topic. When given, only these can be authorities. */
  readonly positive?: Uint8Array;
}

export interface Distillation {
  /** Hub score of each node, >= 0, of sum 1; all 0 if no page recommends a relevant page. */
  readonly hubs: Float64Array;
  /** Authority score of each node, >= 0, of sum 1 or all 0. */
  readonly authorities: Float64Array;
  readonly iterations: number;
  readonly converged: boolean;
}

export type DistillationOptions = Pick<Config['distill'], 'relevanceThreshold' | 'tolerance' | 'maxIterations'>;

/**
 * The weight of each edge: its share of the hub's score for the authority, and of the authority's score for the hub.
 */
interface WeightedEdges extends Edges {
  readonly forward: Float64Array;
  readonly backward: Float64Array;
  /** Nodes where an edge begins, ascending. Only a tenth of a base set was fetched. */
  readonly hubs: Int32Array;
  /** Nodes where an edge ends, ascending. */
  readonly authorities: Int32Array;
}

/**
 * HITS with relevance (Kleinberg 1999; Focus §2.2.2): authorities are what good hubs recommend, hubs recommend good
 * authorities. Per link (u,v): E_F = R(v)/k for the authority v, where k pages of u's host link to v; E_B = R(u)/l for
 * the hub u, where u links to l pages of v's host (Bharat and Henzinger 1998). Links within a host are ignored.
 * Authorities need R > `relevanceThreshold`.
 *
 * Scores are normalised to sum 1 (L1) as in Focus Fig. 4, hubs first, and computed until the sum of all changes is at
 * most `tolerance`. The start is even, so that of several communities equally strong each gets its share.
 */
export function distill(graph: DistillationGraph, options: DistillationOptions): Distillation {
  const parts = distilling(graph, options);
  for (;;) {
    const part = parts.next();
    if (part.done === true) return part.value;
  }
}

/** Does the same in steps, so that the caller can interleave other work. */
export function* distilling(graph: DistillationGraph, options: DistillationOptions): Generator<void, Distillation> {
  const { size } = graph;
  const edges = yield* weightedEdges(graph, options.relevanceThreshold);
  // The two arrays of each pair alternate: new arrays at every step would be a hundred megabytes of garbage.
  let [authorities, nextAuthorities] = [new Float64Array(size), new Float64Array(size)];
  let [hubs, nextHubs] = [new Float64Array(size), new Float64Array(size)];
  for (const v of edges.authorities) authorities[v] = 1 / size;
  let iterations = 0;
  let converged = false;
  while (!converged && iterations < options.maxIterations) {
    iterations++;
    spread(edges.targets, edges.sources, edges.backward, { from: authorities, into: nextHubs, nodes: edges.hubs });
    spread(edges.sources, edges.targets, edges.forward, {
      ...{ from: nextHubs, into: nextAuthorities, nodes: edges.authorities },
    });
    const change = distance(hubs, nextHubs, edges.hubs) + distance(authorities, nextAuthorities, edges.authorities);
    converged = change <= options.tolerance;
    [hubs, nextHubs] = [nextHubs, hubs];
    [authorities, nextAuthorities] = [nextAuthorities, authorities];
    yield;
  }
  freeBytes(nextHubs, nextAuthorities, edges.sources, edges.targets, edges.forward, edges.backward);
  freeBytes(edges.hubs, edges.authorities);
  return { hubs, authorities, iterations, converged };
}

/** The edges that recommend, with their weights. Edges of weight 0 for the authority are left out. */
function* weightedEdges(graph: DistillationGraph, threshold: number): Generator<void, WeightedEdges> {
  const { hosts, relevance, positive } = graph;
  const distinctOnes = distinctEdges(graph);
  yield;
  const all = betweenHosts(distinctOnes, hosts);
  const perTarget = countPairs(all.sources, all.targets, hosts);
  yield;
  const perSource = countPairs(all.targets, all.sources, hosts);
  yield;
  const isAuthority = (v: number): boolean =>
    relevance[v]! > threshold && (positive === undefined || positive[v] === 1);
  let n = 0;
  const kept = new Int32Array(all.targets.length);
  for (let i = 0; i < all.targets.length; i++) if (isAuthority(all.targets[i]!)) kept[n++] = i;
  const edges = {
    ...{ sources: new Int32Array(n), targets: new Int32Array(n) },
    ...{ forward: new Float64Array(n), backward: new Float64Array(n) },
  };
  for (let j = 0; j < n; j++) {
    const i = kept[j]!;
    const source = all.sources[i]!;
    const target = all.targets[i]!;
    edges.sources[j] = source;
    edges.targets[j] = target;
    edges.forward[j] = relevance[target]! / perTarget[i]!;
    edges.backward[j] = relevance[source]! / perSource[i]!;
  }
  freeBytes(perTarget, perSource, all.sources, all.targets, kept);
  const size = hosts.length;
  return { ...edges, hubs: distinct(edges.sources, size), authorities: distinct(edges.targets, size) };
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

/** For each edge: how many edges lead from the host of its `from` end to the page at its `to` end. */
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

/** The distinct nodes, ascending. */
function distinct(nodes: Int32Array, size: number): Int32Array {
  const isThere = new Uint8Array(size);
  for (const v of nodes) isThere[v] = 1;
  const found: number[] = [];
  for (let v = 0; v < size; v++) if (isThere[v] === 1) found.push(v);
  return Int32Array.from(found);
}

interface Spread {
  readonly from: Float64Array;
  readonly into: Float64Array;
  /** Nodes that edges carry scores to. All other scores are 0. */
  readonly nodes: Int32Array;
}

/** Scores that edges carry from the nodes at one end to those at the other, normalised to sum 1. */
function spread(ends: Int32Array, others: Int32Array, weights: Float64Array, { from, into, nodes }: Spread): void {
  for (const v of nodes) into[v] = 0;
  for (let i = 0; i < ends.length; i++) into[others[i]!]! += weights[i]! * from[ends[i]!]!;
  let sum = 0;
  for (const v of nodes) sum += into[v]!;
  if (sum > 0) for (const v of nodes) into[v]! /= sum;
}

function distance(a: Float64Array, b: Float64Array, nodes: Int32Array): number {
  let sum = 0;
  for (const v of nodes) sum += Math.abs(a[v]! - b[v]!);
  return sum;
}
