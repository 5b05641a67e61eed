import { BingoError, type OfKind, UsageError } from '../../core/index.ts';
import { quoted, sanitizeForTerminal } from '../../workbench/index.ts';
import { openInBrowser } from '../browser.ts';
import type { Io } from '../command.ts';
import { describeChange } from '../judging/change-text.ts';
import { leftOver, watchOn } from '../judging/judging.ts';
import type { Lines } from '../lines.ts';
import { resultPreview } from '../search/result-text.ts';
import type { FindScreen } from './find-session.ts';

const HELP = `  good 1 3       learn from these answers
  bad 2 4        these are off topic; good 1 bad 2 does both
  preview 1      the passage, the topic and the score of an answer
  open 1         in the browser
  more           more answers
  search WORDS   other words, the same pages
  rank WEIGHTS   another order, such as cosine=0.6,confidence=0.4
  crawl          fetch more pages
  quit           everything is saved
  First letters will do.
`;

/** One action; several marks on one line are applied together. */
type Order =
  | { readonly kind: 'mark'; readonly good: readonly number[]; readonly bad: readonly number[] }
  | { readonly kind: 'open' | 'preview'; readonly places: readonly number[] }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'rank'; readonly text: string }
  | { readonly kind: 'more' | 'crawl' | 'quit' | 'help' };

const WORDS = ['good', 'bad', 'open', 'preview', 'more', 'search', 'rank', 'crawl', 'quit', 'help'] as const;

/**
 * Parses a line that the user typed: `g 1 3 b 2`, `search media recovery`.
 * @param answers number of results; valid positions are 1 to this
 * @throws UsageError if the line is invalid
 */
export function readOrder(line: string, answers: number): Order {
  const [first = '', ...rest] = line.trim().split(/[\s,]+/);
  const word = first === '?' ? 'help' : wordOf(first);
  if (word === undefined) throw new UsageError(`Unknown command: ${first}.`, 'Type ? for help.');
  if (word === 'search' || word === 'rank') {
    const text = line.trim().slice(first.length).trim();
    if (text === '')
      throw new UsageError(`${word} what?`, word === 'rank' ? 'rank cosine=0.6,confidence=0.4' : undefined);
    return { kind: word, text };
  }
  if (word === 'open' || word === 'preview') {
    if (rest.length === 0) throw new UsageError(`${word} which?`, `Its number: ${word} 1`);
    return { kind: word, places: rest.map((text) => placeOf(text, answers)) };
  }
  if (word !== 'good' && word !== 'bad') {
    if (rest.length > 0) throw new UsageError(`${word} takes no argument, got "${rest.join(' ')}".`);
    return { kind: word };
  }
  const marks = { good: [] as number[], bad: [] as number[] };
  let side: 'good' | 'bad' = word;
  for (const text of rest) {
    const other = wordOf(text);
    if (other === 'good' || other === 'bad') side = other;
    else marks[side].push(placeOf(text, answers));
  }
  const both = marks.good.find((place) => marks.bad.includes(place));
  if (both !== undefined) throw new UsageError(`${both} cannot be good and bad.`);
  if (marks.good.length + marks.bad.length === 0) throw new UsageError(`${word} which?`, `Their numbers: ${word} 1 3`);
  return { kind: 'mark', ...marks };
}

function wordOf(text: string): (typeof WORDS)[number] | undefined {
  return text === '' ? undefined : WORDS.find((word) => word.startsWith(text.toLowerCase()));
}

function placeOf(text: string, answers: number): number {
  const place = Number(text);
  if (Number.isInteger(place) && place >= 1 && place <= answers) return place;
  throw new UsageError(`Unknown answer "${text}".`, answers > 0 ? `They are numbered 1 to ${answers}.` : undefined);
}

/** Lets the user mark, search, rank and continue crawling until they quit. */
export async function workOn(screen: FindScreen, lines: Lines, io: Io): Promise<void> {
  io.err('Type ? for help.\n');
  for (;;) {
    const line = await lines.ask('> ');
    if (line === undefined) return io.err('\n');
    if (line.trim() === '') continue;
    try {
      const order = readOrder(line, screen.session.results.length);
      if (order.kind === 'quit') return;
      await carryOut(order, screen, io);
    } catch (error) {
      // A typing mistake, or an unusable page, does not end the session.
      if (!(error instanceof BingoError)) throw error;
      io.err(`${error.message}${error.hint === undefined ? '' : `\n${error.hint}`}\n`);
    }
  }
}

async function carryOut(order: Exclude<Order, { readonly kind: 'quit' }>, screen: FindScreen, io: Io): Promise<void> {
  const { results } = screen.session;
  if (order.kind === 'help') io.err(HELP);
  else if (order.kind === 'more') await screen.more();
  else if (order.kind === 'search') await screen.show({ words: order.text });
  else if (order.kind === 'rank') await screen.show({ rank: order.text });
  else if (order.kind === 'crawl') await screen.crawlOn();
  else if (order.kind === 'mark') await markAnswers(order, screen, io);
  else if (order.kind === 'preview')
    for (const place of order.places) await io.out(resultPreview(results[place - 1]!, place, io));
  else if (order.kind === 'open')
    for (const place of order.places) {
      const { url } = results[place - 1]!;
      screen.session.opened(url);
      const told = await openInBrowser(url, io.env);
      io.err(`${sanitizeForTerminal(told)}\n`);
    }
}

/** Marks results, and shows what changed and the new results. */
async function markAnswers(marks: OfKind<Order, 'mark'>, screen: FindScreen, io: Io): Promise<void> {
  const { session } = screen;
  const { results, workspace } = session;
  const urls = (places: readonly number[]): readonly string[] => places.map((place) => results[place - 1]!.url);
  const began = performance.now();
  io.err('Learning …\n');
  const { change, isCrawlRunning } = await session.mark({ good: urls(marks.good), bad: urls(marks.bad) }, watchOn(io));
  io.err(`${describeChange(change, io.screen().columns, true).join('\n')}\n`);
  const left = isCrawlRunning ? undefined : leftOver(change, quoted(workspace.dir));
  if (left !== undefined) io.err(`${left}\n`);
  io.err(`Learned and judged again in ${((performance.now() - began) / 1000).toFixed(1)} s.\n\n`);
  await screen.show();
}
