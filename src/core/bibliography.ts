import { ARCHIVE_PREFIX, type Provenance, provenanceOf } from './capture-fields.ts';
import type { FieldValue, PageFields } from './extension.ts';

/** What a page says about itself as a publication; texts, except the authors. */
export const BIBLIOGRAPHY_FIELDS = [
  'title',
  'authors',
  'published',
  'modified',
  'site',
  'description',
  'licence',
  'reservation',
  'type',
  'doi',
  'arxiv',
  'isbn',
  'issn',
  'journal',
  'publisher',
  'volume',
  'issue',
  'pages',
  'image',
] as const;
export type BibliographyField = (typeof BIBLIOGRAPHY_FIELDS)[number];

/** The bibliographic record of a page: what it says about itself, and where. */
export type Bibliography = {
  /** Dates are `2026`, `2026-11` or `2026-11-27`, as exact as the page. */
  readonly [F in Exclude<BibliographyField, 'authors'>]?: string;
} & {
  readonly authors?: readonly string[];
  /** The source of each field: `json-ld`, `citation`, `open-graph`, … */
  readonly sources: Readonly<Partial<Record<BibliographyField, string>>>;
};

/** Names of stored fields that begin with this belong to the record. Extractors cannot use it. */
export const BIBLIOGRAPHY_PREFIX = 'bib.';
const SOURCES = 'bib.sources';
const BETWEEN_AUTHORS = '; ';

/** Returns the stored field names of a record, in the order of {@link BIBLIOGRAPHY_FIELDS}. */
export function bibliographyFields({ sources, authors, ...texts }: Bibliography): PageFields {
  const named: Record<string, FieldValue> = {};
  for (const field of BIBLIOGRAPHY_FIELDS) {
    const value = field === 'authors' ? authors?.map(withoutSeparator).join(BETWEEN_AUTHORS) : texts[field];
    if (value !== undefined) named[`${BIBLIOGRAPHY_PREFIX}${field}`] = value;
  }
  const said = Object.entries(sources).map(([field, source]) => `${field}=${source}`);
  return said.length === 0 ? named : { ...named, [SOURCES]: said.join(' ') };
}

function withoutSeparator(author: string): string {
  return author.replaceAll(';', ',');
}

/** The fields of a page: those of extractors, the bibliographic record, and its archive. Each may be missing. */
export interface SplitFields {
  readonly fields?: PageFields;
  readonly bibliography?: Bibliography;
  readonly provenance?: Provenance;
}

/** Separates the fields of extractors from the others. */
export function splitFields(all: PageFields | undefined): SplitFields {
  const entries = Object.entries(all ?? {});
  const own = entries.filter(([name]) => !name.startsWith(BIBLIOGRAPHY_PREFIX) && !name.startsWith(ARCHIVE_PREFIX));
  const isSaid = entries.some(([name]) => name.startsWith(BIBLIOGRAPHY_PREFIX));
  const bibliography = isSaid && all !== undefined ? recordIn(all) : undefined;
  const provenance = own.length < entries.length ? provenanceOf(all) : undefined;
  return {
    ...(own.length > 0 && { fields: Object.fromEntries(own) }),
    ...(bibliography && { bibliography }),
    ...(provenance && { provenance }),
  };
}

function recordIn(all: PageFields): Bibliography {
  const texts: Partial<Record<BibliographyField, string | readonly string[]>> = {};
  for (const field of BIBLIOGRAPHY_FIELDS) {
    const value = all[`${BIBLIOGRAPHY_PREFIX}${field}`];
    if (value !== undefined) texts[field] = field === 'authors' ? String(value).split(BETWEEN_AUTHORS) : String(value);
  }
  const said = String(all[SOURCES] ?? '').split(' ');
  const sources = Object.fromEntries(said.filter((pair) => pair !== '').map((pair) => pair.split('=', 2)));
  return { ...texts, sources } as Bibliography;
}
