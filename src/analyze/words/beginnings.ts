/** What stands for the rest of a word: letters that no stemmer takes for an ending, in the scripts whose stemmers cut off fronts of words. */
const RESTS = ['kub', 'dom', 'k', 'قمر'];
/** Letters that are left of a beginning whose front was cut off at the least. */
const LEAST_LEFT = 2;

/**
 * How stems of words that begin so may begin: in German without umlauts, in Serbian with Latin letters, in Arabic without the article
 * (*الكه*: *كه*).
 * @param stemmers of the texts; `undefined` where there is none
 */
export function waysToBegin(
  beginning: string,
  stemmers: readonly (((word: string) => string) | undefined)[],
): readonly string[] {
  const ways = stemmers.flatMap((stemmer) => (stemmer === undefined ? [] : waysBy(beginning, stemmer)));
  return [...new Set([beginning, ...ways])];
}

/** What a stemmer leaves before the rest of a word. A letter alone would tell less: a Czech stemmer takes it for an ending, and z for a form of h. */
function waysBy(beginning: string, stemmer: (word: string) => string): readonly string[] {
  return RESTS.map((rest) => ({ rest, stem: stemmer(beginning + rest) }))
    .filter(({ rest, stem }) => stem.endsWith(rest))
    .map(({ rest, stem }) => stem.slice(0, -rest.length))
    .filter(({ length }) => length >= LEAST_LEFT);
}

/** What words go on with whose beginning is longer than their stem: *electri* leads to *electric* and *electricity*, whose stem is *electr*. */
const ENDINGS = [
  ...'acdeghlmnorstyàéаеийыоь',
  ...'ca cal ción city cities ed ement en er es ing ion ions isch ique ité ity ly ment ng on st té tà ung zione'.split(
    ' ',
  ),
  ...'ами ание ать ость ский ция'.split(' '),
];
/** Letters that a stem may be shorter than the beginning of its word, and those that it has at least. */
const MOST_LOST = 8;
const LEAST_KEPT = 4;

/** Stems, shorter than a beginning, of words that begin so, as far as usual endings tell. */
export function shorterStemsBy(beginning: string, stemsOf: (word: string) => readonly string[]): readonly string[] {
  const stems = new Set(ENDINGS.flatMap((ending) => stemsOf(beginning + ending)));
  const isShorter = ({ length }: string): boolean =>
    length >= LEAST_KEPT && length < beginning.length && length >= beginning.length - MOST_LOST;
  return [...stems].filter(isShorter);
}
