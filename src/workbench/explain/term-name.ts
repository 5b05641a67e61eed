import type { TermContribution } from '../../meta/index.ts';
import { commonForms } from '../../postprocess/index.ts';
import { sanitizeForTerminal } from '../words/terminal.ts';

/** Where lines of {@link termList} and similar lists may break: a term and its figure stay together. */
export const BETWEEN_TERMS: RegExp = /(?<=,) /;

/**
 * Formats terms with their contributions: `recovery 0.21, log 0.05`. Terms that are forms of one word are combined.
 * Terms of other feature spaces carry the name of their space.
 * @param forms the word that a stem stands for; `''` for stems that are not words and are left out
 * @param digits decimal places
 */
export function termList(
  contributions: readonly TermContribution[],
  forms: ReadonlyMap<string, string>,
  digits: number,
): string {
  const sums = new Map<string, number>();
  for (const { space, feature, contribution } of contributions) {
    const word = space === 'terms' ? (forms.get(feature) ?? feature) : feature;
    const name = `${sanitizeForTerminal(word)}${space === 'terms' || space === 'pairs' ? '' : ` (${space})`}`;
    if (word !== '') sums.set(name, (sums.get(name) ?? 0) + contribution);
  }
  const strongest = [...sums].sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  return strongest.map(([name, sum]) => `${name} ${sum.toFixed(digits)}`).join(', ') || 'none';
}

/** Maps the stems in lists of terms to their most frequent forms in some texts. */
export function formsOf(
  lists: readonly (readonly TermContribution[])[],
  texts: Iterable<string>,
  languages: readonly string[],
): ReadonlyMap<string, string> {
  const stems = lists.flat().flatMap(({ space, feature }) => (space === 'terms' ? [feature] : []));
  return commonForms([...new Set(stems)], texts, languages);
}

/** Returns the name of a classifier as people see it: the lead of a page is part of its terms. */
export function spaceShown(space: string): string {
  return space === 'terms+lead' ? 'terms' : space;
}
