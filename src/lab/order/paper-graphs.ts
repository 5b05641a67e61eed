import { backlinks } from '../../graph/index.ts';
import type { Experiment } from './models.ts';
import type { BacklinkHistogram } from './order-report.ts';
import type { OrderWeb } from './order-web.ts';

/** Share of hot pages in Graphs 1 and 3: the paper's 1,400 of 179,000. */
const HOT_SHARE = 0.008;
/** Pages of the small web in Graphs 4 and 5: the paper's site of the database group. */
export const SMALL_WEB = 1_100;
/** Backlinks of a hot page in Graphs 4 and 7. */
const FEW_BACKLINKS = 5;
/** Occurrences of the word on a hot page in Graphs 6 and 7. */
const WORDS = 10;
/** Bars of Graph 5; the last one counts all pages with more. */
const BARS = 30;

type Common = Pick<Experiment, 'rankInterval' | 'seed' | 'buffer'>;

/**
 * The experiments of Cho 1998 §6 and §7 for a frozen web. Thresholds of Graphs 1 and 3 give the paper's share of hot
 * pages, because its numbers of backlinks belong to a larger web.
 */
export function paperGraphs(web: OrderWeb, query: string, common: Common): readonly Experiment[] {
  const hot = { rank: Math.max(1, Math.round(HOT_SHARE * web.size)) };
  const plain = { ...common, orderings: ['breadth-first', 'backlink', 'pagerank'] } as const;
  const graphs: Experiment[] = [
    { ...plain, title: 'Graph 1: backlinks, threshold', weights: { ib: 1 }, model: 'threshold', hot },
    { ...plain, title: 'Graph 2: backlinks, crawl and stop', weights: { ib: 1 }, model: 'crawl-stop', hot: {} },
    { ...plain, title: 'Graph 3: PageRank, threshold', weights: { ir: 1 }, model: 'threshold', hot },
  ];
  if (query === '') return graphs;
  return [
    ...graphs,
    {
      ...{ ...common, title: `Graph 6: pages on "${query}", hot queue`, weights: { is: 1 }, model: 'threshold' },
      orderings: ['breadth-first+hot', 'backlink+hot', 'pagerank+hot'],
      hot: { words: WORDS },
    },
    {
      ...{ ...common, title: `Graph 7: linked pages on "${query}", distance`, weights: { ib: 1 }, model: 'threshold' },
      orderings: ['breadth-first+near', 'backlink+near', 'pagerank+near'],
      hot: { words: WORDS, value: FEW_BACKLINKS },
    },
  ];
}

/** The experiment on the small web, whose pages with five backlinks are hot. */
export function smallWebGraph(common: Common): Experiment {
  return {
    ...{ ...common, title: 'Graph 4: backlinks, threshold, small web', weights: { ib: 1 }, model: 'threshold' },
    orderings: ['breadth-first', 'backlink', 'pagerank'],
    hot: { value: FEW_BACKLINKS },
  };
}

/** Numbers of pages by their backlinks. */
export function backlinkHistogram(web: OrderWeb): BacklinkHistogram {
  const pages = Array.from({ length: BARS + 1 }, () => 0);
  for (const count of backlinks(web)) pages[Math.min(BARS, count)]! += 1;
  return { title: `Graph 5: backlinks in the small web (${BARS}: or more)`, pages };
}
