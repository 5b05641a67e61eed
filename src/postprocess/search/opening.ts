import { snippet } from './snippet.ts';

/** Paragraphs looked at; what stands behind so many is no beginning. */
const PARAGRAPHS = 60;
/** Shorter ones are captions, headings, bylines. */
const MIN_CHARS = 80;
const SENTENCE_END = /[.!?…。！？؟।]/u;
/** In running text most words begin small (or have no case); in tables, menus and lists of names they do not. */
const CAPITAL_SHARE = 0.5;
const CAPITAL = /^[^\p{L}]*\p{Lu}/u;

/**
 * How a page begins, for a reader who did not look for words: its first paragraph of running text, past the title,
 * captions and tables; the beginning of the text when there is no such paragraph.
 * @param text paragraphs, one a line
 * @param maxChars of the passage at about the most
 */
export function opening(text: string, maxChars: number): string {
  return snippet(firstRunning(text) ?? text, { stems: new Set() }, maxChars).text;
}

function firstRunning(text: string): string | undefined {
  for (const paragraph of paragraphs(text)) if (isRunningText(paragraph)) return paragraph;
  return undefined;
}

function* paragraphs(text: string): Generator<string> {
  let start = 0;
  for (let n = 0; n < PARAGRAPHS && start < text.length; n++) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    yield text.slice(start, end).trim();
    start = end + 1;
  }
}

function isRunningText(paragraph: string): boolean {
  if (paragraph.length < MIN_CHARS) return false;
  // The rest of a long paragraph is as its beginning.
  const start = paragraph.slice(0, 400);
  if (!SENTENCE_END.test(start)) return false;
  const words = start.split(/\s+/);
  return words.filter((word) => CAPITAL.test(word)).length < CAPITAL_SHARE * words.length;
}
