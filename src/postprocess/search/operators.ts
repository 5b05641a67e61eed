/** What a query may say of pages besides their words. Commands that search have a flag for each. */
export type FilterName = 'site' | 'type' | 'topic' | 'since' | 'until';

/** A part of a query as it was typed: a word or a phrase, what stands before it, and an operator that it is the value of. */
export interface Part {
  readonly isRuledOut: boolean;
  readonly operator: FilterName | 'title' | undefined;
  /** Between quotation marks; else `undefined`. */
  readonly phrase: string | undefined;
  /** The word, or the phrase. */
  readonly text: string;
}

/** Such as `site:example.org`, `-type:pdf`. */
export interface TypedFilter {
  readonly name: FilterName;
  readonly value: string;
  readonly isRuledOut: boolean;
}

const OPERATORS: ReadonlyMap<string, FilterName | 'title'> = new Map([
  ...(['site', 'type', 'topic', 'since', 'until', 'title'] as const).map((name) => [name, name] as const),
  ['filetype', 'type'],
  ['intitle', 'title'],
]);

/**
 * A part: words, or a phrase between quotation marks, either with a minus or an operator before it. What stands behind the colon
 * of an operator begins with a letter, a digit, a quotation mark, or as the pattern of a host: in `type::x` nothing is an operator.
 */
const PART = new RegExp(
  `(-?)(?:(${[...OPERATORS.keys()].join('|')}):(?=["“„«\\p{L}\\p{N}.*]))?(?:["“„«]([^"“”„»]*)["“”»]?|([^\\s"“”„«»]+))`,
  'giu',
);

/** The parts of a query, in order. */
export function partsOf(query: string): readonly Part[] {
  return Array.from(typed(query).matchAll(PART), ([, minus, operator, phrase, word = '']) => ({
    isRuledOut: minus !== '',
    operator: operator === undefined ? undefined : OPERATORS.get(operator.toLowerCase()),
    phrase,
    text: phrase ?? word,
  }));
}

/** What a query asks for, in its words: without what it rules out by a minus, and without what operators say of pages. */
export function wantedWords(query: string): string {
  const wanted = typed(query).replace(PART, (part: string, minus: string, operator: string | undefined) => {
    if (minus !== '') return '';
    if (operator === undefined) return part;
    return OPERATORS.get(operator.toLowerCase()) === 'title' ? part.slice(operator.length + 1) : '';
  });
  return wanted.trim();
}

/** A query in one form of its letters. Within a word of Hebrew a quotation mark tells a short form, such as צה"ל, and begins no phrase. */
function typed(text: string): string {
  return text.normalize('NFC').replace(/(?<=\p{Script=Hebrew})"(?=\p{Script=Hebrew})/gu, '\u05f4');
}

/** Operators of other search engines that are none here. */
const FOREIGN =
  /^(inurl|allinurl|intext|allintext|allintitle|inanchor|related|cache|ext|lang|language|before|after):[\p{L}\p{N}]/iu;

/**
 * What a query has of the language of other search engines that is taken for words, or for nothing, here: a sentence for each.
 * @param exact every word must occur
 */
export function misreadings(query: string, exact: boolean): readonly string[] {
  const parts = partsOf(query).filter(({ operator }) => operator === undefined);
  const hasPhrase = parts.some(({ phrase, isRuledOut }) => phrase !== undefined && !isRuledOut);
  const told = parts.flatMap(({ phrase, text }) =>
    phrase === undefined ? (misreading(text, { exact, hasPhrase }) ?? []) : [],
  );
  return [...new Set(told)];
}

function misreading(
  word: string,
  { exact, hasPhrase }: { readonly exact: boolean; readonly hasPhrase: boolean },
): string | undefined {
  const foreign = FOREIGN.exec(word)?.[1]?.toLowerCase();
  if (foreign === 'before' || foreign === 'after')
    return `${foreign}: is taken for a word; since: and until: ask when pages were fetched.`;
  if (foreign !== undefined) return `${foreign}: is taken for a word; there are ${OPERATOR_NAMES}.`;
  if (/[\p{L}\p{N}]\*|\*[\p{L}\p{N}]/u.test(word))
    return `The asterisk of "${word}" says nothing: whole words are looked for, in all their endings.`;
  if (/^\+\p{L}/u.test(word)) return `The + of "${word}" says nothing: words in quotation marks must occur.`;
  if (word === 'NOT') return 'NOT says nothing: what has a minus before it must not occur.';
  if (word === 'AND' && !exact)
    return 'AND says nothing: words in quotation marks must occur, or all of them where every word is asked for.';
  if (word === 'OR' && (exact || hasPhrase))
    return 'OR says nothing: what is in quotation marks must occur, and every word where that is asked for.';
  return undefined;
}

const OPERATOR_NAMES = 'site:, type:, topic:, since:, until: and title:';
