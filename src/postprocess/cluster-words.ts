import { stemsIn } from '../analyze/index.ts';

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/**
 * The commonest form of each stem in some texts, in lower case; a stem that occurs in none stays as it is.
 * @param languages that the stems may be of, besides English
 */
export function commonForms(
  stems: readonly string[],
  texts: Iterable<string>,
  languages: readonly string[] = [],
): ReadonlyMap<string, string> {
  const forms = new Map(stems.map((name) => [name, new Map<string, number>()]));
  for (const text of texts)
    for (const [word] of text.matchAll(WORD)) {
      const form = word.toLowerCase();
      for (const stem of stemsIn(form, languages)) {
        const counts = forms.get(stem);
        counts?.set(form, (counts.get(form) ?? 0) + 1);
      }
    }
  return new Map([...forms].map(([name, counts]) => [name, commonest(counts) ?? name]));
}

function commonest(counts: ReadonlyMap<string, number>): string | undefined {
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0];
}
