import { clip, foldLine } from '../fold.ts';
import { isMadeUp } from '../placeholder-title.ts';
import { decodeText } from './entities.ts';

/** Longer first lines are paragraphs; only their beginning is used. */
const MAX_TITLE_CHARS = 200;
const MAX_FACT_CHARS = 1_000;

/** File names in place of a title. */
const FILE_NAME = /\.(?:docx?|pptx?|dvi|tex|pdf|indd|qx[dp]|ps|rtf|od[tp]|wpd)$|^\S+\.(?:fm|p65)$/i;
/** Prefix that a printer driver writes. A web page may have a similar title: `Microsoft Word - Download`. */
const PRINTED = /^microsoft (?:word|powerpoint) - /i;
/** Titles of conference templates. */
const OF_TEMPLATE = /^(?:paper title\b.*\buse style\b.*|(?:acm )?proceedings template\b.*)$/iu;

/** Escapes text for HTML, in content and in double-quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => (c === '&' ? '&amp;' : c === '<' ? '&lt;' : c === '>' ? '&gt;' : '&quot;'));
}

/** Metadata of a document; `''` if missing. */
export interface DocumentFacts {
  readonly author?: string;
  /** Dates as the format writes them. */
  readonly created?: string;
  readonly modified?: string;
}

/** Returns a complete page. */
export function htmlPage(title: string, body: string, about: DocumentFacts = {}): string {
  const facts = Object.entries(about)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `<meta name="document.${name}" content="${escapeHtml(value.slice(0, MAX_FACT_CHARS))}">`);
  return `<!DOCTYPE html><html><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>${facts.join('')}</head><body>${body}</body></html>`;
}

/** Returns a link; the analyzer filters `javascript:` and other schemes. */
export function htmlLink(href: string, text: string): string {
  return `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;
}

/**
 * Returns the URL in a Word HYPERLINK field; `''` for a place in the document or a local file of the author. Relative
 * URLs made on Windows have backslashes.
 */
export function fieldAddress(target: string): string {
  if (/^https?:/i.test(target)) return target;
  return /^(?:#|\\|[a-z][\w+.-]*:)/i.test(target) ? '' : target.replace(/\\+/g, '/');
}

/** Converts plain text to paragraphs: an empty line ends one. */
export function paragraphs(text: string): string {
  return text
    .split(/\r?\n[ \t]*\r?\n|\f/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => `<p>${escapeHtml(part)}</p>`)
    .join('\n');
}

/** Tags of a converted document that end a line. */
const LINE_ENDS = /<\/(?:p|h[1-6]|li|td|div|section)>|<br[^<>]{0,20}>/g;
const FIRST_LINES_CHARS = 20_000;

/** Does the same for the HTML of a converted document. */
export function firstLineOf(html: string): string {
  const text = html
    .slice(0, FIRST_LINES_CHARS)
    .replace(LINE_ENDS, '\n')
    .replace(/<[^<>]*>/g, '');
  return foldLine(firstLine(decodeText(text)));
}

/** Returns a title for a document without one: its first line that contains words. */
export function firstLine(text: string): string {
  const line = text.split('\n').find((candidate) => /\p{L}{3}/u.test(candidate)) ?? '';
  return line.trim().slice(0, MAX_TITLE_CHARS);
}

/** Returns the title in a document's metadata; `''` if a program or a template author wrote it. */
export function statedTitle(stated: string): string {
  const title = foldLine(stated);
  const isNone = isMadeUp(title) || [FILE_NAME, PRINTED, OF_TEMPLATE].some((pattern) => pattern.test(title));
  return isNone ? '' : clip(title, MAX_TITLE_CHARS);
}
