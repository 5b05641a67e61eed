import type { FetchedPage } from '../../core/index.ts';

/** What a page's source shows of its need for a browser. */
export interface SourceFigures {
  /** Characters of text outside of scripts, styles and tags, without repeated blanks. */
  readonly text: number;
  readonly links: number;
  readonly scripts: number;
  /** The source has a place that scripts fill: an empty root element, or a request to enable JavaScript. */
  readonly isShell: boolean;
}

/** How likely a page needs a browser. `maybe`: little text, and scripts. */
export type Need = 'no' | 'maybe' | 'likely';

/** Bytes of the source that are examined; shells are short, and the main thread has other work. */
const EXAMINED = 256 * 1024;
const FIRST = 16 * 1024;
/** Pages with less text are empty; with more than the second, they can be read as they are. Our choice. */
const FEW_CHARS = 300;
const ENOUGH_CHARS = 1_500;
const FEW_LINKS = 3;

const HTML_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml', '']);
/** Elements whose content is not read by people who have JavaScript. */
const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'title']);
const ROOTS =
  /<(?:div|main|section)[^<>]{0,200}\sid=["']?(?:root|app|main|__next|__nuxt|___gatsby|svelte|q-app|application|app-root|mount)\b/i;
const ROOT_ELEMENT = /<(?:app-root|[a-z]{2,20}-app|ember-app)[\s>]/i;
const PLEA = /<noscript[^>]{0,100}>[\s\S]{0,400}?javascript/i;

/** Returns how likely a page needs a browser to show its text. */
export function needOf(page: Pick<FetchedPage, 'headers' | 'body'>): Need {
  if (!HTML_TYPES.has(page.headers.contentType)) return 'no';
  // Most pages have text enough near their beginning.
  if (page.body.byteLength > FIRST && hasText(textOf(page.body, FIRST))) return 'no';
  const source = textOf(page.body);
  return hasText(source) ? 'no' : needByFigures(sourceFigures(source));
}

function hasText(source: string): boolean {
  return scanned(source, ENOUGH_CHARS).text >= ENOUGH_CHARS;
}

export function needByFigures({ text, links, scripts, isShell }: SourceFigures): Need {
  if (scripts === 0 || text >= ENOUGH_CHARS) return 'no';
  if (text < FEW_CHARS && (isShell || links < FEW_LINKS)) return 'likely';
  return isShell || (text < FEW_CHARS && scripts > 0) ? 'maybe' : 'no';
}

/** Returns the beginning of a body as text. Only ASCII is looked for, so the coding does not matter. */
export function textOf(body: Uint8Array, most: number = EXAMINED): string {
  return Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, most)).toString('latin1');
}

/** Counts in one pass over the tags; linear for any source. */
export function sourceFigures(source: string): SourceFigures {
  const isShell = ROOTS.test(source) || ROOT_ELEMENT.test(source) || PLEA.test(source);
  return { ...scanned(source, Number.POSITIVE_INFINITY), isShell };
}

/** @param enough the scan ends after so many characters of text */
function scanned(source: string, enough: number): Omit<SourceFigures, 'isShell'> {
  let [text, links, scripts] = [0, 0, 0];
  for (let at = 0; at < source.length && text < enough; ) {
    const open = source.indexOf('<', at);
    text += visibleChars(source, at, open < 0 ? source.length : open);
    if (open < 0) break;
    const close = source.indexOf('>', open);
    if (close < 0) break;
    const name = tagName(source, open + 1);
    if (name === 'a') links++;
    if (name === 'script' && !isData(source.slice(open, Math.min(close, open + 300)))) scripts++;
    at = UNSEEN.has(name) ? endOf(source, name, close) : close + 1;
  }
  return { text, links, scripts };
}

function isData(tag: string): boolean {
  return /type\s*=\s*["']?(?:application\/(?:ld\+)?json|text\/template)/i.test(tag);
}

function tagName(source: string, from: number): string {
  let to = from;
  while (to < from + 12 && /[a-z0-9-]/i.test(source.charAt(to))) to++;
  return source.slice(from, to).toLowerCase();
}

/** Returns where the content of an element ends that is not read; the end of the source if it is not closed. */
function endOf(source: string, name: string, from: number): number {
  const lower = source.indexOf(`</${name}`, from);
  const upper = lower >= 0 ? lower : source.indexOf(`</${name.toUpperCase()}`, from);
  return upper < 0 ? source.length : upper;
}

function visibleChars(source: string, from: number, to: number): number {
  let count = 0;
  let wasBlank = true;
  for (let i = from; i < to; i++) {
    const isBlank = source.charCodeAt(i) <= 32;
    if (!isBlank || !wasBlank) count++;
    wasBlank = isBlank;
  }
  return wasBlank && count > 0 ? count - 1 : count;
}
