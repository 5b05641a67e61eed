import type { PortalPage } from './contents.ts';

/** A property of all pages for narrowing a search: its values, and by page number the place of its value. */
export interface Facet {
  readonly values: readonly string[];
  /** `3*20,0,5*2`: twenty pages with value 3, one without, two with value 5. Places are in base 36, from 1. */
  readonly runs: string;
}

export type FacetName = 'site' | 'language' | 'year';

/**
 * Returns the properties of pages by which a search can be narrowed.
 * @param pages by number; `undefined` for a number that is not used
 */
export function facetsOf(pages: readonly (PortalPage | undefined)[]): Readonly<Record<FacetName, Facet>> {
  return {
    site: facetOf(pages, ({ site }) => site),
    language: facetOf(pages, ({ language }) => language),
    year: facetOf(pages, ({ published }) => /^\d{4}/.exec(published)?.[0] ?? ''),
  };
}

function facetOf(pages: readonly (PortalPage | undefined)[], read: (page: PortalPage) => string): Facet {
  const places = new Map<string, number>();
  const runs: [place: number, length: number][] = [];
  for (const page of pages) {
    const value = page === undefined ? '' : read(page);
    if (value !== '' && !places.has(value)) places.set(value, places.size + 1);
    const place = places.get(value) ?? 0;
    const last = runs.at(-1);
    if (last?.[0] === place) last[1]++;
    else runs.push([place, 1]);
  }
  const written = runs.map(([place, length]) => `${place.toString(36)}${length === 1 ? '' : `*${length}`}`);
  return { values: [...places.keys()], runs: written.join(',') };
}
