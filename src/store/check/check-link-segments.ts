import type { Kysely } from 'kysely';
import { unpackLinks } from '../link-pack.ts';
import { linksFrom, segmentsAfter } from '../read/links.ts';
import type { Tables } from '../schema.ts';

/**
 * Compares the next segments of packed links with the table `link`.
 * @param covered last page of the segments before
 * @returns a message for each wrong one, and the last page of these segments; 0 without segments
 */
export async function checkLinkSegments(
  db: Kysely<Tables>,
  covered: number,
): Promise<{ readonly messages: readonly string[]; readonly last: number }> {
  const messages: string[] = [];
  const segments = await segmentsAfter(db, covered);
  for (const segment of segments) {
    const { first, last, links } = segment;
    const { pages, targets } = unpackLinks(segment);
    const rows = await linksFrom(db, first, last + 1);
    if (rows.length !== links || rows.some(({ page, target }, i) => page !== pages[i] || target !== targets[i]))
      messages.push(`The packed links of the records ${first} to ${last} do not match the table link (link_segment).`);
  }
  return { messages, last: segments.at(-1)?.last ?? 0 };
}
