/** Longer texts are not dates. */
const MAX_CHARS = 60;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] as const;
/** Printing began about then; earlier years are mistakes or dates of the subject. */
const FIRST_YEAR = 1450;

/** `2026-11-27T10:00`, `2026/11`, `2026`, also with the `D:` of PDF. */
const YEAR_FIRST = /^(?:D:)?(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?!\d)/;
/** `20261127`, `D:20261127103000`. */
const DIGITS = /^(?:D:)?(\d{4})(\d\d)(\d\d)/;
/** `27.11.2026`. With slashes, the order of day and month is unknown. */
const DAY_FIRST = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b/;
/** `Fri, 27 Nov 2026`, `27th of November 2026`. */
const DAY_MONTH = /\b(\d{1,2})(?:st|nd|rd|th)?\.?(?: of)?[ -]([a-z]{3,9})\.?,?[ -](\d{4})\b/i;
/** `November 27, 2026`. */
const MONTH_DAY = /\b([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b/i;
/** `November 2026`. */
const MONTH_YEAR = /\b([a-z]{3,9})\.?,? (\d{4})\b/i;

/**
 * Reads a date as `2026`, `2026-11` or `2026-11-27`; `undefined` for other texts. The day is the one written, in the
 * zone of the page.
 */
export function readDate(text: string): string | undefined {
  const date = text.slice(0, MAX_CHARS + 1).trim();
  if (date.length > MAX_CHARS) return undefined;
  const compact = DIGITS.exec(date);
  if (compact !== null) return dateOf(compact[1], compact[2], compact[3]);
  const iso = YEAR_FIRST.exec(date);
  if (iso !== null) return dateOf(iso[1], iso[2], iso[3]);
  const dotted = DAY_FIRST.exec(date);
  if (dotted !== null) return dateOf(dotted[3], dotted[2], dotted[1]);
  const [, day, month, year] = DAY_MONTH.exec(date) ?? [];
  if (month !== undefined && monthOf(month) !== undefined) return dateOf(year, monthOf(month), day);
  const american = MONTH_DAY.exec(date);
  if (american !== null && monthOf(american[1]!) !== undefined)
    return dateOf(american[3], monthOf(american[1]!), american[2]);
  const rough = MONTH_YEAR.exec(date);
  return rough === null || monthOf(rough[1]!) === undefined ? undefined : dateOf(rough[2], monthOf(rough[1]!));
}

function monthOf(name: string): string | undefined {
  const index = MONTHS.findIndex((month) => name.toLowerCase().startsWith(month));
  return index < 0 ? undefined : String(index + 1);
}

/** Returns a date without the parts that are missing or `00`; `undefined` if it does not exist. */
function dateOf(year: string | undefined, month?: string, day?: string): string | undefined {
  if (year === undefined || Number(year) < FIRST_YEAR) return undefined;
  if (month === undefined || Number(month) === 0) return year;
  const toMonth = `${year}-${month.padStart(2, '0')}`;
  if (Number(month) > 12) return undefined;
  if (day === undefined || Number(day) === 0) return toMonth;
  const whole = `${toMonth}-${day.padStart(2, '0')}`;
  const time = Date.parse(whole);
  // JavaScript reads 31 February as a day in March.
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(whole) ? whole : undefined;
}

/** A date in the path of an address: `/2026/11/27/`, `/2026-11-27-title`. */
const IN_PATH = /\/((?:19|20)\d\d)([-/])(\d\d)\2(\d\d)(?=[-/_.]|$)/;

/** Returns the date in an address; `undefined` without one. */
export function dateInAddress(url: string): string | undefined {
  const [, year, , month, day] = IN_PATH.exec(url.slice(0, 2_000)) ?? [];
  return dateOf(year, month, day);
}
