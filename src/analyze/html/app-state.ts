import { placeIn, saidBy } from './boilerplate.ts';
import { decodeAttribute } from './entities.ts';

/** Names of readable texts, by their last word: `body`, `content_html`, `articleBody`; not `context`. */
const TEXT_NAME =
  /(?:^|_)(?:body|content|text|html|markdown|description|summary|excerpt|story)(?:_?html)?$|[a-z](?:Body|Content|Text|Html|HTML|Markdown|Description|Summary|Excerpt|Story)$/;
/** Names of leaves in a text that is stored as a tree. */
const LEAF_NAME = /^(?:text|value|rendered|html|raw|children)$/;
/** Names of texts that repeat on every page of a site, for example translations. */
const COMMON_NAME =
  /i18n|locale|translation|messages|intl|dictionary|phrases|labels|config|settings|legal|privacy|terms|policy/i;
/** `window.__INITIAL_STATE__ = {`, or `= JSON.parse("` including the quotation mark. */
const ASSIGNMENT =
  /^\s*(?:window|self|globalThis)\s*(?:\.\s*__\w+|\[\s*["']__\w+["']\s*\])\s*=\s*(?:(?=[{[])|JSON\.parse\(\s*(?=(["'])))/;
/** One escape sequence in a script's string. */
const ESCAPE = /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|(.))/gs;
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '0': '\0' };

/** Longer state belongs to an application, not a page. */
const MAX_STATE_CHARS = 500_000;
/** Limits on the number of visited values, and on their depth. */
const MAX_VALUES = 20_000;
const MAX_DEPTH = 24;
/**
 * Maximum number of characters read in one state: values that are referenced by position can be referenced any number
 * of times.
 */
const MAX_READ_CHARS = 4 * MAX_STATE_CHARS;
const MAX_NAME_CHARS = 60;
/** Minimum length of a passage, longer than a label; also the maximum length that is kept. */
const MIN_PROSE = 200;
const MAX_PROSE = 20_000;

/** Whether the inline script at an offset of a page assigns application state. */
export function setsState(html: string, start: number): boolean {
  return ASSIGNMENT.test(html.slice(start, start + 200));
}

/**
 * Returns the longest passage of prose in the data that a page stores for its scripts (`__NEXT_DATA__`,
 * `window.__INITIAL_STATE__`), with its markup; `''` if missing.
 * @param states - JSON, as written in a script or an attribute, or scripts that assign it
 * @param plain - returns the text of a piece of HTML
 */
export function proseIn(states: readonly string[], plain: (html: string) => string): string {
  let room = MAX_STATE_CHARS;
  let longest = '';
  for (const state of states) {
    room -= state.length;
    if (room < 0) break;
    for (const passage of new Passages(parsed(state)).found) {
      if (passage.length <= longest.length) continue;
      const text = plain(passage.slice(0, 2 * MAX_PROSE)).slice(0, MAX_PROSE);
      if (text.length > longest.length && isProse(text)) longest = text;
    }
  }
  return longest;
}

function parsed(state: string): unknown {
  const json = jsonIn(state);
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

function jsonIn(state: string): string {
  const [begin, quote] = ASSIGNMENT.exec(state.slice(0, 200)) ?? [];
  if (begin === undefined) return written(state);
  const { length } = begin;
  if (quote !== undefined) return unescaped(state.slice(length + 1, endOfString(state, length + 1, quote)));
  return withoutUndefined(state.slice(length, endOfValue(state, length)));
}

/** Returns the end of the script string that begins at `start`. */
function endOfString(script: string, start: number, quote: string): number {
  let i = start;
  while (i < script.length && script[i] !== quote) i += script[i] === '\\' ? 2 : 1;
  return i;
}

function unescaped(text: string): string {
  return text.replace(ESCAPE, (_, unit?: string, byte?: string, sign = '') => {
    const code = unit ?? byte;
    return code === undefined ? (CONTROLS[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16));
  });
}

/** Decodes references: quotation marks in an attribute are written as references. */
function written(json: string): string {
  return /^\{\s*&/.test(json.slice(0, 20)) ? decodeAttribute(json) : json;
}

/** Replaces `undefined`, which is not JSON but occurs in scripts. */
function withoutUndefined(json: string): string {
  return json.replace(/:undefined(?=[,}])/g, ':null');
}

/** Returns the end of the object or array that begins at `start`. */
function endOfValue(script: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let i = start; i < script.length; i++) {
    const c = script[i];
    if (inString) {
      if (c === '\\') i++;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === '{' || c === '[') depth++;
    else if ((c === '}' || c === ']') && --depth === 0) return i + 1;
  }
  return script.length;
}

/** Collects texts in a tree of data, by their names. */
class Passages {
  readonly found: string[] = [];
  readonly #root: unknown;
  #left = MAX_VALUES;
  #room = MAX_READ_CHARS;

  constructor(root: unknown) {
    this.#root = root;
    this.#visit(root, 0);
  }

  #visit(node: unknown, depth: number): void {
    if (typeof node !== 'object' || node === null || depth > MAX_DEPTH) return;
    for (const [name, inside] of Object.entries(node)) {
      if (--this.#left < 0) return;
      const value = this.#resolved(inside);
      if (isForeign(name)) continue;
      const text = TEXT_NAME.test(name.slice(0, MAX_NAME_CHARS)) ? this.#textOf(value, depth) : '';
      if (text !== '') this.found.push(text);
      else this.#visit(value, depth + 1);
    }
  }

  /** Some data stores each value once in an array and references it by its index (Nuxt). */
  #resolved(value: unknown): unknown {
    return Array.isArray(this.#root) && typeof value === 'number' ? (this.#root as readonly unknown[])[value] : value;
  }

  #textOf(value: unknown, depth: number): string {
    if (typeof value !== 'string') return this.#leavesOf(value, depth + 1).join(' ');
    const text = this.#read(value);
    if (!/^\s*[{[]/.test(text.slice(0, 100))) return text;
    // A prefetched response is stored as text.
    this.#visit(parsed(text), depth + MAX_DEPTH / 2);
    return '';
  }

  /** Returns a text while the limit allows it; `''` beyond. */
  #read(text: string): string {
    this.#room -= text.length;
    return this.#room < 0 ? '' : text;
  }

  #leavesOf(node: unknown, depth: number): readonly string[] {
    if (typeof node !== 'object' || node === null || depth > MAX_DEPTH) return [];
    const leaves: string[] = [];
    for (const [name, inside] of Object.entries(node)) {
      if (--this.#left < 0) break;
      const value = this.#resolved(inside);
      if (typeof value !== 'string') leaves.push(...this.#leavesOf(value, depth + 1));
      else if (LEAF_NAME.test(name)) leaves.push(this.#read(value));
    }
    return leaves;
  }
}

/** Whether a name belongs to navigation, footers or other pages. */
function isForeign(name: string): boolean {
  return COMMON_NAME.test(name.slice(0, MAX_NAME_CHARS)) || placeIn(saidBy(name)) !== 'own';
}

/**
 * Whether a text consists of sentences: almost only letters and blanks, no endless word, hardly a brace. Letters of
 * scripts without blanks count as words.
 */
function isProse(text: string): boolean {
  if (text.length < MIN_PROSE) return false;
  const sample = text.slice(0, 2_000);
  const letters = sample.match(/[\p{L}\p{M}\s]/gu)?.length ?? 0;
  return (
    letters > 0.8 * sample.length &&
    !/[!-~]{60}/.test(sample) &&
    (sample.match(/[{}<>;=]/g)?.length ?? 0) < 0.02 * sample.length
  );
}
