import { foldLine } from '../fold.ts';
import { decodeText } from './entities.ts';
import type { PageMeta } from './page-meta.ts';

/** Properties of schema.org that hold the text of an article or of a post. */
const TEXTS = new Set(['articleBody', 'text']);
/** Longer data is more than a text and its author. */
const MAX_DATA_CHARS = 500_000;
/** Values looked at, and how deep. */
const MAX_VALUES = 5_000;
const MAX_DEPTH = 8;

/**
 * What a page says of itself to programs, for a page that shows next to nothing because scripts would fill it: the longest text of
 * an article in its structured data, or its description. `''` when there is neither.
 */
export function standIn({ data, description }: Pick<PageMeta, 'data' | 'description'>): string {
  const texts = data.filter((json) => json.length <= MAX_DATA_CHARS).flatMap(textsIn);
  return texts.map(plain).reduce((longest, text) => (text.length > longest.length ? text : longest), description);
}

function textsIn(json: string): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return [];
  }
  const found: string[] = [];
  let left = MAX_VALUES;
  const visit = (node: unknown, depth: number): void => {
    if (typeof node !== 'object' || node === null || depth > MAX_DEPTH) return;
    for (const [name, inside] of Object.entries(node)) {
      if (--left < 0) return;
      if (typeof inside !== 'string') visit(inside, depth + 1);
      else if (TEXTS.has(name)) found.push(inside);
    }
  };
  visit(value, 0);
  return found;
}

/** Some write the text with its markup. */
function plain(text: string): string {
  return foldLine(decodeText(text.replace(/<[^<>]{0,1000}>/g, ' '))).toWellFormed();
}
