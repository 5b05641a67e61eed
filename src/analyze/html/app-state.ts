import { placeNamed } from './boilerplate.ts';
import { decodeAttribute } from './entities.ts';

/** Names of what is written to be read, by their last word: `body`, `content_html`, `articleBody`; not `context`. */
const TEXT_NAME =
  /(?:^|_)(?:body|content|text|html|markdown|description|summary|excerpt|story)(?:_?html)?$|[a-z](?:Body|Content|Text|Html|HTML|Markdown|Description|Summary|Excerpt|Story)$/;
/** In a text that is kept as a tree, the names of its leaves. */
const LEAF_NAME = /^(?:text|value|rendered|html|raw|children)$/;
/** What a program says on every page of its site, in the languages of its users. */
const COMMON_NAME =
  /i18n|locale|translation|messages|intl|dictionary|phrases|labels|config|settings|legal|privacy|terms|policy/i;
/** `window.__INITIAL_STATE__ = {`, or `= JSON.parse("`, of which the quotation mark is kept. */
const ASSIGNMENT =
  /^\s*(?:window|self|globalThis)\s*(?:\.\s*__\w+|\[\s*["']__\w+["']\s*\])\s*=\s*(?:(?=[{[])|JSON\.parse\(\s*(?=(["'])))/;
/** One escape in a string of a script. */
const ESCAPE = /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|(.))/gs;
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '0': '\0' };

/** Longer state is that of an application, not of a page. */
const MAX_STATE_CHARS = 500_000;
/** Values looked at, and how deep. */
const MAX_VALUES = 20_000;
const MAX_DEPTH = 24;
/** Characters read of the texts in one: where each stands once and is told by its place, it may be told of any number of times. */
const MAX_READ_CHARS = 4 * MAX_STATE_CHARS;
const MAX_NAME_CHARS = 60;
/** A passage as long as this is more than a label; longer ones are cut off. */
const MIN_PROSE = 200;
const MAX_PROSE = 20_000;

/** True for the script, without an attribute `src`, that begins at an offset of a page, when it sets the state of an application. */
export function setsState(html: string, start: number): boolean {
  return ASSIGNMENT.test(html.slice(start, start + 200));
}

/**
 * The longest passage of prose in the data that a page keeps for its scripts (`__NEXT_DATA__`, `window.__INITIAL_STATE__`), with the
 * markup that it may have; `''` without one.
 * @param states - JSON, as it stands in a script or in an attribute, or scripts that assign it
 * @param plain - text of a piece of HTML
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

/** Where the string of a script ends that begins at `start`. */
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

/** In an attribute the quotation marks around names are written as references. */
function written(json: string): string {
  return /^\{\s*&/.test(json.slice(0, 20)) ? decodeAttribute(json) : json;
}

/** No JSON, but written beside it by some. */
function withoutUndefined(json: string): string {
  return json.replace(/:undefined(?=[,}])/g, ':null');
}

/** Where the object or list that begins at `start` ends. */
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

/** Texts in a tree of data, by the names that they have there. */
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

  /** In some data every value stands once, in a list, and is told by its place there (Nuxt). */
  #resolved(value: unknown): unknown {
    return Array.isArray(this.#root) && typeof value === 'number' ? (this.#root as readonly unknown[])[value] : value;
  }

  #textOf(value: unknown, depth: number): string {
    if (typeof value !== 'string') return this.#leavesOf(value, depth + 1).join(' ');
    const text = this.#read(value);
    if (!/^\s*[{[]/.test(text.slice(0, 100))) return text;
    // An answer that was asked for ahead is kept as it came.
    this.#visit(parsed(text), depth + MAX_DEPTH / 2);
    return '';
  }

  /** A text as long as there is room for it; `''` then. */
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

/** Of navigation, footers, other pages, or of no page. */
function isForeign(name: string): boolean {
  return COMMON_NAME.test(name.slice(0, MAX_NAME_CHARS)) || placeNamed(name) !== 'own';
}

/** Sentences: nearly all of it letters and blanks, no word without end, hardly a brace. Letters of scripts without blanks are words by themselves. */
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
