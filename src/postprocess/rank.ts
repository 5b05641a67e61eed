/** What ranking needs of a page that matches a search. */
export interface Match {
  readonly sequence: number;
  /** How well the text matches: bm25 or the like, comparable within one answer, higher is better. */
  readonly score: number;
  /** Graded relevance to its topic, in [0,1]. */
  readonly relevance: number;
}

/** Shares of text match and relevance in the final score; each >= 0, not both 0. */
export interface RankWeights {
  readonly text: number;
  readonly relevance: number;
}

/** Text decides, relevance separates pages that match alike. Our choice; DESIGN §10 only asks for a weighted sum. */
export const RANK_WEIGHTS: RankWeights = Object.freeze({ text: 0.7, relevance: 0.3 });

/**
 * Orders matches by a weighted sum of text score (relative to the best match) and relevance, best first; equal ones
 * in the order of fetching.
 * @returns the matches with `score` replaced by the sum, in [0,1]
 */
export function rank<M extends Match>(matches: readonly M[], weights: RankWeights = RANK_WEIGHTS): readonly M[] {
  const best = matches.reduce((max, match) => Math.max(max, match.score), 0);
  const total = weights.text + weights.relevance;
  const scored = matches.map((match) => {
    const text = best > 0 ? Math.max(0, match.score) / best : 0;
    const relevance = Number.isFinite(match.relevance) ? Math.min(1, Math.max(0, match.relevance)) : 0;
    return { ...match, score: (weights.text * text + weights.relevance * relevance) / total };
  });
  return scored.sort((a, b) => b.score - a.score || a.sequence - b.sequence);
}
