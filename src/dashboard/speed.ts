/** Maximum number of spans; beyond it, two become one. Far more than a terminal has columns. */
const MAX_SPANS = 512;
const FIRST_SPAN_MS = 2_000;
/** A longer time without a page is a pause or another run, and is left out. */
const PAUSE_MS = 60_000;

/** Pages fetched over time, in equal spans. Pauses are left out. */
export interface SpeedSeries {
  readonly spanMs: number;
  /** Pages fetched in each span. */
  readonly pages: readonly number[];
  /** When the last page was fetched, in ms since 1970. */
  readonly lastAt: number;
  /** Time until then without pauses, in ms. */
  readonly elapsedMs: number;
}

export const NO_SPEED: SpeedSeries = Object.freeze({ spanMs: FIRST_SPAN_MS, pages: [], lastAt: 0, elapsedMs: 0 });

/**
 * Adds a page.
 * @param at when it was fetched, in ms since 1970; pages may arrive slightly out of order
 */
export function extendSpeed(series: SpeedSeries, at: number): SpeedSeries {
  const gap = series.pages.length === 0 ? 0 : at - series.lastAt;
  const elapsedMs = series.elapsedMs + (gap > 0 && gap <= PAUSE_MS ? gap : 0);
  const span = Math.floor(elapsedMs / series.spanMs);
  const pages = Array.from({ length: Math.max(series.pages.length, span + 1) }, (_, i) => series.pages[i] ?? 0);
  pages[span]!++;
  const next = { ...series, pages, elapsedMs, lastAt: Math.max(series.lastAt, at) };
  return pages.length > MAX_SPANS ? halved(next) : next;
}

/** Returns the speed in pages per second at `columns` or fewer points of equal length, oldest first. */
export function speeds({ pages, spanMs }: SpeedSeries, columns: number): readonly number[] {
  // The last span is not over yet.
  const whole = pages.length > 1 ? pages.slice(0, -1) : pages;
  const perPoint = Math.max(1, Math.ceil(whole.length / columns));
  return Array.from({ length: Math.ceil(whole.length / perPoint) }, (_, i) => {
    const part = whole.slice(i * perPoint, (i + 1) * perPoint);
    return (part.reduce((sum, n) => sum + n, 0) * 1000) / (part.length * spanMs);
  });
}

function halved(series: SpeedSeries): SpeedSeries {
  const pages = series.pages.flatMap((n, i) => (i % 2 === 0 ? [n + (series.pages[i + 1] ?? 0)] : []));
  return { ...series, pages, spanMs: 2 * series.spanMs };
}
