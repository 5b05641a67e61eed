/**
 * Ranking measures for search results: `cosine` and `bm25` measure how well the text matches, `confidence` and
 * `relevance` are scores of the classifier, `authority` comes from link analysis (BINGO! §3.6). `ib`, `ir` and `il` are
 * importance by backlinks, PageRank and location (Cho 1998 §2); `cosine` is importance by similarity to the query.
 * `votes` counts pages whose anchors name the page by the words of the query (directed indexing), `sitevotes` their sites.
 */
export const RANK_MEASURES = [
  'cosine',
  'bm25',
  'confidence',
  'relevance',
  'authority',
  'ib',
  'ir',
  'il',
  'votes',
  'sitevotes',
] as const;
export type RankMeasure = (typeof RANK_MEASURES)[number];

/** Measures of a page's importance that do not depend on a query. */
export const IMPORTANCE_MEASURES = ['ib', 'ir', 'il'] as const;
export type ImportanceMeasure = (typeof IMPORTANCE_MEASURES)[number];

/** Importance of one page. */
export interface Importance {
  /** Number of stored pages that link to it. */
  readonly ib: number;
  /** PageRank among the stored pages; their mean is 1. */
  readonly ir: number;
  /** By its address, in (0,1]; see `locationImportance`. */
  readonly il: number;
}
