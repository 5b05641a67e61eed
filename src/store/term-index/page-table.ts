import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';
import { addSquares, COUNT_WEIGHTS, NORM_SCALE, stemKey, walkPostings } from './segment.ts';
import { stemsOf } from './writer.ts';

type Db = Kysely<Tables>;

/** BM25: saturation of counts, and how much a page's length matters (Robertson & Zaragoza 2009; the usual values). */
const K1 = 1.2;
const B = 0.75;

/** A word as the index knows it: the stems that stand for it. A page with any of them has the word. */
export type Term = readonly string[];

type Log = readonly { readonly page: number; readonly stems: Uint32Array }[];

interface Segment {
  readonly first: number;
  readonly last: number;
  readonly lengths: Uint8Array;
}

/** A word's pages, with counts. */
interface Postings {
  pages: number[];
  counts: number[];
}

/** Lengths and norms of all indexed pages, and the scores of one search. Arrays are by sequence − `#first`. */
export class PageTable {
  readonly #db: Db;
  readonly #log: Log;
  readonly #first: number;
  /** 0: no page. */
  readonly #lengths: Uint16Array;
  readonly #norms: Uint16Array;
  readonly #bm25: Float64Array;
  readonly #cosines: Float64Array;
  readonly #musts: Uint8Array;
  readonly #barred: Uint8Array;
  #pages = 0;
  #meanLength = 0;
  /** Sum of the squared weights of the words looked for. */
  #querySquare = 0;

  /** All of the index but its postings, which are read as they are needed. */
  static async read(db: Db): Promise<PageTable> {
    const segments = await db.selectFrom('term_segment').selectAll().orderBy('first').execute();
    const rows = await db.selectFrom('term_log').selectAll().orderBy('page').execute();
    const log = rows.map(({ page, stems }) => ({ page, stems: stemsOf(stems) }));
    const first = segments[0]?.first ?? log[0]?.page ?? 0;
    const last = log.at(-1)?.page ?? segments.at(-1)?.last ?? 0;
    const table = new PageTable(db, log, { first, span: last - first + 1 });
    for (const segment of segments) await table.#addSegment(segment);
    for (const entry of log) table.#addLogged(entry);
    table.#sum();
    return table;
  }

  private constructor(db: Db, log: Log, { first, span }: { first: number; span: number }) {
    this.#db = db;
    this.#log = log;
    this.#first = first;
    this.#lengths = new Uint16Array(span);
    this.#norms = new Uint16Array(span);
    this.#bm25 = new Float64Array(span);
    this.#cosines = new Float64Array(span);
    this.#musts = new Uint8Array(span);
    this.#barred = new Uint8Array(span);
  }

