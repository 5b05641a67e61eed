import { stemsIn } from '../../analyze/index.ts';
import { DENSE } from '../dense.ts';

/**
 * Splits text without spaces into words, with ICU's dictionaries. Loaded on demand: it takes 9 ms, and few texts need
 * it.
 */
let segmenter: Intl.Segmenter | undefined;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/**
 * Returns the most frequent form of each stem in some texts, in lower case; a missing stem stays unchanged. For a
 * pair of characters in text without spaces, returns the word that contains both, `''` if a word boundary separates
 * them.
 * @param languages possible languages of the stems, besides English
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
