import { EMPTY_COUNTS, type LinkTable, type TermCounts } from '../core/index.ts';

/** What the form of a page is read from. */
export interface PageForm {
  readonly url: string;
  /** Source of the page; plain text has no tags. */
  readonly html: string;
  readonly title: string;
  readonly links: LinkTable;
}

/** Beginning of a source that is read, and maximum number of features. Our choice. */
const MAX_SOURCE = 200_000;
const MAX_FEATURES = 500;
const MAX_HEADINGS = 40;
/** Tokens at the start of a title and of the text whose shapes count. */
const TITLE_TOKENS = 8;
const LEAD_TOKENS = 16;
const MAX_NAME = 60;

/** Patterns of values that kinds of pages differ in, whatever their language. */
const VALUES: Readonly<Record<string, RegExp>> = {
  year: /\b(?:1[0-9]|20)\d\d\b/g,
  date: /\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b|\b\d{1,2}\.? \p{Lu}\p{L}{2,8} \d{4}\b|\b\p{Lu}\p{L}{2,8} \d{1,2}, \d{4}\b/gu,
  time: /\b\d{1,2}:\d\d\b/g,
  price: /[$€£¥₹]\s?\d|\d\s?[$€£¥₹]|\b(?:EUR|USD|GBP|CHF|JPY)\b/g,
  mail: /[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,64}/g,
  phone: /(?:\+|\b0)\d[\d ()/-]{6,18}\d/g,
  percent: /\d\s?%/g,
  number: /\d+/g,
  measure: /\d\s?(?:[kmc]?m|[kmcµ]?g|[kmgt]i?b|[kmg]?hz|[kmg]?w|°[cf])\b/giu,
  question: /[?？؟]/g,
  bracket: /[([（]/g,
  name: /\b\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+/gu,
  capitals: /\b\p{Lu}{2,}\b/gu,
  code: /[{}<>;=|\\]/g,
  sentence: /[.!?。！？]\s/g,
};

/** Elements whose number counts. */
const TAGS: ReadonlySet<string> = new Set([
  ...['p', 'a', 'img', 'li', 'ul', 'ol', 'dl', 'dt', 'table', 'tr', 'td', 'th', 'pre', 'code', 'h1', 'h2', 'h3', 'h4'],
  ...[
    'form',
    'input',
    'select',
    'button',
    'textarea',
    'time',
    'video',
    'audio',
    'iframe',
    'figure',
    'blockquote',
    'sup',
  ],
  ...['article', 'section', 'nav', 'aside', 'br', 'hr', 'script', 'b', 'i', 'em', 'strong', 'abbr', 'address'],
]);

/**
 * Returns the `form` space of a page: what kind of page it is, not what it is about. Parts of the address, patterns of
 * title, headings and first words, declared types, and counts of elements and of values such as dates, prices and
 * numbers. A count n gives a feature for each power of two up to n. No word list of any language is used.
 */
export function formFeatures({ url, html: source, title, links }: PageForm): TermCounts {
  const html = source.slice(0, MAX_SOURCE);
  const features = new Set<string>();
  const add = (kind: string, value: string): void => {
    const name = value
      .replaceAll(/[\s\p{C}]+/gu, '_')
      .slice(0, MAX_NAME)
      .toWellFormed();
    if (name !== '' && features.size < MAX_FEATURES) features.add(`${kind} ${name}`);
  };
  addAddress(url, add);
  addTitle(title, add);
  for (const type of typesIn(html)) add('type', type);
  addHeadings(html, add);
  const text = textOf(html);
  addShapes('lead', text.slice(0, 400), LEAD_TOKENS, add);
  addCounts(html, text, links, add);
  return features.size === 0 ? EMPTY_COUNTS : packed([...features]);
}

type Add = (kind: string, value: string) => void;

function packed(features: readonly string[]): TermCounts {
  return { features: features.join('\n'), counts: new Uint16Array(features.length).fill(1) };
}

function addAddress(url: string, add: Add): void {
  const parsed = URL.parse(url);
  if (parsed === null) return;
  const parts = parsed.pathname.split('/').filter((part) => part !== '');
  const last = decoded(parts.at(-1) ?? '');
  const [, name = last, extension = ''] = /^(.*)\.([a-z0-9]{1,5})$/i.exec(last) ?? [];
  add('extension', extension.toLowerCase());
  addSteps('depth', parts.length, add);
  add('shape', shapeOf(name));
  for (const part of parts.slice(0, -1)) for (const word of wordsOf(decoded(part))) add('folder', word);
  for (const word of wordsOf(name)) add('file', word);
  for (const key of new Set(parsed.searchParams.keys())) add('parameter', key.toLowerCase().replaceAll(/\s/g, ''));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/\p{L}{2,20}|\d+/gu) ?? []).map((word) =>
    /^\d/.test(word) ? '0'.repeat(Math.min(4, word.length)) : word,
  );
}

/** Replaces runs of letters by `a` or `A`, runs of digits by `0`. */
function shapeOf(text: string): string {
  return text
    .replaceAll(/\s+/g, '_')
    .replaceAll(/\p{Lu}{2,}/gu, 'X')
    .replaceAll(/\p{Lu}\p{L}*/gu, 'A')
    .replaceAll(/\p{L}+/gu, (run) => (/[AX]/.test(run) ? run : 'a'))
    .replaceAll(/\d+/g, '0')
    .slice(0, 24);
}

