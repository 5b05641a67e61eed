import { type TermCounts, unpackCounts } from '../../core/index.ts';
import { countSorted, ownCopy, packSorted, unpackSorted } from '../../kit/index.ts';
import { damp } from '../../learn/index.ts';
import { withoutMarks } from '../search/accents.ts';
import { ByteRows } from './byte-rows.ts';

/** Approximate maximum size of a shard in characters: loaded within a second over a slow connection. */
const SHARD_CHARS = 100_000;
/** Stems per page in the index: those of its title, then its most characteristic ones. */
export const STEMS_PER_PAGE = 150;
/** Weights are A to H. */
const WEIGHTS = 8;
/** Limit of the stored count, plus one; higher counts are stored as the limit. */
const COUNTS = 128;
/** Flag of a stem in the title, beside its count. */
const IN_TITLE = 128;
const BYTES = 256;

/** A part of the index: the stems from `first` to the start of the next part, sorted without accents. */
export interface Shard {
  /** Without accents. */
  readonly first: string;
  /** One line per stem: the stem, a tab, its postings. `1aC3B` is page 46 with weight 3, then page 49 with weight 2. */
  readonly text: string;
}

/**
 * Builds an index of stems for browsers: sorted by stem and cut into shards, so that a search loads one small file
 * per word, which also holds its other spellings. While building, a page of 720 different stems takes about 1.6 KB.
 */
export class SearchIndex {
  readonly #numbers = new Map<string, number>();
  readonly #frequencies = new Numbers();
  /** Per page: its packed stem numbers, ascending, and one byte per stem with its count and the title flag. */
  readonly #rows = new ByteRows();
  #pages = 0;

  /**
   * Adds the next page; a page without terms is counted but never found.
   * @param title stems of its title, so that a search for the title finds the page
   */
  add(bag: TermCounts | undefined, title: Iterable<string> = []): void {
    const found = new Float64Array(bag?.counts.length ?? 0);
    let size = 0;
    eachStem(bag, title, (stem, byte) => {
      found[size++] = this.#number(stem) * BYTES + byte;
    });
    // Typed arrays sort numbers without a callback, many times faster.
    const sorted = found.subarray(0, size).sort();
    const [stems, bytes] = [new Uint32Array(size), new Uint8Array(size)];
    for (let i = 0; i < size; i++) {
      const stem = Math.floor(sorted[i]! / BYTES);
      stems[i] = stem;
      bytes[i] = sorted[i]! - stem * BYTES;
      this.#frequencies.array[stem]!++;
    }
    this.#rows.push(packSorted(stems), bytes);
    this.#pages++;
  }

  /** Number of pages that have each stem. */
  get frequencies(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#numbers].map(([stem, n]) => [stem, this.#frequencies.array[n]!]));
  }

  *shards(): Generator<Shard> {
    const { ends, pages, weights } = this.#postings();
    let first = '';
    let last = '';
    let lines: string[] = [];
    let chars = 0;
    for (const { stem, number, plain } of this.#sorted()) {
      const from = number === 0 ? 0 : ends[number - 1]!;
      if (from === ends[number]) continue;
      const line = `${stem}\t${encode(pages, weights, from, ends[number]!)}`;
      if (chars > 0 && plain !== last && chars + line.length > SHARD_CHARS) {
        yield { first, text: lines.join('\n') };
        [lines, chars] = [[], 0];
      }
      if (chars === 0) first = plain;
      last = plain;
      lines.push(line);
      chars += line.length + 1;
    }
    if (chars > 0) yield { first, text: lines.join('\n') };
  }

  #sorted() {
    const stems = [...this.#numbers].map(([stem, number]) => ({ stem, number, plain: withoutMarks(stem) }));
    return stems.sort(byPlace);
  }

  #number(stem: string): number {
    const known = this.#numbers.get(stem);
    if (known !== undefined) return known;
    // A part of a string would keep all words of its page in memory.
    this.#numbers.set(ownCopy(stem), this.#numbers.size);
    this.#frequencies.push(0);
    return this.#numbers.size - 1;
  }

  /** Sorts the kept stems of all pages by stem, then page: the pages of stem n end at `ends[n]`. */
  #postings(): { readonly ends: Int32Array; readonly pages: Int32Array; readonly weights: Uint8Array } {
    const rarities = this.#rarities();
    const ends = new Int32Array(this.#numbers.size);
    const kept = new ByteRows();
    for (const row of this.#rows) {
      const { stems, weights } = telling(unpacked(row), rarities);
      for (const stem of stems) ends[stem]!++;
      kept.push(packSorted(stems), weights);
    }
    for (let n = 1; n < ends.length; n++) ends[n]! += ends[n - 1]!;
    const places = Int32Array.from(ends, (_, n) => (n === 0 ? 0 : ends[n - 1]!));
    const pages = new Int32Array(ends.at(-1) ?? 0);
    const weights = new Uint8Array(pages.length);
    let page = 0;
    for (const row of kept) {
      const { stems, bytes } = unpacked(row);
      for (let i = 0; i < stems.length; i++) {
        const place = places[stems[i]!]!++;
        pages[place] = page;
        weights[place] = bytes[i]!;
      }
      page++;
    }
    return { ends, pages, weights };
  }

  /** Returns the rarity of each stem, by its number. */
  #rarities(): Float64Array {
    return Float64Array.from({ length: this.#numbers.size }, (_, n) =>
      Math.log(1 + this.#pages / this.#frequencies.array[n]!),
    );
  }
}

/** Stems with such characters are left out: they separate the lines and fields of a shard. */
const SEPARATOR = /[\t\n\r]/;

