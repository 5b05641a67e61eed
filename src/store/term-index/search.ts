import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { TopicId } from '../../core/index.ts';
import type { Tables } from '../schema.ts';
import type { SearchHit, SearchQuery } from '../store.ts';
import { topicCondition } from '../topic-condition.ts';
import { postingsOf, stemKey } from './segment.ts';
import { stemsOf } from './writer.ts';

type Db = Kysely<Tables>;

/** BM25: saturation of counts, and how much a page's length matters (Robertson & Zaragoza 2009; the usual values). */
const K1 = 1.2;
const B = 0.75;
/** Rows asked for in one query. */
const CHUNK = 500;
/** Ranked beyond the pages wanted: some may turn out to be replaced by a newer fetch. */
const SPARE = 20;

/**
 * Pages with all of the stems in `all`, or without these with any of those in `any`, best first by BM25; equal scores in
 * order of fetching.
 */
export async function searchPages(db: Db, query: SearchQuery): Promise<readonly SearchHit[]> {
  const all = keysOf(query.all);
  const any = keysOf(query.any).filter((key) => !all.includes(key));
  if (all.length + any.length === 0) return [];
  // In one transaction: the writer may seal a segment at any moment.
  return await db.transaction().execute(async (snapshot) => {
    const pages = await PageTable.read(snapshot);
    for (const key of all) pages.score(await postings(snapshot, pages, key), true);
    for (const key of any) pages.score(await postings(snapshot, pages, key), false);
    const allowed = await pagesOf(snapshot, query.topics);
    const found = pages.matches(all.length).filter((page) => allowed === undefined || allowed.has(page));
    return await firstHits(snapshot, pages, found, query);
  });
}

function keysOf(stems: readonly string[] = []): number[] {
  return [...new Set(stems.filter((stem) => stem.trim() !== '').map(stemKey))];
}

/** Sequences of accepted pages of some topics; `undefined`: of all. */
async function pagesOf(db: Db, topics: readonly TopicId[] | undefined): Promise<ReadonlySet<number> | undefined> {
  const condition = topicCondition(topics);
  if (condition === undefined) return undefined;
  const rows = await db
    .selectFrom('page')
    .select('sequence')
    .where('others', '=', 0)
    .where(withParameters(condition))
    .execute();
  return new Set(rows.map((row) => row.sequence));
}

function withParameters(condition: {
  readonly sql: string;
  readonly parameters: readonly string[];
}): RawBuilder<boolean> {
  const { sql: text, parameters } = condition;
  const [head, ...rest] = text.split('?');
  const parts = rest.map((part, i) => sql`${parameters[i]}${sql.raw(part)}`);
  return sql<boolean>`(${sql.raw(head!)}${sql.join(parts, sql``)})`;
}

/** A stem's pages: sequences, with their counts. */
interface Postings {
  readonly pages: number[];
  readonly counts: number[];
}

async function postings(db: Db, table: PageTable, key: number): Promise<Postings> {
  const found: Postings = { pages: [], counts: [] };
  // Each segment's last block that begins at the stem or before it.
  const blocks = await sql<{ first: number; stem: number; data: Uint8Array }>`
    select s.first as first, b.stem as stem, b.data as data
    from term_segment s join term_block b on b.segment = s.first and b.stem =
      (select max(c.stem) from term_block c where c.segment = s.first and c.stem <= ${key})
    order by s.first`.execute(db);
  for (const { first, stem, data } of blocks.rows)
    for (const [place, count] of postingsOf({ stem, data }, key)) {
      found.pages.push(first + place);
      found.counts.push(count);
    }
  for (const { page, stems } of table.log) {
    const count = countIn(stems, key);
    if (count === 0) continue;
    found.pages.push(page);
    found.counts.push(count);
  }
  return found;
}

function countIn(stems: Uint32Array, key: number): number {
  const high = Math.floor(key / 0x10000);
  const low = key % 0x10000;
  for (let i = 0; i < stems.length; i += 2)
    if (stems[i + 1] === high && stems[i]! >>> 16 === low) return stems[i]! & 15;
  return 0;
}

/** Lengths of all indexed pages, and the scores of one search. */
class PageTable {
  readonly log: readonly { readonly page: number; readonly stems: Uint32Array }[];
  readonly #first: number;
  /** By sequence − first; 0: no page. */
  readonly #lengths: Uint16Array;
  readonly #scores: Float64Array;
  readonly #musts: Uint8Array;
  readonly #pages: number;
  readonly #meanLength: number;

