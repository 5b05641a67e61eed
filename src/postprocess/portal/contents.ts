import {
  hiddenTopics,
  isWithin,
  type PageNews,
  ROOT,
  shownTree,
  type TopicId,
  type TopicTree,
  type TrainingOrigin,
} from '../../core/index.ts';
import { slugsOf } from '../export/names.ts';
import { webAddress } from '../markup.ts';
import { type Change, changesOf, type Day, daysOf, hasLeft, isMoveAlone, MOVED_AWAY, noNews } from './changes.ts';
import { type Curation, NO_CURATION, type Pinned } from './curation.ts';
import { imageIn, publishedIn } from './dates.ts';
import type { PortalRow, PortalSource } from './ports.ts';
import { SiteNames } from './site-names.ts';

/** A page of the portal; its number is its index in {@link PortalContents.pages}. */
export interface PortalPage extends Omit<PortalRow, 'fields'> {
  /** An address that is safe to link to. */
  readonly address: string;
  /** As the page says: `2024`, `2024-05` or `2024-05-03`; `''` if it does not. */
  readonly published: string;
  /** Address of the picture that it names for itself; `''` without one, or if pictures are not wanted. */
  readonly image: string;
  readonly news: PageNews;
}

/** A page in a list of a topic, with the reason. */
export interface Listed {
  readonly page: PortalPage;
  /** Name of the reason among the portal's words; `''` if there is nothing to say. */
  readonly why: string;
  /** What an editor says of it. */
  readonly note?: string;
}

/** A site with pages of a topic. */
export interface SiteShare {
  readonly site: string;
  readonly relevant: number;
  /** Pages fetched from it, for any topic. */
  readonly fetched: number;
}

export const LISTS = ['start', 'cited', 'collections', 'new'] as const;
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
  /** Each page is in one list at most. */
  readonly lists: Readonly<Record<ListName, readonly Listed[]>>;
  /** New and changed pages, latest first. */
  readonly latest: readonly PortalPage[];
  /** Pages found in each of {@link BARS} equal times between the first and the last find of the portal. */
  readonly finds: readonly number[];
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
  /** Pinned pages that the source does not have. */
  readonly missing: readonly string[];
}

const LISTED: Readonly<Record<ListName, number>> = { start: 12, cited: 8, collections: 6, new: 10 };
/** Pages to read first if there are fewer examples. */
const LEAST_TO_START = 3;
const LATEST = 30;
const SITES = 10;
export const BARS = 24;
/** The share of relevant pages is not meaningful for sites with fewer pages. */
const MIN_SITE_PAGES = 2;

/** Reads the pages of a source once and builds the lists of each topic. */
export async function portalContents(
  source: PortalSource,
  tree: TopicTree,
  curation: Curation = NO_CURATION,
): Promise<PortalContents> {
  const { rows, fetchedBySite, fetched, changes } = await readRows(source, curation, hiddenTopics(tree));
  const nodes = topicNodes(shownTree(tree), rows, curation);
  const { pages, ranges, tops } = numbered(rows, nodes);
  const training = await source.training();
  const byUrl = new Map(pages.flatMap((page) => [[page.url, page] as const, [page.finalUrl, page] as const]));
  const bySequence = new Map(pages.map((page) => [page.sequence, page]));
  const barOf = barsOf(pages);
  const topics = new Map<TopicId, PortalTopic>();
  for (const node of nodes.values()) {
    const range = ranges.get(node.id) ?? { first: 0, own: 0, end: 0 };
    const within = pages.slice(range.first, range.end);
    const scored = (await source.scoredPages(node.id)).flatMap(({ sequence, ...scores }) => {
      const page = bySequence.get(sequence);
      return page === undefined || page.topic !== node.id ? [] : [{ page, ...scores }];
    });
    const pinned = curation.topics.get(node.id)?.pinned ?? [];
    const examples = [...pinnedPages(pinned, byUrl), ...examplesOf(node.id, training, byUrl)];
    topics.set(node.id, {
      ...node,
      ...range,
      lists: listsOf({ examples, pinned: pinned.length, scored, within }),
      latest: latestOf(within),
      finds: within.reduce(
        (bars, page) => bars.with(barOf(page), (bars[barOf(page)] ?? 0) + 1),
        new Array<number>(BARS).fill(0),
      ),
      sites: densest(within, fetchedBySite),
      updatedAt: latest(within),
    });
  }
  const allPinned = [...curation.topics.values()].flatMap(({ pinned }) => pinned.map(({ url }) => url));
  return {
    ...{ pages, topics, tops, fetched },
    ...{ sites: densest(pages, fetchedBySite), updatedAt: latest(pages), days: daysOf(changes) },
    missing: allPinned.filter((url) => !byUrl.has(url)),
  };
}

