/** The score up to which relevance is the score itself: `SHOULDER` of `learn/calibration.ts`. */
const SHOULDER = 0.75;
/** Score that is shown as one half. Our choice: accepted pages begin near 64 %. */
const HALF = 0.5;
/** Greater scores cannot be read back: relevance is 1 to the last digit by then. */
const MAX_SCORE = 9;

/**
 * Relevance as people see it, in [0,1). The stored relevance rises so steeply that most accepted pages round to 1.00. This
 * takes its bend back and spreads the score behind it as s / (s + .5). The order of pages stays the same; 0 stays 0.
 * @param relevance in [0,1], as stored; NaN stays NaN
 */
export function shownRelevance(relevance: number): number {
  const beyond = (1 - relevance) / (1 - SHOULDER);
  const score = relevance <= SHOULDER ? relevance : SHOULDER - (1 - SHOULDER) * Math.log(beyond);
  const s = Math.min(score, MAX_SCORE);
  return s / (s + HALF);
}

/** The same as a person reads it: `87 %`, `–` if it is unknown. */
export function relevanceText(relevance: number): string {
  return Number.isFinite(relevance) ? `${Math.round(100 * shownRelevance(relevance))} %` : '–';
}
