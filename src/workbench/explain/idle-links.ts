import { type CanonicalUrl, type CrawlStatus, hostOf, registeredDomain, waitingLinks } from '../../core/index.ts';
import { Budgets } from '../../engine/index.ts';
import { count, counted } from '../../kit/index.ts';
import type { Store } from '../../store/index.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Possible reasons why a link was not fetched although no rule is known to block it. */
export interface IdleNote {
  /** A sentence if the site has used up its page budget; `''` otherwise. */
  readonly spent: string;
  /** The end of the sentence "…, but it …" if the link may be waiting; `''` if no link waits. */
  readonly waits: string;
  /** The topic starts at seeds alone and does not follow the links of its examples. */
  readonly startsAtSeeds: boolean;
  /** Other possible reasons, the likeliest first. */
  readonly ways: readonly string[];
}

const UNFOCUSED = "the focus rule skipped it (after rejected pages, or outside the learning phase's sites)";
const PUSHED_OUT = 'better links pushed it out of a full queue';
const TRAPS = 'addresses like it had led to copies and errors (traps)';

const UNKNOWN: IdleNote = Object.freeze({
  spent: '',
  waits: 'it still waits in the queue',
  startsAtSeeds: true,
  ways: [UNFOCUSED, PUSHED_OUT, TRAPS],
});

/** Used if nothing is known about the crawl. */
export const NOTHING_KNOWN: (url: CanonicalUrl) => IdleNote = () => UNKNOWN;

/** Reads the progress of the crawl, and which of its limits are reached. */
export async function idleNotes(
  store: Pick<Store, 'countedPages' | 'published'>,
  workspace: Workspace,
): Promise<(url: CanonicalUrl) => IdleNote> {
  const { crawl, traps } = workspace.config;
  const status = (await store.published())?.status;
  const budgets = await spentBudgets(store, workspace);
  const topics = budgets.spent().topics;
  // Links removed from a queue since then are soon replaced.
  const isAnyFull = status?.queues.some(({ incoming }) => incoming >= crawl.incomingQueue / 2) ?? true;
  const ways = [
    ...(topics.length === 0 ? [] : [`its topic has used up its page budget (${topics.join(', ')})`]),
    UNFOCUSED,
    ...(isAnyFull ? [PUSHED_OUT] : []),
    ...(traps.enabled ? [TRAPS] : []),
  ];
  const startsAtSeeds = [...workspace.tree.nodes.values()].some(({ seeds }) => seeds.length > 0);
  return (url) => {
    const site = registeredDomain(hostOf(url));
    const spent = budgets.isSiteSpent(site)
      ? `its site ${site} has reached its page limit (crawl.maxPagesPerSite is ${count(crawl.maxPagesPerSite)}).`
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
  const behind = isHeld ? '; a part of its site has reached its limit, so other links come first' : '';
  return `it still waits in the queue (as ${counted(waiting, 'link')} do${ended}${behind})`;
}

async function spentBudgets(store: Pick<Store, 'countedPages'>, { tree, config }: Workspace): Promise<Budgets> {
  const budgets = new Budgets(tree, config.crawl);
  if (budgets.isAnyLimited)
    for (const { topic, host, pages } of await store.countedPages()) budgets.spend({ topic, host }, pages);
  return budgets;
}
