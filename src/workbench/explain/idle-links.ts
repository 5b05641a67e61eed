import {
  type CanonicalUrl,
  type CrawlStatus,
  hostOf,
  LINKS_FOLLOWED,
  registeredDomain,
  type TopicId,
  waitingLinks,
} from '../../core/index.ts';
import { Budgets } from '../../engine/index.ts';
import { count, counted } from '../../kit/index.ts';
import type { Store } from '../../store/index.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What may have become of a link that nothing is known to keep out. */
export interface IdleNote {
  /** That its site has had all its pages, as a sentence; `''` where it has not. */
  readonly spent: string;
  /** It may wait: ends of "…, but it …"; `''` where no link waits. */
  readonly waits: string;
  /** A topic starts at seeds alone, and does not follow its examples' links. */
  readonly startsAtSeeds: boolean;
  /** What else it may be, the likeliest first. */
  readonly ways: readonly string[];
}

const UNFOCUSED = "the focus rule left it out (behind rejected pages, or outside the learning phase's sites)";
const PUSHED_OUT = 'better links pushed it out of a full queue';
const TRAPS = 'addresses like it had led to copies and errors (traps)';

const UNKNOWN: IdleNote = Object.freeze({
  spent: '',
  waits: 'it still waits in the queue',
  startsAtSeeds: true,
  ways: [UNFOCUSED, PUSHED_OUT, TRAPS],
});

/** Nothing is known of the crawl. */
export const NOTHING_KNOWN: (url: CanonicalUrl) => IdleNote = () => UNKNOWN;

/** Reads how far the crawl came, and which of its limits are reached. */
export async function idleNotes(
  store: Pick<Store, 'sql' | 'published'>,
  workspace: Workspace,
): Promise<(url: CanonicalUrl) => IdleNote> {
  const { crawl, traps } = workspace.config;
  const status = (await store.published())?.status;
  const budgets = await spentBudgets(store, workspace);
  const topics = budgets.spent().topics;
  // What was taken out of a queue since is soon made up for.
  const isAnyFull = status?.queues.some(({ incoming }) => incoming >= crawl.incomingQueue / 2) ?? true;
  const ways = [
    ...(topics.length === 0 ? [] : [`its topic is one that has had all its pages (${topics.join(', ')})`]),
    UNFOCUSED,
    ...(isAnyFull ? [PUSHED_OUT] : []),
    ...(traps.enabled ? [TRAPS] : []),
  ];
  const startsAtSeeds = [...workspace.tree.nodes.values()].some(({ seeds }) => seeds.length > 0);
  return (url) => {
    const site = registeredDomain(hostOf(url));
    const spent = budgets.isSiteSpent(site)
      ? `its site ${site} has had all its pages (crawl.maxPagesPerSite is ${count(crawl.maxPagesPerSite)}).`
      : '';
    return { spent, waits: waitsOf(status, hostOf(url)), startsAtSeeds, ways };
  };
}

function waitsOf(status: CrawlStatus | undefined, host: string): string {
  if (status === undefined) return UNKNOWN.waits;
  const { fetched, budget, held = [] } = status;
  const waiting = waitingLinks(status);
  if (waiting === 0) return '';
  const ended = fetched >= budget ? `, and the crawl has fetched its ${counted(budget, 'page')}` : '';
  const isHeld = held.some(({ part }) => part.startsWith(host));
  const behind = isHeld ? '; a part of its site has had its share, and others go first' : '';
  return `it still waits in the queue (as ${counted(waiting, 'link')} do${ended}${behind})`;
}

/** Pages that count against budgets, by the topic whose link was followed, and by host. */
const COUNTED = `select topic, host, count(*) from (${['page', 'visit']
  .map((table) => {
    const own = table === 'page' ? `role = 'crawled'` : `(result = 'duplicate' or reason = '${LINKS_FOLLOWED}')`;
    return `select queue as topic, host from ${table} where ${own} and via not in ('seed', 'recheck', 'sitemap')`;
  })
  .join(' union all ')}) as counted group by topic, host`;

/** Groups that are read at the most. */
const MAX_GROUPS = 1_000_000;

async function spentBudgets(store: Pick<Store, 'sql'>, { tree, config }: Workspace): Promise<Budgets> {
  const budgets = new Budgets(tree, config.crawl);
  if (!budgets.isAnyLimited) return budgets;
  const { rows } = await store.sql(COUNTED, { maxRows: MAX_GROUPS });
  for await (const [topic, host, pages] of rows)
    budgets.spend({ topic: String(topic) as TopicId, host: String(host) }, Number(pages));
  return budgets;
}
