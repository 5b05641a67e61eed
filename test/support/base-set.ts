import type { DistillationGraph } from '../../src/graph/index.ts';
import type { Random } from '../../src/kit/index.ts';

/** A fetched page as a member of a base set. */
export interface BaseSetPage {
  readonly url: string;
  /** Relevance to the topic, in [0,1]. */
  readonly relevance: number;
  /** URLs that it links to. */
  readonly links: readonly string[];
}

export interface BaseSetParts {
  /** Pages classified into the topic, each URL once. */
  readonly positives: readonly BaseSetPage[];
  /** Pages that may link to positives; those that do are predecessors. */
  readonly others: readonly BaseSetPage[];
  /** Maximum number of predecessors; more are sampled. >= 0 */
  readonly maxPredecessors: number;
  readonly hostOf: (url: string) => string;
  readonly random: Random;
}

export interface BaseSet {
  /** URL of each node: positives first, then the other pages in the order found. */
  readonly urls: readonly string[];
  readonly graph: DistillationGraph;
}

/**
 * Builds the base set of a topic (BINGO! §2.5): its positives, all pages they link to, and a limited sample of the
 * pages that link to them, with all known links among these. Unfetched successors have relevance 0. Serves as
 * reference for the rounds of the crawl and the SQL of the store.
 */
export function buildBaseSet(parts: BaseSetParts): BaseSet {
  const { positives, others } = parts;
  const nodes = new Map<string, number>();
  const add = (url: string): void => {
    if (!nodes.has(url)) nodes.set(url, nodes.size);
  };
  for (const page of positives) add(page.url);
  const predecessors = samplePredecessors(parts, (url) => nodes.has(url));
  for (const page of positives) for (const url of page.links) add(url);
  for (const page of predecessors) add(page.url);
  const members = [...positives, ...others.filter((page) => nodes.has(page.url))];
  return { urls: [...nodes.keys()], graph: graphOf(members, nodes, parts) };
}

/** Algorithm R: every predecessor is kept with the same probability. */
function samplePredecessors(
  { others, maxPredecessors, random }: BaseSetParts,
  isPositive: (url: string) => boolean,
): readonly BaseSetPage[] {
  const kept: BaseSetPage[] = [];
  let met = 0;
  for (const page of others) {
    if (isPositive(page.url) || !page.links.some(isPositive)) continue;
    met++;
    if (kept.length < maxPredecessors) kept.push(page);
    else {
      const slot = Math.floor(random() * met);
      if (slot < maxPredecessors) kept[slot] = page;
    }
  }
  return kept;
}

function graphOf(
  members: readonly BaseSetPage[],
  nodes: ReadonlyMap<string, number>,
  { positives, hostOf }: BaseSetParts,
): DistillationGraph {
  const sources: number[] = [];
  const targets: number[] = [];
  const relevance = new Float64Array(nodes.size);
  for (const page of members) {
    const source = nodes.get(page.url)!;
    relevance[source] = page.relevance;
    for (const url of page.links) {
      const target = nodes.get(url);
      if (target === undefined || target === source) continue;
      sources.push(source);
      targets.push(target);
    }
  }
  return {
    size: nodes.size,
    sources: Int32Array.from(sources),
    targets: Int32Array.from(targets),
    hosts: hostNumbers([...nodes.keys()].map(hostOf)),
    relevance,
    positive: Uint8Array.from({ length: nodes.size }, (_, i) => (i < positives.length ? 1 : 0)),
  };
}

function hostNumbers(hosts: readonly string[]): Int32Array {
  const numbers = new Map<string, number>();
  return Int32Array.from(hosts, (host) => {
    const known = numbers.get(host);
    if (known !== undefined) return known;
    numbers.set(host, numbers.size);
    return numbers.size - 1;
  });
}
