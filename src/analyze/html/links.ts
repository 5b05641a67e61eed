import { type CanonicalUrl, canonicalize, EMPTY_LINKS, type LinkTable } from '../../core/index.ts';
import { addressIn } from '../encoding/query-encoding.ts';
import { type Layout, type RawLink, stringOf, wholeUnit } from './layout.ts';

/** Number of words taken from each side of an anchor. */
const CONTEXT_WORDS = 10;
/** Maximum number of characters from each side, for text without spaces. */
const CONTEXT_CHARS = 120;
const MAX_ANCHOR_CHARS = 300;

/** Inputs of {@link linkTable} besides the page's layout. */
export interface LinkOptions {
  readonly page: CanonicalUrl;
  /** Base of relative links. */
  readonly base: string;
  /** Encoding of the page. Default: UTF-8. */
  readonly encoding?: string;
  /** Length of the source, for positions. */
  readonly sourceChars: number;
  readonly maxLinks: number;
  readonly maxUrlChars: number;
}

/**
 * Resolves a page's links: canonical, without links to the page itself or its fragments, each pair of URL and anchor
 * once, in document order, at most `maxLinks`.
 */
export function linkTable(layout: Layout, options: LinkOptions): LinkTable {
  if (layout.links.length === 0) return EMPTY_LINKS;
  const urls: string[] = [];
  const anchors: string[] = [];
  const chosen: RawLink[] = [];
  const seen = new Set<string>();
  for (const link of layout.links) {
    if (urls.length >= options.maxLinks) break;
    const url = resolve(link.href, options);
    if (url === undefined) continue;
    const anchor = anchorOf(layout, link);
    const key = `${url}\n${anchor}`;
    if (seen.has(key)) continue;
    seen.add(key);
    urls.push(url);
    anchors.push(anchor);
    chosen.push(link);
  }
  const scale = 65535 / Math.max(1, options.sourceChars);
  return {
    size: urls.length,
    urls: joinLines(urls),
    anchors: joinLines(anchors),
    contexts: contextsOf(layout, chosen),
    flags: Uint8Array.from(chosen, (link) => link.flags),
    positions: Uint16Array.from(chosen, (link) => Math.min(65535, Math.round(link.at * scale))),
  };
}

function resolve(href: string, options: LinkOptions): CanonicalUrl | undefined {
  const first = href.charCodeAt(0);
  // 35 is `#`. The first letter reveals most other schemes, so that the parser is not called for a page's mailto
  // links.
  if (first === 35 || href === '' || isOtherScheme(href) || href.length > 4 * options.maxUrlChars) return undefined;
  const url = canonicalize(addressIn(options.encoding ?? 'utf-8', href), options.base);
  return url === undefined || url === options.page || url.length > options.maxUrlChars ? undefined : url;
}

function isOtherScheme(href: string): boolean {
  switch (href.charCodeAt(0) | 32) {
    case 106:
      return /^javascript:/i.test(href);
    case 109:
      return /^mailto:/i.test(href);
    case 100:
      return /^data:/i.test(href);
    case 116:
      return /^tel:/i.test(href);
    default:
      return false;
  }
}

function anchorOf(layout: Layout, link: RawLink): string {
  const { chars } = layout;
  let { start, end } = link;
  while (start < end && chars[start]! <= 32) start++;
  while (end > start && chars[end - 1]! <= 32) end--;
  if (end - start > MAX_ANCHOR_CHARS) end = wholeUnit(chars, start + MAX_ANCHOR_CHARS);
  if (start < end) return line(stringOf(chars, start, end));
  return line(link.alternative.slice(0, MAX_ANCHOR_CHARS).toWellFormed());
}

/** Joins lines to a string that shares no memory with them. */
function joinLines(lines: readonly string[]): string {
  return lines.length === 1 ? Buffer.from(lines[0]!).toString() : lines.join('\n');
}

function line(text: string): string {
  return /[\n\r]/.test(text) ? text.replace(/[\n\r]+/g, ' ') : text;
}

let contextChars = new Uint16Array(1 << 14);

/** Replaces the anchor in its context; an ellipsis in the page's own text becomes a full stop. */
const ELLIPSIS = 0x2026;
const FULL_STOP = 46;

function contextsOf(layout: Layout, links: readonly RawLink[]): string {
  const { chars, length } = layout;
  const needed = links.length * (2 * CONTEXT_CHARS + 4);
  if (contextChars.length < needed) contextChars = new Uint16Array(needed);
  const out = contextChars;
  let n = 0;
  for (let k = 0; k < links.length; k++) {
    if (k > 0) out[n++] = 10;
    const { start, end } = links[k]!;
    const before = wordsBefore(chars, start);
    const from = n;
    for (let i = before; i < start; i++) n = copyUnit(chars[i]!, out, n, from);
    if (n > from && out[n - 1] !== 32) out[n++] = 32;
    out[n++] = ELLIPSIS;
    const after = wordsAfter(chars, end, length);
    for (let i = end; i < after; i++) n = copyUnit(chars[i]!, out, n, from);
    while (n > from && out[n - 1] === 32) n--;
    if (n === from + 1) n = from;
  }
  const contexts = stringOf(out, 0, n);
  if (contextChars.length > 1 << 18) contextChars = new Uint16Array(1 << 14);
  return contexts;
}

function copyUnit(unit: number, out: Uint16Array, n: number, from: number): number {
  if (unit > 32) {
    out[n] = unit === ELLIPSIS ? FULL_STOP : unit;
    return n + 1;
  }
  if (n === from || out[n - 1] === 32) return n;
  out[n] = 32;
  return n + 1;
}

function wordsBefore(chars: Uint16Array, start: number): number {
  const limit = Math.max(0, start - CONTEXT_CHARS);
  let words = 0;
  let i = start;
  let wordStart = start;
  while (i > limit) {
    const isWord = chars[i - 1]! > 32;
    if (isWord) {
      wordStart = i - 1;
      if (i - 2 < 0 || chars[i - 2]! <= 32) if (++words === CONTEXT_WORDS) break;
    }
    i--;
  }
  return wholeUnit(chars, wordStart);
}

function wordsAfter(chars: Uint16Array, end: number, length: number): number {
  const limit = Math.min(length, end + CONTEXT_CHARS);
  let words = 0;
  let i = end;
  while (i < limit) {
    if (chars[i]! > 32 && (i + 1 >= length || chars[i + 1]! <= 32) && ++words === CONTEXT_WORDS) return i + 1;
    i++;
  }
  return wholeUnit(chars, limit);
}