/** Reports the stems of a page, each with a byte: its count and the title flag. */
function eachStem(
  bag: TermCounts | undefined,
  title: Iterable<string>,
  take: (stem: string, byte: number) => void,
): void {
  if (bag === undefined) return;
  const titled = new Set(title);
  for (const [stem, count] of unpackCounts(bag))
    if (!SEPARATOR.test(stem)) take(stem, Math.min(COUNTS - 1, count) + (titled.has(stem) ? IN_TITLE : 0));
}

/**
 * Returns the stems by which a page is found, with their weights, if it is added to an index of other pages.
 * @param frequencies number of the index's pages that have each stem
 */
export function tellingStems(
  bag: TermCounts | undefined,
  title: Iterable<string>,
  { frequencies, pages }: { readonly frequencies: ReadonlyMap<string, number>; readonly pages: number },
): readonly (readonly [stem: string, weight: number])[] {
  const all: (readonly [stem: string, byte: number])[] = [];
  eachStem(bag, title, (stem, byte) => all.push([stem, byte]));
  if (all.length === 0) return [];
  const rarities = Float64Array.from(all, ([stem]) => Math.log(1 + pages / (frequencies.get(stem) ?? 1)));
  const row = { stems: Uint32Array.from(all, (_, i) => i), bytes: Uint8Array.from(all, ([, byte]) => byte) };
  const { stems, weights } = telling(row, rarities);
  return Array.from(stems, (stem, i) => [all[stem]![0], weights[i]!]);
}

/** Postings to add to an index, by stem: numbers of pages, ascending, with the weights. */
export type NewPostings = ReadonlyMap<string, readonly (readonly [page: number, weight: number])[]>;

/** Returns the text of a shard with further postings of pages with greater numbers. */
export function withPostings(text: string, added: NewPostings): string {
  const lines = new Map(text === '' ? [] : text.split('\n').map((line) => line.split('\t') as [string, string]));
  for (const [stem, postings] of added) {
    const known = lines.get(stem) ?? '';
    let last = lastPage(known);
    let more = '';
    for (const [page, weight] of postings) {
      more += step(page - last, weight);
      last = page;
    }
    lines.set(stem, known + more);
  }
  const sorted = [...lines].map(([stem, postings]) => ({ stem, postings, plain: withoutMarks(stem) }));
  return sorted
    .sort(byPlace)
    .map(({ stem, postings }) => `${stem}\t${postings}`)
    .join('\n');
}

/** Returns the number of the last page in encoded postings; -1 without any. */
function lastPage(postings: string): number {
  let page = -1;
  for (const [, gap] of postings.matchAll(/([0-9a-z]+)[A-Z]/g)) page += Number.parseInt(gap!, 36);
  return page;
}

/** Stems of a page by their numbers, and a byte per stem: count and title flag, or its weight. */
interface StemBytes {
  readonly stems: Uint32Array;
  readonly bytes: Uint8Array;
}

/** Unpacks a row: packed stems, followed by as many bytes. */
function unpacked(row: Uint8Array): StemBytes {
  const end = row.length - countSorted(row);
  return { stems: unpackSorted(row.subarray(0, end)), bytes: row.subarray(end) };
}

/**
 * Returns a page's title stems and those of greatest tf·idf, with damped counts as weights; the search adds the
 * rarity.
 */
function telling(
  { stems, bytes }: StemBytes,
  rarity: Float64Array,
): { readonly stems: Uint32Array; readonly weights: Uint8Array } {
  const scores = new Float64Array(stems.length);
  for (let i = 0; i < stems.length; i++)
    scores[i] = bytes[i]! >= IN_TITLE ? Number.POSITIVE_INFINITY : DAMPED[bytes[i]!]! * rarity[stems[i]!]!;
  const least = leastOfBest(scores, STEMS_PER_PAGE);
  // On ties, the first stems are kept.
  let ties = STEMS_PER_PAGE;
  for (const score of scores) if (score > least) ties--;
  const best: number[] = [];
  // Long pages repeat words more often, so the weight is relative to the page's most frequent word.
  let most = 1;
  for (let i = 0; i < scores.length; i++) {
    if (scores[i]! < least || (scores[i] === least && ties-- <= 0)) continue;
    best.push(i);
    most = Math.max(most, DAMPED[bytes[i]! % IN_TITLE]!);
  }
  const [kept, weights] = [new Uint32Array(best.length), new Uint8Array(best.length)];
  for (const [k, i] of best.entries()) {
    kept[k] = stems[i]!;
    weights[k] = Math.max(1, Math.round((WEIGHTS * DAMPED[bytes[i]! % IN_TITLE]!) / most));
  }
  return { stems: kept, weights };
}

/** Damped counts. */
const DAMPED = Float64Array.from({ length: COUNTS }, (_, count) => damp(count));

/** Returns the `n`th greatest value, or the smallest if there are fewer. */
function leastOfBest(values: Float64Array, n: number): number {
  return values.toSorted()[Math.max(0, values.length - n)] ?? 0;
}

function encode(pages: Int32Array, weights: Uint8Array, from: number, to: number): string {
  let text = '';
  let last = -1;
  for (let at = from; at < to; at++) {
    text += step(pages[at]! - last, weights[at]!);
    last = pages[at]!;
  }
  return text;
}

/** A growing array of integers. */
class Numbers {
  array = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.array.length) {
      const bigger = new Int32Array(this.array.length * 2);
      bigger.set(this.array);
      this.array = bigger;
    }
    this.array[this.length++] = value;
  }
}

function step(pages: number, weight: number): string {
  return pages.toString(36) + String.fromCharCode(64 + weight);
}

interface Placed {
  readonly stem: string;
  /** Without accents. */
  readonly plain: string;
}

function byPlace(a: Placed, b: Placed): number {
  return a.plain === b.plain ? (a.stem < b.stem ? -1 : 1) : a.plain < b.plain ? -1 : 1;
}
