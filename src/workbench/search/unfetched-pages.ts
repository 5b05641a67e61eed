import { UsageError } from '../../core/index.ts';
import { voteWords } from '../../postprocess/index.ts';
import type { Store, UnfetchedPage } from '../../store/index.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { readSearch, searchContext } from './local-search.ts';

/**
 * Finds addresses that were not fetched yet, by the words of links to them (directed indexing), best first.
 * @throws UsageError if the query has no searchable word, or has filters
 */
export async function unfetchedPages(
  store: Store,
  { tree }: Pick<Workspace, 'tree'>,
  { words, limit }: { readonly words: string; readonly limit: number },
): Promise<readonly UnfetchedPage[]> {
  const { query } = readSearch(words, {}, await searchContext(store, words, { tree, limit }));
  if (query.filters.length > 0 || query.title !== undefined)
    throw new UsageError('Operators such as site: need stored pages.', 'Leave them out, or leave out --unfetched.');
  return await store.unfetched(voteWords(query), limit);
}
