import { count } from '../../kit/index.ts';
import { quoted, type WholeMatches } from '../../workbench/index.ts';

/** Figures of the results shown. */
interface Shown {
  /** Accepted pages with some of the words. */
  readonly matches: number;
  /** Requested number of results. */
  readonly limit: number;
  readonly words: string;
  readonly dir: string;
}

/**
 * Text after the number of matches; with few results, also a line below it: a page with every word may be the wanted
 * one, accepted or not.
 */
export function wholeText(
  { accepted, rejected }: WholeMatches,
  { matches, limit, words, dir }: Shown,
): { readonly share: string; readonly below: string } {
  const some = accepted === 1 ? '1 has' : `${count(accepted)} have`;
  const share = accepted === matches ? '' : `; ${accepted === 0 ? 'none has' : some} all of them`;
  if (rejected <= 0 || accepted >= limit) return { share, below: '' };
  const pages =
    rejected === 1 ? '1 page that was not accepted has' : `${count(rejected)} pages that were not accepted have`;
  return { share, below: `${pages} every word:  bingo search ${quoted(dir)} ${quoted(words)} --all\n` };
}
