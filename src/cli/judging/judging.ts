import type { OfKind } from '../../core/index.ts';
import { count, counted } from '../../kit/index.ts';
import type { Change, SqlWatch, Watch, Work, WorkEvent } from '../../workbench/index.ts';
import type { Io } from '../command.ts';
import { tellNowAndThen, ticking } from '../progress-lines.ts';
import { abandoningAtInterrupt } from '../until-interrupt.ts';

/** Work on fewer pages than this takes no time worth a progress line; SQLite allows no output until a statement ends. */
const MANY_PAGES = 10_000;

const SERVER_LOST = 'The connection to the database server was lost. The work starts again when the server answers.\n';

const WORDS: Readonly<Record<Exclude<Work, 'judging' | 'statement'>, string>> = {
  trial: 'Training and testing',
  training: 'Training classifiers',
  'crawl-learning': 'Waiting for the crawl to learn from it',
};

const CHECKED: Readonly<Record<OfKind<WorkEvent, 'checked'>['part'], string>> = {
  database: 'the files of the database',
  records: 'records and pages',
  fold: 'the state of the crawl',
};

/** Describes the remaining work after a change was stopped while pages were judged; `undefined` if all were judged. */
export function leftOver({ effect: { pages, of } }: Pick<Change, 'effect'>, dir: string): string | undefined {
  if (pages === of) return undefined;
  return `Stopped: ${counted(of - pages, 'page')} ${of - pages === 1 ? 'is' : 'are'} still to be judged. The decisions are kept. bingo crawl ${dir} or the next decision judges the rest.`;
}

/**
 * Prints the reports of an action on stderr. Ctrl-C stops an action that judges pages; otherwise it ends the process.
 */
export function watchOn(io: Pick<Io, 'err' | 'onInterrupt'>): Watch {
  // From the first report on: the watch may be made long before, as for a crawl.
  let say: ReturnType<typeof tellNowAndThen> | undefined;
  let stop = new AbortController();
  let end = (): void => {};
  let told = 0;
  let statement = '';
  const begin = (work: Work): (() => void) => {
    if (work === 'statement') return ticking(io, statement);
    if (work !== 'judging') return ticking(io, WORDS[work]);
    const own = new AbortController();
    [stop, told] = [own, 0];
    const handBack = io.onInterrupt(() => {
      handBack();
      own.abort();
    });
    return handBack;
  };
  const judged = ({ pages, of }: OfKind<WorkEvent, 'judged'>): void => {
    if (pages - told < MANY_PAGES) return;
    const how = told === 0 ? '; accepted ones come first, Ctrl-C leaves the rest for later' : '';
    io.err(`Judged again: ${count(pages)} of ${count(of)} pages${how}\n`);
    told = pages;
  };
  const onEvent = (event: WorkEvent): void => {
    if (event.kind === 'begins') end = begin(event.work);
    else if (event.kind === 'ends') end();
    else if (event.kind === 'judged') judged(event);
    else if (event.kind === 'statement') {
      statement = `Judging in SQL, statement ${event.number} of ${event.of}`;
      if (event.pages >= MANY_PAGES) io.err(`${statement}\n`);
    } else if (event.kind === 'crawl-ended')
      io.err('The crawl has ended meanwhile: this command applies the decisions.\n');
    else if (event.kind === 'restarts') io.err(SERVER_LOST);
    else {
      say ??= tellNowAndThen(io);
      say(progressLine(event));
    }
  };
  return {
    onEvent,
    get signal() {
      return stop.signal;
    },
  };
}

/** Does the same for work in SQL: Ctrl-C stops it on its server, then ends the process. */
export function sqlWatchOn(io: Io): SqlWatch {
  return { ...watchOn(io), guard: (server, work) => abandoningAtInterrupt(io, server, work) };
}

type Progress = OfKind<WorkEvent, 'checked' | 'reading' | 'documents' | 'terms' | 'compared' | 'waiting'>;

function progressLine(event: Progress): string {
  switch (event.kind) {
    case 'reading':
      return `Reading the crawl: ${counted(event.records, 'record')}`;
    case 'documents':
      return `Reading documents: ${count(event.read)} of ${count(event.total)}`;
    case 'terms':
      return `Reading terms: ${count(event.read)} of ${counted(event.of, 'page')}`;
    case 'checked':
      return `Checking ${CHECKED[event.part]}: ${count(event.done)} of ${count(event.of)}`;
    case 'compared':
      return `Comparing: ${count(event.pages)} of ${counted(event.of, 'page')}`;
    case 'waiting':
      return waitingLine(event);
  }
}

function waitingLine({ pid, judged }: OfKind<WorkEvent, 'waiting'>): string {
  if (judged === undefined)
    return `Waiting for the process that works in this workspace${pid === undefined ? '' : ` (pid ${pid})`}`;
  return `Waiting for the crawl, which has ended and judges its pages again: ${count(judged.pages)} of ${count(judged.of)}`;
}
