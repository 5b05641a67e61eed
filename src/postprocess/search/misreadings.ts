import { partsOf } from './parts.ts';

/** Operators of other search engines that are none here. */
const FOREIGN =
  /^(inurl|allinurl|intext|allintext|allintitle|inanchor|related|cache|ext|lang|language|before|after):[\p{L}\p{N}]/iu;
const OPERATOR_NAMES = 'site:, type:, topic:, since:, until: and title:';

/**
 * What a query has of the language of other search engines that is taken for words, for nothing, or for something else, here: a
 * sentence for each.
 */
export function misreadings(query: string): readonly string[] {
  const { parts, notes } = partsOf(query);
  const words = parts.filter(({ operator, phrase }) => operator === undefined && phrase === undefined);
  return [...new Set([...words.flatMap(({ text }) => misreading(text) ?? []), ...notes])];
}

function misreading(word: string): string | undefined {
  const foreign = FOREIGN.exec(word)?.[1]?.toLowerCase();
  if (foreign === 'before' || foreign === 'after')
    return `${foreign}: is taken for a word; since: and until: ask when pages were fetched.`;
  if (foreign !== undefined) return `${foreign}: is taken for a word; there are ${OPERATOR_NAMES}.`;
  if (/[\p{L}\p{N}]\*|\*[\p{L}\p{N}]/u.test(word))
    return `The asterisk of "${word}" says nothing: it stands for the rest of a word behind two letters or more, and for nothing else.`;
  return undefined;
}
