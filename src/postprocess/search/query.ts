import { isStopWord, stemsIn, stemsOf, tokenize } from '../../analyze/index.ts';
import { wordPairs } from '../../core/index.ts';
import { DENSE } from '../dense.ts';
import { spellings, spellingsEach } from './accents.ts';
import { type Part, partsOf, type TypedFilter, wantedWords } from './operators.ts';

/** A query as a search index takes it; each word as the stems that stand for it. */
export interface Query {
  /** Words that every page has. */
  readonly all: readonly (readonly string[])[];
  /** Words that make a page better. */
  readonly any: readonly (readonly string[])[];
  /** Words that no page has. */
  readonly none: readonly (readonly string[])[];
  /** Numbers of the pairs of words in phrases; a page without one of them has not got the phrase. */
  readonly pairs: readonly number[];
  /** Whether a page has the phrases asked for, and none of those ruled out; absent when there are none. */
  readonly check?: (page: { readonly title: string; readonly text: string }) => boolean;
  /** Whether a title has what `title:` asks for, and none of what it rules out; absent when nothing is asked of titles. */
  readonly title?: (title: string) => boolean;
  /** What else is asked of pages by operators: `site:example.org`. */
  readonly filters: readonly TypedFilter[];
  /** All stems looked for, for snippets. */
  readonly stems: ReadonlySet<string>;
  /** The languages that words were stemmed in, besides English. */
  readonly languages: readonly string[];
  /** Patterns of the phrases asked for, likewise. */
  readonly phrases: readonly RegExp[];
}

/** Words of titles that are remembered at the most. */
const KNOWN_WORDS = 50_000;
const WORDS = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

export interface QueryOptions {
  readonly exact?: boolean;
  readonly languages?: readonly string[];
}

/**
 * Reads what a person typed: `aries "source code" -zodiac site:example.org`. A phrase must occur as it stands, whatever its case and
 * the punctuation between its words; what has a minus must not occur; operators ask something else of a page than its words.
 * @param exact every word must occur, not only the phrases
 * @param languages of the pages that are asked, by ISO 639-1: a word stands for its stem in each of them, and in English
 */
export function readQuery(text: string, { exact = false, languages = [] }: QueryOptions = {}): Query {
  const words: (readonly string[])[] = [];
  const none: (readonly string[])[] = [];
  const ofPhrases: (readonly string[])[] = [];
  const loose: (readonly string[])[] = [];
  const pairs = new Set<number>();
  const phrases: RegExp[] = [];
  const barred: RegExp[] = [];
  const titles: ((title: string) => boolean)[] = [];
  const filters: TypedFilter[] = [];
  const isLeftOut = stopWordsOf(text, languages);
  const parts = partsOf(text);
  const most = spellingsEach(
    tokenize(
      parts
        .filter(isOfWords)
        .map(({ text }) => text)
        .join(' '),
      'unknown',
    ).length,
  );
  for (const { isRuledOut, operator, phrase, text: typed } of parts) {
    if (operator !== undefined && operator !== 'title') {
      filters.push({ name: operator, value: typed, isRuledOut });
      continue;
    }
    const isPhrase = phrase !== undefined && (phrase.match(WORDS) ?? []).length > 1;
    const meant = termsOf(typed, languages, most);
    const terms = meant.filter((term) => !isLeftOut(term.word));
    if (operator === 'title') {
      const isThere = titleHas(typed, meant, languages);
      titles.push(isRuledOut ? (title) => !isThere(title) : isThere);
      if (!isRuledOut) for (const { word, stems } of terms) (isStopWord(word) ? loose : ofPhrases).push(stems);
      continue;
    }
    if (isPhrase) (isRuledOut ? barred : phrases).push(phrasePattern(phrase));
    if (isPhrase && !isRuledOut) for (const pair of pairsOf(phrase)) pairs.add(pair);
    if (!isRuledOut && phrase === undefined) words.push(...terms.map(({ stems }) => stems));
    // A page in another language may have the phrase, but the index may not have all of its words.
    else if (!isRuledOut)
      for (const { word, stems } of terms) (isPhrase && isStopWord(word) ? loose : ofPhrases).push(stems);
    // A word such as "state-of-the-art" after a minus is a phrase, too.
    else if (!isPhrase && terms.length > 1) barred.push(phrasePattern(typed));
    else if (!isPhrase) none.push(...terms.map(({ stems }) => stems));
  }
  const check = (page: { readonly title: string; readonly text: string }): boolean => {
    const whole = `${page.title}\n${page.text}`;
    return phrases.every((pattern) => pattern.test(whole)) && !barred.some((pattern) => pattern.test(whole));
  };
  const stems = new Set([...words, ...ofPhrases, ...loose].flat());
  const all = exact ? [...words, ...ofPhrases] : ofPhrases;
  const asked = { all, any: exact ? loose : [...words, ...loose], none, pairs: [...pairs], filters };
  return {
    ...{ ...asked, stems, languages, phrases },
    ...(phrases.length + barred.length > 0 ? { check } : {}),
    ...(titles.length > 0 ? { title: (title: string) => titles.every((isRight) => isRight(title)) } : {}),
  };
}

function isOfWords({ operator }: Part): boolean {
  return operator === undefined || operator === 'title';
}

/** Whether a title has a word, in any of its endings; of several words, whether they stand together. */
function titleHas(text: string, terms: readonly Term[], languages: readonly string[]): (title: string) => boolean {
  if ((text.match(WORDS) ?? []).length > 1) {
    const pattern = phrasePattern(text);
    return (title) => pattern.test(title);
  }
  const wanted = new Set(terms.flatMap(({ stems }) => stems));
  // Stemming costs more than all else, and titles have the same words again and again.
  const known = new Map<string, boolean>();
  const isWanted = (word: string): boolean => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const now = stemsIn(word, languages).some((stem) => wanted.has(stem));
    if (known.size < KNOWN_WORDS) known.set(word, now);
    return now;
  };
  return (title) => tokenize(title, 'unknown').some(isWanted);
}

/** A word with the stems that pages may have it under. */
interface Term {
  readonly word: string;
  readonly stems: readonly string[];
}

/** The words of a text, each with at most so many other spellings. */
function termsOf(text: string, languages: readonly string[], most: number): readonly Term[] {
  return tokenize(text, 'unknown').map((word) => {
    const ways = spellings(word, languages, most).flatMap((way) => stemsIn(way.word, [way.language]));
    return { word, stems: [...new Set([...stemsIn(word, languages), ...ways])] };
  });
}

/**
 * Which words of a query do not count: stop words of English. Where it has no others, those that no page can be found by: a page in German
 * may speak of *See* and *Brief*.
 */
function stopWordsOf(text: string, languages: readonly string[]): (word: string) => boolean {
  if (stemsOf(wantedWords(text)).length > 0) return (word) => stemsOf(word).length === 0;
  return (word) => ['', ...languages].every((language) => tokenize(word, language).length === 0);
}

/** None where words begin and end without a space: what is a word of the phrase may be a part of one on the page. */
function pairsOf(phrase: string): Iterable<number> {
  return DENSE.test(phrase) ? [] : wordPairs(phrase);
}

function phrasePattern(phrase: string): RegExp {
  const words = phrase.match(WORDS) ?? [];
  const start = DENSE.test(words[0]?.[0] ?? '') ? '' : '(?<![\\p{L}\\p{N}])';
  const end = DENSE.test(words.at(-1)?.at(-1) ?? '') ? '' : '(?![\\p{L}\\p{N}])';
  return new RegExp(`${start}${words.join('[^\\p{L}\\p{N}]+')}${end}`, 'iu');
}