  static async read(db: Db): Promise<PageTable> {
    const segments = await db.selectFrom('term_segment').selectAll().orderBy('first').execute();
    const log = await db.selectFrom('term_log').selectAll().orderBy('page').execute();
    return new PageTable(
      segments,
      log.map(({ page, stems }) => ({ page, stems: stemsOf(stems) })),
    );
  }

  private constructor(
    segments: readonly { readonly first: number; readonly last: number; readonly lengths: Uint8Array }[],
    log: PageTable['log'],
  ) {
    this.log = log;
    this.#first = segments[0]?.first ?? log[0]?.page ?? 0;
    const last = log.at(-1)?.page ?? segments.at(-1)?.last ?? 0;
    const span = last - this.#first + 1;
    this.#lengths = new Uint16Array(span);
    this.#scores = new Float64Array(span);
    this.#musts = new Uint8Array(span);
    for (const { first, lengths } of segments) {
      const view = new DataView(lengths.buffer, lengths.byteOffset, lengths.byteLength);
      for (let i = 0; 2 * i < lengths.length; i++) this.#lengths[first - this.#first + i] = view.getUint16(2 * i, true);
    }
    for (const { page, stems } of log) this.#lengths[page - this.#first] = lengthOf(stems);
    let sum = 0;
    let pages = 0;
    for (const length of this.#lengths) {
      sum += length;
      if (length > 0) pages++;
    }
    this.#pages = pages;
    this.#meanLength = sum / Math.max(1, pages);
  }

  /** Adds the scores of one stem. */
  score({ pages, counts }: Postings, must: boolean): void {
    const idf = Math.log(1 + (this.#pages - pages.length + 0.5) / (pages.length + 0.5));
    for (let i = 0; i < pages.length; i++) {
      const at = pages[i]! - this.#first;
      const norm = K1 * (1 - B + (B * this.#lengths[at]!) / this.#meanLength);
      this.#scores[at]! += (idf * counts[i]! * (K1 + 1)) / (counts[i]! + norm);
      if (must) this.#musts[at]!++;
    }
  }

  /** Sequences of pages with a score and all required stems. */
  matches(required: number): number[] {
    const found: number[] = [];
    for (let at = 0; at < this.#scores.length; at++)
      if (this.#scores[at]! > 0 && this.#musts[at] === required) found.push(at + this.#first);
    return found;
  }

  scoreOf(page: number): number {
    return this.#scores[page - this.#first]!;
  }

  /** The best `n` of these pages, best first. */
  best(pages: readonly number[], n: number): number[] {
    const least =
      n >= pages.length
        ? 0
        : Float64Array.from(pages, (page) => this.scoreOf(page))
            .sort()
            .at(-n)!;
    return pages
      .filter((page) => this.scoreOf(page) >= least)
      .sort((a, b) => this.scoreOf(b) - this.scoreOf(a) || a - b)
      .slice(0, n);
  }
}

function lengthOf(stems: Uint32Array): number {
  let length = 0;
  for (let i = 0; i < stems.length; i += 2) length += stems[i]! & 15;
  return Math.min(65_535, length);
}

async function firstHits(
  db: Db,
  table: PageTable,
  found: readonly number[],
  { limit, offset = 0 }: SearchQuery,
): Promise<readonly SearchHit[]> {
  for (let wanted = offset + limit + SPARE; ; wanted *= 4) {
    const best = table.best(found, wanted);
    const rows = await hitsOf(db, best);
    const hits = best.flatMap((page): SearchHit[] => {
      const row = rows.get(page);
      return row === undefined ? [] : [{ ...row, score: table.scoreOf(page) }];
    });
    if (hits.length >= offset + limit || best.length === found.length) return hits.slice(offset, offset + limit);
  }
}

/** Pages as search shows them; those that a newer fetch replaced are absent. */
async function hitsOf(db: Db, pages: readonly number[]): Promise<ReadonlyMap<number, Omit<SearchHit, 'score'>>> {
  const hits = new Map<number, Omit<SearchHit, 'score'>>();
  for (let at = 0; at < pages.length; at += CHUNK) {
    const rows = await db
      .selectFrom('page')
      .select(['sequence', 'url', 'title', 'topic', 'others', 'confidence', 'relevance', 'fetched_at', 'host'])
      .where('sequence', 'in', pages.slice(at, at + CHUNK))
      .where('replaced_by', 'is', null)
      .execute();
    for (const { topic, others, confidence, relevance, fetched_at, ...row } of rows)
      hits.set(row.sequence, {
        ...row,
        topic: topic as TopicId,
        others: others === 1,
        confidence: confidence ?? Number.NaN,
        relevance: relevance ?? Number.NaN,
        fetchedAt: fetched_at,
      });
  }
  return hits;
}