interface Range {
  readonly first: number;
  readonly own: number;
  readonly end: number;
}

/** Puts the pages in the order of their topics. */
function numbered(rows: readonly PortalPage[], nodes: ReadonlyMap<TopicId, Node>) {
  const byTopic = Map.groupBy(rows, (row) => row.topic);
  const pages: PortalPage[] = [];
  const ranges = new Map<TopicId, Range>();
  const number = (id: TopicId): void => {
    const first = pages.length;
    for (const page of (byTopic.get(id) ?? []).sort(byRelevance)) pages.push(page);
    const own = pages.length;
    for (const child of nodes.get(id)?.children ?? []) number(child);
    ranges.set(id, { first, own, end: pages.length });
  };
  const tops = [...nodes.values()].filter((node) => node.above.length === 0).map((node) => node.id);
  for (const top of tops) number(top);
  return { pages, ranges, tops };
}

/** Returns the time, of {@link BARS} equal ones, in which a page was found. */
function barsOf(pages: readonly PortalPage[]): (page: PortalPage) => number {
  const times = pages.map(({ news }) => news.firstAt);
  const [first, last] = times.reduce(([low, high], at) => [Math.min(low, at), Math.max(high, at)], [Infinity, 0]);
  const width = Math.max(1, last - first + 1);
  return ({ news }) => Math.floor((BARS * (news.firstAt - first)) / width);
}

interface Rows {
  readonly rows: readonly PortalPage[];
  readonly fetchedBySite: ReadonlyMap<string, number>;
  readonly fetched: number;
  readonly changes: readonly Change[];
}

