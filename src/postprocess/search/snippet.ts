import { foldCase, stemsIn } from '../../analyze/index.ts';
import { DENSE } from '../dense.ts';

/** A passage of a text, with the words that were looked for. */
export interface Snippet {
  /** The passage; `…` marks omitted text. */
  readonly text: string;
  /** Start and end of each word that matches, within `text`, in order. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}

interface Hit {
  /** Stem of a word; for a phrase, a text that is not a stem. */
  readonly stem: string;
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\u200c\u200d]*/gu;
const JOINERS = /[\u200c\u200d]/g;
const BEYOND_ASCII = /[^\x00-\x7f]/;
/** A stretch of text without spaces between its words. */
const DENSE_STRETCH = new RegExp(`${DENSE.source}(?:${DENSE.source}|\\p{M})+`, 'gu');

/** What was looked for. */
export interface Wanted {
  readonly stems: ReadonlySet<string>;
  /** Languages that the stems may be of, besides English. Default: none. */
  readonly languages?: readonly string[];
  /** Patterns that match phrases. A passage with a phrase is better than any without. */
  readonly phrases?: readonly RegExp[];
}

/**
 * Returns the first passage with the most different words of the query, about `maxChars` characters long; the beginning
 * of the text if no word occurs.
 */
export function snippet(text: string, { stems, languages = [], phrases = [] }: Wanted, maxChars: number): Snippet {
  const found = [...findPhrases(text, phrases)];
  for (const hits of [findDense(text, stems), findHits(text, stems, languages)])
    found.push(...hits.filter((hit) => !found.some((other) => other.start < hit.end && hit.start < other.end)));
  const hits = found.sort((a, b) => a.start - b.start);
  const [start, end] = frame(text, bestWindow(hits, maxChars), maxChars);
  const before = start > 0 ? '… ' : '';
  const shift = before.length - start;
  const marks = hits
    .filter((hit) => hit.start >= start && hit.end <= end)
    .map((hit) => [hit.start + shift, hit.end + shift] as const);
  return { text: `${before}${text.slice(start, end)}${end < text.length ? ' …' : ''}`, marks };
}

/** The first words of a passage, `maxChars` characters at most, as its page asks; all if the page sets no limit. */
export function shortened(passage: Snippet, maxChars: number | undefined): Snippet {
  if (maxChars === undefined || passage.text.length <= maxChars) return passage;
  const text = passage.text.slice(0, lastBoundary(passage.text, maxChars, 0) ?? 0);
  return { text, marks: passage.marks.filter(([, end]) => end <= text.length) };
}

/** A phrase is found as often as a person reads on. */
const MAX_PHRASES = 20;
/** No words weigh as much as a phrase. */
const PHRASE_WEIGHT = 100;

function findPhrases(text: string, phrases: readonly RegExp[]): readonly Hit[] {
  return phrases.flatMap((pattern, i) =>
    [...text.matchAll(new RegExp(pattern, `${pattern.flags}g`))].slice(0, MAX_PHRASES).map(({ index, 0: match }) => {
      return { stem: `\0${i}`, start: index, end: index + match.length, weight: PHRASE_WEIGHT };
    }),
  );
}

/** Languages whose stemmers take something off the beginning of words, or write it otherwise. */
const CUT_AT_THE_BEGINNING: ReadonlySet<string> = new Set(['ar', 'fa', 'ga', 'id']);

/** The words of a text as pages are indexed by them, *l'homme* two words, before they are stemmed, and where they stand. */
export function* wordsIn(
  text: string,
): Generator<{ readonly word: string; readonly start: number; readonly end: number }> {
  for (const { 0: match, index } of text.matchAll(WORD))
    yield { word: asIndexed(match), start: index, end: index + match.length };
}

/** Nearly all words have only letters that have one form. */
function asIndexed(word: string): string {
  return BEYOND_ASCII.test(word) ? foldCase(word.normalize('NFKC').replace(JOINERS, '')) : word.toLowerCase();
}

function findHits(text: string, stems: ReadonlySet<string>, languages: readonly string[]): readonly Hit[] {
  const hits: Hit[] = [];
  const isAnyBeginning = languages.some((language) => CUT_AT_THE_BEGINNING.has(language));
  // A stem begins as its word does, so two letters rule out most words.
  const firsts = new Set([...stems].map((stem) => stem[0]));
  const starts = new Set([...stems].map((stem) => stem.slice(0, 2)));
  for (const { word, start: at, end } of wordsIn(text)) {
    // Stems of Turkish have no ı.
    const start = word.slice(0, 2).replaceAll('ı', 'i');
    const first = start[0]!;
    if (!isAnyBeginning && !firsts.has(first) && !firsts.has(word[0]!)) continue;
    // Of words such as "ay" Porter's stem differs in the second letter.
    if (!isAnyBeginning && word.length > 2 && !starts.has(start) && !starts.has(word.slice(0, 2)) && !starts.has(first))
      continue;
    const found = stemsIn(word, languages).find((stem) => stems.has(stem));
    if (found !== undefined) hits.push({ stem: found, start: at, end, weight: 1 });
  }
  return hits;
}

