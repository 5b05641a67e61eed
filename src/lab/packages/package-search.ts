import type { PackageDocs } from './package-docs.ts';

/** A response in the format of SearXNG (https://docs.searxng.org/dev/search_api.html). */
export interface SearxngAnswer {
  readonly query: string;
  readonly results: readonly { readonly url: string; readonly title: string; readonly content: string }[];
}

const RESULTS = 10;
/** A match in the name counts more than one in the keywords, and that more than one in the description. */
const WEIGHTS = { name: 3, keywords: 2, description: 1 } as const;

/**
 * Simulates a search service over packages: finds those whose name, keywords or description contain words of the
 * query, best match first.
 * @param urlOf returns the address of a package's page
 */
export function searchPackages(
  packages: readonly PackageDocs[],
  query: string,
  urlOf: (found: PackageDocs) => string,
): SearxngAnswer {
  const wanted = new Set(wordsOf(query));
  const scored = packages.map((found) => ({ found, score: scoreOf(found, wanted) })).filter(({ score }) => score > 0);
  scored.sort((a, b) => b.score - a.score || (a.found.name < b.found.name ? -1 : 1));
  const results = scored.slice(0, RESULTS).map(({ found }) => ({
    url: urlOf(found),
    title: found.name,
    content: found.description,
  }));
  return { query, results };
}

function scoreOf({ name, keywords, description }: PackageDocs, wanted: ReadonlySet<string>): number {
  const count = (text: string): number => new Set(wordsOf(text).filter((word) => wanted.has(word))).size;
  return (
    WEIGHTS.name * count(name) + WEIGHTS.keywords * count(keywords.join(' ')) + WEIGHTS.description * count(description)
  );
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[a-z0-9]{2,}/g) ?? []).map((word) => word.replace(/s$/, ''));
}
