import type { Store } from '../../store/index.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { readSearch, type SearchOptions, searchContext, searchPages } from './local-search.ts';
import { meantWords } from './meant-words.ts';
import { type ResultRow, resultRow } from './result-row.ts';

/** The answer to a search. */
export interface SearchAnswer {
  readonly query: string;
  /** Best first. */
  readonly results: readonly ResultRow[];
  /** Pages with the words, shown or not. */
  readonly matches: number;
  /** Of these, pages whose text was not read to look for the phrases. */
  readonly unchecked: number;
  /** Pages with the words that are left out because they are gone. */
  readonly ended: number;
  /** What of the query was read otherwise than it may have been meant: sentences. */
  readonly notes: readonly string[];
  /** Words that may have been meant, if nothing matches. */
  readonly meant?: string;
}

/** Results that one answer has if no limit is given. */
const LIMIT = 10;

/**
 * Searches the stored pages.
 * @throws UsageError if the words hold nothing to look for, or an option is wrong
 */
export async function searchStored(
  store: Store,
  { tree }: Pick<Workspace, 'tree'>,
  words: string,
  { limit = LIMIT, ...options }: SearchOptions & { readonly limit?: number | undefined } = {},
): Promise<SearchAnswer> {
  const search = readSearch(words, options, await searchContext(store, words, { tree, limit }));
  const { results, matches, unchecked, ended } = await searchPages(store, search);
  const notes = search.notes ?? [];
  const isNothing = matches === 0 && ended === 0 && notes.length === 0;
  const meant = isNothing ? await meantWords(store, words) : undefined;
  const answer = { query: words, results: results.map(resultRow), matches, unchecked, ended, notes };
  return meant === undefined ? answer : { ...answer, meant };
}
