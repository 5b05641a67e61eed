import { type Kysely, sql } from 'kysely';
import {
  type CanonicalUrl,
  hostOf,
  isOnSite,
  LINKS_FOLLOWED,
  type SteerCommand,
  type TopicId,
  type Via,
} from '../../core/index.ts';
import type { CandidateLimits, Candidates, CountedPages } from '../candidates.ts';
import type { Tables } from '../schema.ts';
import type { Milestone } from '../store.ts';
import { readCommand } from './rare-records.ts';
import type { Ask } from './reading.ts';

type Db = Kysely<Tables>;

/** URLs read at a time. */
const CHUNK = 5_000;

/** Returns the journalled changes by users, oldest first. */
export async function readSteers(db: Db): Promise<readonly SteerCommand[]> {
  const rows = await db.selectFrom('steer').select('command').orderBy('sequence').execute();
  return rows.flatMap(({ command }) => readCommand(command) ?? []);
}

/** Returns the phases and training rounds, in order. */
export async function readMilestones(db: Db): Promise<readonly Milestone[]> {
  const phases = await db.selectFrom('phase').select(['sequence', 'phase']).execute();
  const rounds = await db.selectFrom('round').select(['sequence', 'model', 'undone']).execute();
  return [
    ...phases.map(({ sequence, phase }): Milestone => ({ sequence, kind: 'phase', name: phase })),
    ...rounds.map(({ sequence, model, undone }): Milestone => {
      return { sequence, kind: 'round', name: `${model}${undone === 1 ? ' undone' : ''}` };
    }),
  ].sort((a, b) => a.sequence - b.sequence);
}

/** Counts the known URLs on a site that were never fetched. */
export async function countUnfetched(ask: Ask, site: string): Promise<number> {
  let unfetched = 0;
  for (let last = 0; ; ) {
    const rows = await ask((db) =>
      db
        .selectFrom('url')
        .select(['id', 'url'])
        .where('id', '>', last)
        .where(sql<boolean>`instr(url, ${site}) > 0`)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('alias').select('alias.url_id').whereRef('alias.url_id', '=', 'url.id'))),
        )
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('visit').select('visit.url_id').whereRef('visit.url_id', '=', 'url.id'))),
        )
        .orderBy('id')
        .limit(CHUNK)
        .execute(),
    );
    unfetched += rows.filter(({ url }) => isOnSite(hostOf(url as CanonicalUrl), site)).length;
    const next = rows.at(-1)?.id;
    if (rows.length < CHUNK || next === undefined) return unfetched;
    last = next;
  }
}

/** Returns the pages that count against budgets, by the topic of the followed link, and by host. */
export async function readCountedPages(db: Db): Promise<readonly CountedPages[]> {
  const free: Via[] = ['seed', 'recheck', 'sitemap'];
  const pages = db
    .selectFrom('page')
    .select(['queue', 'host'])
    .where('role', '=', 'crawled')
    .where('via', 'not in', free);
  const visits = db
    .selectFrom('visit')
    .select(['queue', 'host'])
    .where((or) => or.or([or('result', '=', 'duplicate'), or('reason', '=', LINKS_FOLLOWED)]))
    .where('via', 'not in', free);
  const rows = await db
    .selectFrom(pages.unionAll(visits).as('counted'))
    .select(['queue', 'host', sql<number>`count(*)`.as('pages')])
    .groupBy(['queue', 'host'])
    .execute();
  return rows.map(({ queue, host, pages }) => ({ topic: queue as TopicId, host, pages: Number(pages) }));
}

/** Returns pages whose verdicts a user may want to check. */
export async function readCandidates(
  db: Db,
  { calibratedBelow, maxDepth, limit }: CandidateLimits,
): Promise<Candidates> {
  const scored = db
    .selectFrom('page')
    .innerJoin('page_score', 'page_score.page', 'page.sequence')
    .where('page.role', '=', 'crawled')
    .where('page.replaced_by', 'is', null);
  const shown = scored.select(['page_score.topic', 'page.sequence', 'page.final_url as url', 'page.title']);
  const unsure = await shown
    .select('page_score.calibrated as score')
    .whereRef('page_score.topic', '=', 'page.topic')
    .where('page.others', '=', 0)
    .where('page_score.calibrated', '<', calibratedBelow)
    .orderBy('score')
    .orderBy('page.sequence')
    .limit(limit)
    .execute();
  const near = await shown
    .select('page_score.cosine as score')
    .where('page.others', '=', 1)
    .where('page.depth', '<=', maxDepth)
    .where('page_score.cosine', '>', 0)
    .orderBy('score', 'desc')
    .orderBy('page.sequence')
    .limit(limit)
    .execute();
  const topics = await scored
    .select(['page.topic', sql<number>`count(*)`.as('pages'), sql<number | null>`avg(page_score.cosine)`.as('cosine')])
    .whereRef('page_score.topic', '=', 'page.topic')
    .where('page.others', '=', 0)
    .groupBy('page.topic')
    .execute();
  const found = (rows: typeof near): Candidates['near'] =>
    rows.map(({ topic, score, ...page }) => ({ ...page, topic: topic as TopicId, score: score ?? 0 }));
  return {
    unsure: found(unsure),
    near: found(near),
    accepted: topics.map(({ topic, pages, cosine }) => {
      return { topic: topic as TopicId, pages: Number(pages), meanCosine: Number(cosine ?? 0) };
    }),
  };
}
