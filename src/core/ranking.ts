/**
 * Ranking measures for search results (BINGO! §3.6): `cosine` and `bm25` measure how well the text matches,
 * `confidence` and `relevance` are scores of the classifier, `authority` comes from link analysis.
 */
export const RANK_MEASURES = ['cosine', 'bm25', 'confidence', 'relevance', 'authority'] as const;
export type RankMeasure = (typeof RANK_MEASURES)[number];
