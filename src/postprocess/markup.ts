import { sanitizeText, truncate } from '../kit/index.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes text from the web for HTML or XML, between tags and in quoted attributes. The result is one line, without
 * control characters or characters that hide text or change its direction.
 */
export function escapeMarkup(text: string): string {
  return sanitizeText(text)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '')
    .replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);
}

/** Maximum width of a title, in columns: about three lines of a list. The page itself has the whole title. */
const TITLE_COLUMNS = 200;

/** Returns a title for lists: one line, truncated if long. */
export function shortTitle(title: string): string {
  return truncate(sanitizeText(title), TITLE_COLUMNS);
}

/** Returns the address if it is http or https, so that it is safe to link to; else `undefined`. */
export function webAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.href : undefined;
}
