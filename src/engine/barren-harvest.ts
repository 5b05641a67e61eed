import type { BarrenHarvest } from '../core/index.ts';
import { wilsonInterval } from '../learn/index.ts';
import type { CrawlState } from './state/crawl-state.ts';

/**
 * Returns how a harvest stands that finds nothing any more; `undefined` if it still finds pages. The estimate is the
 * upper end of Wilson's interval for the last pages, for each page left of the budget.
 */
export function barrenHarvest({ barren, tally }: CrawlState, budget: number): BarrenHarvest | undefined {
  if (barren === undefined) return undefined;
  const left = Math.max(0, budget - tally.fetched);
  return { ...barren, left, atMost: Math.ceil(left * wilsonInterval(barren.relevant, barren.pages).high) };
}
