import { foldCase, isStopWord, stemsIn, stemsOf, tokenize } from '../../analyze/index.ts';
import { wordPairs } from '../../kit/index.ts';
import { DENSE } from '../dense.ts';
import { spellings, spellingsEach } from './accents.ts';
import type { TypedFilter } from './operators.ts';
import { isOfWords, type Part, partsOf, wantedWords } from './parts.ts';

/** A query for the search index; each word as its alternative stems. */
export interface Query {
  /** Words that every page must have. */
  readonly all: readonly (readonly string[])[];
  /** Words that raise the score. */
  readonly any: readonly (readonly string[])[];
  /** Words that no page may have. */
  readonly none: readonly (readonly string[])[];
  /** Numbers of the word pairs in phrases; a page without one of them does not contain the phrase. */
  readonly pairs: readonly number[];
  /** Groups of alternatives joined by `OR` that include phrases; a page must match one of each group. */
  readonly ways: readonly (readonly Way[])[];
  /** Checks that a page has the wanted phrases and no excluded ones; absent without phrases. */
  readonly check?: (page: { readonly title: string; readonly text: string }) => boolean;
  /** Words whose presence implies `check`, so that the text need not be read. */
  readonly sure?: readonly (readonly string[])[];
  /** Checks `title:` conditions; absent without any. */
  readonly title?: (title: string) => boolean;
  /** Conditions from operators: `site:example.org`. */
  readonly filters: readonly TypedFilter[];
  /** All stems searched, for snippets. */
  readonly stems: ReadonlySet<string>;
  /** Languages used for stemming, besides English. */
  readonly languages: readonly string[];
  /** Stems used for prefix words. */
  readonly beginnings: Beginnings;
  /** Patterns of the wanted phrases, for snippets. */
  readonly phrases: readonly RegExp[];
}

/** One alternative, as far as the index can check it. */
interface Way {
  /** Stems of which the page has at least one; if empty, any page matches. */
  readonly stems: readonly string[];
  /** Numbers of the word pairs of its phrase. */
  readonly pairs: readonly number[];
}

/** Maximum number of cached words of titles. */
const KNOWN_WORDS = 50_000;
const WORDS = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/** Stems of the pages searched, by their prefix, see {@link beginningsIn}. */
export type Beginnings = ReadonlyMap<string, readonly string[]>;

export interface QueryOptions {
  readonly exact?: boolean;
  readonly languages?: readonly string[];
  readonly beginnings?: Beginnings;
}

const NO_BEGINNINGS: Beginnings = new Map();

/** Returns prefixes that a query marks by an asterisk, in the form of stems. */
export function beginningsIn(text: string): readonly string[] {
  const parts = partsOf(text).parts.filter((part) => part.isBeginning && isOfWords(part));
  return [...new Set(parts.map(beginningOf))];
}

function beginningOf({ text }: Part): string {
  return foldCase(text.normalize('NFKC'));
}

/**
 * Parses a query: `aries (log OR journal) "source code" -zodiac site:example.org`. A phrase must occur literally,
 * ignoring case and punctuation, and so must words with a plus or `AND`. Words with a minus or `NOT` must not occur.
 * Of parts joined by `OR`, one suffices. Operators add conditions other than words.
 * @param exact if true, every word must occur, not only phrases
 * @param languages of the pages, by ISO 639-1: a word is stemmed in each of them and in English
 * @param beginnings stems for a word with an asterisk, besides its own
 */
export function readQuery(
  text: string,
  { exact = false, languages = [], beginnings = NO_BEGINNINGS }: QueryOptions = {},
): Query {
  const { parts } = partsOf(text);
  const reader = new QueryReader(text, parts, { languages, beginnings });
  for (const group of groupsOf(parts)) reader.add(group);
  return reader.query(exact);
}

/** Groups parts joined by `OR`; other parts are single groups. */
function groupsOf(parts: readonly Part[]): readonly (readonly Part[])[] {
  const groups: Part[][] = [];
  for (const part of parts)
    if (part.isAlternative) groups.at(-1)!.push(part);
    else groups.push([part]);
  return groups;
}

type Terms = (readonly string[])[];

