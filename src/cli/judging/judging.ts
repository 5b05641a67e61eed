import { count, counted } from '../../kit/index.ts';
import type { Change, Watch, Work, WorkEvent } from '../../workbench/index.ts';
import type { Io } from '../command.ts';
import { tellNowAndThen } from '../tell-now-and-then.ts';

/** Judging fewer pages than this takes no time worth a progress line. */
const MANY_PAGES = 10_000;
/** Interval between two lines about work without progress figures. */
const QUIET_MS = 3000;

const WORDS: Readonly<Record<Exclude<Work, 'judging'>, string>> = {
  trial: 'Training, and trying it out',
  training: 'Training classifiers',
  'crawl-learning': 'Waiting for the crawl to learn from it',
};

/** Describes the remaining work after a change was stopped while pages were judged; `undefined` if all were judged. */
export function leftOver({ effect: { pages, of } }: Pick<Change, 'effect'>, dir: string): string | undefined {
  if (pages === of) return undefined;
  return `Stopped: ${counted(of - pages, 'page')} ${of - pages === 1 ? 'is' : 'are'} still to be judged. The decisions are kept: bingo crawl ${dir}, or the next decision, does the rest.`;
}

/**
 * Prints the reports of an action on stderr. Ctrl-C stops an action that judges pages; otherwise it ends the process.
 */
export function watchOn(io: Pick<Io, 'err' | 'onInterrupt'>): Watch {
  const say = tellNowAndThen(io);
  let stop = new AbortController();
  let end = (): void => {};
  let told = 0;
  const begin = (work: Work): (() => void) => {
    if (work !== 'judging') return ticking(io, WORDS[work]);
    const own = new AbortController();
    [stop, told] = [own, 0];
    const handBack = io.onInterrupt(() => {
      handBack();
      own.abort();
    });
    return handBack;
  };
  const judged = ({ pages, of }: WorkEvent & { kind: 'judged' }): void => {
    if (pages - told < MANY_PAGES) return;
    const how = told === 0 ? '; accepted ones come first, Ctrl-C leaves the rest for later' : '';
    io.err(`Judged again: ${count(pages)} of ${count(of)} pages${how}\n`);
    told = pages;
  };
  const onEvent = (event: WorkEvent): void => {
    if (event.kind === 'begins') end = begin(event.work);
    else if (event.kind === 'ends') end();
    else if (event.kind === 'judged') judged(event);
    else if (event.kind === 'crawl-ended') io.err('The crawl has ended meanwhile: the decisions are taken here.\n');
    else say(progressLine(event));
  };
  return {
    onEvent,
    get signal() {
      return stop.signal;
    },
  };
}

function progressLine(event: WorkEvent & { kind: 'reading' | 'documents' | 'waiting' }): string {
  if (event.kind === 'reading') return `Reading the crawl: ${counted(event.records, 'record')}`;
  if (event.kind === 'documents') return `Reading documents: ${count(event.read)} of ${count(event.total)}`;
  return waitingLine(event);
}

/** Prints every few seconds how long some work has taken, until the returned function is called. */
function ticking(io: Pick<Io, 'err'>, what: string): () => void {
  const began = performance.now();
  const timer = setInterval(() => {
    io.err(`${what}: ${Math.round((performance.now() - began) / 1000)} s by now\n`);
  }, QUIET_MS);
  return () => clearInterval(timer);
}

function waitingLine({ pid, judged }: WorkEvent & { kind: 'waiting' }): string {
  if (judged === undefined)
    return `Waiting for the process that works in this workspace${pid === undefined ? '' : ` (pid ${pid})`}`;
  return `Waiting for the crawl, which has ended and judges its pages again: ${count(judged.pages)} of ${count(judged.of)}`;
}
