import { snippet } from './snippet.ts';

/** Number of paragraphs searched; later ones are not an opening. */
const PARAGRAPHS = 60;
/** Shorter ones are captions, headings, bylines. */
const MIN_CHARS = 80;
const SENTENCE_END = /[.!?…。！？؟।]/u;
/**
 * In running text most words start with a small letter (or have no case); in tables, menus and lists of names they do
 * not.
 */
const CAPITAL_SHARE = 0.5;
const CAPITAL = /^[^\p{L}]*\p{Lu}/u;

/**
 * Returns the opening of a page, for results without a query: its first paragraph of running text, after the title,
 * captions and tables; else the start of the text.
 * @param text paragraphs, one per line
 * @param maxChars approximate maximum length
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
  // The start of a long paragraph represents all of it.
  const start = paragraph.slice(0, 400);
  if (!SENTENCE_END.test(start)) return false;
  const words = start.split(/\s+/);
  return words.filter((word) => CAPITAL.test(word)).length < CAPITAL_SHARE * words.length;
}
