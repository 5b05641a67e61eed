import type { PageFields } from '../../core/index.ts';

/** Returns when a page was published, as it says; `''` if it does not. */
export function publishedIn(fields: PageFields | undefined): string {
  const date = fields?.['bib.published'];
  return typeof date === 'string' ? date : '';
}

/** Returns the address of the picture that a page names for itself; `''` without one. */
export function imageIn(fields: PageFields | undefined): string {
  const image = fields?.['bib.image'];
  return typeof image === 'string' ? image : '';
}

/** Pages published in one year or month. */
export interface DateBar {
  /** `2024`, or `2024-05`. */
  readonly name: string;
  readonly pages: number;
}

/** With fewer dated pages, there is no timeline. */
const LEAST_PAGES = 5;
/** Years shown at the most; earlier ones are left out. */
const MOST_YEARS = 40;
/** With fewer years, months are shown. */
const LEAST_YEARS = 4;

/**
 * Returns how many pages were published in each year, or in each month if all are of the last few years. Without
 * gaps; empty if too few pages have a date.
 * @param now years after that of this time are mistakes of pages, in ms since 1970
 */
export function dateBars(pages: readonly { readonly published: string }[], now: number): readonly DateBar[] {
  const last = new Date(now).getUTCFullYear();
  const dates = pages.map(({ published }) => published).filter((date) => Number(date.slice(0, 4)) <= last);
  const dated = dates.filter((date) => /^\d{4}/.test(date) && Number(date.slice(0, 4)) > last - MOST_YEARS);
  if (dated.length < LEAST_PAGES) return [];
  const years = new Set(dated.map((date) => date.slice(0, 4)));
  if (spanOf([...years]) >= LEAST_YEARS)
    return filled(
      dated.map((date) => Number(date.slice(0, 4))),
      String,
    );
  const months = dated.filter((date) => /^\d{4}-\d\d/.test(date));
  if (months.length < LEAST_PAGES) return [];
  return filled(
    months.map((date) => 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7)) - 1),
    (month) => `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`,
  );
}

function spanOf(years: readonly string[]): number {
  const numbers = years.map(Number);
  return Math.max(...numbers) - Math.min(...numbers) + 1;
}

/** Counts times; times without pages are included. */
function filled(times: readonly number[], nameOf: (time: number) => string): readonly DateBar[] {
  const counts = new Map<number, number>();
  for (const time of times) counts.set(time, (counts.get(time) ?? 0) + 1);
  const [first, last] = [Math.min(...counts.keys()), Math.max(...counts.keys())];
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    name: nameOf(first + i),
    pages: counts.get(first + i) ?? 0,
  }));
}
