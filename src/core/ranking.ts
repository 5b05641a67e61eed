/**
 * What search results can be ranked by (BINGO! §3.6): `cosine` and `bm25` say how well the text matches, `confidence` and
 * `relevance` what the classifier thinks of the page, `authority` what links say of it.
 */
export const RANK_MEASURES = ['cosine', 'bm25', 'confidence', 'relevance', 'authority'] as const;
export type RankMeasure = (typeof RANK_MEASURES)[number];
