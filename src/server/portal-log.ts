import { logQuery, type Reading } from '../workbench/index.ts';

/** A search or an opened result that the search page of a portal reports. */
export interface PortalSearch {
  readonly query: string;
  /** Pages that matched. */
  readonly matches?: number;
  /** Address of the result that was opened. */
  readonly opened?: string;
}

/** Largest report, in bytes. */
export const MAX_LOG_BYTES = 16_384;

/** Name of the search page among the files of a portal. */
export const SEARCH_PAGE = '/search.html';

/**
 * Makes the search page report searches to the server that sends it. The written site has no such page.
 * @param path where it reports to
 */
export function reporting(page: Buffer, path: string): Buffer<ArrayBuffer> {
  const text = page
    .toString('utf8')
    .replace('<html ', `<html data-log="${path}" `)
    .replace('form-action ', 'connect-src &#39;self&#39;; form-action ');
  return Buffer.from(text);
}

/** Reads a report; `undefined` if it is not one. */
export function portalSearchIn(text: string): PortalSearch | undefined {
  try {
    const { query, matches, opened } = JSON.parse(text) as Partial<Record<keyof PortalSearch, unknown>>;
    if (typeof query !== 'string') return undefined;
    const isCount = Number.isSafeInteger(matches) && (matches as number) >= 0;
    return {
      query,
      ...(isCount && { matches: matches as number }),
      ...(typeof opened === 'string' && { opened }),
    };
  } catch {
    return undefined;
  }
}

/** Logs a search or an opened result. Only stored pages count as results. */
export async function logPortalSearch(
  { opened, ...search }: PortalSearch,
  { store, workspace }: Reading,
): Promise<void> {
  const page = opened === undefined ? undefined : await store.pageOf(opened);
  if (opened === undefined || page !== undefined)
    logQuery(workspace, { from: 'portal', ...search, ...(page && { opened: page.finalUrl }) });
}
