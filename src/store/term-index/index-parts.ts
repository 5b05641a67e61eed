import type { Kysely } from 'kysely';
import { versionOf } from '../read/reading.ts';
import type { Tables } from '../schema.ts';
import { addSquares, COUNT_WEIGHTS, NORM_SCALE, type Segment } from './segment.ts';
import { stemsOf } from './writer.ts';

type Db = Kysely<Tables>;

/** Greatest length and norm that the index can store. */
const MOST = 65_535;

/** All of the index except its blocks, which are read on demand. Immutable. */
export interface IndexParts {
  readonly segments: readonly SegmentPages[];
  /** Pages after the last segment. */
  readonly log: readonly LoggedPage[];
  /** Lowest sequence; arrays are indexed by sequence − `first`. */
  readonly first: number;
  /** By page; 0 if there is no page. */
  readonly lengths: Uint16Array;
  /** By page, times {@link NORM_SCALE}. */
  readonly norms: Uint16Array;
  /** Number of pages. */
  readonly pages: number;
  readonly meanLength: number;
  /** False if an older version wrote the store and no newer one has opened it for writing. */
  readonly hasPairs: boolean;
}

/** First schema version with word pairs, and with authorities of all pages. */
const PAIRS_SINCE = 5;

/** The pages that a segment covers. */
export type SegmentPages = Pick<Segment, 'first' | 'last' | 'pages'>;

/** Stems of a page that is not in a segment yet: the two parts of `packStems`, concatenated. */
export interface LoggedPage {
  readonly page: number;
  readonly highs: Uint32Array;
  readonly lows: Uint32Array;
}

const NOTHING: IndexParts = {
  ...{ segments: [], log: [], first: 0, pages: 0, meanLength: 0, hasPairs: false },
  ...{ lengths: new Uint16Array(0), norms: new Uint16Array(0) },
};

/** Reads the parts of an index and caches them. Segments never change, so the next search reads only new ones. */
export class IndexMemory {
  #known: IndexParts = NOTHING;

  /** Returns the parts as of this snapshot; those of the log may be newer. */
  async read(db: Db): Promise<IndexParts> {
    const hasPairs = this.#known.hasPairs || (await versionOf(db)) >= PAIRS_SINCE;
    const known = { ...this.#known, hasPairs };
    const newest = known.segments.at(-1);
    const rows = await db
      .selectFrom('term_segment')
      .selectAll()
      .where('first', '>=', newest?.first ?? 0)
      .orderBy('first')
      .execute();
    // The snapshot is older than the newest segment, which a concurrent search has read. Read without the cache.
    if (newest !== undefined && rows[0]?.first !== newest.first) return await new IndexMemory().read(db);
    const fresh = newest === undefined ? rows : rows.slice(1);
    const sealed = rows.at(-1)?.last ?? 0;
    const log = known.log.filter(({ page }) => page > sealed);
    const logged = await db
      .selectFrom('term_log')
      .selectAll()
      .where('page', '>', Math.max(sealed, log.at(-1)?.page ?? 0))
      .orderBy('page')
      .execute();
    if (fresh.length === 0 && logged.length === 0) return known;
    const segments = [...known.segments, ...fresh.map(({ first, last, pages }) => ({ first, last, pages }))];
    const all = [...log, ...logged.map(({ page, stems }) => loggedPage(page, stemsOf(stems)))];
    const first = segments[0]?.first ?? all[0]!.page;
    const span = Math.max(segments.at(-1)?.last ?? 0, all.at(-1)?.page ?? 0) - first + 1;
    const [lengths, norms] = [new Uint16Array(span), new Uint16Array(span)];
    lengths.set(known.lengths.subarray(0, span));
    norms.set(known.norms.subarray(0, span));
    for (const segment of fresh) {
      lengths.set(shorts(segment.lengths, 0, segment), segment.first - first);
      norms.set(await normsOf(db, segment), segment.first - first);
    }
    for (const page of all.slice(log.length)) {
      const { length, norm } = measure(page);
      lengths[page.page - first] = length;
      norms[page.page - first] = norm;
    }
    this.#known = { segments, log: all, first, lengths, norms, hasPairs, ...countOf(lengths) };
    return this.#known;
  }
}

type SegmentRow = SegmentPages & { readonly lengths: Uint8Array };

/** Numbers of two bytes, one per sequence of a segment. */
function shorts(bytes: Uint8Array, from: number, { first, last }: SegmentPages): Uint16Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint16Array.from({ length: last - first + 1 }, (_, i) => view.getUint16(from + 2 * i, true));
}

async function normsOf(db: Db, segment: SegmentRow): Promise<Uint16Array> {
  const span = segment.last - segment.first + 1;
  if (segment.lengths.length >= 4 * span) return shorts(segment.lengths, 2 * span, segment);
  // An older version wrote the segment without norms.
  const { first } = segment;
  const blocks = await db.selectFrom('term_block').select(['stem', 'data']).where('segment', '=', first).execute();
  const squares = new Float64Array(span);
  for (const block of blocks) addSquares(block, squares);
  return Uint16Array.from(squares, normOf);
}

function normOf(square: number): number {
  return Math.min(MOST, Math.round(Math.sqrt(square) * NORM_SCALE));
}

function loggedPage(page: number, stems: Uint32Array): LoggedPage {
  const size = stems.length >>> 1;
  const [highs, lows] = [new Uint32Array(size), new Uint32Array(size)];
  for (let i = 0; i < size; i++) {
    lows[i] = stems[2 * i]!;
    highs[i] = stems[2 * i + 1]!;
  }
  return { page, highs, lows };
}

function measure({ lows }: LoggedPage): { length: number; readonly norm: number } {
  let length = 0;
  let square = 0;
  for (const low of lows) {
    length += low & 15;
    square += COUNT_WEIGHTS[low & 15]! ** 2;
  }
  return { length: Math.min(MOST, length), norm: normOf(square) };
}

function countOf(lengths: Uint16Array): Pick<IndexParts, 'pages' | 'meanLength'> {
  let pages = 0;
  let sum = 0;
  for (const length of lengths) {
    sum += length;
    if (length > 0) pages++;
  }
  return { pages, meanLength: sum / Math.max(1, pages) };
}
