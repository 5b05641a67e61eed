import { partsOf } from './parts.ts';

/** Operators of other search engines that are not supported here. */
const FOREIGN =
  /^(inurl|allinurl|intext|allintext|allintitle|inanchor|related|cache|ext|lang|language|before|after):[\p{L}\p{N}]/iu;
const OPERATOR_NAMES = 'site:, type:, topic:, since:, until: and title:';

/**
 * Returns one sentence for each part of a query that other search engines support, but that has no or another meaning
 * here.
 */
export function misreadings(query: string): readonly string[] {
  const { parts, notes } = partsOf(query);
  const asked = parts.filter(({ operator }) => operator === undefined || operator === 'title');
  const told = asked.flatMap(({ operator, phrase, text }) => {
    if (phrase !== undefined) return ASTERISK.test(phrase) ? ofPhrase(phrase) : [];
    return (operator === undefined ? misreading(text) : undefined) ?? (ASTERISK.test(text) ? ofWord(text) : []);
  });
  return [...new Set([...told, ...notes])];
}

/** An asterisk next to a letter, as a wildcard. */
const ASTERISK = /[\p{L}\p{N}]\*|\*[\p{L}\p{N}]/u;

function ofPhrase(phrase: string): string {
  return `The asterisk in "${phrase}" is ignored: phrases match exactly.`;
}

function ofWord(word: string): string {
  return `The asterisk of "${word}" is ignored: it only works at the end of a word, after at least two letters.`;
}

/** Values that are neither a date nor an age. */
const NO_TIME = /^(since|until):[^\p{L}\p{N}\s]/iu;

function misreading(word: string): string | undefined {
  const time = NO_TIME.exec(word)?.[1]?.toLowerCase();
  if (time !== undefined) return `${word} is read as words; ${time}: takes a day or an age, such as ${time}:7d.`;
  const foreign = FOREIGN.exec(word)?.[1]?.toLowerCase();
  if (foreign === 'before' || foreign === 'after')
    return `${foreign}: is read as a word; since: and until: ask when pages were fetched.`;
  if (foreign !== undefined) return `${foreign}: is read as a word; there are ${OPERATOR_NAMES}.`;
  return undefined;
}
