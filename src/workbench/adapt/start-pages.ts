import { goodTopics, type TopicTree } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { readSearch, searchContext, searchPages } from '../search/local-search.ts';
import type { StartPage } from './adapt-state.ts';

/** Maximum number of pages that link to hits, per hit: some pages are linked from everywhere. */
const LINKING = 3;

/**
 * Returns the pages at which a crawl for a query starts: the best hits of a collection, and pages that link to them
 * (Pant et al. 2003). Empty if nothing matches.
 * @param store names topics as bingo.yaml does
 * @throws UsageError if the query has no searchable word
 */
export async function startPages(
  store: Store,
  tree: TopicTree,
  { query, hits }: { readonly query: string; readonly hits: number },
): Promise<readonly StartPage[]> {
  const search = readSearch(query, {}, await searchContext(store, query, { tree, limit: hits }));
  const { results } = await searchPages(store, search);
  const [first] = goodTopics(tree);
  const topicOf = (topic: StartPage['topic'], others: boolean): StartPage['topic'] =>
    !others && tree.nodes.get(topic)?.good === true ? topic : first!.id;
  const found = new Map(
    results.map(({ sequence, url, topic, others }) => [sequence, { url, topic: topicOf(topic, others) }]),
  );
  const linking = new Map<number, StartPage['topic']>();
  const counts = new Map<number, number>();
  for await (const links of store.pageLinks())
    for (const { from, to } of links) {
      const hit = found.get(to);
      const known = counts.get(to) ?? 0;
      if (hit === undefined || from === to || known >= LINKING || found.has(from) || linking.has(from)) continue;
      counts.set(to, known + 1);
      linking.set(from, hit.topic);
    }
  const starts = [...found.values()];
  if (linking.size === 0) return starts;
  for await (const { sequence, finalUrl } of store.exportPages()) {
    const topic = linking.get(sequence);
    if (topic !== undefined) starts.push({ url: finalUrl, topic });
  }
  return starts;
}

/** Returns the share of common pages of two sets of start pages, relative to the larger, in [0,1]. */
export function overlap(before: readonly StartPage[], now: readonly StartPage[]): number {
  const known = new Set(before.map(({ url }) => url));
  const common = now.filter(({ url }) => known.has(url)).length;
  return common / Math.max(1, before.length, now.length);
}
