import { monthNamed } from './month-names.ts';

/** Longer texts are not dates. */
const MAX_CHARS = 60;
/** Printing began about then; earlier years are mistakes or dates of the subject. */
const FIRST_YEAR = 1450;

/** `2026-11-27T10:00`, `2026/11`, `2026`, also with the `D:` of PDF. */
const YEAR_FIRST = /^(?:D:)?(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?!\d)/;
/** `20261127`, `D:20261127103000`. */
const DIGITS = /^(?:D:)?(\d{4})(\d\d)(\d\d)/;
/** `27.11.2026`. With slashes, the order of day and month depends on the language. */
const DAY_FIRST = /(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)/;
/** `Fri, 27 Nov 2026`, `27th of November 2026`, `27 de novembro de 2026`. */
const DAY_MONTH =
  /(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|ª)?\.?(?: (?:of |de |d['’])?|-)?(\p{L}{3,13})\.?,?(?: del? | |-)(\d{4})(?!\d)/u;
/** `November 27, 2026`. */
const MONTH_DAY = /(?<!\p{L})(\p{L}{3,13})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)/u;
/** `November 2026`. */
const MONTH_YEAR = /(?<!\p{L})(\p{L}{3,13})\.?,?(?: de)? (\d{4})(?!\d)/u;
/** `2026年11月27日`. */
const EAST_ASIAN = /(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]/;
/** `2026. november 27.` */
const YEAR_MONTH = /(?<!\d)(\d{4})\. (\p{L}{3,13})\.? (\d{1,2})(?!\d)/u;

/**
 * Reads a date as `2026`, `2026-11` or `2026-11-27`; `undefined` for other texts. The day is the one written, in the
 * zone of the page. Names of months may be in any language of {@link monthNamed}.
 */
export function readDate(text: string): string | undefined {
  const date = text.slice(0, MAX_CHARS + 1).trim();
  if (date.length > MAX_CHARS) return undefined;
  const compact = DIGITS.exec(date);
  if (compact !== null) return dateOf(compact[1], compact[2], compact[3]);
  const iso = /^\d{4}(?:\. \p{L}|\s?[年년])/u.test(date) ? null : YEAR_FIRST.exec(date);
  if (iso !== null) return dateOf(iso[1], iso[2], iso[3]);
  return writtenDay(date) ?? writtenMonth(date);
}

function writtenMonth(text: string): string | undefined {
  const [, month = '', year] = MONTH_YEAR.exec(text) ?? [];
  const number = month === '' ? undefined : monthNamed(month);
  return number === undefined ? undefined : dateOf(year, String(number));
}

/** Finds a day in a text that is written for people. */
function writtenDay(text: string): string | undefined {
  const dotted = DAY_FIRST.exec(text);
  if (dotted !== null) return dateOf(dotted[3], dotted[2], dotted[1]);
  const [, day, month = '', year] = DAY_MONTH.exec(text) ?? [];
  if (month !== '' && monthNamed(month) !== undefined) return dateOf(year, String(monthNamed(month)), day);
  const american = MONTH_DAY.exec(text);
  if (american !== null && monthNamed(american[1]!) !== undefined)
    return dateOf(american[3], String(monthNamed(american[1]!)), american[2]);
  const asian = EAST_ASIAN.exec(text);
  if (asian !== null) return dateOf(asian[1], asian[2], asian[3]);
  const hungarian = YEAR_MONTH.exec(text);
  return hungarian === null || monthNamed(hungarian[2]!) === undefined
    ? undefined
    : dateOf(hungarian[1], String(monthNamed(hungarian[2]!)), hungarian[3]);
}

/** The numbers of a day as each pattern wants them: a look at them is faster than the patterns. */
const NUMBERS = /\d\D{1,30}\d{4}|\d{4}\D{1,30}\d|\d\d\.\d\d\.\d\d/;
/** `2026-11-27`, `2026/11/27`, `2026.11.27` within a text. */
const ISO_WITHIN = /(?<![\d./-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/;
/** `27/11/2026`, `27-11-2026`. */
const SLASHED = /(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2(\d{4})(?![\d/-])/;
/** `27.11.26`. */
const SHORT_YEAR = /(?<![\d.])(\d\d)\.(\d\d)\.(\d\d)(?![\d.])/;

/**
 * Finds a day in a text on the page, such as `Bonn, 27.11.2026, 10:30`.
 * @param isMonthFirst - of `11/27/2026`, if neither number can be a month only
 */
export function dayWithin(text: string, isMonthFirst: boolean): string | undefined {
  if (!NUMBERS.test(text)) return undefined;
  const iso = ISO_WITHIN.exec(text);
  if (iso !== null) return dateOf(iso[1], iso[3], iso[4]);
  const day = writtenDay(text);
  if (day !== undefined) return day;
  const [, first, , second, year] = SLASHED.exec(text) ?? [];
  if (first !== undefined) {
    const hasMonthFirst = Number(second) > 12 || (isMonthFirst && Number(first) <= 12);
    return hasMonthFirst ? dateOf(year, first, second) : dateOf(year, second, first);
  }
  const short = SHORT_YEAR.exec(text);
  return short === null ? undefined : dateOf(`20${short[3]}`, short[2], short[1]);
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