class QueryReader {
  readonly #languages: readonly string[];
  readonly #beginnings: Beginnings;
  readonly #isLeftOut: (word: string) => boolean;
  /** Maximum number of spellings per word. */
  readonly #most: number;
  readonly #words: Terms = [];
  readonly #none: Terms = [];
  readonly #required: Terms = [];
  /** Stop words of phrases. */
  readonly #loose: Terms = [];
  readonly #pairs = new Set<number>();
  readonly #ways: (readonly Way[])[] = [];
  readonly #phrases: RegExp[] = [];
  readonly #checks: Check[] = [];
  readonly #titles: ((title: string) => boolean)[] = [];
  readonly #filters: TypedFilter[] = [];

  constructor(text: string, parts: readonly Part[], { languages, beginnings }: Required<Omit<QueryOptions, 'exact'>>) {
    this.#languages = languages;
    this.#beginnings = beginnings;
    this.#isLeftOut = stopWordsOf(text, languages);
    const words = parts.filter(isOfWords).map((part) => part.text);
    this.#most = spellingsEach(tokenize(words.join(' '), 'unknown').length);
  }

  query(exact: boolean): Query {
    const [words, loose, required] = [this.#words, this.#loose, this.#required];
    const [phrases, checks, titles] = [this.#phrases, this.#checks, this.#titles];
    const check = (page: { readonly title: string; readonly text: string }): boolean => {
      const whole = `${page.title}\n${page.text}`;
      return checks.every(({ isRight }) => isRight(whole, page.title));
    };
    const sure = checks.flatMap((each) => (each.sure.length > 0 ? [each.sure] : []));
    return {
      all: exact ? [...words, ...required] : required,
      any: exact ? loose : [...words, ...loose],
      ...{ none: this.#none, pairs: [...this.#pairs], ways: this.#ways },
      ...{ filters: this.#filters, phrases },
      stems: new Set([...words, ...required, ...loose].flat()),
      ...{ languages: this.#languages, beginnings: this.#beginnings },
      ...(checks.length > 0 ? { check } : {}),
      ...(checks.length > 0 && sure.length === checks.length ? { sure } : {}),
      ...(titles.length > 0 ? { title: (title: string) => titles.every((isRight) => isRight(title)) } : {}),
    };
  }

  add(group: readonly Part[]): void {
    const [part] = group;
    if (group.length > 1) this.#addAlternatives(group);
    else if (!isOfWords(part!)) this.#addFilter(part!);
    else if (part!.operator === 'title') this.#addTitle(part!);
    else if (part!.isRuledOut) this.#ruleOut(part!);
    else this.#addWords(part!);
  }

  #addFilter({ operator, text, isRuledOut }: Part): void {
    if (operator !== undefined && operator !== 'title') this.#filters.push({ name: operator, value: text, isRuledOut });
  }

  #addTitle(part: Part): void {
    const { text, isRuledOut } = part;
    const isThere = titleHas(text, this.#termsOf(part), this.#languages);
    this.#titles.push(isRuledOut ? (title) => !isThere(title) : isThere);
    if (!isRuledOut) this.#require(this.#counted(part), true);
  }

  /** A word such as "state-of-the-art" is a phrase here, too. */
  #ruleOut(part: Part): void {
    const { text, phrase } = part;
    const terms = this.#counted(part);
    if (isPhrase(phrase) || (phrase === undefined && terms.length > 1)) {
      const pattern = phrasePattern(text);
      this.#checks.push({ isRight: (whole) => !pattern.test(whole), sure: [] });
    } else this.#none.push(...terms.map(({ stems }) => stems));
  }

  #addWords(part: Part): void {
    const { phrase, isRequired } = part;
    const terms = this.#counted(part);
    if (phrase === undefined && !isRequired) this.#words.push(...terms.map(({ stems }) => stems));
    else this.#require(terms, isPhrase(phrase));
    if (!isPhrase(phrase)) return;
    const pattern = phrasePattern(phrase);
    this.#phrases.push(pattern);
    this.#checks.push({ isRight: (whole) => pattern.test(whole), sure: [] });
    for (const pair of pairsOf(phrase)) this.#pairs.add(pair);
  }

  /** @param isTogether a page in another language may have these words together, but the index may not have all of them */
  #require(terms: readonly Term[], isTogether: boolean): void {
    for (const { word, stems } of terms) (isTogether && isStopWord(word) ? this.#loose : this.#required).push(stems);
  }

  /**
   * Single words are for the index one word with the stems of all. Where phrases or titles are among them, pages are read, and the
   * index says which may be right: those with a word of one and, of a phrase, with its pairs of words.
   */
  #addAlternatives(group: readonly Part[]): void {
    const ways = group.map((part) => this.#alternative(part)).filter((way) => way !== undefined);
    if (ways.length === 0) return;
    const stems = [...new Set(ways.flatMap((way) => way.stems))];
    if (ways.every(({ isWord }) => isWord)) {
      (group.some(({ isRequired }) => isRequired) ? this.#required : this.#words).push(stems);
      return;
    }
    // Of letters alone, as of the phrase "s O", the index has no word.
    if (stems.length > 0) (ways.every(({ isIndexed }) => isIndexed) ? this.#required : this.#loose).push(stems);
    const told = ways.map(({ isIndexed, stems, pairs }) => ({ stems: isIndexed ? stems : [], pairs }));
    // A way that the index knows nothing of may be that of any page.
    const isTold = told.every((way) => way.stems.length + way.pairs.length > 0);
    if (isTold && told.some(({ pairs }) => pairs.length > 0)) this.#ways.push(told);
    const sure = ways.flatMap((way) => (way.isWord ? way.stems : []));
    this.#checks.push({ isRight: (whole, title) => ways.some(({ isThere }) => isThere(whole, title)), sure });
  }

  #alternative(part: Part): Alternative | undefined {
    const { text, phrase, operator } = part;
    const terms = this.#counted(part);
    const [term] = terms;
    if (operator === undefined && !isPhrase(phrase) && terms.length === 1) {
      const { stems } = term!;
      return { stems, pairs: [], isIndexed: true, isWord: true, isThere: hasWord(stems, this.#languages) };
    }
    const telling = terms.find(({ word }) => !isStopWord(word));
    const inIndex = { stems: (telling ?? term)?.stems ?? [], isIndexed: telling !== undefined, isWord: false };
    if (operator === 'title') {
      const isThere = titleHas(text, this.#termsOf(part), this.#languages);
      return { ...inIndex, pairs: [], isThere: (_, title) => isThere(title) };
    }
    if (terms.length === 0 && !isPhrase(phrase)) return undefined;
    const pattern = phrasePattern(text);
    this.#phrases.push(pattern);
    return { ...inIndex, pairs: [...pairsOf(text)], isThere: (whole) => pattern.test(whole) };
  }

  #termsOf(part: Part): readonly Term[] {
    const terms = termsOf(part.text, this.#languages, this.#most);
    if (!part.isBeginning) return terms;
    const more = this.#beginnings.get(beginningOf(part)) ?? [];
    // What it begins is no stop word, even where it is one itself.
    return [{ word: `${part.text}*`, stems: [...new Set([...terms.flatMap(({ stems }) => stems), ...more])] }];
  }

  /** The words of a part that count. */
  #counted(part: Part): readonly Term[] {
    return this.#termsOf(part).filter(({ word }) => part.isBeginning || !this.#isLeftOut(word));
  }
}

/** What a page is read for. */
interface Check {
  readonly isRight: (whole: string, title: string) => boolean;
  /** A page with any of these stems is right; none: the text alone tells. */
  readonly sure: readonly string[];
}

/** One of several parts of which any will do. */
interface Alternative {
  /** A page for which it is right has one of them. */
  readonly stems: readonly string[];
  /** Word pairs of a phrase. The page has all of them. */
  readonly pairs: readonly number[];
  /** True if the index has the stems of every such page. False if they may be a stop word on some pages. */
  readonly isIndexed: boolean;
  /** True if the index alone decides. */
  readonly isWord: boolean;
  readonly isThere: (whole: string, title: string) => boolean;
}

function isPhrase(phrase: string | undefined): phrase is string {
  return phrase !== undefined && (phrase.match(WORDS) ?? []).length > 1;
}

/** Whether a title has a word, in any of its endings; of several words, whether they stand together. */
function titleHas(text: string, terms: readonly Term[], languages: readonly string[]): (title: string) => boolean {
  if (isPhrase(text)) {
    const pattern = phrasePattern(text);
    return (title) => pattern.test(title);
  }
  return hasWord(
    terms.flatMap(({ stems }) => stems),
    languages,
  );
}

/** Whether a text has a word with any of the stems. */
function hasWord(stems: readonly string[], languages: readonly string[]): (text: string) => boolean {
  const wanted = new Set(stems);
  // Stemming costs more than all else, and texts have the same words again and again.
  const known = new Map<string, boolean>();
  const isWanted = (word: string): boolean => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const now = stemsIn(word, languages).some((stem) => wanted.has(stem));
    if (known.size < KNOWN_WORDS) known.set(word, now);
    return now;
  };
  return (text) => tokenize(text, 'unknown').some(isWanted);
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
