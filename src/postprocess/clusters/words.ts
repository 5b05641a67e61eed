import { stemsIn } from '../../analyze/index.ts';
import { DENSE } from '../dense.ts';

/** Cuts text without spaces into words, by the dictionaries of ICU: to load them takes 9 ms, and hardly any text needs them. */
let segmenter: Intl.Segmenter | undefined;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/**
 * The commonest form of each stem in some texts, in lower case; a stem that occurs in none stays as it is. Of a pair of characters in text
 * without spaces it is the word that holds both, `''` where the pair is the end of one word and the beginning of the next.
 * @param languages that the stems may be of, besides English
 */
export function commonForms(
  stems: readonly string[],
  texts: Iterable<string>,
  languages: readonly string[] = [],
): ReadonlyMap<string, string> {
  const forms = new Map(stems.map((name) => [name, new Map<string, number>()]));
  const pairs = stems.filter((stem) => stem.length === 2 && DENSE.test(stem[0]!));
  for (const text of texts)
    for (const [word] of text.matchAll(WORD)) {
      const form = word.toLowerCase();
      if (pairs.length > 0 && DENSE.test(form)) countDense(form, pairs, forms);
      for (const stem of stemsIn(form, languages)) {
        const counts = forms.get(stem);
        counts?.set(form, (counts.get(form) ?? 0) + 1);
      }
    }
  return new Map([...forms].map(([name, counts]) => [name, commonest(counts) ?? name]));
}

function countDense(stretch: string, pairs: readonly string[], forms: ReadonlyMap<string, Map<string, number>>): void {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  const words = [...segmenter.segment(stretch)].map(({ segment }) => segment);
  for (const pair of pairs) {
    if (!stretch.includes(pair)) continue;
    const found = words.filter((word) => word.includes(pair));
    const counts = forms.get(pair)!;
    for (const word of found.length === 0 ? [''] : found) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
}

function commonest(counts: ReadonlyMap<string, number>): string | undefined {
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0];
}
