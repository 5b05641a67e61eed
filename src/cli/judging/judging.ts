import { count, counted } from '../../core/index.ts';
import type { Change, JudgingOptions } from '../../workbench/index.ts';
import type { Io } from '../command.ts';

/** From so many pages on judging them takes seconds that are worth a word. */
const MANY_PAGES = 10_000;

/** Runs work that judges stored pages again: says how far it is, and lets Ctrl-C leave the rest for later. */
export async function inSight<T>(io: Io, work: (options: Required<JudgingOptions>) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const handBack = io.onInterrupt(() => {
    handBack();
    stop.abort();
  });
  try {
    return await work({ signal: stop.signal, onJudged: tellJudging(io) });
  } finally {
    handBack();
  }
}

/** What is left to do of a change that was stopped while pages were judged; `undefined` when all were. */
export function leftOver({ effect: { pages, of } }: Pick<Change, 'effect'>, dir: string): string | undefined {
  if (pages === of) return undefined;
  return `Stopped: ${counted(of - pages, 'page')} ${of - pages === 1 ? 'is' : 'are'} still to be judged. The decisions are kept: bingo crawl ${dir}, or the next decision, does the rest.`;
}

function tellJudging(io: Io): (pages: number, of: number) => void {
  let told = 0;
  return (pages, of) => {
    if (pages - told < MANY_PAGES) return;
    const how = told === 0 ? '; accepted ones come first, Ctrl-C leaves the rest for later' : '';
    io.err(`Judged again: ${count(pages)} of ${count(of)} pages${how}\n`);
    told = pages;
  };
}
