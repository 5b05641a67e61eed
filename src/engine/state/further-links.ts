import { type CanonicalUrl, canonicalize, type Link } from '../../core/index.ts';

/** Pages that link to a page, as the user lists them: sources by target. */
export interface Backlinks {
  readonly sources: ReadonlyMap<string, readonly string[]>;
  /** Changes if the list changes. */
  readonly digest: string;
}

/** Where links come from besides the pages. */
export interface LinkSources {
  /** `crawl.parents` */
  readonly parents: boolean;
  readonly backlinks?: Backlinks | undefined;
}

/** Folders of an address that are tried, nearest first. Traps have long paths. */
const MAX_PARENTS = 5;

/**
 * Returns links that a relevant page does not have itself: the folders above its address, which often list pages of
 * its kind, and pages that link to it. Their context is empty.
 * @param own links of the page
 */
export function furtherLinks(url: CanonicalUrl, own: readonly Link[], sources: LinkSources): readonly Link[] {
  const known = new Set<string>([url, ...own.map((link) => link.url)]);
  const found = [...(sources.parents ? parentsOf(url) : []), ...(sources.backlinks?.sources.get(url) ?? [])];
  return found
    .filter((each) => !known.has(each) && known.add(each))
    .map((each) => ({ url: each, anchor: '', context: '', flags: 0, position: 1 }));
}

/** Returns the folders above an address, nearest first: `/a/b/c.html?d` gives `/a/b/`, `/a/`, `/`. */
export function parentsOf(url: CanonicalUrl): readonly CanonicalUrl[] {
  const { origin, pathname } = new URL(url);
  const folders = pathname.split('/').slice(1, -1);
  const paths = Array.from({ length: folders.length + 1 }, (_, up) => folders.slice(0, folders.length - up));
  return paths
    .map((path) => canonicalize(`${origin}/${path.map((folder) => `${folder}/`).join('')}`))
    .filter((parent): parent is CanonicalUrl => parent !== undefined && parent !== url)
    .slice(0, MAX_PARENTS);
}
