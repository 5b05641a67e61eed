import { EMPTY_COUNTS, type TermCounts, unpackCounts } from '../core/index.ts';
import { anchorVocabularyOf, stemsWith, type TokenStream } from './words/tokenize.ts';
import { NO_STEM, type Vocabulary } from './words/vocabulary.ts';

/** Maximum number of pairs per document: the most frequent, then the first. Most pairs occur once, by chance. */
const MAX_PAIRS = 2_000;
/** Number of most frequent terms that one neighbour adds to the `neighbours` space. */
const NEIGHBOUR_TERMS = 20;
const MAX_COUNT = 65535;

/** Counts the stems of one document after the other. */
export class StemCounter {
  /** Indexed by stem id + 1; words that are not stems are counted too, which avoids a branch per word. */
  #counts = new Int32Array(1 << 12);
  /** Counted ids, in order of first occurrence. */
  #seen = new Int32Array(1 << 12);
  #size = 0;

  /** Counts the stems in a range of the stream, each `weight` times. */
  add(
    stream: TokenStream,
    { from, to, weight }: { readonly from: number; readonly to: number; readonly weight: number },
    vocabulary: Vocabulary,
  ): void {
    this.#reserve(vocabulary.size);
    const { ids } = stream;
    const counts = this.#counts;
    const seen = this.#seen;
    // Never counts as new.
    counts[NO_STEM + 1] = 1;
    let size = this.#size;
    for (let i = from; i < to; i++) {
      const id = ids[i]!;
      const count = counts[id + 1]!;
      seen[size] = id;
      // Adds one if the count was 0; without a branch, because new words are unpredictable.
      size += (count - 1) >>> 31;
      counts[id + 1] = count + weight;
    }
    this.#size = size;
  }

  /** Returns the counts since the last call. */
  take(vocabulary: Vocabulary): TermCounts {
    if (this.#size === 0) return EMPTY_COUNTS;
    const seen = this.#seen.subarray(0, this.#size);
    const counts = new Uint16Array(this.#size);
    for (let i = 0; i < seen.length; i++) {
      const place = seen[i]! + 1;
      counts[i] = Math.min(MAX_COUNT, this.#counts[place]!);
      this.#counts[place] = 0;
    }
    this.#size = 0;
    const hashes = vocabulary.hashes(seen);
    return { features: vocabulary.join(seen), counts, hashes };
  }

  /** Reserves room for all stems, for words that are not stems, and for one position after the last. */
  #reserve(stems: number): void {
    if (stems + 2 <= this.#counts.length) return;
    const [counts, seen] = [this.#counts, this.#seen];
    this.#counts = new Int32Array(Math.max(stems + 2, counts.length * 2));
    this.#counts.set(counts);
    this.#seen = new Int32Array(this.#counts.length);
    this.#seen.set(seen);
  }
}

/**
 * Counts pairs of stems at most `window` words apart, with stop words included in the distance. The two stems are in
 * alphabetical order, separated by a blank (BINGO! §3.4). A stem forms no pair with itself.
 */
export function pairCounts(stream: TokenStream, window: number, vocabulary: Vocabulary): TermCounts {
  const counts = new Map<number, number>();
  const scale = vocabulary.size;
  for (let i = 0; i < stream.length; i++) {
    const a = stream.ids[i]!;
    if (a === NO_STEM) continue;
    const end = Math.min(stream.length, i + window + 1);
    for (let j = i + 1; j < end; j++) {
      const b = stream.ids[j]!;
      if (b === NO_STEM || b === a) continue;
      const key = a < b ? a * scale + b : b * scale + a;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  let pairs = [...counts];
  if (pairs.length > MAX_PAIRS) pairs = pairs.sort((x, y) => y[1] - x[1]).slice(0, MAX_PAIRS);
  return packed(pairs.map(([key, n]) => [pairName(vocabulary, Math.floor(key / scale), key % scale), n]));
}

function pairName(vocabulary: Vocabulary, a: number, b: number): string {
  const first = vocabulary.word(a);
  const second = vocabulary.word(b);
  return first < second ? `${first} ${second}` : `${second} ${first}`;
}

/** An anchor that points to a page. */
export interface PointingAnchor {
  readonly text: string;
  /** ISO 639-1 code of its page, or `''` if unknown. */
  readonly language: string;
}

/**
 * Returns the `anchors` space of a page: stems of the anchors that point to it, without words common to all anchors
 * (BINGO! §3.4).
 */
export function anchorFeatures(anchors: readonly PointingAnchor[]): TermCounts {
  const counts = new Map<string, number>();
  for (const { text, language } of anchors) {
    for (const stem of stemsWith(anchorVocabularyOf(language), text)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  return packed([...counts]);
}

/**
 * Returns the `neighbours` space of a page: the `perNeighbour` most frequent terms of each predecessor and successor.
 * A count is the number of neighbours with that term (BINGO! §3.4).
 */
export function neighbourFeatures(
  neighbours: readonly TermCounts[],
  perNeighbour: number = NEIGHBOUR_TERMS,
): TermCounts {
  const counts = new Map<string, number>();
  for (const neighbour of neighbours) {
    for (const [term] of strongestOf(neighbour, perNeighbour)) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return packed([...counts]);
}

/** Returns what a page adds to the `neighbours` space of others: its most frequent terms, most frequent first. */
export function strongestTerms(terms: TermCounts, limit: number = NEIGHBOUR_TERMS): TermCounts {
  return packed(strongestOf(terms, limit));
}

function strongestOf(terms: TermCounts, limit: number): [string, number][] {
  return unpackCounts(terms)
    .sort((a, b) => b[1] - a[1])
    .slice(0, limit);
}

function packed(entries: readonly (readonly [string, number])[]): TermCounts {
  if (entries.length === 0) return EMPTY_COUNTS;
  return {
    features: entries.map(([feature]) => feature).join('\n'),
    counts: Uint16Array.from(entries, ([, count]) => Math.min(MAX_COUNT, count)),
  };
}
