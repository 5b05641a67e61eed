/** Up to this score, relevance equals the score: `SHOULDER` of `learn/calibration.ts`. */
const SHOULDER = 0.75;
/** Score shown as one half. Our choice: accepted pages start near 64 %. */
const HALF = 0.5;
/** Greater scores cannot be recovered, because their relevance rounds to 1. */
const MAX_SCORE = 9;

/**
 * Relevance as shown to the user, in [0,1). The stored relevance rises so steeply that most accepted pages round to
 * 1.00. This inverts its curve and rescales the score as s / (s + .5). The order of pages stays the same; 0 stays 0.
 * @param relevance in [0,1], as stored; NaN stays NaN
 */
export function shownRelevance(relevance: number): number {
  const beyond = (1 - relevance) / (1 - SHOULDER);
  const score = relevance <= SHOULDER ? relevance : SHOULDER - (1 - SHOULDER) * Math.log(beyond);
  const s = Math.min(score, MAX_SCORE);
  return s / (s + HALF);
}

/** Returns the stored relevance that is shown as this one, in [0,1): the inverse of {@link shownRelevance}. */
export function relevanceOfShown(shown: number): number {
  const score = (HALF * shown) / (1 - shown);
  return score <= SHOULDER ? score : 1 - (1 - SHOULDER) * Math.exp((SHOULDER - score) / (1 - SHOULDER));
}

/** Formats the shown relevance: `87 %`, `–` if unknown. */
export function relevanceText(relevance: number): string {
  return Number.isFinite(relevance) ? `${Math.round(100 * shownRelevance(relevance))} %` : '–';
}

/** Bounds between the tenths of {@link shownRelevance}, as stored relevance, ascending. */
export const RELEVANCE_BOUNDS: readonly number[] = Array.from({ length: 9 }, (_, i) => relevanceOfShown((i + 1) / 10));

/** Returns the tenth of the shown relevance, 0 to 9, in which a stored relevance is. */
export function relevanceBin(relevance: number): number {
  let bin = 0;
  while (bin < RELEVANCE_BOUNDS.length && relevance >= RELEVANCE_BOUNDS[bin]!) bin++;
  return bin;
}
