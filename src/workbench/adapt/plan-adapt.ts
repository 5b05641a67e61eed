import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isArchetype, type Judgement, type OrderingName, type TopicId, UsageError } from '../../core/index.ts';
import { collectionFolder, otherCollections, type Store } from '../../store/index.ts';
import { withOpenStore } from '../judging/apply-feedback.ts';
import { readQueryLog } from '../queries/query-log.ts';
import { readingStore } from '../reading/reading.ts';
import { quoted } from '../words/shell-words.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { AdaptPlan } from './adapt-events.ts';
import { type AdaptState, readAdaptState, type StartPage } from './adapt-state.ts';
import { adaptTree } from './adapt-tree.ts';
import { QUERY_ORDERING } from './query-ordering.ts';
import { type Representative, representatives, type Sample } from './representatives.ts';

/** Which queries an adaptation serves, and how. */
export interface AdaptChoice {
  /** Queries instead of those of the log. */
  readonly queries?: readonly string[] | undefined;
  /** How representative queries are chosen from the log. Default: clusters. */
  readonly sample?: Sample | undefined;
  /** Maximum number of representative queries. Default: 10. */
  readonly count?: number | undefined;
  /** Maximum number of pages of the new collection. Default: as many as the present one has. */
  readonly pages?: number | undefined;
  /** Crawls per query, at most. Default: 3. */
  readonly iterations?: number | undefined;
  /** Overlap of successive sets of start pages at which a query has converged, in (0,1]. Default: 0.8. */
  readonly theta?: number | undefined;
  /** Hits at which a crawl starts. Default: 10. */
  readonly hits?: number | undefined;
  /** Default: naive best-first, by the cosine of a link's page and the query. */
  readonly ordering?: OrderingName | undefined;
}

const COUNT = 10;
const ITERATIONS = 3;
const THETA = 0.8;
const HITS = 10;
const MAX_QUERY_CHARS = 2_000;

/** An adaptation that was interrupted: the name of its collection, and its state. */
export interface Begun {
  readonly name: string;
  readonly state: AdaptState;
}

/** Returns the adaptation that was interrupted, if any. */
export function begunAdaptation(dir: string): Begun | undefined {
  for (const name of otherCollections(dir).toReversed()) {
    const state = readAdaptState(join(dir, name));
    if (state !== undefined) return { name, state };
  }
  return undefined;
}

/**
 * Chooses queries, and collects what the new collection keeps of the old one.
 * @throws UsageError if nothing was learned yet, or there is no query
 */
export async function newAdaptation(workspace: Workspace, choice: AdaptChoice): Promise<AdaptState> {
  const queries = chosenQueries(workspace, choice);
  return await readingStore(workspace, async (store) => {
    const { rounds, pages } = await store.status();
    if (rounds === 0)
      throw new UsageError('Nothing has been crawled yet.', `First: bingo crawl ${quoted(workspace.dir)}`);
    const { iterations = ITERATIONS, theta = THETA, hits = HITS, ordering = QUERY_ORDERING } = choice;
    const most = choice.pages ?? Math.max(pages, queries.length);
    if (most < queries.length)
      throw new UsageError(
        `${most} pages are fewer than ${queries.length} queries.`,
        'Allow more pages, or take fewer queries.',
      );
    const kept = await keptPages(store, workspace);
    return { queries, pages: most, iterations, theta, hits, ordering, ...kept, crawls: [], ended: [] };
  });
}

/** Returns what an adaptation would do; writes nothing. */
export async function planAdaptation(workspace: Workspace, choice: AdaptChoice): Promise<AdaptPlan> {
  const begun = begunAdaptation(workspace.dir);
  const state = begun?.state ?? (await newAdaptation(workspace, choice));
  const { tree } = { tree: adaptTree(workspace.tree, { ...state, starts: [] }) };
  const nodes = [...tree.nodes.values()];
  const trainingPages = nodes.reduce((sum, { examples, others }) => sum + examples.length + others.length, 0);
  return await readingStore(workspace, async (store) => {
    const { pages } = await store.status();
    const speed = (await store.published())?.status.pagesPerSecond ?? 0;
    const file = join(collectionFolder(workspace.dir), 'store.db');
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    return {
      queries: state.queries,
      pages: state.pages,
      pagesPerQuery: pagesPerQuery(state),
      trainingPages,
      bytes: size === 0 || pages === 0 ? null : Math.round((size / pages) * state.pages),
      ms: speed > 0 ? Math.round((1000 * (state.pages + trainingPages)) / speed) : null,
      isResumed: begun !== undefined,
    };
  });
}

/** maxPages of the paper. */
export function pagesPerQuery({ pages, queries }: Pick<AdaptState, 'pages' | 'queries'>): number {
  return Math.max(1, Math.floor(pages / queries.length));
}

function chosenQueries(workspace: Workspace, choice: AdaptChoice): readonly Representative[] {
  const { sample = 'clusters', count = COUNT, queries } = choice;
  if (queries !== undefined) {
    const given = [...new Set(queries.map((query) => query.trim().slice(0, MAX_QUERY_CHARS)))].filter((q) => q !== '');
    if (given.length > 0) return given.map((query) => ({ query, share: 1 / given.length, stands: 1 }));
    throw new UsageError('The list of queries is empty.', 'Write one query per line.');
  }
  const now = Date.now();
  const chosen = representatives(readQueryLog(workspace, now), {
    sample,
    count,
    now,
    seed: workspace.config.crawl.seed,
  });
  if (chosen.length > 0) return chosen;
  const dir = quoted(workspace.dir);
  throw new UsageError(
    'The query log is empty, so there is nothing to adapt to.',
    workspace.config.search.log
      ? 'Search first, or name queries: --queries FILE'
      : `Turn the log on (bingo settings set ${dir} search.log true) and search, or name queries: --queries FILE`,
  );
}

/** Collects the user's decisions and the archetypes of the last round, by their current names. */
async function keptPages(
  store: Store,
  workspace: Workspace,
): Promise<{ readonly judgements: readonly Judgement[]; readonly archetypes: readonly StartPage[] }> {
  return await withOpenStore({ store, workspace, isCrawlRunning: false }, async ({ desk }) => ({
    judgements: [...desk.judgements.values()].filter(({ use }) => use !== 'free'),
    archetypes: desk.training().flatMap(({ key, topic, origin }): StartPage[] => {
      const now = desk.topicNow(topic);
      const isPage = isArchetype(origin) && /^https?:/.test(key);
      return isPage && now !== undefined ? [{ url: key, topic: now as TopicId }] : [];
    }),
  }));
}
