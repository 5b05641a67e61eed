import { type CrawlEvent, HOME } from '../../core/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import {
  loadWorkspace,
  quoted,
  sanitizeForTerminal,
  splitAssignment,
  type WorkEnd,
  type WorkLook,
  type Workspace,
  workSpread,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { remarksOf } from '../crawl/crawl-view.ts';
import { tellNowAndThen } from '../progress-lines.ts';
import { hearingInterrupts } from '../until-interrupt.ts';

export const work: Command = {
  name: 'work',
  summary: 'Work on a spread crawl: crawl the shards that no other process crawls.',
  positionals: ['[DIR]'],
  flags: {
    budget: { value: 'N', help: 'Total number of pages to fetch, including earlier runs and all shards.' },
    set: { value: 'KEY=VALUE', repeats: true, help: 'Set one setting, for this run only.' },
    json: { help: 'One JSON object on stdout at the end.' },
  },
  examples: [
    ['bingo work bikes', 'Continues a crawl that bingo spread has spread.'],
    ['bingo work bikes --budget 5000', 'Fetches 5,000 pages in all. Processes that join obey the budget of the crawl.'],
  ],
  notes: [
    'Processes share the shards evenly, and may start and end at any time. If one is killed, the others take its shards. One of them divides the budget.',
    'bingo dashboard, in another terminal, pauses the crawl and changes its budget, order and limits, for all processes.',
    'Ctrl-C ends this process after the requests under way. The crawl ends when no shard has anything left to fetch.',
  ],
  run: runWork,
};

const ENDS: Readonly<Record<WorkEnd, string>> = {
  budget: 'The budget is used up',
  'frontier-dry': 'No links are left',
  time: 'The time is up',
  stopped: 'Stopped',
};

async function runWork(args: Args, io: Io): Promise<number> {
  const [dir = ''] = args.positionals;
  const flags = new Map(args.values('set').map(splitAssignment));
  const budget = args.value('budget');
  if (budget !== undefined) flags.set('crawl.budget', budget);
  return await workOn(loadWorkspace(dir, { flags, env: io.env }), { dir, isJson: args.has('json') }, io);
}

/**
 * Works on a spread crawl until it ends, or until Ctrl-C.
 * @returns the exit code
 */
export async function workOn(
  workspace: Workspace,
  { dir, isJson }: { readonly dir: string; readonly isJson: boolean },
  io: Io,
): Promise<number> {
  const ending = new AbortController();
  const tell = tellNowAndThen(io);
  const done = await hearingInterrupts(
    io,
    () => ending.abort(),
    () =>
      workSpread(workspace, {
        signal: ending.signal,
        onEvent: (shard, event) => {
          const line = eventLine(shard, event);
          if (line !== undefined) io.err(`${shard === HOME ? '' : `Shard ${shard}: `}${sanitizeForTerminal(line)}\n`);
        },
        onLook: (look) => tell(progress(look)),
      }),
  );
  if (isJson) await io.out(`${safeJson(done)}\n`);
  io.err(`${ENDS[done.reason]}: ${counted(done.fetched, 'page')} of ${count(done.budget)} fetched by all shards.\n`);
  const next = done.reason === 'stopped' || done.reason === 'time' ? 'work' : 'gather';
  io.err(`Next: bingo ${next} ${quoted(dir)}\n`);
  return done.reason === 'stopped' ? EXIT.stopped : EXIT.done;
}

/** Returns what an event means for the user; `undefined` if nothing. */
function eventLine(shard: number, event: CrawlEvent): string | undefined {
  if (event.kind === 'alarm' && event.code === 'other-budget') return `${event.message} ${event.remedy}`;
  if (event.kind === 'alarm' && event.code !== 'settings') return event.message;
  if (shard !== HOME) return undefined;
  if (event.kind === 'round') return `Model ${count(event.record.model)}: ${event.record.reason}`;
  // All processes report the budget.
  const isOther = event.kind === 'steer' && event.record.command.kind !== 'set-budget';
  return isOther ? remarksOf(event)[0] : undefined;
}

function progress({ standings, own, isPaused }: WorkLook): string {
  const waiting = [...standings.values()].reduce((all, shard) => all + shard.waiting, 0);
  const mine = own.length === 0 ? 'no shard is free' : `shards ${own.toSorted((a, b) => a - b).join(', ')}`;
  return `${isPaused ? 'paused; ' : ''}${mine}; ${counted(waiting, 'link')} waiting in all`;
}
