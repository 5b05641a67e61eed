import type { PageFacets, PageOrder, Store } from '../../store/index.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type PageFilterOptions, readPageFilter } from './page-filter.ts';
import type { ResultWindow } from './search-stored.ts';

/** Which stored pages are listed, in which order. */
export interface BrowseOptions extends PageFilterOptions, ResultWindow {
  /** Default: `relevance`, most relevant first. */
  readonly order?: PageOrder | undefined;
}

/** A stored page in a list. */
export interface ListedPageRow {
  readonly sequence: number;
  readonly url: string;
  readonly title: string;
  /** `null` for a rejected page. */
  readonly topic: string | null;
  /** In [0,1]. */
  readonly relevance: number;
  /** ISO 8601, UTC. */
  readonly fetchedAt: string;
}

/** A part of a list of stored pages. */
export interface BrowsedPages {
  /** Number of pages in the whole list. */
  readonly total: number;
  readonly pages: readonly ListedPageRow[];
}

const LIMIT = 100;

/**
 * Lists stored pages without a query.
 * @throws UsageError if an option is invalid
 */
export async function browsePages(
  store: Store,
  { tree }: Pick<Workspace, 'tree'>,
  { order = 'relevance', limit = LIMIT, offset = 0, ...options }: BrowseOptions,
): Promise<BrowsedPages> {
  const { total, pages } = await store.pageWindow(readPageFilter(options, tree), { order, limit, offset });
  return {
    total,
    pages: pages.map(({ others, topic, fetchedAt, ...page }) => {
      return { ...page, topic: others ? null : topic, fetchedAt: new Date(fetchedAt).toISOString() };
    }),
  };
}

/**
 * Counts stored pages by topic, site, media type, language and day.
 * @throws UsageError if an option is invalid
 */
export async function facetsOf(
  store: Store,
  { tree }: Pick<Workspace, 'tree'>,
  options: PageFilterOptions,
): Promise<PageFacets> {
  return await store.pageFacets(readPageFilter(options, tree));
}