/**
 * Returns runs of character pairs of the query in scripts without spaces, or single characters of the query. Runs of at most half the longest run are ignored, because a pair of a longer word occurs in many other words.
 */
function findDense(text: string, stems: ReadonlySet<string>): readonly Hit[] {
  if (![...stems].some((stem) => DENSE.test(stem))) return [];
  const hits: Hit[] = [];
  for (const { index, 0: stretch } of text.matchAll(DENSE_STRETCH)) {
    let from = 0;
    for (let i = 0; i < stretch.length; i++) {
      if (i + 1 < stretch.length && stems.has(stretch.slice(i, i + 2))) continue;
      const stem = stretch.slice(from, i + 1);
      if (i > from || stems.has(stem))
        hits.push({ stem, start: index + from, end: index + i + 1, weight: Math.max(1, i - from) });
      from = i + 1;
    }
  }
  const longest = hits.reduce((most, { stem }) => Math.max(most, stem.length), 0);
  return hits.filter(({ stem }) => stem.length === 1 || 2 * stem.length > longest);
}

/** The run of hits within `maxChars` with the most different phrases, then stems, then hits; the first of equals. */
function bestWindow(hits: readonly Hit[], maxChars: number): readonly Hit[] {
  let best: readonly Hit[] = [];
  let bestScore = 0;
  let first = 0;
  let weight = 0;
  const inWindow = new Map<string, number>();
  for (const [last, hit] of hits.entries()) {
    const before = inWindow.get(hit.stem) ?? 0;
    inWindow.set(hit.stem, before + 1);
    if (before === 0) weight += hit.weight;
    while (hit.end - hits[first]!.start > maxChars && first < last) {
      const { stem, weight: lost } = hits[first++]!;
      const left = inWindow.get(stem)! - 1;
      inWindow.set(stem, left);
      if (left === 0) weight -= lost;
    }
    const score = weight + (last - first) / 1000;
    if (score > bestScore) [best, bestScore] = [hits.slice(first, last + 1), score];
  }
  return best;
}

/** Start and end of the passage around the hits, moved to word boundaries. */
function frame(text: string, window: readonly Hit[], maxChars: number): readonly [number, number] {
  if (text.length <= maxChars) return [0, text.length];
  const from = window[0]?.start ?? 0;
  const to = window.at(-1)?.end ?? 0;
  const room = Math.max(0, maxChars - (to - from));
  const start = Math.max(0, Math.min(from - Math.floor(room / 3), text.length - maxChars));
  const end = Math.min(text.length, Math.max(to, start + maxChars));
  return [wordStart(text, start, from), wordEnd(text, end, to)];
}

function wordStart(text: string, at: number, limit: number): number {
  if (at === 0) return 0;
  const space = text.slice(at - 1, limit).search(/\s/);
  if (space >= 0) return at + space;
  let start = Math.min(at, limit);
  while (start < limit && isInWord(text, start)) start++;
  return start;
}

function wordEnd(text: string, at: number, least: number): number {
  if (at >= text.length) return text.length;
  const space = text.slice(least, at + 1).search(/\s\S*$/);
  if (space > 0 || (space === 0 && least > 0)) return least + space;
  return lastBoundary(text, Math.max(at, least), least) ?? Math.max(at, least);
}

/** The last place from `least` to `at` that splits no word; `undefined` if the text begins with a longer word. */
function lastBoundary(text: string, at: number, least: number): number | undefined {
  let end = at;
  while (end > least && isInWord(text, end)) end--;
  return end > 0 ? end : undefined;
}

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}\u200c\u200d]/u;

/** Whether a cut here would split a word or a character. Scripts without spaces may be cut anywhere. */
function isInWord(text: string, at: number): boolean {
  const [before = '', after = ''] = [text[at - 1], text[at]];
  if (/[\uDC00-\uDFFF]/.test(after)) return true;
  if (DENSE.test(before) || DENSE.test(after)) return false;
  return WORD_CHARACTER.test(before) && WORD_CHARACTER.test(after);
}
