/** Points of the budget at which recall and harvest rate are measured, in per cent. */
export const CHECKPOINTS = [10, 25, 50, 100] as const;
export type Checkpoint = (typeof CHECKPOINTS)[number];

/** How well a classifier separates relevant pages from others. All in [0,1]; NaN if there are no pages. */
export interface ClassifierQuality {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly averagePrecision: number;
}

/** A labelled page with one model's verdict. */
export interface Judgement {
  /** True topics of the page; empty: off topic. */
  readonly truth: readonly string[];
  /** Topic assigned by the model; `null` for OTHERS. */
  readonly verdict: string | null;
  /** The model's score for its best topic: higher is more relevant. */
  readonly score: number;
}

/**
 * Counts relevant pages found after each fetch.
 * @param hits per fetch, in order, whether it gave a relevant page
 * @returns length = `hits.length` + 1; the first item is 0
 */
export function foundCurve(hits: readonly boolean[]): Uint32Array {
  const found = new Uint32Array(hits.length + 1);
  for (const [i, hit] of hits.entries()) found[i + 1] = found[i]! + (hit ? 1 : 0);
  return found;
}

/** Returns relevant pages found after `fetches`; constant after the end of a crawl. */
function foundAfter(found: Uint32Array, fetches: number): number {
  return found[Math.min(fetches, found.length - 1)] ?? 0;
}

/**
 * Returns the area under the recall curve up to the budget: the mean recall over fetches 1…budget.
 * @returns in [0,1]; NaN without relevant pages
 */
export function recallArea(found: Uint32Array, relevant: number, budget: number): number {
  if (relevant === 0) return Number.NaN;
  const counted = found.subarray(1, budget + 1);
  // The budget may be far larger than the web.
  const rest = (budget - counted.length) * foundAfter(found, budget);
  return (counted.reduce((sum, after) => sum + after, 0) + rest) / (budget * relevant);
}

/** Returns the recall after `percent` of the budget. NaN without relevant pages. */
export function recallAt(found: Uint32Array, relevant: number, budget: number, percent: number): number {
  return relevant === 0 ? Number.NaN : foundAfter(found, fetchesAt(budget, percent)) / relevant;
}

/** Returns relevant pages per page fetched after `percent` of the budget. NaN before the first fetch. */
export function harvestRateAt(found: Uint32Array, budget: number, percent: number): number {
  const fetched = Math.min(fetchesAt(budget, percent), found.length - 1);
  return fetched === 0 ? Number.NaN : foundAfter(found, fetched) / fetched;
}

/** Returns the number of fetches after `percent` of the budget. */
export function fetchesAt(budget: number, percent: number): number {
  return Math.round((budget * percent) / 100);
}

/**
 * Returns precision, recall, F1 and average precision over labelled pages. With several topics, a verdict is correct
 * if the page belongs to the assigned topic; average precision asks whether it belongs to any.
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
 * Returns the average precision of a ranking: Σ (Rₙ − Rₙ₋₁)·Pₙ over its distinct scores, highest first. Equal scores
 * are one step, so that ties do not affect the result. NaN without relevant pages.
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

/**
 * Returns the share of pages on their topic; unlabelled pages (`undefined`) are ignored. NaN without labelled pages.
 */
export function shareOnTopic(onTopic: readonly (boolean | undefined)[]): number {
  const judged = onTopic.filter((on) => on !== undefined);
  return judged.filter((on) => on).length / judged.length;
}
