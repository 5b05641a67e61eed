import { foldLine } from '../fold.ts';
import { proseIn } from './app-state.ts';
import { decodeText } from './entities.ts';
import type { PageMeta } from './page-meta.ts';

/** Properties of schema.org with the text of an article or a post. */
const TEXTS = new Set(['articleBody', 'text']);
/** Property with the description of any item. */
const DESCRIPTION = 'description';
/** Longer data is not just a text and its author. */
const MAX_DATA_CHARS = 500_000;
/** Comment syntax by which old programs hide data and scripts from HTML or XML parsers. */
const WRAPPING = /^\s*(?:\/\/|\/\*)?\s*(?:<!--|<!\[CDATA\[)\s*(?:\*\/)?/;
/** Limits on the number of visited values, and on their depth. */
const MAX_VALUES = 5_000;
const MAX_DEPTH = 8;

/** The metadata that can replace a page's text; `''` if missing. */
export interface StandIn {
  /**
   * The longest article text in its structured data; otherwise its description and the longest text in its data for
   * scripts.
   */
  readonly passage: string;
  /** Description of the page, or the longest one in its structured data. */
  readonly description: string;
}

/** Returns a replacement for the text of a page that is almost empty because scripts would fill it. */
export function standIn({ data, state, description: own }: Pick<PageMeta, 'data' | 'state' | 'description'>): StandIn {
  const said = data.filter((json) => json.length <= MAX_DATA_CHARS).flatMap(textsIn);
  const named = (isDescription: boolean): readonly string[] =>
    said.filter(({ name }) => (name === DESCRIPTION) === isDescription).map(({ text }) => plain(text));
  const description = longest([own, ...named(true)]);
  const article = longest(named(false));
  if (article.length > description.length) return { passage: article, description };
  const prose = proseIn(state, plain);
  const passage = prose === '' || prose.includes(description) ? prose : `${description} ${prose}`;
  return { passage, description };
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '');
}

interface Said {
  readonly name: string;
  readonly text: string;
}

function textsIn(json: string): readonly Said[] {
  let value: unknown;
  try {
    value = JSON.parse(unwrapped(json));
  } catch {
    return [];
  }
  const found: Said[] = [];
  let left = MAX_VALUES;
  const visit = (node: unknown, depth: number): void => {
    if (typeof node !== 'object' || node === null || depth > MAX_DEPTH) return;
    for (const [name, inside] of Object.entries(node)) {
      if (--left < 0) return;
      if (typeof inside !== 'string') visit(inside, depth + 1);
      else if (TEXTS.has(name) || name === DESCRIPTION) found.push({ name, text: inside });
    }
  };
  visit(value, 0);
  return found;
}

function unwrapped(json: string): string {
  const begin = WRAPPING.exec(json.slice(0, 200))?.[0].length;
  if (begin === undefined) return json;
  const end = Math.max(json.lastIndexOf('-->'), json.lastIndexOf(']]>'));
  return json.slice(begin, end < 0 ? undefined : end).replace(/\/[/*]\s*$/, '');
}

/** Some write the text with its markup. */
function plain(text: string): string {
  return foldLine(decodeText(text.replace(/<[^<>]{0,1000}>/g, ' '))).toWellFormed();
}
