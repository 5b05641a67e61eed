import type { Kysely } from 'kysely';
import type { PageRole, TopicId } from '../../core/index.ts';
import type { Tables } from '../schema.ts';
import type { PackedPageRow, StoredPageRow } from '../store.ts';
import { chunks, readPageVotes, versionOf } from './reading.ts';

/** First schema version with blocks of features. */
const BLOCKS_SINCE = 25;

const COLUMNS = ['sequence', 'url', 'final_url', 'title', 'role', 'topic', 'others', 'relevance'] as const;

/** Returns pages with their packed documents, in the order of the sequences. */
export async function readPackedPages(
  db: Kysely<Tables>,
  sequences: readonly number[],
): Promise<readonly PackedPageRow[]> {
  const contents = new Map<number, Uint8Array<ArrayBuffer>>();
  for (const part of chunks(sequences))
    for (const { page, content } of await db.selectFrom('page_content').selectAll().where('page', 'in', part).execute())
      contents.set(page, content as Uint8Array<ArrayBuffer>);
  return (await readStoredPages(db, sequences)).flatMap((page) => {
    const content = contents.get(page.sequence);
    return content === undefined ? [] : [{ ...page, content }];
  });
}

/** Returns pages without their documents, in the order of the sequences. */
export async function readStoredPages(
  db: Kysely<Tables>,
  sequences: readonly number[],
): Promise<readonly StoredPageRow[]> {
  const found = new Map<number, StoredPageRow>();
  for (const part of chunks(sequences)) {
    const rows = await db.selectFrom('page').select(COLUMNS).where('sequence', 'in', part).execute();
    const votes = await readPageVotes(db, part);
    for (const { final_url: finalUrl, role, topic, others, relevance, ...row } of rows)
      found.set(row.sequence, {
        ...{ ...row, finalUrl, role: role as PageRole, topic: topic as TopicId, others: others === 1 },
        ...{ relevance: relevance ?? Number.NaN, hasVotes: votes.has(row.sequence) },
      });
  }
  return sequences.flatMap((sequence) => found.get(sequence) ?? []);
}

/** Returns the packed features of a block of pages; `undefined` without any. */
export async function readFeatureBlock(
  db: Kysely<Tables>,
  block: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if ((await versionOf(db)) < BLOCKS_SINCE) return undefined;
  const row = await db.selectFrom('feature_block').select('data').where('block', '=', block).executeTakeFirst();
  return row?.data as Uint8Array<ArrayBuffer> | undefined;
}
