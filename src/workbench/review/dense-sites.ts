import type { TopicId } from '../../core/index.ts';
import type { ExportRow, Store } from '../../store/index.ts';
import { markedSites } from '../judging/marked-sites.ts';

/** A site is dense in a topic from this share of its crawled pages on, and this number of them. */
const DENSE_SHARE = 0.5;
const DENSE_PAGES = 5;
/** Pages proposed per site and topic. */
const PROPOSED = 3;

/** A site that the user marked good and that is mostly about one topic. */
export interface DenseSite {
  readonly topic: TopicId;
  readonly site: string;
  /** Crawled pages of the site, and those accepted into the topic. */
  readonly fetched: number;
  readonly relevant: number;
  /** The most relevant of them that nothing is learned from yet, at least one. */
  readonly pages: readonly { readonly url: string; readonly title: string; readonly relevance: number }[];
}

/**
 * Returns dense specialty sites among those that the user marked good, with pages that could be examples. In Focused
 * crawling the user marks such sites, and their pages become examples.
 * @param learned keys of training pages
 */
export async function denseSites(
  store: Pick<Store, 'steers' | 'exportPages'>,
  topics: readonly TopicId[],
  learned: ReadonlySet<string>,
): Promise<readonly DenseSite[]> {
  const { sites } = await markedSites(store);
  const good = [...sites].flatMap(([site, use]) => (use === 'good-site' ? [site] : []));
  const found: DenseSite[] = [];
  for (const site of good) {
    const rows: ExportRow[] = [];
    for await (const row of store.exportPages({ sites: [site] })) if (row.role === 'crawled') rows.push(row);
    for (const topic of topics) {
      const own = rows.filter((row) => !row.others && row.topic === topic);
      if (own.length < DENSE_PAGES || own.length < DENSE_SHARE * rows.length) continue;
      const pages = own
        .filter(({ url, finalUrl }) => !learned.has(url) && !learned.has(finalUrl))
        .toSorted((a, b) => b.relevance - a.relevance || a.sequence - b.sequence)
        .slice(0, PROPOSED)
        .map(({ finalUrl: url, title, relevance }) => ({ url, title, relevance }));
      if (pages.length > 0) found.push({ topic, site, fetched: rows.length, relevant: own.length, pages });
    }
  }
  return found;
}
