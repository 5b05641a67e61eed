import { type PageNews, ROOT, type TopicId, type TopicTree, type TrainingOrigin } from '../../core/index.ts';
import { slugsOf } from '../export/names.ts';
import { webAddress } from '../markup.ts';
import { type Change, changesOf, type Day, daysOf, hasLeft, isMoveAlone, MOVED_AWAY, noNews } from './changes.ts';
import type { PortalRow, PortalSource } from './ports.ts';
import { SiteNames } from './site-names.ts';

/** A page of the portal; its number is its index in {@link PortalContents.pages}. */
export interface PortalPage extends PortalRow {
  /** An address that is safe to link to. */
  readonly address: string;
  readonly news: PageNews;
}

/** A page in a list of a topic, with the reason. */
export interface Listed {
  readonly page: PortalPage;
  readonly why: string;
}

/** A site with pages of a topic. */
export interface SiteShare {
  readonly site: string;
  readonly relevant: number;
  /** Pages fetched from it, for any topic. */
  readonly fetched: number;
}

export const LISTS = ['examples', 'authorities', 'hubs', 'surest', 'newest', 'changed'] as const;
export type ListName = (typeof LISTS)[number];

export interface PortalTopic {
  readonly id: TopicId;
  readonly name: string;
  readonly slug: string;
  /** Ancestor topics, from the top. */
  readonly above: readonly TopicId[];
  readonly children: readonly TopicId[];
  /** Its pages are `pages[first … own)`; those of its subtopics follow up to `end`. */
  readonly first: number;
  readonly own: number;
  readonly end: number;
  readonly lists: Readonly<Record<ListName, readonly Listed[]>>;
  readonly sites: readonly SiteShare[];
  /** When one of its pages was last found or rechecked, in ms since 1970; 0 without pages. */
  readonly updatedAt: number;
}

export interface PortalContents {
  /** By topic in depth-first order, most relevant first within a topic. */
  readonly pages: readonly PortalPage[];
  /** In depth-first order. */
  readonly topics: ReadonlyMap<TopicId, PortalTopic>;
  readonly tops: readonly TopicId[];
  readonly sites: readonly SiteShare[];
  /** All pages fetched, without OTHERS. */
  readonly fetched: number;
  readonly updatedAt: number;
  /** Changes by day, newest first. */
  readonly days: readonly Day[];
}

const LISTED = 12;
const NEWEST = 30;
const SITES = 15;
/** The share of relevant pages is not meaningful for sites with fewer pages. */
const MIN_SITE_PAGES = 2;

/** Reads the pages of a source once and builds the lists of each topic. */
export async function portalContents(source: PortalSource, tree: TopicTree): Promise<PortalContents> {
  const { rows, fetchedBySite, fetched, changes } = await readRows(source);
  const byTopic = Map.groupBy(rows, (row) => row.topic);
  const nodes = topicNodes(tree, [...byTopic.keys()]);
  const pages: PortalPage[] = [];
  const ranges = new Map<TopicId, { readonly first: number; readonly own: number; readonly end: number }>();
  const number = (id: TopicId): void => {
    const first = pages.length;
    for (const page of (byTopic.get(id) ?? []).sort(byRelevance)) pages.push(page);
    const own = pages.length;
    for (const child of nodes.get(id)!.children) number(child);
    ranges.set(id, { first, own, end: pages.length });
  };
  const tops = [...nodes.values()].filter((node) => node.above.length === 0).map((node) => node.id);
  for (const top of tops) number(top);
  const training = await source.training();
  const byUrl = new Map(pages.flatMap((page) => [[page.url, page] as const, [page.finalUrl, page] as const]));
  const bySequence = new Map(pages.map((page) => [page.sequence, page]));
  const topics = new Map<TopicId, PortalTopic>();
  for (const node of nodes.values()) {
    const range = ranges.get(node.id)!;
    const within = pages.slice(range.first, range.end);
    const scored = (await source.scoredPages(node.id)).flatMap(({ sequence, ...scores }) => {
      const page = bySequence.get(sequence);
      return page === undefined || page.topic !== node.id ? [] : [{ page, ...scores }];
    });
    topics.set(node.id, {
      ...node,
      ...range,
      lists: {
        examples: examplesOf(node.id, training, byUrl),
        ...linkLists(scored),
        ...ownLists(within),
      },
      sites: densest(within, fetchedBySite),
      updatedAt: latest(within),
    });
  }
  return {
    pages,
    topics,
    tops,
    sites: densest(pages, fetchedBySite),
    fetched,
    updatedAt: latest(pages),
    days: daysOf(changes),
  };
}

