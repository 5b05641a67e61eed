import { sanitizeLines } from '../../kit/index.ts';

/** Start of a file. Without it, Excel reads UTF-8 in the system's code page. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Returns one line of CSV (RFC 4180): fields with commas, quotes or line breaks are quoted; the line ends with CRLF.
 * Text may come from any web page, so formulas get an apostrophe in front, and terminal controls are removed.
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
