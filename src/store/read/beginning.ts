import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { CanonicalUrl, TopicId, Via } from '../../core/index.ts';
import type { BestPage, JournalBeginning } from '../journal-beginning.ts';
import type { Tables } from '../schema.ts';
import { SUM_BLOCK } from '../sum-block.ts';
import { hasSums, pageSums, relevanceBinOf } from './page-sums.ts';
import { readRare, readSteers } from './rare-records.ts';

type Db = Kysely<Tables>;

/** Ways by which a page is found other than by links of the crawl. */
const FREE: readonly Via[] = ['seed', 'recheck'];

/** Number of best pages in a summary. */
const BEST = 200;
/** From this number of records for each part on, the sums are used, which are in blocks. */
const LONG_PART = 2 * SUM_BLOCK;

/**
 * Summarizes the records up to a sequence.
 * @param parts number of equal parts of the sequences by which pages are grouped
 */
export async function readBeginning(db: Db, until: number, parts: number): Promise<JournalBeginning> {
  const summed = until >= parts * LONG_PART ? until + 1 - ((until + 1) % SUM_BLOCK) : 0;
  const rows = [
    ...(summed === 0 ? [] : await summedPages(db, { until, parts, summed })),
    ...(await readPages(db, { until, parts, summed })),
  ];
  const pages = rows.map((row) => ({
    ...{ part: Number(row.part), topic: row.topic as TopicId, others: row.others === 1, bin: Number(row.bin) },
    ...{ pages: Number(row.pages), relevance: Number(row.relevance ?? 0) },
  }));
  const best = await db
    .selectFrom('page')
    .select(['sequence', 'final_url', 'title', 'topic', 'confidence', 'relevance'])
    .where('others', '=', 0)
    .where('role', '=', 'crawled')
    .where('via', 'not in', FREE)
    .where('replaced_by', 'is', null)
    // The index on relevance is read from its end.
    .orderBy('relevance', 'desc')
    .limit(BEST)
    .execute();
  const steers = await readSteers(db, 1, until);
  const records = [...(await readRare(db, 1, until, 'last round')), ...steers];
  return { records: records.sort((a, b) => a.sequence - b.sequence), pages, best: best.map(bestPage) };
}

type BestRow = Pick<Tables['page'], 'sequence' | 'final_url' | 'title' | 'topic' | 'confidence' | 'relevance'>;

function bestPage({ sequence, final_url, title, topic, confidence, relevance }: BestRow): BestPage {
  const place = { sequence, finalUrl: final_url as CanonicalUrl, title, topic: topic as TopicId, others: false };
  return { ...place, confidence: confidence ?? 0, relevance: relevance ?? 0 };
}

interface Beginning {
  readonly until: number;
  readonly parts: number;
  /** First sequence that is not in a whole block. */
  readonly summed: number;
}

/** Returns the groups of pages in whole blocks. */
async function summedPages(db: Db, { until, parts, summed }: Beginning) {
  const part = partOf('sums.block', { until, parts });
  return await pageSums(db, await hasSums(db))
    .select(['sums.topic', 'sums.others', 'sums.bin', part.as('part')])
    .select(sql<number>`sum(sums.pages)`.as('pages'))
    .select(sql<number>`sum(sums.relevance)`.as('relevance'))
    .where('sums.block', '<', summed)
    .where('sums.role', '=', 'crawled')
    .where('sums.via', 'not in', FREE)
    .groupBy(['part', 'sums.topic', 'sums.others', 'sums.bin'])
    .orderBy('part')
    .execute();
}

/** Returns the groups of the other pages. */
async function readPages(db: Db, { until, parts, summed }: Beginning) {
  return await db
    .selectFrom('page')
    .select(['topic', 'others', partOf('page.sequence', { until, parts }).as('part')])
    .select(relevanceBinOf('page.relevance').as('bin'))
    .select(sql<number>`count(*)`.as('pages'))
    .select(sql<number | null>`sum(relevance)`.as('relevance'))
    .where('sequence', '>=', summed)
    .where('sequence', '<=', until)
    .where('role', '=', 'crawled')
    .where('via', 'not in', FREE)
    .groupBy(['part', 'topic', 'others', 'bin'])
    .orderBy('part')
    .execute();
}

function partOf(column: string, { until, parts }: Pick<Beginning, 'until' | 'parts'>): RawBuilder<number> {
  return sql<number>`floor(${sql.ref(column)} * ${sql.lit(parts)} / ${sql.lit(until + 1)})`;
}
