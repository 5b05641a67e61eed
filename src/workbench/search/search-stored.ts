import type { Store } from '../../store/index.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { readSearch, type SearchOptions, searchContext, searchPages } from './local-search.ts';
import { type ResultRow, resultRow } from './result-row.ts';
import { meantWords } from './spelling-suggestion.ts';

/** The answer to a search. */
export interface SearchAnswer {
  readonly query: string;
  /** Best first, from the offset. */
  readonly results: readonly ResultRow[];
  /** Pages with the words, shown or not. */
  readonly matches: number;
  /** Matching pages whose text was not searched for the phrases. */
  readonly unchecked: number;
  /** Matching pages that are left out because they are gone. */
  readonly ended: number;
  /** Sentences about parts of the query that were read differently from what the user may have meant. */
  readonly notes: readonly string[];
  /** Suggested words, if nothing matches. */
  readonly meant?: string;
}

/** Number of results if no limit is given. */
const LIMIT = 10;

/** Which results of a search are returned. */
export interface ResultWindow {
  /** Maximum number of results. Default: 10. */
  readonly limit?: number | undefined;
  /** Number of better results to skip. Default: 0. */
  readonly offset?: number | undefined;
}

/**
 * Searches the stored pages.
 * @throws UsageError if the query has no searchable word, or an option is invalid, or the page of `like` is not stored
 */
export async function searchStored(
  store: Store,
  { tree }: Pick<Workspace, 'tree'>,
  words: string,
  { limit = LIMIT, offset = 0, ...options }: SearchOptions & ResultWindow = {},
): Promise<SearchAnswer> {
  const place = { tree, limit: offset + limit, like: options.like };
  const search = readSearch(words, options, await searchContext(store, words, place));
  const { results, matches, unchecked, ended } = await searchPages(store, search);
  const notes = search.notes ?? [];
  const isNothing = options.like === undefined && matches === 0 && ended === 0 && notes.length === 0;
  const meant = isNothing ? await meantWords(store, words) : undefined;
  const answer = { query: words, results: results.map(resultRow).slice(offset), matches, unchecked, ended, notes };
  return meant === undefined ? answer : { ...answer, meant };
}
