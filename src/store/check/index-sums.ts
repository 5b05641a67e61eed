import type { Kysely } from 'kysely';
import { packStems, type TermCounts } from '../../core/index.ts';
import type { Tables } from '../schema.ts';
import { eachPosting } from '../term-index/segment.ts';
import { stemsOf } from '../term-index/writer.ts';

type Db = Kysely<Tables>;

const SPREAD = 0x9e3779b1;

/**
 * One number per page over the stems and counts that the search index has of it, in any order: equal contents have
 * equal sums, others hardly ever.
 */
export class IndexSums {
  readonly #sums = new Map<number, number>();

  get pages(): Iterable<number> {
    return this.#sums.keys();
  }

  /** Returns 0 for a page that is not in the index. */
  of(page: number): number {
    return this.#sums.get(page) ?? 0;
  }

  add(page: number, sum: number): void {
    this.#sums.set(page, (this.of(page) + sum) >>> 0);
  }
}

/** Returns the sums of a segment's pages. Blocks out of order are not added, since no search finds them. */
export async function segmentSums(db: Db, first: number): Promise<IndexSums> {
  const sums = new IndexSums();
  let last = -1;
  for (;;) {
    const blocks = await db
      .selectFrom('term_block')
      .select(['stem', 'data'])
      .where('segment', '=', first)
      .where('stem', '>', last)
      .orderBy('stem')
      .limit(BLOCKS_AT_ONCE)
      .execute();
    for (const block of blocks)
      eachPosting(block, (stem, place, count) => {
        sums.add(first + place, sumOf(Math.floor(stem / 0x10000), stem % 0x10000, count));
      });
    if (blocks.length < BLOCKS_AT_ONCE) return sums;
    last = blocks.at(-1)!.stem;
  }
}

const BLOCKS_AT_ONCE = 128;

/** Returns the sums of pages that are in no segment yet. */
export async function logSums(db: Db, first: number, last: number): Promise<IndexSums> {
  const sums = new IndexSums();
  const rows = await db
    .selectFrom('term_log')
    .selectAll()
    .where('page', '>=', first)
    .where('page', '<=', last)
    .execute();
  for (const { page, stems } of rows) sums.add(page, sumOfStems(stemsOf(stems)));
  return sums;
}

/** Returns the sum that a page of these terms has in the index. */
export function sumOfTerms(terms: TermCounts): number {
  return sumOfStems(packStems(terms));
}

function sumOfStems(stems: Uint32Array): number {
  let sum = 0;
  for (let i = 0; i < stems.length; i += 2) sum = (sum + sumOf(stems[i + 1]!, stems[i]! >>> 16, stems[i]! & 15)) >>> 0;
  return sum;
}

function sumOf(high: number, low: number, count: number): number {
  return Math.imul(high ^ Math.imul(low + 1, SPREAD), 2 * count + 1) >>> 0;
}
