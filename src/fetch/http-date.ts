/** Matches a date that ends in a time of day, or in a year after it (the form of asctime), and so has no time zone. */
const WITHOUT_ZONE = /\d:\d\d(?:\s+\d{4})?$/;

/**
 * Parses a header's date in any of its three forms (RFC 9110 §5.6.7) and in common invalid forms. A date without a
 * time zone is in GMT, whatever the local zone.
 * @returns milliseconds since 1970; NaN if it is not a date
 */
export function parseHttpDate(header: string): number {
  const text = header.trim();
  return Date.parse(WITHOUT_ZONE.test(text) ? `${text} GMT` : text);
}