/** Returns pages to show: accepted pages, with the user's examples, that still exist. */
async function readRows(
  source: PortalSource,
  { hidden, topics, thumbnails: wantsImages }: Curation,
  unshown: readonly TopicId[],
): Promise<Rows> {
  const past = await readNews(source);
  const pinnedTo = new Map(
    [...topics].flatMap(([topic, { pinned }]) => pinned.map(({ url }) => [url, topic] as const)),
  );
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
    const pinned = pinnedTo.get(row.url) ?? pinnedTo.get(row.finalUrl);
    if ((!isShown && !wasShown && pinned === undefined) || address === undefined) continue;
    if (pinned === undefined && (hidden.has(row.url) || hidden.has(row.finalUrl))) continue;
    if (pinned === undefined && unshown.some((topic) => isWithin(row.topic, topic))) continue;
    const news = known ?? noNews(row);
    // A pinned page is in the topic that the editor named, whatever was judged.
    const { fields, ...plain } = row;
    const shown = pinned === undefined ? plain : { ...plain, topic: pinned, others: false };
    for (const change of changesOf(shown, news)) changes.push(change);
    if (!hasLeft(shown, news))
      rows.push({ ...shown, address, news, published: publishedIn(fields), image: wantsImages ? imageIn(fields) : '' });
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

/** Returns the topics of the tree, those of the curation first, then former topics that still have pages. */
function topicNodes(tree: TopicTree, rows: readonly PortalPage[], { topics }: Curation): ReadonlyMap<TopicId, Node> {
  const places = new Map([...topics.keys()].map((id, i) => [id, i]));
  const inOrder = (ids: readonly TopicId[]): readonly TopicId[] =>
    ids.toSorted((a, b) => (places.get(a) ?? places.size) - (places.get(b) ?? places.size));
  const known = [...tree.nodes.values()].filter((node) => node.id !== ROOT);
  const gone = [...new Set(rows.map(({ topic }) => topic))].filter((id) => !tree.nodes.has(id)).sort();
  const slugs = slugsOf([...known.map((node) => node.id), ...gone], 'topic');
  const nameOf = (id: TopicId, name: string): string => topics.get(id)?.title ?? name;
  const nodes = new Map<TopicId, Node>();
  const add = (ids: readonly TopicId[], above: readonly TopicId[]): void => {
    for (const id of inOrder(ids)) {
      const { name = id, children = [] } = tree.nodes.get(id) ?? {};
      nodes.set(id, { id, name: nameOf(id, name), slug: slugs.get(id) ?? '', above, children: inOrder(children) });
      add(children, [...above, id]);
    }
  };
  add(tree.nodes.get(ROOT)?.children ?? [], []);
  for (const id of gone)
    nodes.set(id, { id, name: nameOf(id, id), slug: slugs.get(id) ?? '', above: [], children: [] });
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
  user: 'whyEditors',
  feedback: 'whyConfirmed',
  reader: 'whyTypical',
  'archetype-by-authority': 'whyCited',
  'archetype-by-confidence': 'whyTypical',
  others: '',
  'feedback-others': '',
  'reader-others': '',
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

function pinnedPages(pinned: readonly Pinned[], byUrl: ReadonlyMap<string, PortalPage>): readonly Listed[] {
  return pinned.flatMap(({ url, note }) => {
    const page = byUrl.get(url);
    return page === undefined ? [] : [{ page, why: 'whyEditors', note }];
  });
}

interface Scored {
  readonly page: PortalPage;
  readonly hub: number;
  readonly authority: number;
}

interface Material {
  /** Pinned pages first. */
  readonly examples: readonly Listed[];
  readonly pinned: number;
  readonly scored: readonly Scored[];
  readonly within: readonly PortalPage[];
}

/** Builds the lists of a topic; a page that is in one is in no later one. */
function listsOf({ examples, pinned, scored, within }: Material): PortalTopic['lists'] {
  const taken = new Set<PortalPage>();
  const take = (listed: readonly Listed[], most: number): readonly Listed[] => {
    const own = listed.filter(({ page }) => !taken.has(page) && taken.add(page) !== undefined);
    for (const { page } of own.slice(most)) taken.delete(page);
    return own.slice(0, most);
  };
  const best = (score: (one: Scored) => number, why: string): readonly Listed[] =>
    scored
      .filter((one) => score(one) > 0)
      .toSorted((a, b) => score(b) - score(a) || a.page.sequence - b.page.sequence)
      .map(({ page }) => ({ page, why }));
  const found = within.filter((page) => page.role === 'crawled');
  const surest = found
    .filter((page) => Number.isFinite(page.confidence))
    .toSorted((a, b) => b.confidence - a.confidence || a.sequence - b.sequence)
    .map((page) => ({ page, why: 'whyTypical' }));
  const first = take(examples, Math.max(LISTED.start, pinned));
  const cited = take(
    best((one) => one.authority, 'whyCited'),
    LISTED.cited,
  );
  const collections = take(
    best((one) => one.hub, 'whyCollection'),
    LISTED.collections,
  );
  const start = [...first, ...take(surest, Math.max(0, LEAST_TO_START - first.length))];
  const newest = found.toSorted(byFind).map((page) => ({ page, why: '' }));
  return { start, cited, collections, new: take(newest, LISTED.new) };
}

function byFind(a: PortalPage, b: PortalPage): number {
  return b.news.firstAt - a.news.firstAt || b.sequence - a.sequence;
}

/** Returns new and changed pages without duplicates, latest first. */
function latestOf(within: readonly PortalPage[]): readonly PortalPage[] {
  const found = within
    .filter((page) => page.role === 'crawled')
    .toSorted(byFind)
    .slice(0, LATEST);
  const changed = within
    .filter(({ news }) => news.changes > 0 && !isMoveAlone(news))
    .toSorted((a, b) => b.news.changedAt - a.news.changedAt || b.sequence - a.sequence)
    .slice(0, LATEST);
  const byAddress = new Map([...found, ...changed].map((page) => [page.address, page]));
  return [...byAddress.values()].sort((a, b) => b.news.changedAt - a.news.changedAt).slice(0, LATEST);
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
