import { parseHttpDate } from './http-date.ts';

/** A server that asks for more than a week is taken to mean a week. */
const MAX_MS = 7 * 24 * 3600 * 1000;

/**
 * Reads a `Retry-After` header in both its forms, seconds or a date (RFC 9110 §10.2.3).
 * @returns milliseconds from `now`, >= 0; `undefined` when the header is absent or unreadable
 */
export function parseRetryAfter(header: string, now: number): number | undefined {
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(MAX_MS, Number(text) * 1000);
  // Date.parse takes nearly everything for a date; a real one names a month.
  const date = /[a-z]{3}/i.test(text) ? parseHttpDate(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.min(MAX_MS, Math.max(0, date - now));
}
