import type { Kysely } from 'kysely';
import type { Ending } from '../../core/index.ts';
import type { Tables } from '../schema.ts';

type Db = Kysely<Tables>;

/** A page that a crawl found, with what became of it. */
export interface NewsRow {
  readonly sequence: number;
  readonly title: string;
  readonly url: string;
  readonly topic: string;
  /** In ms since 1970; for a page that ended, when. */
  readonly at: number;
}

/** What a part of the journal brought. */
export interface StoredNews {
  /** Accepted pages, most relevant first. */
  readonly found: readonly NewsRow[];
  /** Accepted pages with a newer version, most relevant first; `before` is the sequence of the version before. */
  readonly changed: readonly (NewsRow & { readonly before: number })[];
  /** Pages that were accepted: `topic` = their newer version was rejected. */
  readonly gone: readonly (NewsRow & { readonly why: Ending | 'topic' })[];
}

/** Returns what the records after one sequence, up to another, brought. */
export async function readNews(db: Db, after: number, until: number): Promise<StoredNews> {
  const replaced = await db
    .selectFrom('page')
    .select(['sequence', 'replaced_by', 'others'])
    .where('replaced_by', '>', after)
    .where('replaced_by', '<=', until)
    .execute();
  const before = new Map(replaced.map((row) => [Number(row.replaced_by), row]));
  const rows = await pages(db)
    .where('sequence', '>', after)
    .where('sequence', '<=', until)
    .where('replaced_by', 'is', null)
    .execute();
  const byRelevance = rows.sort((a, b) => (b.relevance ?? 0) - (a.relevance ?? 0) || a.sequence - b.sequence);
  const accepted = byRelevance.filter(({ others }) => others === 0);
  return {
    found: accepted.filter(({ sequence, role }) => role === 'crawled' && !before.has(sequence)).map(newsRow),
    changed: accepted.flatMap((row) => {
      const old = before.get(row.sequence);
      return old === undefined ? [] : [{ ...newsRow(row), before: old.sequence }];
    }),
    gone: [
      ...(await ended(db, after, until)),
      ...byRelevance
        .filter(({ sequence, others }) => others !== 0 && before.get(sequence)?.others === 0)
        .map((row) => ({ ...newsRow(row), why: 'topic' as const })),
    ],
  };
}

function pages(db: Db) {
  return db
    .selectFrom('page')
    .select(['sequence', 'title', 'final_url', 'topic', 'relevance', 'fetched_at', 'role', 'others']);
}

/** An ending has the time of the visit that found it. */
async function ended(db: Db, after: number, until: number): Promise<StoredNews['gone']> {
  const visits = await db
    .selectFrom('visit')
    .select('fetched_at')
    .where('sequence', '>', after)
    .where('sequence', '<=', until)
    .where('via', '=', 'recheck')
    .execute();
  if (visits.length === 0) return [];
  const times = new Set(visits.map(({ fetched_at }) => fetched_at));
  const endings = await db
    .selectFrom('ending')
    .innerJoin('page', 'page.sequence', 'ending.page')
    .select(['ending.ending', 'ending.at', 'page.sequence', 'page.title', 'page.final_url', 'page.topic'])
    .select('page.fetched_at')
    .where('page.others', '=', 0)
    .where('page.role', '=', 'crawled')
    .orderBy('ending.at')
    .orderBy('page.sequence')
    .execute();
  return endings
    .filter(({ at }) => times.has(at))
    .map(({ ending, at, ...row }) => ({ ...newsRow({ ...row, fetched_at: at }), why: ending as Ending }));
}

function newsRow(row: {
  readonly sequence: number;
  readonly title: string;
  readonly final_url: string;
  readonly topic: string;
  readonly fetched_at: number;
}): NewsRow {
  const { sequence, title, topic } = row;
  return { sequence, title, topic, url: row.final_url, at: row.fetched_at };
}
