import { EMPTY_COUNTS, type TermCounts, unpackCounts } from '../core/index.ts';
import { anchorVocabularyOf, stemsWith, type TokenStream } from './words/tokenize.ts';
import { NO_STEM, type Vocabulary } from './words/vocabulary.ts';

/** Pairs kept for one document: the most frequent, then the first. Most occur once and are chance. */
const MAX_PAIRS = 2_000;
/** Terms that one neighbour gives to the `neighbours` space: its most frequent ones. */
const NEIGHBOUR_TERMS = 20;
const MAX_COUNT = 65535;

/** Counts the stems of one document after the other. */
export class StemCounter {
  /** By stem id + 1; what is no stem is counted, too, which spares a question for each word. */
  #counts = new Int32Array(1 << 12);
  /** Ids that were counted, in order of first occurrence. */
  #seen = new Int32Array(1 << 12);
  #size = 0;

  /** Counts the stream's items in a range, each `weight` times. */
  add(
    stream: TokenStream,
    { from, to, weight }: { readonly from: number; readonly to: number; readonly weight: number },
    vocabulary: Vocabulary,
  ): void {
    this.#reserve(vocabulary.size);
    const { ids } = stream;
    const counts = this.#counts;
    const seen = this.#seen;
    // Never new.
    counts[NO_STEM + 1] = 1;
    let size = this.#size;
    for (let i = from; i < to; i++) {
      const id = ids[i]!;
      const count = counts[id + 1]!;
      seen[size] = id;
      // One more when the count was 0; without a branch, since nobody can guess which words are new.
      size += (count - 1) >>> 31;
      counts[id + 1] = count + weight;
    }
    this.#size = size;
  }

  /** What was counted since it was last taken. */
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

  /** Room for so many stems, for what is none, and for one place behind the last one seen. */
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
 * Stem pairs at most `window` words apart, stop words counted in the distance, the two in alphabetical order with a
 * blank between (BINGO! §3.4). A stem makes no pair with itself.
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
  /** ISO 639-1 code of the page that it stands on, or `''` when unknown. */
  readonly language: string;
}

/**
 * The `anchors` space of a page: stems of the anchors that point to it, without the words that anchors use everywhere
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
 * The `neighbours` space of a page: of each predecessor and successor its `perNeighbour` most frequent terms; a count is
 * the number of neighbours that have the term among them (BINGO! §3.4).
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

/** What a page gives to the `neighbours` space of others: its most frequent terms, most frequent first. */
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
