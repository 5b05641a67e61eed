import type { Config } from '../core/index.ts';
import { distinctEdges, type Edges, type LinkGraph } from './graph.ts';

/** A topic's base set as distillation sees it. All arrays have length `size`. */
export interface DistillationGraph extends LinkGraph {
  /** Number of each node's host; links within a host recommend nothing. */
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
  let authorities = new Float64Array(size).fill(size === 0 ? 0 : 1 / size);
  let hubs = new Float64Array(size);
  for (let iterations = 1; iterations <= options.maxIterations; iterations++) {
    const nextHubs = normalized(spread(edges.targets, edges.sources, edges.backward, authorities));
    const nextAuthorities = normalized(spread(edges.sources, edges.targets, edges.forward, nextHubs));
    const change = distance(hubs, nextHubs) + distance(authorities, nextAuthorities);
    hubs = nextHubs;
    authorities = nextAuthorities;
    if (change <= options.tolerance) return { hubs, authorities, iterations, converged: true };
  }
  return { hubs, authorities, iterations: options.maxIterations, converged: false };
}

/** Edges that recommend, with their weights; those that weigh nothing for the authority are left out. */
function weightedEdges(graph: DistillationGraph, threshold: number): WeightedEdges {
  const { hosts, relevance, positive } = graph;
  const all = betweenHosts(distinctEdges(graph), hosts);
  const perTarget = countPairs(all.sources, all.targets, hosts);
  const perSource = countPairs(all.targets, all.sources, hosts);
  const isAuthority = (v: number): boolean =>
    relevance[v]! > threshold && (positive === undefined || positive[v] === 1);
  const kept = [...all.targets.keys()].filter((i) => isAuthority(all.targets[i]!));
  return {
    sources: Int32Array.from(kept, (i) => all.sources[i]!),
    targets: Int32Array.from(kept, (i) => all.targets[i]!),
    forward: Float64Array.from(kept, (i) => relevance[all.targets[i]!]! / perTarget[i]!),
    backward: Float64Array.from(kept, (i) => relevance[all.sources[i]!]! / perSource[i]!),
  };
}

function betweenHosts({ sources, targets }: Edges, hosts: Int32Array): Edges {
  const kept = [...sources.keys()].filter((i) => hosts[sources[i]!] !== hosts[targets[i]!]);
  return { sources: Int32Array.from(kept, (i) => sources[i]!), targets: Int32Array.from(kept, (i) => targets[i]!) };
}

/** For each edge: how many edges join the host of its `from` end with the very page at its `to` end. */
function countPairs(from: Int32Array, to: Int32Array, hosts: Int32Array): Int32Array {
  const counts = new Map<number, number>();
  const key = (i: number): number => hosts[from[i]!]! * 2 ** 31 + to[i]!;
  for (let i = 0; i < from.length; i++) counts.set(key(i), (counts.get(key(i)) ?? 0) + 1);
  return Int32Array.from(from.keys(), (i) => counts.get(key(i))!);
}

function spread(
  from: Int32Array,
  to: Int32Array,
  weights: Float64Array,
  scores: Float64Array,
): Float64Array<ArrayBuffer> {
  const sums = new Float64Array(scores.length);
  for (let i = 0; i < from.length; i++) sums[to[i]!]! += weights[i]! * scores[from[i]!]!;
  return sums;
}

function normalized(scores: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  let sum = 0;
  for (const score of scores) sum += score;
  if (sum > 0) for (let i = 0; i < scores.length; i++) scores[i]! /= sum;
  return scores;
}

function distance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i]! - b[i]!);
  return sum;
}
