import type { RankMeasure } from '../../core/index.ts';

/** What ranking needs of a page that matches a search: its value by each measure, NaN where it has none. */
export interface Match extends Readonly<Record<RankMeasure, number>> {
  readonly sequence: number;
}

/** What each measure counts in the final score: >= 0, not all 0; a measure that is not named counts nothing. */
export type RankWeights = Readonly<Partial<Record<RankMeasure, number>>>;

/** A match with its place in the order. */
export type Ranked<M> = M & {
  /** In [0,1]. */
  readonly score: number;
  /** What each measure with a weight adds to the score. */
  readonly shares: RankWeights;
};

/**
 * Text decides, relevance separates pages that match alike, and the words of links to a page count a little: docs/quality.md,
 * "Votes of anchors".
 */
export const RANK_WEIGHTS: RankWeights = Object.freeze({ bm25: 0.7, relevance: 0.2, votes: 0.1 });

/**
 * Orders matches by a weighted sum of measures (BINGO! §3.6), best first; equal ones in the order of fetching. The paper
 * leaves open how values of different kinds are made to fit each other: here each is taken relative to the best match,
 * less than 0 as 0; relevance, a probability already, as it is. If no match has votes, the other measures share their weight.
 */
export function rank<M extends Match>(
  matches: readonly M[],
  weights: RankWeights = RANK_WEIGHTS,
): readonly Ranked<M>[] {
  const hasNone = (measure: RankMeasure): boolean =>
    (measure === 'votes' || measure === 'sitevotes') && matches.every((match) => known(match[measure]) === 0);
  const all = (Object.entries(weights) as [RankMeasure, number][]).filter(([, weight]) => weight > 0);
  const used = all.filter(([measure]) => all.length === 1 || !hasNone(measure));
  // Divides by the greatest weight first, because the sum of huge weights is Infinity.
  const greatest = Math.max(...used.map(([, weight]) => weight));
  const total = used.reduce((sum, [, weight]) => sum + weight / greatest, 0);
  const scales = used.map(([measure, weight]) => (weight / greatest / total) * scaleOf(matches, measure));
  const ranked = matches.map((match): Ranked<M> => {
    const shares = used.map(([measure], i) => [measure, scales[i]! * known(match[measure])] as const);
    return { ...match, score: shares.reduce((sum, [, share]) => sum + share, 0), shares: Object.fromEntries(shares) };
  });
  return ranked.sort((a, b) => b.score - a.score || a.sequence - b.sequence);
}

function scaleOf(matches: readonly Match[], measure: RankMeasure): number {
  if (measure === 'relevance') return 1;
  const best = matches.reduce((max, match) => Math.max(max, known(match[measure])), 0);
  return best > 0 ? 1 / best : 0;
}

function known(value: number): number {
  return Number.isFinite(value) ? Math.max(0, value) : 0;
}
