/** A time of day, or a year behind one (the form of asctime), at the end: no zone follows. */
const WITHOUT_ZONE = /\d:\d\d(?:\s+\d{4})?$/;

/**
 * Reads a date of a header in any of its three forms (RFC 9110 §5.6.7) and in those that servers make up. One that names no zone
 * is in GMT, wherever we are.
 * @returns milliseconds since 1970; NaN for what is no date
 */
export function parseHttpDate(header: string): number {
  const text = header.trim();
  return Date.parse(WITHOUT_ZONE.test(text) ? `${text} GMT` : text);
}
