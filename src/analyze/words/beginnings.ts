/**
 * Placeholders for the rest of a word: letters that no stemmer takes for an ending, in the scripts whose stemmers cut
 * prefixes.
 */
const RESTS = ['kub', 'dom', 'k', 'قمر'];
/** Minimum number of letters that remain after a prefix was cut. */
const LEAST_LEFT = 2;

/**
 * Possible beginnings of the stems of words with this beginning: in German without umlauts, in Serbian with Latin
 * letters, in Arabic without the article (*الكه*: *كه*).
 * @param stemmers of the texts; `undefined` for a language without one
 */
export function waysToBegin(
  beginning: string,
  stemmers: readonly (((word: string) => string) | undefined)[],
): readonly string[] {
  const ways = stemmers.flatMap((stemmer) => (stemmer === undefined ? [] : waysBy(beginning, stemmer)));
  return [...new Set([beginning, ...ways])];
}

/**
 * The part that a stemmer leaves before the rest of a word. A single letter is not enough: a Czech stemmer takes it
 * for an ending, and z for a form of h.
 */
function waysBy(beginning: string, stemmer: (word: string) => string): readonly string[] {
  return RESTS.map((rest) => ({ rest, stem: stemmer(beginning + rest) }))
    .filter(({ rest, stem }) => stem.endsWith(rest))
    .map(({ rest, stem }) => stem.slice(0, -rest.length))
    .filter(({ length }) => length >= LEAST_LEFT);
}

/**
 * Continuations of words whose beginning is longer than their stem: *electri* leads to *electric* and *electricity*,
 * whose stem is *electr*.
 */
const ENDINGS = [
  ...'acdeghlmnorstyàéаеийыоь',
  ...'ca cal ción city cities ed ement en er es ing ion ions isch ique ité ity ly ment ng on st té tà ung zione'.split(
    ' ',
  ),
  ...'ами ание ать ость ский ция'.split(' '),
];
/** How many letters a stem may be shorter than the beginning of its word, and its minimum length. */
const MOST_LOST = 8;
const LEAST_KEPT = 4;

/** Stems that are shorter than a beginning, of words with this beginning. It tries usual endings. */
export function shorterStemsBy(beginning: string, stemsOf: (word: string) => readonly string[]): readonly string[] {
  const stems = new Set(ENDINGS.flatMap((ending) => stemsOf(beginning + ending)));
  const isShorter = ({ length }: string): boolean =>
    length >= LEAST_KEPT && length < beginning.length && length >= beginning.length - MOST_LOST;
  return [...stems].filter(isShorter);
}
