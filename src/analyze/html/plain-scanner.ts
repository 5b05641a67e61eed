import { clip, foldLine } from '../fold.ts';
import type { Layout } from './layout.ts';

const MAX_TITLE_CHARS = 200;
const MAX_ANCHOR_CHARS = 300;
/** An image inside an anchor is one bracket more. */
const MAX_BRACKETS = 3;
const MAX_TARGET_CHARS = 2_000;
/** What programs that make sites of markdown keep above it: a few lines of YAML. */
const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]{0,10000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const NAMED_TITLE = /^title:[ \t]*(?:"([^"\r\n]*)"|'([^'\r\n]*)'|(.*))/m;

/**
 * Reads plain text or markdown into a layout: an empty line ends a paragraph, URLs are links, and in markdown
 * `[anchor](target)` too. Returns the title: that of the front matter, the first heading, else the first line.
 */
export function scanPlain(text: string, layout: Layout, isMarkdown: boolean): string {
  layout.open(text);
  const front = isMarkdown ? FRONT_MATTER.exec(text) : null;
  const named = NAMED_TITLE.exec(front?.[1] ?? '');
  let title = clip((named?.[1] ?? named?.[2] ?? named?.[3] ?? '').trim(), MAX_TITLE_CHARS);
  let start = front?.[0].length ?? 0;
  let inCode = false;
  while (start <= text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = clip(text.slice(start, end), MAX_TITLE_CHARS).trim();
    if (isMarkdown && (line.startsWith('```') || line.startsWith('~~~'))) inCode = !inCode;
    const isHeading = isMarkdown && !inCode && /^#{1,6}\s/.test(line);
    if (line === '' || isHeading || /^[-*+]\s/.test(line)) layout.boundary('own');
    if (title === '' && (isHeading || !isMarkdown || /^[^[!<]/.test(line))) title = line.replace(/^#+\s*|\s*#+$/g, '');
    scanLine(text, isHeading ? afterHashes(text, start, end) : start, end, layout, isMarkdown && !inCode);
    if (isHeading) layout.boundary('own');
    layout.space();
    start = end + 1;
  }
  layout.finish();
  return foldLine(title);
}

function afterHashes(text: string, start: number, end: number): number {
  let i = start;
  while (i < end && (text[i] === '#' || text[i] === ' ' || text[i] === '\t')) i++;
  return i;
}

function scanLine(text: string, start: number, end: number, layout: Layout, isMarkdown: boolean): void {
  let copied = start;
  let i = start;
  while (i < end) {
    const c = text.charCodeAt(i);
    if (isMarkdown && c === 91) {
      const link = markdownLink(text, i, end);
      if (link !== undefined) {
        // `![alternative](source)` is a picture: its words count, its address does not.
        const isImage = i > copied && text.charCodeAt(i - 1) === 33;
        layout.write(copied, isImage ? i - 1 : i, false);
        if (!isImage) layout.openLink(link.target, 0, i);
        layout.writeText(link.anchor);
        if (!isImage) layout.closeLink();
        copied = i = link.end;
        continue;
      }
    } else if ((c === 104 || c === 72) && isUrlAt(text, i)) {
      const urlEnd = endOfUrl(text, i, end);
      layout.write(copied, i, false);
      layout.addLink(text.slice(i, urlEnd), '', 0, i);
      copied = i = urlEnd;
      continue;
    }
    i++;
  }
  layout.write(copied, end, false);
}

interface MarkdownLink {
  readonly anchor: string;
  readonly target: string;
  readonly end: number;
}

/** `[anchor](target "title")` at `at`; the anchor may be an image. */
function markdownLink(text: string, at: number, limit: number): MarkdownLink | undefined {
  const close = closingBracket(text, at, Math.min(limit, at + MAX_ANCHOR_CHARS));
  if (close < 0 || text[close + 1] !== '(') return undefined;
  const inside = text.slice(close + 2, Math.min(limit, close + MAX_TARGET_CHARS));
  const length = closingParenthesis(inside, 0, inside.length);
  if (length === inside.length) return undefined;
  const end = close + 2 + length;
  const target = inside.slice(0, length).trim().split(/\s/, 1)[0] ?? '';
  const anchor = text.slice(at + 1, close).replace(/!?\[([^\]]*)\](?:\([^)]*\))?/g, '$1');
  return target === '' ? undefined : { anchor, target: target.replace(/^<|>$/g, ''), end: end + 1 };
}

function closingBracket(text: string, at: number, limit: number): number {
  let depth = 0;
  for (let i = at; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c === 91 && ++depth > MAX_BRACKETS) return -1;
    if (c === 93 && --depth === 0) return i;
  }
  return -1;
}

function isUrlAt(text: string, at: number): boolean {
  const head = text.slice(at, at + 8).toLowerCase();
  return head === 'https://' || head.startsWith('http://');
}

/** URLs in text end at white space, a quote or bracket that was not opened; punctuation at the end belongs to the sentence. */
function endOfUrl(text: string, at: number, limit: number): number {
  let end = at;
  while (end < limit && !/[\s<>"'`\]}|\\^]/.test(text[end]!)) end++;
  end = closingParenthesis(text, at, end);
  while (end > at && /[.,;:!?*_]/.test(text[end - 1]!)) end--;
  return end;
}

/** Where a parenthesis closes that was open before `at`; `limit` where none does, or too many are opened before. */
function closingParenthesis(text: string, at: number, limit: number): number {
  let depth = 0;
  for (let i = at; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c === 40 && ++depth > MAX_BRACKETS) return limit;
    if (c === 41 && --depth < 0) return i;
  }
  return limit;
}
