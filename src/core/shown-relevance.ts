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

/** Formats the shown relevance: `87 %`, `–` if unknown. */
export function relevanceText(relevance: number): string {
  return Number.isFinite(relevance) ? `${Math.round(100 * shownRelevance(relevance))} %` : '–';
}
