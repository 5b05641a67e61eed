import { isWithin, type PageRecord, ROOT, type TopicId } from '../../core/index.ts';
import type { ExportFilter, PageFilter, Store, TopicSummary } from '../../store/index.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { namesOf } from './crawled-tree.ts';

/** Maps topic names between the tables and bingo.yaml, which may have renamed topics. */
export interface TableNames {
  /**
   * Replaces the topic name of a table row by its name in bingo.yaml; keeps it if bingo.yaml no longer has the topic.
   */
  readonly named: <T extends { readonly topic: TopicId }>(item: T) => T;
  /** Names in the tables of a topic of bingo.yaml: at least one. */
  readonly inTables: (topic: TopicId) => readonly [TopicId, ...TopicId[]];
  /** Filter of the tables for topics and their subtopics. */
  readonly below: (topics: readonly TopicId[]) => Pick<PageFilter, 'topics' | 'without'>;
}

const SAME: TableNames = {
  named: (item) => item,
  inTables: (topic) => [topic],
  below: (topics) => ({ topics }),
};

/**
 * Returns the mapping. Renamed or moved topics have their new names before a crawl or a decision has judged all pages
 * again.
 */
export async function tableNames(
  store: Pick<Store, 'pageTopics' | 'training' | 'topicNamings'>,
  workspace: Pick<Workspace, 'tree' | 'known'>,
): Promise<TableNames> {
  const names = await namesOf(store, workspace);
  if (names.areFixed) return SAME;
  const all = [...new Set([...(await store.pageTopics()), ...(await store.training()).map(({ topic }) => topic)])];
  const now = (topic: TopicId): TopicId => names.ofTables(topic);
  if (all.every((topic) => now(topic) === topic)) return SAME;
  return {
    named: (item) => ({ ...item, topic: now(item.topic) }),
    inTables: (topic) => {
      const [first = topic, ...more] = all.filter((one) => now(one) === topic);
      return [first, ...more];
    },
    below: (topics) => {
      const isWanted = (topic: TopicId): boolean => topics.some((wanted) => isWithin(now(topic), wanted));
      const wanted = all.filter(isWanted);
      const asked = wanted.length === 0 ? topics : wanted;
      const moved = all.filter((topic) => asked.some((one) => isWithin(topic, one)) && !isWanted(topic));
      return { topics: asked, without: { topics: moved } };
    },
  };
}

/**
 * A read-only store whose queries and results use the topic names of bingo.yaml; SQL, rounds and the journal are
 * unchanged.
 */
export function namedStore(store: Store, names: TableNames): Store {
  if (names === SAME) return store;
  const { named, inTables } = names;
  const own: Partial<Store> = {
    async *exportPages({ topic, ...filter }: ExportFilter = {}) {
      for (const one of topic === undefined ? [undefined] : inTables(topic)) {
        const wanted = { ...filter, ...filterInTables(filter, names), ...(one !== undefined && { topic: one }) };
        for await (const row of store.exportPages(wanted)) yield named(row);
      }
    },
    pageWindow: async (filter, query) => {
      const { pages, ...rest } = await store.pageWindow({ ...filter, ...filterInTables(filter, names) }, query);
      return { ...rest, pages: pages.map(named) };
    },
    pageFacets: async (filter) => {
      const { topic, ...rest } = await store.pageFacets({ ...filter, ...filterInTables(filter, names) });
      const now = topic.map(({ value, pages }) => ({ ...named({ topic: value as TopicId }), pages }));
      const parts = [...Map.groupBy(now, (one) => one.topic)];
      const counted = parts.map(([value, own]) => ({ value, pages: own.reduce((sum, { pages }) => sum + pages, 0) }));
      return { ...rest, topic: counted.sort((a, b) => b.pages - a.pages) };
    },
    search: async (query) => {
      const { hits, ...rest } = await store.search({ ...query, ...filterInTables(query, names) });
      return { ...rest, hits: hits.map(named) };
    },
    scoredPages: async (topic) => {
      const scored = await Promise.all(inTables(topic).map((one) => store.scoredPages(one)));
      return scored.flat().sort((a, b) => b.authority - a.authority);
    },
    training: async () => (await store.training()).map(named),
    status: async () => {
      const status = await store.status();
      return { ...status, topics: summed(status.topics.map(named)), estimates: status.estimates.map(named) };
    },
    pathTo: async (url) => (await store.pathTo(url)).map(named),
    pageOf: async (url) => pageNamed(await store.pageOf(url), named),
    lookup: async (url) => {
      const { page, ...facts } = await store.lookup(url);
      return { ...facts, page: pageNamed(page, named) };
    },
  };
  return new Proxy(store, {
    get: (_, name: keyof Store) => {
      const member = own[name] ?? store[name];
      return typeof member === 'function' ? member.bind(store) : member;
    },
  });
}

/** Converts the topic names of a filter from bingo.yaml to the tables. */
function filterInTables({ topics = [], without }: PageFilter, { below }: TableNames): PageFilter {
  const isAll = topics.length === 0 || topics.includes(ROOT);
  const wanted = isAll ? { topics } : below(topics);
  const unwanted = without?.topics === undefined || without.topics.length === 0 ? {} : below(without.topics);
  const barred = [...(unwanted.topics ?? []), ...(wanted.without?.topics ?? [])];
  return { topics: wanted.topics ?? [], without: { ...without, topics: barred } };
}

function pageNamed(
  page: PageRecord | undefined,
  named: (assignment: PageRecord['assignment']) => PageRecord['assignment'],
): PageRecord | undefined {
  return page && { ...page, assignment: named(page.assignment) };
}

/** Sums the rows of topics that were merged. */
function summed(topics: readonly TopicSummary[]): readonly TopicSummary[] {
  const all = Map.groupBy(topics, ({ topic }) => topic);
  const parted = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  return parted.map(([topic, parts]) => {
    const sum = (value: (part: TopicSummary) => number): number =>
      parts.reduce((total, part) => total + value(part), 0);
    const accepted = sum((part) => part.accepted);
    const mean = (value: (part: TopicSummary) => number): number =>
      sum((part) => (part.accepted === 0 ? 0 : part.accepted * value(part))) / accepted;
    return {
      ...{ topic, accepted, others: sum(({ others }) => others) },
      ...{ meanConfidence: mean((part) => part.meanConfidence), meanRelevance: mean((part) => part.meanRelevance) },
    };
  });
}
