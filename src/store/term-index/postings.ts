import { type Kysely, sql } from 'kysely';
import { unpackSorted } from '../../kit/index.ts';
import { among } from '../read/page-filter.ts';
import type { Tables } from '../schema.ts';
import type { IndexParts, LoggedPage, SegmentPages } from './index-parts.ts';
import { hasPair, type PairBlock, placesOf } from './pairs.ts';
import { PostingList, readPostings, stemKey } from './segment.ts';

type Db = Kysely<Tables>;

/** Keys per query; databases accept a few hundred. */
const KEYS_AT_ONCE = 100;

/** A word in the index: its alternative stems. A page with any of them has the word. */
export type Term = readonly string[];

/** Returns the pages of each term, in order, with counts. */
export async function readTerms(db: Db, parts: IndexParts, terms: readonly Term[]): Promise<readonly PostingList[]> {
  const keys = [...new Set(terms.flat().map(stemKey))];
  const blocks = await blocksOf(db, 'term_block', 'stem', keys);
  const lists = new Map(keys.map((key) => [key, listOf(parts, blocks.get(key) ?? [], key)]));
  return terms.map((term) => merged([...new Set(term.map(stemKey))].map((key) => lists.get(key)!)));
}

function listOf({ log }: IndexParts, blocks: readonly Block[], key: number): PostingList {
  const list = new PostingList();
  for (const { segment, start, data } of blocks) readPostings({ stem: start, data }, key, segment, list);
  const high = Math.floor(key / 0x10000);
  const low = key % 0x10000;
  for (const { page, highs, lows } of log) {
    const count = countIn(highs, lows, high, low);
    if (count > 0) list.push(page, count);
  }
  return list;
}

function countIn(highs: LoggedPage['highs'], lows: LoggedPage['lows'], high: number, low: number): number {
  for (let at = highs.indexOf(high); at >= 0; at = highs.indexOf(high, at + 1))
    if (lows[at]! >>> 16 === low) return lows[at]! & 15;
  return 0;
}

/** Merges lists into the pages of any of them; counts are added up. */
function merged(lists: readonly PostingList[]): PostingList {
  const full = lists.filter((list) => list.length > 0);
  if (full.length <= 1) return full[0] ?? new PostingList();
  const sums = new Map<number, number>();
  for (const { pages, counts, length } of full)
    for (let i = 0; i < length; i++) sums.set(pages[i]!, (sums.get(pages[i]!) ?? 0) + counts[i]!);
  const sum = new PostingList();
  for (const page of [...sums.keys()].sort((a, b) => a - b)) sum.push(page, sums.get(page)!);
  return sum;
}

/** Which word pairs to read, and a callback per page and pair that it may have. */
export interface PairReader {
  readonly wants: (page: number) => boolean;
  readonly take: (page: number) => void;
}

/**
 * Reports the pages that may have word pairs. Pages whose pairs an older version did not store may have all of them.
 * @param pairs without duplicates
 */
export async function readPairs(
  db: Db,
  { segments, log, lengths, first, hasPairs }: IndexParts,
  pairs: readonly number[],
  { wants, take }: PairReader,
): Promise<void> {
  const open = log.map(({ page }) => page).filter(wants);
  const blocks = hasPairs ? await blocksOf(db, 'pair_block', 'pair', pairs) : new Map<number, readonly Block[]>();
  for (const pair of pairs) {
    const known = new Map((blocks.get(pair) ?? []).map((block) => [block.segment, block]));
    for (const segment of segments) {
      const pages = pagesOf(segment, lengths, first);
      const block = known.get(segment.first);
      if (block === undefined) for (const page of pages) take(page);
      else for (const place of placesOf(pairBlock(block), pair, segment.pages)) take(pages[place] ?? first);
    }
  }
  const rows =
    hasPairs && open.length > 0 ? await db.selectFrom('pair_log').selectAll().where(among(open, 'page')).execute() : [];
  const own = new Map(rows.map((row) => [row.page, unpackSorted(row.pairs)]));
  for (const page of open) {
    const known = own.get(page);
    for (const pair of pairs) if (known === undefined || hasPair(known, pair)) take(page);
  }
}

function pairBlock({ start, data }: Block): PairBlock {
  return { pair: start, data };
}

/** Returns sequences of a segment's pages. */
function pagesOf(segment: SegmentPages, lengths: Uint16Array, first: number): readonly number[] {
  const pages: number[] = [];
  for (let page = segment.first; page <= segment.last; page++) if (lengths[page - first]! > 0) pages.push(page);
  return pages;
}

interface Block {
  readonly segment: number;
  /** First key of the block. */
  readonly start: number;
  readonly data: Uint8Array;
}

/** Returns, per key and segment, the only block that can contain the key: the last one that starts at or before it. */
async function blocksOf(
  db: Db,
  table: 'term_block' | 'pair_block',
  column: 'stem' | 'pair',
  keys: readonly number[],
): Promise<ReadonlyMap<number, readonly Block[]>> {
  const found = new Map<number, Block[]>();
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    // SQLite keeps the order of cross joins; its own plan would scan all blocks.
    const wanted = keys.slice(at, at + KEYS_AT_ONCE).map((key) => sql.raw(`select ${key} as wanted`));
    const name = sql.raw(column);
    const rows = await sql<Block & { readonly wanted: number }>`
      select k.wanted as wanted, b.segment as segment, b.${name} as start, b.data as data
      from term_segment s cross join (${sql.join(wanted, sql` union all `)}) k
      cross join ${sql.raw(table)} b on b.segment = s.first and b.${name} =
        (select max(c.${name}) from ${sql.raw(table)} c where c.segment = s.first and c.${name} <= k.wanted)`.execute(
      db,
    );
    for (const row of rows.rows) {
      const key = Number(row.wanted);
      if (!found.has(key)) found.set(key, []);
      found.get(key)!.push(row);
    }
  }
  for (const blocks of found.values()) blocks.sort((a, b) => a.segment - b.segment);
  return found;
}
