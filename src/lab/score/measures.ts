/** Points of the budget at which recall and harvest rate are read, in per cent. */
export const CHECKPOINTS = [10, 25, 50, 100] as const;
export type Checkpoint = (typeof CHECKPOINTS)[number];

/** How well a classifier told relevant pages from others. All in [0,1]; NaN where nothing could be counted. */
export interface ClassifierQuality {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly averagePrecision: number;
}

/** A judged page as one model sees it. */
export interface Judgement {
  /** Topics that the page is truly on; empty: off topic. */
  readonly truth: readonly string[];
  /** The topic that the model put it into; `null` for OTHERS. */
  readonly verdict: string | null;
  /** The model's score for its best topic: greater is more relevant. */
  readonly score: number;
}

/**
 * Relevant pages found after each fetch.
 * @param hits for each fetch, in order, whether it brought a relevant page
 * @returns length = `hits.length` + 1; the first item is 0
 */
export function foundCurve(hits: readonly boolean[]): Uint32Array {
  const found = new Uint32Array(hits.length + 1);
  for (const [i, hit] of hits.entries()) found[i + 1] = found[i]! + (hit ? 1 : 0);
  return found;
}

/** Relevant pages found after `fetches`; a crawl that ended early finds no more. */
function foundAfter(found: Uint32Array, fetches: number): number {
  return found[Math.min(fetches, found.length - 1)] ?? 0;
}

/**
 * Area under the recall-over-fetches curve up to the budget: the mean over fetches 1…budget of the recall after them.
 * @returns in [0,1]; NaN when nothing is relevant
 */
export function recallArea(found: Uint32Array, relevant: number, budget: number): number {
  if (relevant === 0) return Number.NaN;
  const counted = found.subarray(1, budget + 1);
  // A budget may be far greater than the web.
  const rest = (budget - counted.length) * foundAfter(found, budget);
  return (counted.reduce((sum, after) => sum + after, 0) + rest) / (budget * relevant);
}

/** Recall when `percent` of the budget is spent. NaN when nothing is relevant. */
export function recallAt(found: Uint32Array, relevant: number, budget: number, percent: number): number {
  return relevant === 0 ? Number.NaN : foundAfter(found, fetchesAt(budget, percent)) / relevant;
}

/** Relevant pages per page fetched when `percent` of the budget is spent. NaN before the first fetch. */
export function harvestRateAt(found: Uint32Array, budget: number, percent: number): number {
  const fetched = Math.min(fetchesAt(budget, percent), found.length - 1);
  return fetched === 0 ? Number.NaN : foundAfter(found, fetched) / fetched;
}

function fetchesAt(budget: number, percent: number): number {
  return Math.round((budget * percent) / 100);
}

/**
 * Precision, recall, F1 and average precision over judged pages. With several topics a verdict is right when the page
 * is truly on the topic named; average precision asks whether it is on any.
 */
export function classifierQuality(judged: readonly Judgement[]): ClassifierQuality {
  const accepted = judged.filter((page) => page.verdict !== null);
  const right = accepted.filter((page) => page.verdict !== null && page.truth.includes(page.verdict)).length;
  const relevant = judged.filter((page) => page.truth.length > 0).length;
  return {
    precision: right / accepted.length,
    recall: right / relevant,
    f1: (2 * right) / (accepted.length + relevant),
    averagePrecision: averagePrecision(judged.map((page) => [page.score, page.truth.length > 0])),
  };
}

/**
 * Average precision of a ranking: Σ (Rₙ − Rₙ₋₁)·Pₙ over its distinct scores, greatest first. Equal scores count as one
 * step, so that the result does not depend on how ties are broken. NaN when nothing is relevant.
 */
export function averagePrecision(ranking: readonly (readonly [score: number, relevant: boolean])[]): number {
  const sorted = ranking.toSorted((a, b) => b[0] - a[0]);
  const total = sorted.filter(([, relevant]) => relevant).length;
  let sum = 0;
  let seen = 0;
  let right = 0;
  let counted = 0;
  for (const [i, [score, relevant]] of sorted.entries()) {
    seen++;
    if (relevant) right++;
    if (sorted[i + 1]?.[0] === score) continue;
    sum += ((right - counted) * right) / seen;
    counted = right;
  }
  return total === 0 ? Number.NaN : sum / total;
}

/** Share of the pages that are on their topic; unjudged pages (`undefined`) are left out. NaN when none was judged. */
export function shareOnTopic(onTopic: readonly (boolean | undefined)[]): number {
  const judged = onTopic.filter((on) => on !== undefined);
  return judged.filter((on) => on).length / judged.length;
}
