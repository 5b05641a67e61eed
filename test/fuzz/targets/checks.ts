import { isUnusable } from '../../../src/analyze/index.ts';
import { BingoError, canonicalize, unpackLinks } from '../../../src/core/index.ts';
import { analyzePage } from '../../analyze/pages.ts';

/** Throws if a condition does not hold. */
export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

export const samples = (...texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text));
export const words = (text: string): string[] =>
  text.split(' ').map((word) => word.replaceAll('␣', ' ').replaceAll('␤', '\r\n'));
/** Control characters and direction marks must not be displayed. */
export const UNSHOWABLE: RegExp = /[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

export function checkPage(body: Uint8Array, contentType: string, charset = ''): void {
  const options = { maxLinksPerPage: 50, maxTextChars: 5_000, maxTokens: 500 };
  const result = analyzePage(body, { headers: { contentType, charset }, options });
  if (isUnusable(result)) return;
  for (const { url } of unpackLinks(result.links)) must(canonicalize(url) === url, `link ${url} is not canonical`);
  must(result.links.size <= options.maxLinksPerPage, 'too many links');
  must(result.text.length <= options.maxTextChars, 'too much text');
  must(
    result.canonical === '' || canonicalize(result.canonical) === result.canonical,
    'canonical link is not canonical',
  );
  for (const text of [result.title, result.text, result.links.anchors, result.links.contexts]) {
    must(text.isWellFormed(), 'text is not well formed');
    must(!UNSHOWABLE.test(text), 'text holds control characters');
  }
  must(!result.title.includes('\n'), 'a title of several lines');
}

/**
 * Returns the result of a parser, or `undefined` if it reports a mistake to the user. Any other error is a fault of
 * ours.
 */
export function answered<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof BingoError) return undefined;
    throw error;
  }
}

/** The same for a parser that reads a file. */
export async function answeredLater<T>(made: Promise<T>): Promise<T | undefined> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof BingoError) return undefined;
    throw error;
  }
}
