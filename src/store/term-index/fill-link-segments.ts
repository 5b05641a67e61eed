import { type Kysely, sql } from 'kysely';
import { LinkPacker } from '../link-pack.ts';
import type { Tables } from '../schema.ts';

/** Pages whose links are in memory at a time. */
const PAGES = 64;

/** Fills `link_segment` for the segments that an older version made. An interrupted migration continues. */
export async function fillLinkSegments(db: Kysely<Tables>): Promise<void> {
  const done = await db.selectFrom('link_segment').select(sql<number | null>`max(last)`.as('last')).executeTakeFirst();
  let first = Number(done?.last ?? 0) + 1;
  const segments = db.selectFrom('term_segment').select('last').where('last', '>=', first).orderBy('last');
  for (const { last } of await segments.execute()) {
    const links = new LinkPacker(first);
    for (let from = first; from <= last; from += PAGES) {
      const rows = await db
        .selectFrom('link')
        .select(['page', 'target'])
        .where('page', '>=', from)
        .where('page', '<', Math.min(last + 1, from + PAGES))
        .orderBy('page')
        .orderBy('n')
        .execute();
      for (const [page, own] of Map.groupBy(rows, (row) => row.page))
        links.add(
          page,
          own.map(({ target }) => target),
        );
    }
    await db.insertInto('link_segment').values({ first, last, links: links.count, data: links.bytes() }).execute();
    first = last + 1;
  }
}
