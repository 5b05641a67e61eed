import { type Kysely, sql } from 'kysely';
import type { TopicId, Via } from '../../core/index.ts';
import type { BeginningGroups, JournalBeginning } from '../journal-beginning.ts';
import type { Tables } from '../schema.ts';
import { readRare, readSteers } from './rare-records.ts';

type Db = Kysely<Tables>;

/** Ways by which a page is found other than by links of the crawl. */
const FREE: readonly Via[] = ['seed', 'recheck'];

/** Summarizes the records up to a sequence. */
export async function readBeginning(
  db: Db,
  until: number,
  { parts, bounds }: BeginningGroups,
): Promise<JournalBeginning> {
  const part = sql<number>`floor(page.sequence * ${sql.lit(parts)} / ${sql.lit(until + 1)})`;
  const cases = bounds.map((bound, i) => sql`when page.relevance >= ${sql.lit(bound)} then ${sql.lit(i + 1)}`);
  const bin = sql<number>`case ${sql.join(cases.reverse(), sql` `)} else 0 end`;
  const rows = await db
    .selectFrom('page')
    .select(['topic', 'others', part.as('part'), bin.as('bin')])
    .select(sql<number>`count(*)`.as('pages'))
    .select(sql<number | null>`sum(relevance)`.as('relevance'))
    .where('sequence', '<=', until)
    .where('role', '=', 'crawled')
    .where('via', 'not in', FREE)
    .groupBy(['part', 'topic', 'others', 'bin'])
    .orderBy('part')
    .execute();
  const pages = rows.map((row) => ({
    ...{ part: Number(row.part), topic: row.topic as TopicId, others: row.others === 1, bin: Number(row.bin) },
    ...{ pages: Number(row.pages), relevance: Number(row.relevance ?? 0) },
  }));
  const steers = await readSteers(db, 1, until);
  const records = [...(await readRare(db, 1, until, 'last round')), ...steers];
  return { records: records.sort((a, b) => a.sequence - b.sequence), pages };
}
