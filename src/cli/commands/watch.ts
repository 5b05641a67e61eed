import { UsageError } from '../../core/index.ts';
import { safeJson } from '../../kit/index.ts';
import {
  isWorkspace,
  loadForReading,
  plannedJobs,
  quoted,
  sanitizeForTerminal,
  scheduledJobs,
  scheduleTime,
  shownPath,
  table,
  watchWorkspaces,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { writeJsonArray } from '../json-array.ts';
import { readCount } from '../read-count.ts';
import { runJob } from '../watch/run-job.ts';
import { STANDING_ACTIONS, standingAction } from '../watch/standing-queries.ts';

/** Runs that a plan shows. */
const PLANNED = 10;

export const watch: Command = {
  name: 'watch',
  summary: 'Crawl, recheck and publish by a schedule; keep standing queries.',
  positionals: ['[DIR]', '[ACTION]...'],
  takesList: true,
  flags: {
    once: { help: 'Run what is due, then end: for the timer of a system.' },
    plan: { help: 'Print what would run when; run nothing.' },
    limit: { value: 'N', help: 'Runs that --plan prints. Default: 10.' },
    json: { help: 'JSON on stdout: events line by line, the plan, or the standing queries.' },
  },
  examples: [
    ['bingo watch bikes', 'Runs the jobs of "schedule:" in bingo.yaml until Ctrl-C.'],
    ['bingo watch bikes boats', 'The same for two workspaces, one job at a time.'],
    ['bingo watch bikes --plan', 'Shows the next ten runs.'],
    ['bingo watch bikes --once', 'Runs what is due, for systemd or cron.'],
    ['bingo settings set bikes schedule.recheck "0 3 * * *"', 'Sets a time: minute, hour, day, month, weekday.'],
    ['bingo watch bikes add "hub gears"', 'Asks this search again after each crawl and recheck.'],
    ['bingo watch bikes add "select distinct host from page"', 'The same with a SQL statement: new hosts.'],
    ['bingo watch bikes list', 'Shows what is new since it was last marked as seen.'],
    ['bingo watch bikes seen', 'Marks it as seen.'],
    ['bingo watch bikes ask', 'Asks all queries now.'],
    ['bingo watch bikes remove 1', 'Removes a query, by its number or its text.'],
  ],
  notes: [
    'Runs that were missed, because no watcher ran or the machine slept, are made up once. If another process works in the workspace, a job ' +
      'waits. Each job is a process of its own; its output is in watch/JOB.txt, the log in watch/log.txt. See docs/watching.md.',
    'A standing search finds accepted pages, the best 1,000; it knows everything that bingo search knows (site:, type:, topic:). A SQL statement ' +
      'finds rows, the first 5,000. What a query finds when it is added is not new. The summary of a crawl counts what is new.',
  ],
  run: runWatch,
};

async function runWatch(args: Args, io: Io): Promise<number> {
  const [dir = '', ...words] = args.positionals;
  const action = STANDING_ACTIONS.find((known) => known === words[0]);
  if (action !== undefined) return await standingAction(dir, action, args, io);
  const other = words.find((word) => !isWorkspace(word));
  if (other !== undefined) throw unknownWord(other, dir);
  const dirs = [...new Set([dir, ...words])];
  if (args.has('plan')) return await plan(dirs, args, io);
  return await work(dirs, args, io);
}

function unknownWord(word: string, dir: string): UsageError {
  const place = quoted(dir);
  if (word === 'run')
    return new UsageError(
      'bingo watch has no action "run".',
      `bingo watch ${place} runs the schedule; bingo watch ${place} ask asks the standing queries.`,
    );
  return new UsageError(
    `"${word}" is neither a workspace nor an action.`,
    `Actions are ${STANDING_ACTIONS.join(', ')}. For a query: bingo watch ${place} add ${quoted(word)}`,
  );
}

async function plan(dirs: readonly string[], args: Args, io: Io): Promise<number> {
  const limit = readCount('--limit', args.value('limit'), PLANNED, { min: 1, max: 1_000 });
  const workspaces = dirs.map((dir) => loadForReading(dir, io));
  const jobs = plannedJobs(workspaces, Date.now(), limit);
  if (args.has('json')) {
    const iso = (at: number): string => new Date(at).toISOString();
    await writeJsonArray(
      io,
      jobs.map(({ plannedAt, dueAt, ...job }) => ({ ...job, plannedAt: iso(plannedAt), dueAt: iso(dueAt) })),
    );
    return EXIT.done;
  }
  const columns = [{ title: 'when' }, { title: 'job' }, { title: 'workspace' }, { title: 'expression' }];
  const rows = jobs.map(({ dir, job, when, timezone, dueAt }) => [
    ...[scheduleTime(dueAt, timezone), job, shownPath(dir), when],
  ]);
  if (rows.length > 0) await io.out(`${table(columns, rows, io.columns()).join('\n')}\n`);
  for (const [i, workspace] of workspaces.entries())
    if (scheduledJobs(workspace).length === 0)
      io.err(`${dirs[i]} has no schedule. Next: bingo settings ${quoted(dirs[i]!)} schedule\n`);
  return EXIT.done;
}

async function work(dirs: readonly string[], args: Args, io: Io): Promise<number> {
  const stopping = new AbortController();
  const handBack = io.onInterrupt(() => {
    if (stopping.signal.aborted) io.exit(EXIT.stopped);
    io.err('Stopping; the running job saves its work. Ctrl-C again ends at once.\n');
    stopping.abort();
  });
  const { signal } = stopping;
  const once = args.has('once');
  try {
    const failed = await watchWorkspaces(dirs, {
      ...{ signal, once, overrides: { env: io.env } },
      run: (workspace, job, stop) => runJob(workspace, job, io, stop),
      onEvent: (event) => {
        if (args.has('json')) void io.out(`${safeJson({ ...event, at: new Date(event.at).toISOString() })}\n`);
        else
          io.err(
            `${sanitizeForTerminal(dirs.length > 1 ? `${shownPath(event.dir)}: ${event.message}` : event.message)}\n`,
          );
      },
    });
    if (signal.aborted) return EXIT.stopped;
    return failed > 0 ? EXIT.failed : EXIT.done;
  } finally {
    handBack();
  }
}
