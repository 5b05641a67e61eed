import { ROOT } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** A page that a crawl found, as comparisons read it. */
export interface FoundPage {
  readonly sequence: number;
  readonly url: string;
  readonly host: string;
  /** Accepted into a topic. */
  readonly isRelevant: boolean;
  readonly relevance: number;
  readonly confidence: number;
}

/** A page that many good pages recommend, and how far it is from the seeds. */
export interface FoundAuthority {
  readonly url: string;
  readonly host: string;
  /** Fewest links from a seed, over all links of stored pages. */
  readonly shortest: number;
  /** Links from a seed by which the crawl came to it. */
  readonly taken: number;
}

/** What a comparison reads of a crawl. */
export interface CrawlFacts {
  /** In the order of fetching, without training pages. */
  readonly pages: readonly FoundPage[];
  /** Best first. */
  readonly authorities: readonly FoundAuthority[];
}

/** Number of best authorities, as in Focused crawling §4.5. */
const AUTHORITIES = 100;

/** Reads the pages of a crawl, and its best authorities with their distances. */
export async function crawlFacts(
  store: Pick<Store, 'exportPages' | 'pageLinks' | 'scoredPages'>,
  { tree }: Pick<Workspace, 'tree'>,
): Promise<CrawlFacts> {
  const pages: FoundPage[] = [];
  const depths = new Map<number, number>();
  const all = new Map<number, { readonly url: string; readonly host: string }>();
  for await (const row of store.exportPages()) {
    const { sequence, finalUrl: url, role, others, relevance, confidence, depth } = row;
    const { host } = new URL(url);
    depths.set(sequence, depth);
    all.set(sequence, { url, host });
    if (role === 'crawled') pages.push({ sequence, url, host, isRelevant: !others, relevance, confidence });
  }
  const best = await bestAuthorities(
    store,
    [...tree.nodes.keys()].filter((id) => id !== ROOT),
  );
  const shortest = best.length === 0 ? new Map<number, number>() : await distances(store, depths);
  const authorities = best.flatMap((sequence): FoundAuthority[] => {
    const [page, taken] = [all.get(sequence), depths.get(sequence)];
    if (page === undefined || taken === undefined) return [];
    return [{ ...page, taken, shortest: Math.min(taken, shortest.get(sequence) ?? taken) }];
  });
  return { pages, authorities: authorities.slice(0, AUTHORITIES) };
}

/** Returns the best authorities over all topics, each page once. */
async function bestAuthorities(
  store: Pick<Store, 'scoredPages'>,
  topics: readonly Parameters<Store['scoredPages']>[0][],
): Promise<readonly number[]> {
  const scores = new Map<number, number>();
  for (const topic of topics)
    for (const { sequence, authority } of await store.scoredPages(topic))
      if (authority > 0) scores.set(sequence, Math.max(authority, scores.get(sequence) ?? 0));
  return [...scores].sort(([a, x], [b, y]) => y - x || a - b).map(([sequence]) => sequence);
}

/** Returns the fewest links from a seed to each page that can be reached, breadth-first. */
async function distances(
  store: Pick<Store, 'pageLinks'>,
  depths: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, number>> {
  const targets = new Map<number, Set<number>>();
  for await (const links of store.pageLinks())
    for (const { from, to } of links) {
      const known = targets.get(from) ?? new Set();
      targets.set(from, known.add(to));
    }
  const seeds = [...depths].flatMap(([sequence, depth]) => (depth === 0 ? [sequence] : []));
  const found = new Map(seeds.map((sequence) => [sequence, 0]));
  // Iterating a map also visits entries added meanwhile.
  for (const [sequence, distance] of found)
    for (const target of targets.get(sequence) ?? []) if (!found.has(target)) found.set(target, distance + 1);
  return found;
}
