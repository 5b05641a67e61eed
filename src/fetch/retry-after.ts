import { parseHttpDate } from './http-date.ts';

/** Longer pauses are limited to a week. */
const MAX_MS = 7 * 24 * 3600 * 1000;

/**
 * Parses a `Retry-After` header in both forms, seconds or a date (RFC 9110 §10.2.3).
 * @returns milliseconds from `now`, >= 0; `undefined` if the header is absent or unreadable
 */
export function parseRetryAfter(header: string, now: number): number | undefined {
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(MAX_MS, Number(text) * 1000);
  // Date.parse accepts nearly any text as a date; a real date names a month.
  const date = /[a-z]{3}/i.test(text) ? parseHttpDate(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.min(MAX_MS, Math.max(0, date - now));
}
