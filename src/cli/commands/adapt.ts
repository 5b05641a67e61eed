import { ORDERINGS, type OrderingName, UsageError } from '../../core/index.ts';
import { count, counted, percent, safeJson } from '../../kit/index.ts';
import {
  type AdaptChoice,
  type AdaptEvent,
  type AdaptPlan,
  type AdaptSummary,
  adaptWorkspace,
  didYouMean,
  formatDuration,
  formatSize,
  loadForReading,
  loadWorkspace,
  parseDuration,
  planAdaptation,
  quoted,
  readTextFile,
  SAMPLES,
  sanitizeForTerminal,
  splitAssignment,
  table,
  undoAdaptation,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { standingText } from '../crawl/standing-text.ts';
import { tellNowAndThen } from '../progress-lines.ts';
import { readCount } from '../read-count.ts';
import { withUnit } from '../read-time.ts';

export const adapt: Command = {
  name: 'adapt',
  summary: 'Replace the stored pages by a new collection that fits what users search for.',
  positionals: ['[DIR]'],
  flags: {
    queries: { value: 'FILE', help: 'Adapt to these queries, one per line, instead of those of the log.' },
    sample: {
      value: 'HOW',
      help: 'Choose queries from the log by "clusters", recent ones first (default), or at "random".',
    },
    count: { value: 'N', help: 'Representative queries, at most. Default: 10.' },
    pages: { value: 'N', help: 'Pages of the new collection, at most. Default: as many as now.' },
    iterations: { value: 'N', help: 'Crawls for each query, at most. Default: 3.' },
    theta: { value: 'SHARE', help: 'Overlap of two sets of start pages at which a query has converged. Default: 0.8.' },
    hits: { value: 'N', help: 'Hits of a query at which a crawl starts. Default: 10.' },
    ordering: { value: 'NAME', help: 'Order of links. Default: by the cosine of their page and the query.' },
    time: { value: 'TIME', help: 'Time for all crawls, shared by the queries: 6h, 90m.' },
    restart: { help: 'Drop an interrupted adaptation, instead of continuing it.' },
    undo: { help: 'Use the former collection again. A second time: the newer one.' },
    preview: { help: 'Print queries and cost; fetch and write nothing.' },
    contact: { value: 'MAIL', help: 'Address by which site owners reach you.' },
    set: { value: 'KEY=VALUE', repeats: true, help: 'Any setting, such as --set network.delayMs=1s.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo adapt bikes --preview', 'Shows the queries of the log that it would adapt to, and the cost.'],
    ['bingo adapt bikes --time 6h', 'Run it at night. An interrupted run continues with the same command.'],
    ['bingo adapt bikes --queries wishes.txt --pages 2000', 'Adapts to queries of your own.'],
    ['bingo adapt bikes --undo', 'Back to the collection before.'],
  ],
  notes: [
    'For each query, crawls start at its best hits and at pages that link to them. Then the new pages are searched, and the next crawl ' +
      'starts at their hits, until the hits stay the same. See bingo help adapt.',
    'Searches answer from the old collection until the new one is whole; then bingo serve uses it at once. Examples, archetypes and marked ' +
      'pages are fetched again. Other pages that no crawl reaches are left out. The former collection is kept until the next adaptation.',
  ],
  run: runAdapt,
};

/** Flags that choose what an adaptation does, as they were given. */
function chosen(args: Args): string {
  const flags = ['queries', 'sample', 'count', 'pages', 'iterations', 'theta', 'hits', 'ordering', 'time'];
  return flags.flatMap((flag) => args.values(flag).map((value) => ` --${flag} ${quoted(value)}`)).join('');
}

async function runAdapt(args: Args, io: Io): Promise<number> {
  const [dir = ''] = args.positionals;
  const choice = choiceOf(args);
  if (args.has('undo')) return await undo(dir, args, io);
  if (args.has('preview')) {
    const plan = await planAdaptation(loadForReading(dir, io), choice);
    await io.out(args.has('json') ? `${safeJson(plan)}\n` : `${planLines(plan, io.columns()).join('\n')}\n`);
    if (!args.has('json')) io.err(`Nothing was fetched. Next: bingo adapt ${quoted(dir)}${chosen(args)}\n`);
    return EXIT.done;
  }
  const time = args.value('time');
  const timeMs = time === undefined ? 0 : readTime(withUnit(time));
  const flags = new Map(args.values('set').map(splitAssignment));
  const contact = args.value('contact');
  if (contact !== undefined) flags.set('network.contact', contact);
  const workspace = loadWorkspace(dir, { flags, env: io.env });
  const stopping = new AbortController();
  const handBack = io.onInterrupt(() => {
    if (stopping.signal.aborted) io.exit(EXIT.stopped);
    io.err('Stopping; pages in flight are finished. Ctrl-C again ends at once.\n');
    stopping.abort();
  });
  try {
    const onEvent = reporter(io);
    const options = { ...choice, timeMs, restart: args.has('restart'), signal: stopping.signal, onEvent };
    const summary = await adaptWorkspace(workspace, options);
    if (args.has('json')) await io.out(`${safeJson(summary)}\n`);
    else io.err(summaryText(summary, dir));
    return summary.isReplaced ? EXIT.done : EXIT.stopped;
  } finally {
    handBack();
  }
}

async function undo(dir: string, args: Args, io: Io): Promise<number> {
  const pages = await undoAdaptation(loadForReading(dir, io));
  if (args.has('json')) await io.out(`${safeJson({ pages })}\n`);
  io.err(
    `The former collection is in use again: ${counted(pages, 'page')}.\nNext: bingo search ${quoted(dir)} "words"\n`,
  );
  return EXIT.done;
}

function choiceOf(args: Args): AdaptChoice {
  const number = (flag: string): number | undefined =>
    args.has(flag) ? readCount(`--${flag}`, args.value(flag), 1, { max: 100_000_000 }) : undefined;
  const file = args.value('queries');
  const named = args.value('sample');
  const sample = SAMPLES.find((known) => known === named);
  if (named !== undefined && sample === undefined)
    throw new UsageError(`Expected --sample ${SAMPLES.join(' or --sample ')}, got "${named}".`);
  return {
    ...(file !== undefined && { queries: readTextFile(file).split('\n') }),
    ...{ sample, ordering: orderingOf(args.value('ordering')), theta: thetaOf(args.value('theta')) },
    ...{ count: number('count'), pages: number('pages'), iterations: number('iterations'), hits: number('hits') },
  };
}

function orderingOf(name: string | undefined): OrderingName | undefined {
  if (name === undefined || ORDERINGS.some((known) => known === name)) return name;
  throw new UsageError(
    `Unknown ordering: ${name}.`,
    didYouMean(name, ORDERINGS) ?? `Known are ${ORDERINGS.join(', ')}.`,
  );
}

function thetaOf(text: string | undefined): number | undefined {
  const theta = Number(text);
  if (text === undefined || (theta > 0 && theta <= 1)) return text === undefined ? undefined : theta;
  throw new UsageError(`--theta takes a number above 0, at most 1, got "${text}".`);
}

function readTime(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new UsageError(`--time takes a time such as 90m or 6h, got "${text}".`);
}

function planLines(
  { queries, pages, pagesPerQuery, trainingPages, bytes, ms, isResumed }: AdaptPlan,
  width: number,
): string[] {
  const columns = [
    { title: 'share', align: 'right' as const },
    { title: 'stands for', align: 'right' as const },
    { title: 'query' },
  ];
  const rows = queries.map(({ share, stands, query }) => [percent(share), count(stands), query]);
  return [
    ...(isResumed ? ['An interrupted adaptation would continue; --restart drops it.', ''] : []),
    ...table(columns, rows, width),
    '',
    `At most ${counted(pages, 'page')}, ${count(pagesPerQuery)} for each query, and ${counted(trainingPages, 'training page')}.`,
    ...(bytes === null ? [] : [`Disk: about ${formatSize(bytes)} more until the collection before it is deleted.`]),
    ...(ms === null
      ? []
      : [
          `Time: about ${formatDuration(Math.max(1, Math.round(ms / 60_000)) * 60_000)}, at the speed of the last crawl.`,
        ]),
  ];
}

/** Prints what an adaptation reports. */
function reporter(io: Io): (event: AdaptEvent) => void {
  const say = tellNowAndThen(io);
  const line = (text: string): void => io.err(`${sanitizeForTerminal(text)}\n`);
  return (event) => {
    if (event.kind === 'planned') {
      const what = event.isResumed ? 'Continuing the interrupted adaptation' : 'Adapting';
      line(`${what} to ${counted(event.queries.length, 'query')}, at most ${counted(event.pages, 'page')}.`);
    } else if (event.kind === 'query') {
      const { number, of, query, iteration, starts, overlap } = event;
      const same = overlap === undefined ? '' : `, ${percent(overlap)} as before`;
      line(`${number}/${of} "${query}", crawl ${iteration}: starts at ${counted(starts, 'page')}${same}.`);
    } else if (event.kind === 'query-ended' && event.why === 'no hits') line(`"${event.query}" has no hits; skipped.`);
    else if (event.kind === 'query-ended' && event.why === 'time') line(`The time for "${event.query}" is up.`);
    else if (event.kind === 'progress') say(`${count(event.pages)} of ${counted(event.of, 'page')}`);
    else if (event.kind === 'alarm') line(`${event.message} ${event.remedy}`);
    else if (event.kind === 'judged') say(`Judged ${count(event.pages)} of ${counted(event.of, 'page')}`);
  };
}

const SHOWN_MARKS = 5;

function summaryText(summary: AdaptSummary, dir: string): string {
  const { isReplaced, pages, newPages, relevant, queries, lostMarks, standing } = summary;
  const place = quoted(dir);
  if (!isReplaced)
    return `Stopped with ${counted(pages, 'page')}. Searches still use the old collection. Next: bingo adapt ${place}\n`;
  const converged = queries.filter(({ ended }) => ended === 'converged').length;
  const marks = lostMarks.slice(0, SHOWN_MARKS).map((key) => `  ${key}`);
  const lines = [
    '',
    `The new collection is in use: ${counted(pages, 'page')}, ${count(newPages)} of them new, ${count(relevant)} relevant.`,
    `${count(converged)} of ${counted(queries.length, 'query')} converged.`,
    ...(lostMarks.length === 0 ? [] : [`Marked pages that could not be fetched: ${count(lostMarks.length)}`, ...marks]),
  ].map(sanitizeForTerminal);
  const next = `Next: bingo search ${place} "words". To go back: bingo adapt ${place} --undo`;
  return `${lines.join('\n')}\n${standingText(standing, dir)}${next}\n`;
}
