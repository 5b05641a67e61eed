import { sanitizeText, truncate } from '../kit/index.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Text from the web as HTML or XML shows it, between tags and in quoted attributes: one line, without control characters
 * or marks that hide text or turn its direction, everything that markup means something by escaped.
 */
export function escapeMarkup(text: string): string {
  return sanitizeText(text)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '')
    .replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);
}

/** Of a title, in columns: some three lines of a list. Nobody reads on; the whole stands on the page. */
const TITLE_COLUMNS = 200;

/** A title as people read it among others: one line, cut where it is long. */
export function shortTitle(title: string): string {
  return truncate(sanitizeText(title), TITLE_COLUMNS);
}

/** The address when a link may lead there: http or https alone; else `undefined`. */
export function webAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.href : undefined;
}
