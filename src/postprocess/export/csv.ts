import { sanitizeLines } from '../../kit/index.ts';

/** At the head of a file. Without it Excel takes UTF-8 for the code page of its system. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * One line of CSV (RFC 4180): fields with commas, quotes or line breaks are quoted, the line ends with CRLF. Text that a
 * spreadsheet would take for a formula gets an apostrophe in front, and what a terminal would obey is left out, since it may come from
 * any page of the web.
 */
export function csvLine(values: readonly (string | number | bigint | boolean | null)[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}

function csvField(value: string | number | bigint | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = sanitizeLines(value);
  const safe = /^[=+\-@\t\r\n]|^\s*[=+@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
