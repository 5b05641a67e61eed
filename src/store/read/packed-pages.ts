import type { Kysely } from 'kysely';
import type { PageRole, TopicId } from '../../core/index.ts';
import type { Tables } from '../schema.ts';
import type { PackedPageRow } from '../store.ts';
import { chunks, readPageVotes } from './reading.ts';

/** Returns pages with their packed documents, in the order of the sequences. */
export async function readPackedPages(
  db: Kysely<Tables>,
  sequences: readonly number[],
): Promise<readonly PackedPageRow[]> {
  const found = new Map<number, PackedPageRow>();
  for (const part of chunks(sequences)) {
    const rows = await db
      .selectFrom('page')
      .innerJoin('page_content', 'page_content.page', 'page.sequence')
      .select(['sequence', 'url', 'final_url', 'title', 'role', 'topic', 'others', 'relevance', 'content'])
      .where('sequence', 'in', part)
      .execute();
    const votes = await readPageVotes(db, part);
    for (const { final_url: finalUrl, role, topic, others, relevance, content, ...row } of rows)
      found.set(row.sequence, {
        ...{ ...row, finalUrl, role: role as PageRole, topic: topic as TopicId, others: others === 1 },
        content: content as Uint8Array<ArrayBuffer>,
        ...{ relevance: relevance ?? Number.NaN, hasVotes: votes.has(row.sequence) },
      });
  }
  return sequences.flatMap((sequence) => found.get(sequence) ?? []);
}
