import type { Kysely } from 'kysely';
import type { Tables } from '../schema.ts';
import { VoteWords } from './vote-words.ts';

/** Pages whose links are in memory at a time, and rows inserted at a time. */
const PAGES = 16;
const ROWS = 100;

/** Fills `vote_word` for the segments that an older version made. An interrupted migration runs again. */
export async function fillVoteWords(db: Kysely<Tables>): Promise<void> {
  await db.deleteFrom('vote_word').execute();
  const segments = await db.selectFrom('term_segment').select(['first', 'last']).orderBy('first').execute();
  for (const { first, last } of segments) {
    const votes = new VoteWords(first);
    for (let from = first; from <= last; from += PAGES) {
      const links = await db
        .selectFrom('link')
        .select(['page', 'target', 'anchor'])
        .where('page', '>=', from)
        .where('page', '<', Math.min(last + 1, from + PAGES))
        .orderBy('page')
        .orderBy('n')
        .execute();
      for (const link of links) votes.add(link);
    }
    const rows = [...votes.rows()].map(([segment, word, data]) => ({
      segment: segment as number,
      word: word as string,
      data: data as Uint8Array,
    }));
    for (let at = 0; at < rows.length; at += ROWS)
      await db
        .insertInto('vote_word')
        .values(rows.slice(at, at + ROWS))
        .execute();
  }
}