interface Rows {
  readonly rows: readonly PortalPage[];
  readonly fetchedBySite: ReadonlyMap<string, number>;
  readonly fetched: number;
  readonly changes: readonly Change[];
}

/** Returns pages to show: accepted pages, with the user's examples, that still exist. */
async function readRows(source: PortalSource): Promise<Rows> {
  const past = await readNews(source);
  const rows: PortalPage[] = [];
  const changes: Change[] = [];
  const fetchedBySite = new Map<string, number>();
  const names = new SiteNames();
  let fetched = 0;
  for await (const row of source.exportPages()) {
    if (row.role !== 'others' || !row.others) fetched++;
    if (row.role === 'crawled') {
      fetchedBySite.set(row.site, (fetchedBySite.get(row.site) ?? 0) + 1);
    }
    const address = webAddress(row.finalUrl);
    if (address !== undefined) names.add(row.title, new URL(address).host, row.site);
    const known = past.get(row.sequence);
    // A page without a topic was in the portal if it is a newer version of a page that was.
    const wasShown = known !== undefined && known.changes > 0 && row.role === 'crawled';
    const isShown = !row.others && row.topic !== ROOT;
    if ((!isShown && !wasShown) || address === undefined) continue;
    const news = known ?? noNews(row);
    for (const change of changesOf(row, news)) changes.push(change);
    if (!hasLeft(row, news)) rows.push({ ...row, address, news });
  }
  const named = <T extends { readonly title: string; readonly address: string }>(page: T): T => {
    return { ...page, title: names.plain(page.title, new URL(page.address).host) };
  };
  return {
    rows: rows.map(named),
    fetchedBySite,
    fetched,
    changes: withListedTargets(changes, rows).map(named),
  };
}

/** Names the target of a moved page only if it is listed: otherwise it may be a page of a domain seller. */
function withListedTargets(changes: readonly Change[], rows: readonly PortalPage[]): readonly Change[] {
  const listed = new Set(rows.flatMap(({ url, address }) => [webAddress(url), address]));
  return changes.map((change) => {
    if (change.kind !== 'left' || change.target === undefined || listed.has(change.target)) return change;
    const { target: _, ...rest } = change;
    return { ...rest, why: MOVED_AWAY };
  });
}

/** Returns histories of pages that were rechecked; other pages have none. */
async function readNews(source: PortalSource): Promise<ReadonlyMap<number, PageNews>> {
  const past = new Map<number, PageNews>();
  for await (const history of source.histories()) {
    const { firstAt, changedAt, checkedAt, triedAt, checks, changes, missing, movedAt, movedFrom } = history;
    const { backAt, ending, endedAt, target, sequence } = history;
    if (triedAt === firstAt) continue;
    const times = { firstAt, changedAt, checkedAt, triedAt };
    past.set(sequence, { ...times, checks, changes, missing, movedAt, movedFrom, backAt, ending, endedAt, target });
  }
  return past;
}

type Node = Pick<PortalTopic, 'id' | 'name' | 'slug' | 'above' | 'children'>;

/** Returns the topics of the tree, then former topics that still have pages. */
function topicNodes(tree: TopicTree, found: readonly TopicId[]): ReadonlyMap<TopicId, Node> {
  const known = [...tree.nodes.values()].filter((node) => node.id !== ROOT);
  const gone = found.filter((id) => !tree.nodes.has(id)).sort();
  const slugs = slugsOf([...known.map((node) => node.id), ...gone], 'topic');
  const nodes = new Map<TopicId, Node>();
  for (const { id, name, parent, children } of known) {
    const above = parent === undefined || parent === ROOT ? [] : [...nodes.get(parent)!.above, parent];
    nodes.set(id, { id, name, slug: slugs.get(id)!, above, children });
  }
  for (const id of gone) nodes.set(id, { id, name: id, slug: slugs.get(id)!, above: [], children: [] });
  return nodes;
}

function byRelevance(a: PortalPage, b: PortalPage): number {
  return (
    orZero(b.relevance) - orZero(a.relevance) || orZero(b.confidence) - orZero(a.confidence) || a.sequence - b.sequence
  );
}

