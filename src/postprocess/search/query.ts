import { isStopWord, stemsIn, stemsOf, tokenize } from '../../analyze/index.ts';
import { wordPairs } from '../../core/index.ts';
import { DENSE } from '../dense.ts';
import { spellings, spellingsEach } from './accents.ts';

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
  /** All stems looked for, for snippets. */
  readonly stems: ReadonlySet<string>;
  /** The languages that words were stemmed in, besides English. */
  readonly languages: readonly string[];
  /** Patterns of the phrases asked for, likewise. */
  readonly phrases: readonly RegExp[];
}

/** A part of a query: words, or a phrase between quotation marks, either with a minus before it. */
const PART = /(-?)(?:["“„«]([^"“”„»]*)["“”»]?|([^\s"“”„«»]+))/gu;
const WORDS = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

export interface QueryOptions {
  readonly exact?: boolean;
  readonly languages?: readonly string[];
}

/**
 * Reads what a person typed: `aries "source code" -zodiac`. A phrase must occur as it stands, whatever its case and the
 * punctuation between its words; what has a minus must not occur.
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
  const isLeftOut = stopWordsOf(text, languages);
  const most = spellingsEach(tokenize(text, 'unknown').length);
  for (const [, minus, phrase, word = ''] of typed(text).matchAll(PART)) {
    const isPhrase = phrase !== undefined && (phrase.match(WORDS) ?? []).length > 1;
    const terms = termsOf(phrase ?? word, languages, most).filter((term) => !isLeftOut(term.word));
    if (isPhrase) (minus === '' ? phrases : barred).push(phrasePattern(phrase));
    if (isPhrase && minus === '') for (const pair of pairsOf(phrase)) pairs.add(pair);
    if (minus === '' && phrase === undefined) words.push(...terms.map(({ stems }) => stems));
    // A page in another language may have the phrase, but the index may not have all of its words.
    else if (minus === '')
      for (const { word, stems } of terms) (isPhrase && isStopWord(word) ? loose : ofPhrases).push(stems);
    // A word such as "state-of-the-art" after a minus is a phrase, too.
    else if (!isPhrase && terms.length > 1) barred.push(phrasePattern(phrase ?? word));
    else if (!isPhrase) none.push(...terms.map(({ stems }) => stems));
  }
  const check = (page: { readonly title: string; readonly text: string }): boolean => {
    const whole = `${page.title}\n${page.text}`;
    return phrases.every((pattern) => pattern.test(whole)) && !barred.some((pattern) => pattern.test(whole));
  };
  const stems = new Set([...words, ...ofPhrases, ...loose].flat());
  const all = exact ? [...words, ...ofPhrases] : ofPhrases;
  const query = { all, any: exact ? loose : [...words, ...loose], none, pairs: [...pairs], stems, languages, phrases };
  return phrases.length + barred.length > 0 ? { ...query, check } : query;
}

/** A query in one form of its letters. Within a word of Hebrew a quotation mark tells a short form, such as צה"ל, and begins no phrase. */
function typed(text: string): string {
  return text.normalize('NFC').replace(/(?<=\p{Script=Hebrew})"(?=\p{Script=Hebrew})/gu, '\u05f4');
}

/** What a query asks for, in its words: without what it rules out by a minus. */
export function wantedWords(text: string): string {
  const wanted = typed(text).replace(PART, (part: string, minus: string) => (minus === '' ? part : ''));
  return wanted.trim();
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
