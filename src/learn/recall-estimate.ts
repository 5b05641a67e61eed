import type { RecallEstimate } from '../core/index.ts';

/** What a crawl shows of the pages that it has not found. */
export interface FindFigures {
  /** Pages fetched, and relevant ones among them. */
  readonly pages: number;
  readonly finds: number;
  /** Share of relevant pages in the last quarter of the pages, in [0,1]. */
  readonly lateRate: number;
  /** Relevant pages of a sample, and those to which exactly one, or two, relevant pages link. */
  readonly sampled: number;
  readonly once: number;
  readonly twice: number;
}

/** With fewer pages or finds there is no estimate. Our choice. */
export const LEAST_PAGES = 100;
export const LEAST_FINDS = 10;

/**
 * Weights of the two signs, and the distance in logits that holds four of five errors. Fitted by least squares to 48
 * tasks of `bingo lab tasks --part dev` at 25, 50, 75 and 100 % of their budgets. The distance is the 80 % quantile of
 * the errors on a web that the weights were not fitted to (docs/quality.md, "How much is found").
 */
const FIT = { offset: -0.98, decay: 0.89, recapture: 0.27, spread: 1.78 };

/**
 * Estimates the share of relevant pages that a crawl has found, from two signs: how its finds decline, and how often
 * relevant pages are linked again by others (capture–recapture; Chao 1987, bias-corrected as in Chao 2005).
 *
 *   decay = ln (finds + 1) / (lateRate · pages + 2)     finds so far, against those of as many more pages
 *   unseen = once · (once − 1) / (2 · (twice + 1))      relevant pages to which no relevant page links yet
 *   recapture = ln (sampled + ½) / (unseen + 1)
 *
 * @returns `undefined` if too little was fetched or found
 */
export function recallEstimate(figures: FindFigures): RecallEstimate | undefined {
  const { pages, finds, lateRate, sampled, once, twice } = figures;
  if (pages < LEAST_PAGES || finds < LEAST_FINDS) return undefined;
  const decay = Math.log((finds + 1) / (lateRate * pages + 2));
  const unseen = (once * (once - 1)) / (2 * (twice + 1));
  const recapture = Math.log((sampled + 0.5) / (unseen + 1));
  const logit = FIT.offset + FIT.decay * decay + FIT.recapture * recapture;
  return { share: logistic(logit), low: logistic(logit - FIT.spread), high: logistic(logit + FIT.spread) };
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
