import { KEPT_SCORES, type TopicId, UsageError } from '../../core/index.ts';
import { type Bars, chartFile } from '../../postprocess/index.ts';
import { distillInSql, type OutsideLink, openStore, type PageScore, type SqlDistillation } from '../../store/index.ts';
import { rateImportance } from '../crawl/rate-importance.ts';
import { tableNames } from '../reading/named-store.ts';
import { placeOf, readingStore } from '../reading/reading.ts';
import { readTextFile } from '../sources/local-file.ts';
import { parseBacklinks } from '../workspace/backlinks.ts';
import { topicMeant } from '../workspace/find-topic.ts';
import { claimWorkspace, type Workspace } from '../workspace/workspace.ts';
import { type SqlWatch, workInSql } from './work-in-sql.ts';

/** Hubs and authorities of a topic. */
export type Distillation = Omit<SqlDistillation, 'every'> & { readonly topic: TopicId };

/** Which hubs and authorities are found. */
export interface DistillOptions {
  /** Maximum number of hubs, and of authorities. Default: 10. */
  readonly limit?: number | undefined;
  /** Over all pages of the topic, and kept for the rankings of searches until the next training round. */
  readonly keep?: boolean | undefined;
  /**
   * File of links from pages outside: two addresses per line, the page that links and the page that it links to. Such
   * predecessors belong to the base set although the crawl has not fetched them.
   */
  readonly backlinks?: string | undefined;
}

const LIMIT = 10;
/** Larger than any store. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Finds hubs and authorities among the stored pages of a topic.
 * @param name may be omitted if there is only one topic
 * @throws UsageError if the topic is unknown
 */
export async function distillTopic(
  workspace: Workspace,
  watch: SqlWatch,
  { topic: name, limit = LIMIT, keep = false, backlinks }: DistillOptions & { readonly topic?: string | undefined },
): Promise<Distillation> {
  const topic = topicMeant(workspace.tree, name);
  const inTables = await nameInTables(workspace, topic);
  const { distill } = workspace.config;
  const outside = backlinks === undefined ? [] : outsideLinks(backlinks);
  if (keep) return { topic, ...(await distillAndKeep(workspace, watch, { topic: inTables, limit, outside })) };
  const found = await workInSql({ ...workspace, watch }, (scratch) =>
    distillInSql(scratch, inTables, { ...distill, limit, outside }),
  );
  return { topic, ...found };
}

/** Draws the scores of the hubs and authorities of a topic as one SVG file. */
export function distillationChart({ topic, hubs, authorities }: Distillation): string {
  const bars = (title: string, pages: Distillation['hubs']): Bars => ({
    ...{ title: `${title} of ${topic}`, xLabel: 'place', yLabel: 'score' },
    names: pages.map((page, i) => `${i + 1}. ${page.title || page.url}`),
    labels: pages.map((_, i) => `${i + 1}`),
    values: pages.map(({ score }) => score),
  });
  return chartFile([bars('Hubs', hubs), bars('Authorities', authorities)], []);
}

/**
 * Reads a list of backlinks from a file that the user named, as single links.
 * @throws UsageError if the file cannot be read or has no link
 * @throws InputError that lists lines that are no links
 */
function outsideLinks(file: string): readonly OutsideLink[] {
  const { sources } = parseBacklinks(readTextFile(file), file);
  const links = [...sources].flatMap(([to, from]) => from.map((each) => ({ from: each, to })));
  if (links.length > 0) return links;
  throw new UsageError(
    `${file} has no link.`,
    'Write two web addresses per line: the page that links, and its target.',
  );
}

async function nameInTables(workspace: Workspace, topic: TopicId): Promise<TopicId> {
  return await readingStore(workspace, async (store) => (await tableNames(store, workspace)).inTables(topic)[0]);
}

/** Distills all pages of a topic, and replaces the result of the last round. */
async function distillAndKeep(
  workspace: Workspace,
  watch: SqlWatch,
  {
    topic,
    limit,
    outside,
  }: { readonly topic: TopicId; readonly limit: number; readonly outside: readonly OutsideLink[] },
): Promise<SqlDistillation> {
  const { config, dir } = workspace;
  const lock = await claimWorkspace(dir);
  try {
    const store = await openStore(placeOf(workspace));
    try {
      const all = {
        ...config.distill,
        maxBaseSet: ALL_PAGES,
        limit: Math.max(KEPT_SCORES, limit),
        every: true,
        outside,
      };
      const { every, ...found } = await workInSql({ config, dir, watch }, (scratch) =>
        distillInSql(scratch, topic, all),
      );
      await store.saveScores(topic, bestScores(found), every);
      await rateImportance(store);
      return { ...found, hubs: found.hubs.slice(0, limit), authorities: found.authorities.slice(0, limit) };
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
}

function bestScores({ hubs, authorities }: SqlDistillation): readonly PageScore[] {
  const scores = new Map<string, PageScore>();
  const stored = hubs.filter(({ page }) => page > 0);
  for (const { url, score } of stored.slice(0, KEPT_SCORES)) scores.set(url, { url, hub: score, authority: 0 });
  for (const { url, score } of authorities.slice(0, KEPT_SCORES))
    scores.set(url, { url, hub: scores.get(url)?.hub ?? 0, authority: score });
  return [...scores.values()];
}
