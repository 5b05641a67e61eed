import type { Selectable } from 'kysely';
import {
  type Assignment,
  type CanonicalUrl,
  type Confidence,
  EMPTY_LINKS,
  type Origin,
  type PageRecord,
  type PageRole,
  type TopicId,
  type TopicScores,
  unpackFollowed,
  unpackLinksAlone,
  type Via,
  type VisitRecord,
} from '../../core/index.ts';
import type { PageScoreTable, PageTable, VisitTable } from '../schema.ts';
import { parseSimhash } from './codec.ts';

/**
 * Builds page records. Scores and contents belong to the same pages, in any order. A page without content has no
 * links.
 */
export function toPages(
  pages: readonly Selectable<PageTable>[],
  scoreRows: readonly Selectable<PageScoreTable>[],
  contentRows: readonly { readonly page: number; readonly content: Uint8Array }[],
): PageRecord[] {
  const scores = Map.groupBy(scoreRows, (row) => row.page);
  const contents = new Map(contentRows.map((row) => [row.page, row.content]));
  return pages.map((row) => toPage(row, scores.get(row.sequence) ?? [], contents.get(row.sequence)));
}

function toPage(
  row: Selectable<PageTable>,
  scores: readonly Selectable<PageScoreTable>[],
  content: Uint8Array | undefined,
): PageRecord {
  return {
    kind: 'page',
    ...toFound(row),
    status: row.status,
    contentType: row.content_type,
    fetchedAt: row.fetched_at,
    bytes: row.bytes,
    address: row.address,
    etag: row.etag,
    lastModified: row.last_modified,
    document: {
      title: row.title,
      language: row.language,
      text: '',
      tokens: row.tokens,
      features: {},
      ...(content === undefined ? { links: EMPTY_LINKS } : unpackFollowed(content)),
      canonical: row.canonical,
      noindex: row.noindex === 1,
      nofollow: row.nofollow === 1,
      contentHash: row.content_hash,
      simhash: parseSimhash(row.simhash),
    },
    assignment: toAssignment(row, scores),
  };
}

type VerdictRow = Pick<Selectable<PageTable>, 'topic' | 'others' | 'confidence' | 'relevance' | 'model'>;

/** Builds a current or first verdict with its topic scores. */
export function toAssignment(row: VerdictRow, scores: readonly Selectable<PageScoreTable>[]): Assignment {
  return {
    topic: row.topic as TopicId,
    others: row.others === 1,
    confidence: number(row.confidence) as Confidence,
    relevance: number(row.relevance),
    scores: scores
      .toSorted((a, b) => a.n - b.n)
      .map(
        (s): TopicScores => ({
          topic: s.topic as TopicId,
          confidence: number(s.confidence) as Confidence,
          calibrated: number(s.calibrated),
          bayes: number(s.bayes),
          bayesCalibrated: number(s.bayes_calibrated),
          cosine: number(s.cosine),
          relevance: number(s.relevance),
        }),
      ),
    model: row.model,
  };
}

/** Builds a fetch without a page; `content` holds the links if the page must not be stored. */
export function toVisit(row: Selectable<VisitTable>, content?: Uint8Array): VisitRecord {
  return {
    kind: 'visit',
    sequence: row.sequence,
    url: row.url as CanonicalUrl,
    origin: toOrigin(row),
    result: row.result as VisitRecord['result'],
    reason: row.reason,
    detail: row.detail,
    status: row.status,
    target: row.target,
    page: row.page,
    retried: row.retried === 1,
    fetchedAt: row.fetched_at,
    ...(content === undefined ? {} : unpackLinksAlone(content)),
  };
}

/** Columns that identify a page and how it was found. */
export type FoundColumns = Pick<
  Selectable<PageTable>,
  'sequence' | 'url' | 'final_url' | 'redirects' | 'host' | 'role' | OriginColumn
>;
type OriginColumn = 'via' | 'from_url' | 'queue' | 'depth' | 'tunnel_depth' | 'priority';

/** Returns the identity of a page and how it was found. */
export function toFound(
  row: FoundColumns,
): Pick<PageRecord, 'sequence' | 'url' | 'finalUrl' | 'redirects' | 'host' | 'role' | 'origin'> {
  return {
    sequence: row.sequence,
    url: row.url as CanonicalUrl,
    finalUrl: row.final_url as CanonicalUrl,
    redirects: row.redirects === '' ? [] : (row.redirects.split('\n') as CanonicalUrl[]),
    host: row.host,
    role: row.role as PageRole,
    origin: toOrigin(row),
  };
}

function toOrigin(row: Pick<Selectable<PageTable>, OriginColumn>): Origin {
  return {
    via: row.via as Via,
    from: row.from_url,
    topic: row.queue as TopicId,
    depth: row.depth,
    tunnelDepth: row.tunnel_depth,
    priority: number(row.priority),
  };
}

function number(x: number | null): number {
  return x ?? Number.NaN;
}