function orZero(x: number): number {
  return Number.isFinite(x) ? x : 0;
}

const ORIGINS: Readonly<Record<TrainingOrigin, string>> = {
  user: 'An example that a person gave',
  feedback: 'Marked as good by a person',
  'archetype-by-authority': 'Chosen as an example because good pages of the topic link to it',
  'archetype-by-confidence': 'Chosen as an example because the classifier is surest of it',
  others: '',
  'feedback-others': '',
  rejected: '',
};
/** The user's examples are first. */
const ORIGIN_ORDER = Object.keys(ORIGINS);

function examplesOf(
  topic: TopicId,
  training: Awaited<ReturnType<PortalSource['training']>>,
  byUrl: ReadonlyMap<string, PortalPage>,
): readonly Listed[] {
  return training
    .filter((entry) => entry.topic === topic && ORIGINS[entry.origin] !== '')
    .toSorted((a, b) => ORIGIN_ORDER.indexOf(a.origin) - ORIGIN_ORDER.indexOf(b.origin))
    .flatMap(({ key, origin }) => {
      const page = byUrl.get(key);
      return page === undefined ? [] : [{ page, why: ORIGINS[origin] }];
    });
}

interface Scored {
  readonly page: PortalPage;
  readonly hub: number;
  readonly authority: number;
}

function linkLists(scored: readonly Scored[]): Pick<PortalTopic['lists'], 'authorities' | 'hubs'> {
  const best = (score: (one: Scored) => number, why: (text: string) => string): readonly Listed[] =>
    scored
      .filter((one) => score(one) > 0)
      .toSorted((a, b) => score(b) - score(a) || a.page.sequence - b.page.sequence)
      .slice(0, LISTED)
      .map((one) => ({ page: one.page, why: why(score(one).toFixed(2)) }));
  return {
    authorities: best(
      (one) => one.authority,
      (score) => `Authority ${score}: good pages of the topic link to it`,
    ),
    hubs: best(
      (one) => one.hub,
      (score) => `Hub ${score}: it links to good pages of the topic`,
    ),
  };
}

function ownLists(within: readonly PortalPage[]): Pick<PortalTopic['lists'], 'surest' | 'newest' | 'changed'> {
  const found = within.filter((page) => page.role === 'crawled');
  const surest = found
    .filter((page) => Number.isFinite(page.confidence))
    .toSorted((a, b) => b.confidence - a.confidence || a.sequence - b.sequence)
    .slice(0, LISTED);
  const newest = found.toSorted((a, b) => b.news.firstAt - a.news.firstAt || b.sequence - a.sequence).slice(0, NEWEST);
  const changed = within
    .filter(({ news }) => news.changes > 0 && !isMoveAlone(news))
    .toSorted((a, b) => b.news.changedAt - a.news.changedAt || b.sequence - a.sequence)
    .slice(0, LISTED);
  return {
    surest: surest.map((page) => ({ page, why: `Confidence ${page.confidence.toFixed(2)}` })),
    newest: newest.map((page) => ({ page, why: '' })),
    changed: changed.map((page) => ({ page, why: whyChanged(page.news) })),
  };
}

function whyChanged({ changes, checks }: PageNews): string {
  const times = (n: number): string => (n === 1 ? 'once' : `${n} times`);
  return `Looked at again ${times(checks)}, changed ${times(changes)}`;
}

function densest(pages: readonly PortalPage[], fetchedBySite: ReadonlyMap<string, number>): readonly SiteShare[] {
  const relevant = new Map<string, number>();
  for (const { site, role } of pages) if (role === 'crawled') relevant.set(site, (relevant.get(site) ?? 0) + 1);
  return [...relevant]
    .filter(([, count]) => count >= MIN_SITE_PAGES)
    .map(([site, count]) => ({ site, relevant: count, fetched: fetchedBySite.get(site) ?? count }))
    .sort(
      (a, b) =>
        b.relevant / b.fetched - a.relevant / a.fetched || b.relevant - a.relevant || (a.site < b.site ? -1 : 1),
    )
    .slice(0, SITES);
}

function latest(pages: readonly PortalPage[]): number {
  return pages.reduce((max, page) => Math.max(max, page.news.checkedAt), 0);
}