function addTitle(title: string, add: Add): void {
  addShapes('title', title, TITLE_TOKENS, add);
  addSteps('title-words', wordsOf(title).length, add);
  for (const [, inside = ''] of title.matchAll(/\(([^()]{1,40})\)/g))
    for (const word of wordsOf(inside)) add('bracketed', word);
  const [, before = ''] = /^([^:]{1,30}):\s*\S/.exec(title) ?? [];
  for (const word of wordsOf(before)) add('prefix', word);
}

/** Adds the shapes of the first tokens, and of each pair of neighbours. */
function addShapes(kind: string, text: string, most: number, add: Add): void {
  const tokens = (text.match(/\p{L}+|\d+|[^\s\p{L}\d]/gu) ?? []).slice(0, most).map(tokenShape);
  add(kind, tokens.slice(0, 4).join(' '));
  for (const [i, token] of tokens.entries()) add(`${kind}-pair`, `${tokens[i - 1] ?? '^'} ${token}`);
}

function tokenShape(token: string): string {
  if (/^\d/.test(token)) return '0'.repeat(Math.min(4, token.length));
  if (!/^\p{L}/u.test(token)) return token;
  if (/^\p{Lu}{2,}$/u.test(token)) return 'X';
  return /^\p{Lu}/u.test(token) ? 'A' : 'a';
}

/** Returns what the page declares itself to be: JSON-LD, microdata, Open Graph. */
function typesIn(html: string): ReadonlySet<string> {
  const patterns = [
    /"@type"\s*:\s*"([\w:/.#-]{1,80})"/g,
    /\bitemtype\s*=\s*["']?([\w:/.#-]{1,80})/gi,
    /\bproperty\s*=\s*["']?og:type["']?\s+content\s*=\s*["']?([\w.:-]{1,40})/gi,
  ];
  const found = patterns.flatMap((pattern) => [...html.matchAll(pattern)].map(([, name = '']) => name));
  return new Set(found.slice(0, 40).map((name) => name.toLowerCase().replace(/^.*[/#]/, '')));
}

function addHeadings(html: string, add: Add): void {
  let headings = 0;
  for (const [, level, inside = ''] of html.matchAll(/<h([2-6])\b[^<>]{0,400}>([\s\S]{0,300}?)<\/h/gi)) {
    if (++headings > MAX_HEADINGS) return;
    const text = textOf(inside).trim().toLowerCase().replaceAll(/\d+/g, '0').replaceAll(/\s+/g, ' ');
    add('heading', text);
    add(`heading${level}`, shapeOf(text));
  }
}

/** Returns the text between tags, without scripts and styles. */
function textOf(html: string): string {
  return withoutBlocks(html)
    .replaceAll(/<[^<>]{0,2000}>/g, ' ')
    .replaceAll(/&(?:#?\w{1,10});/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trimStart();
}

const CLOSINGS = [/<\/script/gi, /<\/style/gi, /<\/title/gi] as const;

/** Removes scripts, styles and titles; one without an end reaches to the end of the source. Linear in its length. */
function withoutBlocks(html: string): string {
  const opening = /<(script|style|title)\b/gi;
  const kept: string[] = [];
  let at = 0;
  for (let found = opening.exec(html); found !== null; found = opening.exec(html)) {
    kept.push(html.slice(at, found.index));
    const [, name = ''] = found;
    const closing = CLOSINGS.find((pattern) => pattern.source.endsWith(name.toLowerCase())) ?? CLOSINGS[0];
    closing.lastIndex = found.index;
    at = closing.exec(html)?.index ?? html.length;
    opening.lastIndex = at;
  }
  return `${kept.join(' ')} ${html.slice(at)}`;
}

function addCounts(html: string, text: string, links: LinkTable, add: Add): void {
  const tags = new Map<string, number>();
  for (const [, name = ''] of html.matchAll(/<([a-z][a-z0-9]{0,11})[\s>/]/gi)) {
    const tag = name.toLowerCase();
    if (TAGS.has(tag)) tags.set(tag, (tags.get(tag) ?? 0) + 1);
  }
  for (const [tag, count] of tags) addSteps(tag, count, add);
  const words = text.split(' ').length;
  addSteps('words', words, add);
  addSteps('links', links.size, add);
  addSteps('links-per-1000', (1_000 * links.size) / words, add);
  addSteps('words-per-paragraph', words / Math.max(1, tags.get('p') ?? 0), add);
  for (const [value, pattern] of Object.entries(VALUES)) {
    const count = text.match(pattern)?.length ?? 0;
    addSteps(value, count, add);
    addSteps(`${value}-per-1000`, (1_000 * count) / words, add);
  }
  const before = html.search(/<p\b/i);
  if (before >= 0) addSteps('before-text', (16 * before) / html.length, add);
}

/** Adds a feature for each power of two up to a count. */
function addSteps(kind: string, count: number, add: Add): void {
  for (let step = 1; step <= count && step <= 1 << 14; step *= 2) add(kind, String(step));
}
