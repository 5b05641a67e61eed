import { clip, foldLine } from '../fold.ts';
import { decodeAttribute } from './entities.ts';
import type { Layout } from './layout.ts';

const MAX_TITLE_CHARS = 200;
const MAX_ANCHOR_CHARS = 300;
/** An image inside an anchor adds one level of brackets. */
const MAX_BRACKETS = 3;
const MAX_TARGET_CHARS = 2_000;
const MAX_DEFINITIONS = 1_000;
const EXCLAMATION = 33;
const LESS = 60;
const GREATER = 62;
const BRACKET = 91;
const BACKTICK = 96;
const CODE_OR_TAG = /(`[^`]*`)|<[^<>]*?(?:\salt\s*=\s*"([^"<>]*)"[^<>]*)?>/g;
/** Above and below a piece of code; above it may stand what language it is in. */
const FENCE = /^(?:```[^`]*|~~~.*)$/;
/** What programs that make sites of markdown keep above it: a few lines of YAML. */
const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]{0,10000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const NAMED_TITLE = /^title:[ \t]*(?:"([^"\r\n]*)"|'([^'\r\n]*)'|(.*))/m;

/** `[name]: target`, to which `[text][name]` and `[name]` lead (CommonMark 0.31 §4.7); not a footnote. */
const DEFINITION = /^ {0,3}\[(?!\^)([^[\]\r\n]{1,300})\]:[ \t]*<?([^\s<>]{1,2000})>?(?=\s|$)/gm;
/** HTML in markdown, with the address of a link; a comment. */
const TAG =
  /<(?:!--[^\n]{0,300}?-->|(\/?[a-z][a-z0-9-]*)(?:\s(?:[^<>]*?\shref|href)\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'))?(?:[\s/][^<>]*)?>)/iy;

/** Targets of markdown's named links; `undefined` for other texts. */
type Definitions = ReadonlyMap<string, string>;

/**
 * Reads plain text or markdown into a layout: an empty line ends a paragraph, URLs are links, and in markdown
 * `[anchor](target)` and `[anchor][name]` too. Returns the title from the front matter, the first heading or the first line.
 */
export function scanPlain(source: string, layout: Layout, isMarkdown: boolean): string {
  // Old Macintosh files end lines with a carriage return.
  const text = source.includes('\n') ? source : source.replaceAll('\r', '\n');
  layout.open(text);
  const front = isMarkdown ? FRONT_MATTER.exec(text) : null;
  const named = NAMED_TITLE.exec(front?.[1] ?? '');
  const definitions = isMarkdown ? definitionsIn(text) : undefined;
  let title = clip((named?.[1] ?? named?.[2] ?? named?.[3] ?? '').trim(), MAX_TITLE_CHARS);
  let start = front?.[0].length ?? 0;
  let inCode = false;
  while (start <= text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = clip(text.slice(start, end), MAX_TITLE_CHARS).trim();
    if (isMarkdown && FENCE.test(line)) {
      inCode = !inCode;
      layout.boundary('own');
      start = end + 1;
      continue;
    }
    const isHeading = isMarkdown && !inCode && /^#{1,6}\s/.test(line);
    if (line === '' || isHeading || /^[-*+]\s/.test(line)) layout.boundary('own');
    if (title === '' && !isHeading && (!isMarkdown || /^[^[!<]/.test(line))) title = withoutHashes(line);
    const written = layout.length;
    const defined = definitions === undefined || inCode ? undefined : definedIn(text.slice(start, end));
    if (defined !== undefined) layout.addLink(defined, '', 0, start);
    else
      scanLine(text, isHeading ? afterHashes(text, start, end) : start, end, layout, inCode ? undefined : definitions);
    // Without the marks of a link or a picture in it.
    if (isHeading && title === '') title = withoutHashes(clip(layout.slice(written, layout.length), MAX_TITLE_CHARS));
    if (isHeading) layout.boundary('own');
    layout.space();
    start = end + 1;
  }
  layout.finish();
  return foldLine(title);
}

function withoutHashes(line: string): string {
  return line.replace(/^#+\s*|\s*#+$/g, '');
}

/** Where the name leads that a line defines. */
function definedIn(line: string): string | undefined {
  return line.includes(']:') ? [...line.matchAll(DEFINITION)][0]?.[2] : undefined;
}

/** The first of a name counts. */
function definitionsIn(text: string): Definitions {
  const found = new Map<string, string>();
  for (const [, name, target] of text.matchAll(DEFINITION))
    if (found.size < MAX_DEFINITIONS && !found.has(labelOf(name!))) found.set(labelOf(name!), target!);
  return found;
}

function labelOf(name: string): string {
  return name.replace(/\s+/g, ' ').trim().toLowerCase();
}

function afterHashes(text: string, start: number, end: number): number {
  let i = start;
  while (i < end && (text[i] === '#' || text[i] === ' ' || text[i] === '\t')) i++;
  return i;
}

/** @param definitions of markdown */
function scanLine(
  text: string,
  start: number,
  end: number,
  layout: Layout,
  definitions: Definitions | undefined,
): void {
  let copied = start;
  let i = start;
  /** Writes up to here, and continues there. */
  const skip = (to: number, from: number = i): void => {
    layout.write(copied, from, false);
    copied = i = to;
  };
  while (i < end) {
    const c = text.charCodeAt(i);
    if (c === BRACKET && definitions !== undefined) {
      const link = markdownLink(text, i, end, definitions);
      if (link !== undefined) {
        // `![alternative](source)` is a picture: its words count, its address does not.
        const isImage = i > copied && text.charCodeAt(i - 1) === EXCLAMATION;
        const at = i;
        skip(link.end, isImage ? i - 1 : i);
        if (!isImage) layout.openLink(link.target, 0, at);
        layout.writeText(link.anchor);
        if (!isImage) layout.closeLink();
        continue;
      }
    } else if (c === BACKTICK && definitions !== undefined) {
      i = endOfCode(text, i, end);
      continue;
    } else if (c === LESS && definitions !== undefined) {
      const at = i;
      TAG.lastIndex = i;
      const tag = TAG.exec(text);
      if (tag !== null && TAG.lastIndex <= end) {
        skip(TAG.lastIndex);
        openTag(tag, at, layout);
        continue;
      }
    } else if ((c === 104 || c === 72) && isUrlAt(text, i)) {
      const urlEnd = endOfUrl(text, i, end);
      const isBracketed = i > copied && text.charCodeAt(i - 1) === LESS && text.charCodeAt(urlEnd) === GREATER;
      const url = text.slice(i, urlEnd);
      const at = i;
      skip(isBracketed ? urlEnd + 1 : urlEnd, isBracketed ? i - 1 : i);
      layout.addLink(url, '', 0, at);
      continue;
    }
    i++;
  }
  layout.write(copied, end, false);
}

function openTag([, name = '', double, single]: RegExpExecArray, at: number, layout: Layout): void {
  const href = double ?? single;
  if (name.toLowerCase() === 'a' && href !== undefined) layout.openLink(decodeAttribute(href), 0, at);
  else if (name.toLowerCase() === '/a') layout.closeLink();
  else layout.space();
}

/** Behind a piece of code within a line, which ends with as many backticks as it begins with; behind these where it does not end. */
function endOfCode(text: string, at: number, limit: number): number {
  let from = at;
  while (from < limit && text.charCodeAt(from) === BACKTICK) from++;
  const end = text.slice(from, limit).indexOf(text.slice(at, from));
  return end < 0 ? from : from + end + (from - at);
}

interface MarkdownLink {
  readonly anchor: string;
  readonly target: string;
  readonly end: number;
}

/** `[anchor](target "title")`, `[anchor][name]` or `[name]` at `at`; the anchor may be an image. */
function markdownLink(text: string, at: number, limit: number, definitions: Definitions): MarkdownLink | undefined {
  const close = closingBracket(text, at, Math.min(limit, at + MAX_ANCHOR_CHARS));
  if (close < 0) return undefined;
  const written = text.slice(at + 1, close);
  const anchor = written
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?/g, '$1')
    .replace(CODE_OR_TAG, (_, code = '', alternative = '') => code + alternative);
  if (text[close + 1] !== '(') {
    const second =
      text[close + 1] === '[' ? closingBracket(text, close + 1, Math.min(limit, close + MAX_ANCHOR_CHARS)) : -1;
    const name = text.slice(close + 2, Math.max(close + 2, second));
    const target = definitions.get(labelOf(name === '' ? written : name));
    return target === undefined ? undefined : { anchor, target, end: Math.max(close, second) + 1 };
  }
  const inside = text.slice(close + 2, Math.min(limit, close + MAX_TARGET_CHARS));
  const length = closingParenthesis(inside, 0, inside.length);
  if (length === inside.length) return undefined;
  const target = inside.slice(0, length).trim().split(/\s/, 1)[0] ?? '';
  return target === '' ? undefined : { anchor, target: target.replace(/^<|>$/g, ''), end: close + 2 + length + 1 };
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

/**
 * Returns the end of the parenthesis opened before `at`; `limit` if it is not closed, or too many others are opened
 * first.
 */
function closingParenthesis(text: string, at: number, limit: number): number {
  let depth = 0;
  for (let i = at; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c === 40 && ++depth > MAX_BRACKETS) return limit;
    if (c === 41 && --depth < 0) return i;
  }
  return limit;
}
