/** Number of pages over which the harvest rate is averaged. */
const AVERAGED = 100;
/** Maximum number of points; beyond it, every second one is dropped. Far more than a terminal has columns. */
const MAX_POINTS = 1024;

/** Harvest rate over time (Focused crawling Fig. 1b): a point per `stride` pages. */
export interface HarvestSeries {
  /** Number of pages so far. */
  readonly pages: number;
  readonly stride: number;
  /** Relevance of the page at each point, in [0,1]. */
  readonly relevance: readonly number[];
  /** Share of relevant pages among the last {@link AVERAGED} at each point, in [0,1]. */
  readonly average: readonly number[];
  /** For each of the last {@link AVERAGED} pages: whether it was relevant. */
  readonly recent: readonly boolean[];
}

export const NO_SERIES: HarvestSeries = Object.freeze({ pages: 0, stride: 1, relevance: [], average: [], recent: [] });

/** Adds a page. */
export function extendSeries(series: HarvestSeries, page: { relevance: number; relevant: boolean }): HarvestSeries {
  const pages = series.pages + 1;
  const recent = [...series.recent.slice(-AVERAGED + 1), page.relevant];
  if (series.pages % series.stride !== 0) return { ...series, pages, recent };
  const relevance = [...series.relevance, page.relevance];
  const average = [...series.average, recentRate(recent)];
  const longer = { ...series, pages, recent, relevance, average };
  return relevance.length > MAX_POINTS ? thinned(longer) : longer;
}

/** Consecutive pages, as sums. */
export interface PageSums {
  readonly pages: number;
  readonly relevant: number;
  /** Sum of the pages' relevance. */
  readonly relevance: number;
}

/** Returns the series of pages of which only sums of consecutive ones are known: each page counts as their mean. */
export function seriesOfSums(parts: readonly PageSums[]): HarvestSeries {
  const pages = parts.reduce((sum, part) => sum + part.pages, 0);
  let stride = 1;
  while (pages / stride > MAX_POINTS) stride *= 2;
  const relevance: number[] = [];
  const average: number[] = [];
  let end = 0;
  let next = 0;
  for (const part of parts) {
    end += part.pages;
    for (; next < end; next += stride) {
      relevance.push(part.relevance / part.pages);
      average.push(part.relevant / part.pages);
    }
  }
  const rate = (average.at(-1) ?? 0) * AVERAGED;
  const recent = Array.from({ length: Math.min(AVERAGED, pages) }, (_, i) => i < Math.round(rate));
  return { pages, stride, relevance, average, recent };
}

/** Share of relevant pages among the last ones; NaN before the first page. */
export function recentRate(recent: readonly boolean[]): number {
  return recent.filter(Boolean).length / recent.length;
}

function thinned(series: HarvestSeries): HarvestSeries {
  const half = (values: readonly number[]): number[] => values.filter((_, i) => i % 2 === 0);
  return { ...series, stride: series.stride * 2, relevance: half(series.relevance), average: half(series.average) };
}
