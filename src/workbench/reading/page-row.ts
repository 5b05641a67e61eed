import { type Bibliography, type PageFields, type PageRecord, type Provenance, splitFields } from '../../core/index.ts';
import type { ExportRow } from '../../store/index.ts';

/** A page as results show it: the fields of `bingo export`, and of the page lines of `bingo crawl --json`. */
export interface PageRow {
  readonly url: string;
  readonly finalUrl: string;
  readonly title: string;
  /** `null` for a rejected page. */
  readonly topic: string | null;
  readonly confidence: number;
  /** In [0,1]. */
  readonly relevance: number;
  /** Number of links from a seed. */
  readonly depth: number;
  /** Number of consecutive rejected pages before it. */
  readonly tunnelDepth: number;
  /** Position in fetch order. */
  readonly sequence: number;
  /** ISO 8601, UTC. */
  readonly fetchedAt: string;
  readonly status: number;
  readonly contentType: string;
  /** The page it was found on; `null` for a seed. */
  readonly via: string | null;
  /** `crawled`, or why it was fetched for training: `example`, `others`. */
  readonly role: string;
  /** The page that `url` redirects to or duplicates; `null` if `url` is the page itself. */
  readonly duplicateOf: string | null;
  /** How a recheck found the page: `gone`, `moved`, `same`, `noindex`; `null` if it still exists. */
  readonly ending: string | null;
  /** ISO 639-1; `null` if unknown. */
  readonly language: string | null;
  /** Stored pages that link to it; `null` before the end of a crawl. */
  readonly ib: number | null;
  /** PageRank among the stored pages; their mean is 1. */
  readonly ir: number | null;
  /** Importance by the address alone, 1 for a home page. */
  readonly il: number | null;
  /** Fields that extractors added, if any. */
  readonly fields?: PageFields;
  /** What the page says about itself as a publication, and the source of each field. */
  readonly bibliography?: Bibliography;
  /** The archive from which the page was read, if any. */
  readonly provenance?: Provenance;
}

export const PAGE_FIELDS: readonly Exclude<keyof PageRow, 'fields' | 'bibliography' | 'provenance'>[] = [
  'url',
  'finalUrl',
  'title',
  'topic',
  'confidence',
  'relevance',
  'depth',
  'tunnelDepth',
  'sequence',
  'fetchedAt',
  'status',
  'contentType',
  'via',
  'role',
  'duplicateOf',
  'ending',
  'language',
  'ib',
  'ir',
  'il',
];

export function rowOfExport(row: Omit<ExportRow, 'site'>): PageRow {
  const { others, topic, via, fetchedAt } = row;
  return {
    url: row.url,
    finalUrl: row.finalUrl,
    title: row.title,
    topic: others ? null : topic,
    confidence: row.confidence,
    relevance: row.relevance,
    depth: row.depth,
    tunnelDepth: row.tunnelDepth,
    sequence: row.sequence,
    fetchedAt: new Date(fetchedAt).toISOString(),
    status: row.status,
    contentType: row.contentType,
    via: via === '' ? null : via,
    role: row.role,
    duplicateOf: row.duplicateOf ?? null,
    ending: row.end?.ending ?? null,
    language: row.language === '' ? null : row.language,
    ib: row.importance?.ib ?? null,
    ir: row.importance?.ir ?? null,
    il: row.importance?.il ?? null,
    ...splitFields(row.fields),
  };
}

export function rowOfRecord(record: PageRecord): PageRow {
  const { assignment, origin, document } = record;
  return rowOfExport({
    url: record.url,
    finalUrl: record.finalUrl,
    title: document.title,
    role: record.role,
    language: document.language,
    topic: assignment.topic,
    others: assignment.others,
    confidence: assignment.confidence,
    relevance: assignment.relevance,
    depth: origin.depth,
    tunnelDepth: origin.tunnelDepth,
    sequence: record.sequence,
    fetchedAt: record.fetchedAt,
    status: record.status,
    contentType: record.contentType,
    via: origin.from,
    ...(document.fields && { fields: document.fields }),
  });
}