  /** Adds the scores of a word; with `must` it is one that every page has. */
  async score(term: Term, must: boolean): Promise<void> {
    const { pages, counts } = await this.#postings(term);
    const idf = Math.log(1 + (this.#pages - pages.length + 0.5) / (pages.length + 0.5));
    const weight = Math.log(1 + this.#pages / Math.max(1, pages.length));
    this.#querySquare += weight * weight;
    for (let i = 0; i < pages.length; i++) {
      const at = pages[i]! - this.#first;
      const count = counts[i]!;
      const norm = K1 * (1 - B + (B * this.#lengths[at]!) / this.#meanLength);
      this.#bm25[at]! += (idf * count * (K1 + 1)) / (count + norm);
      this.#cosines[at]! += weight * COUNT_WEIGHTS[Math.min(count, 15)]!;
      if (must) this.#musts[at]!++;
    }
  }

  /** Pages with the word match no more. */
  async bar(term: Term): Promise<void> {
    for (const page of (await this.#postings(term)).pages) this.#barred[page - this.#first] = 1;
  }

  /** Sequences of pages with a score and `required` words of those that must be there. */
  matches(required: number): number[] {
    const found: number[] = [];
    for (let at = 0; at < this.#bm25.length; at++)
      if (this.#bm25[at]! > 0 && this.#musts[at] === required && this.#barred[at] === 0) found.push(at + this.#first);
    return found;
  }

  /** Number of pages in the index. */
  get pages(): number {
    return this.#pages;
  }

  bm25(page: number): number {
    return this.#bm25[page - this.#first]!;
  }

  /** Cosine of page and words, in [0,1]: "lnc.ltc" in the notation of Salton, idf on the side of the words alone. */
  cosine(page: number): number {
    const at = page - this.#first;
    const norm = (this.#norms[at]! / NORM_SCALE) * Math.sqrt(this.#querySquare);
    return norm > 0 ? Math.min(1, this.#cosines[at]! / norm) : 0;
  }

  async #addSegment(segment: Segment): Promise<void> {
    const { first, last, lengths } = segment;
    const span = last - first + 1;
    const view = new DataView(lengths.buffer, lengths.byteOffset, lengths.byteLength);
    const at = first - this.#first;
    for (let i = 0; i < span; i++) this.#lengths[at + i] = view.getUint16(2 * i, true);
    if (lengths.length >= 4 * span)
      for (let i = 0; i < span; i++) this.#norms[at + i] = view.getUint16(2 * (span + i), true);
    else await this.#addNorms(segment);
  }

  /** Norms of a segment that an older version wrote without them. */
  async #addNorms({ first, last }: Segment): Promise<void> {
    const blocks = await this.#db
      .selectFrom('term_block')
      .select(['stem', 'data'])
      .where('segment', '=', first)
      .execute();
    const squares = new Float64Array(last - first + 1);
    for (const block of blocks) addSquares(block, squares);
    for (const [i, square] of squares.entries())
      this.#norms[first - this.#first + i] = Math.min(65_535, Math.round(Math.sqrt(square) * NORM_SCALE));
  }

  #addLogged({ page, stems }: Log[number]): void {
    let length = 0;
    let square = 0;
    for (let i = 0; i < stems.length; i += 2) {
      const count = stems[i]! & 15;
      length += count;
      square += COUNT_WEIGHTS[count]! ** 2;
    }
    this.#lengths[page - this.#first] = Math.min(65_535, length);
    this.#norms[page - this.#first] = Math.min(65_535, Math.round(Math.sqrt(square) * NORM_SCALE));
  }

  #sum(): void {
    let sum = 0;
    for (const length of this.#lengths) {
      sum += length;
      if (length > 0) this.#pages++;
    }
    this.#meanLength = sum / Math.max(1, this.#pages);
  }

  async #postings(term: Term): Promise<Postings> {
    const keys = [...new Set(term.map(stemKey))];
    const lists: Postings[] = [];
    for (const key of keys) {
      const list = await this.#postingsOf(key);
      if (list.pages.length > 0) lists.push(list);
    }
    return lists.length === 1 ? lists[0]! : merged(lists);
  }

  async #postingsOf(key: number): Promise<Postings> {
    const pages: number[] = [];
    const counts: number[] = [];
    // Each segment's last block that begins at the stem or before it.
    const blocks = await sql<{ first: number; stem: number; data: Uint8Array }>`
      select s.first as first, b.stem as stem, b.data as data
      from term_segment s join term_block b on b.segment = s.first and b.stem =
        (select max(c.stem) from term_block c where c.segment = s.first and c.stem <= ${key})
      order by s.first`.execute(this.#db);
    for (const { first, stem, data } of blocks.rows)
      walkPostings({ stem, data }, key, (place, count) => {
        pages.push(first + place);
        counts.push(count);
      });
    for (const { page, stems } of this.#log) {
      const count = countIn(stems, key);
      if (count === 0) continue;
      pages.push(page);
      counts.push(count);
    }
    return { pages, counts };
  }
}

/** Pages of any of the lists; counts are added up. */
function merged(lists: readonly Postings[]): Postings {
  const sums = new Map<number, number>();
  for (const { pages, counts } of lists)
    for (let i = 0; i < pages.length; i++) sums.set(pages[i]!, (sums.get(pages[i]!) ?? 0) + counts[i]!);
  return { pages: [...sums.keys()], counts: [...sums.values()] };
}

function countIn(stems: Uint32Array, key: number): number {
  const high = Math.floor(key / 0x10000);
  const low = key % 0x10000;
  for (let i = 0; i < stems.length; i += 2)
    if (stems[i + 1] === high && stems[i]! >>> 16 === low) return stems[i]! & 15;
  return 0;
}
