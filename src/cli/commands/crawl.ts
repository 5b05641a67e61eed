import { type CrawlEvent, InputError, type Steer, type StopReason, UsageError } from '../../core/index.ts';
import type { RecheckPlan } from '../../engine/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import {
  addServiceSeeds,
  type CrawlPlace,
  type CrawlPlan,
  type CrawlWarning,
  describeMistakes,
  loadWorkspace,
  quoted,
  ReviewSession,
  readSpread,
  recheckPlan,
  SERVICE_FORMS,
  sanitizeForTerminal,
  showAddress,
  splitAssignment,
  type Workspace,
  withCrawlStore,
  withLearnShare,
  withOpenStore,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { makeReporter } from '../crawl/crawl-reporter.ts';
import { type Continuation, summaryRow, summaryText } from '../crawl/crawl-summary.ts';
import { fitsDashboard, holdingKeys, openDashboardReporter } from '../crawl/dashboard-reporter.ts';
import { keepLines } from '../crawl/keep-lines.ts';
import { finishRecording, openRecording, type RecordingFiles, recordingFiles } from '../crawl/recording.ts';
import { sameAgain } from '../crawl/repeat-command.ts';
import { crawlReported } from '../crawl/run-crawl.ts';
import { standingText } from '../crawl/standing-text.ts';
import { judgedLine } from '../judging/after-crawl.ts';
import { watchOn } from '../judging/judging.ts';
import { readCount } from '../read-count.ts';
import { withUnit } from '../read-time.ts';
import type { Reviewed } from '../review/review-lines.ts';
import { workOn } from './work.ts';

const ONLY = ['learn', 'harvest'] as const;

/** Flags that set settings. */
const SETTING_FLAGS: Readonly<Record<string, string>> = {
  budget: 'crawl.budget',
  time: 'crawl.timeMs',
  learn: 'crawl.learn',
  ordering: 'crawl.ordering',
  proxy: 'network.proxy',
  contact: 'network.contact',
  source: 'archive.source',
  'search-service': 'network.searchService',
};

export const crawl: Command = {
  name: 'crawl',
  summary: 'Learn from the examples, then harvest; or continue the last run.',
  positionals: ['[DIR]'],
  flags: {
    budget: { value: 'N', help: 'Total number of pages to fetch, including earlier runs.' },
    time: { value: 'TIME', help: 'Stop after this time: 90m, 30s, 2h.' },
    learn: { value: 'N', help: 'Pages of the learning phase. Default: crawl.learn, at most a tenth of the budget.' },
    only: { value: 'PHASE', help: '"learn" stops after learning, "harvest" skips learning.' },
    review: {
      help: 'Stop before harvesting to review the training pages.',
    },
    ask: { value: 'N', help: 'Questions about pages per topic while crawling. Default: 8 on a terminal, else 0.' },
    ordering: { value: 'NAME', help: 'Order in which links are fetched, such as breadth-first.' },
    recheck: {
      help: 'Fetch due pages again to find changes. With --budget, then continue the crawl.',
    },
    'recheck-all': { help: 'Recheck all of them, even if not due.' },
    fast: { help: 'Harvest with only the classifier of the best estimate, instead of all in learn.spaces.' },
    feeds: { help: 'Also follow the feeds that pages name in their head.' },
    'search-service': {
      value: 'NAME',
      help: `First add start pages to each topic, from ${SERVICE_FORMS}.`,
    },
    sitemaps: { help: 'Also read the sitemaps of the sites of examples and seeds.' },
    proxy: { value: 'URL', help: 'HTTP proxy for all requests, such as that of "bingo lab serve".' },
    contact: { value: 'MAIL', help: 'Address by which site owners reach you.' },
    source: {
      value: 'SOURCE',
      help: 'Where pages are from: live, archive (archive.files), wayback@DATE or commoncrawl@ID.',
    },
    set: { value: 'KEY=VALUE', repeats: true, help: 'Any setting, such as --set network.delayMs=1s.' },
    warc: { value: 'FILE', help: 'Record all requests and answers in a WARC file (.warc.gz or .warc); appends.' },
    wacz: { value: 'FILE', help: 'The same as a WACZ file with index and page list, for ReplayWeb.page.' },
    cdxj: { value: 'FILE', help: 'With --warc: also write a CDXJ index of the recording.' },
    details: { help: 'Also report rolled back rounds and topics without new archetypes.' },
    plain: { help: 'Plain lines instead of the dashboard, for screen readers and logs.' },
    json: {
      help: 'JSON lines on stdout: settings, stored pages, phases, alarms, and a summary.',
    },
  },
  elsewhere: {
    seed: 'Start pages are in bingo.yaml: the "seeds" of a topic, and its "examples", which are also learned from. The next run uses new ones.',
  },
  examples: [
    ['bingo crawl bikes --budget 500', 'Fetch 500 pages. After an interruption, the same command continues.'],
    ['bingo crawl bikes --budget 2000 --time 90m', 'Continue to 2,000 pages, for 90 minutes at most.'],
    ['bingo crawl bikes --only learn', 'Learn only.'],
    ['bingo crawl bikes --recheck', 'Run it every night, for example. Pages that change often are due more often.'],
    [
      'bingo crawl bikes --ask 3',
      'Ask at most three times per topic whether a page is on topic; the crawl never waits.',
    ],
    ['bingo crawl bikes --review', 'Learn, review the archetypes, then harvest.'],
    [
      "bingo crawl bikes --set 'crawl.exclude=[example.org/shop/, /login]'",
      'Exclude sites and folders; bingo.yaml accepts the same setting.',
    ],
    ['bingo crawl bikes --warc bikes.warc.gz', 'Record the traffic; "bingo lab serve" replays it.'],
    ['bingo crawl bikes --wacz bikes.wacz', 'Record the traffic as a web archive that a browser can open.'],
    ['bingo crawl bikes --search-service wikipedia:de', 'Also start at pages that Wikipedia finds for each topic.'],
    ['bingo crawl bikes --source wayback@2015-06-01', 'Crawl the web as it was: the captures closest to that day.'],
    ['bingo crawl bikes --json > pages.jsonl', 'For programs.'],
  ],
  notes: [
    'Ctrl-C finishes the pages in flight, saves, and ends with code 130. A second Ctrl-C ends at once. Everything reported ' +
      'as stored is safe, and the next run continues from there. An interrupted training round starts again. Closing the terminal ' +
      'has the same effect as Ctrl-C.',
    'On a terminal a dashboard appears; ? lists its keys. "bingo dashboard DIR" shows it in another terminal.',
    'With --json, the "kind" of a line is settings, page (fields as in bingo export), phase, alarm or summary. A summary has the ' +
      '"reason" of the end: budget, time, frontier-dry, rechecked, learned, stagnation, recall or stopped. "pages" counts against the ' +
      'budget, "fetched" includes seeds, "harvestRate" is "relevant" divided by "fetched", "waiting" counts waiting links.',
  ],
  run: runCrawl,
};

/** Flags for a crawl with one store. */
const ONE_STORE = ['only', 'review', 'ask', 'recheck', 'recheck-all', 'search-service', 'warc', 'wacz', 'cdxj'];

async function runCrawl(args: Args, io: Io): Promise<number> {
  if (readSpread(args.positionals[0]!) !== undefined) return await crawlSpread(args, io);
  const isOnScreen = !args.has('json') && !args.has('plain') && fitsDashboard(io);
  return await (isOnScreen ? holdingKeys(io, () => crawlWith(args, io)) : crawlWith(args, io));
}

/** Works on a spread crawl, as `bingo work` does. */
async function crawlSpread(args: Args, io: Io): Promise<number> {
  const dir = args.positionals[0]!;
  const refused = ONE_STORE.find((flag) => args.has(flag));
  if (refused !== undefined)
    throw new UsageError(
      `The crawl of ${dir} is spread: --${refused} needs one store.`,
      `First: bingo gather ${quoted(dir)}`,
    );
  const workspace = namingFlags(args, () => loadWorkspace(dir, { flags: settingFlags(args), env: io.env }));
  return await workOn(workspace, { dir, isJson: args.has('json') }, io);
}

async function crawlWith(args: Args, io: Io): Promise<number> {
  const dir = args.positionals[0]!;
  const only = readOnly(args.value('only'));
  const recording = recordingFiles(args);
  const wantsRecheck = args.has('recheck') || args.has('recheck-all');
  if (wantsRecheck && only === 'learn')
    throw new UsageError('--recheck requires harvesting; it cannot be combined with --only learn.');
  if (args.has('review') && only === 'harvest')
    throw new UsageError('--review requires learning; it cannot be combined with --only harvest.');
  const load = (): Workspace =>
    withLearnShare(
      namingFlags(args, () => loadWorkspace(dir, { flags: settingFlags(args), env: io.env })),
      only,
    );
  if (args.has('search-service')) await addFirstPages(load(), io);
  const warn = (warning: CrawlWarning): void => io.err(warningText(warning));
  return await withCrawlStore(load(), { again: `bingo crawl ${quoted(dir)}`, warn }, async (place) => {
    const { store, workspace } = place;
    for (const note of workspace.notes ?? []) io.err(`${note}\n`);
    const isOnly = !args.has('budget');
    const which = args.has('recheck-all') ? 'all' : 'due';
    const plan = wantsRecheck ? await recheckPlan(store, workspace, { which, isOnly, dir }) : undefined;
    if (plan !== undefined) io.err(planLine(plan));
    const options: RunOptions = {
      again: sameAgain(args),
      ...{ dir, load, recording },
      plan: {
        only,
        ...(plan && { recheck: plan.due, onlyRecheck: isOnly }),
        endWhen: 'alarms',
        ask: questionsOf(args, io),
      },
      json: args.has('json'),
      plain: args.has('plain'),
      details: args.has('details'),
    };
    const reason = await (args.has('review') ? runReviewed : runWith)(place, options, io);
    return reason === 'stopped' ? EXIT.stopped : EXIT.done;
  });
}

/** Asks the search service for start pages of each topic, and reports them. */
async function addFirstPages(workspace: Workspace, io: Io): Promise<void> {
  for (const { topic, query, pages } of await addServiceSeeds(workspace)) {
    const found = pages.length === 0 ? 'no new page' : pages.map(showAddress).join(', ');
    io.err(`Start pages of ${sanitizeForTerminal(topic)} for "${sanitizeForTerminal(query)}": ${found}\n`);
  }
}

/** Number of questions per topic that a user at a terminal gets; more help little (docs/quality.md). */
const QUESTIONS = 8;

/** Without a keyboard no user can answer, except in the dashboard of another terminal. */
function questionsOf(args: Args, { stdinIsTerminal, stderrIsTerminal }: Io): number {
  const isAttended = stdinIsTerminal && stderrIsTerminal && !args.has('json');
  return readCount('--ask', args.value('ask'), isAttended ? QUESTIONS : 0, { min: 0 });
}

function warningText({ code, message, remedy }: CrawlWarning): string {
  return code === 'no-contact' ? `${message}\n` : `${message} ${remedy}\n`;
}

interface RunOptions extends Continuation {
  readonly plan: Omit<CrawlPlan, 'recorder'>;
  readonly recording: RecordingFiles | undefined;
  readonly json: boolean;
  readonly plain: boolean;
  readonly details: boolean;
  /** Reloads bingo.yaml: a review may have added topics. */
  readonly load: () => Workspace;
  /** A review follows, which prints the next step. */
  readonly isReviewed?: boolean;
}

/** Trains, lets the user review the training pages, then harvests. Without a terminal, prints how to continue. */
async function runReviewed(place: CrawlPlace, options: RunOptions, io: Io): Promise<StopReason> {
  const { store, workspace } = place;
  if ((await store.status()).phase === 'harvesting') {
    io.err(`Learning has already ended. Review the training pages at any time: bingo review ${quoted(options.dir)}\n`);
    return await runWith(place, options, io);
  }
  const again = `${options.again} --review`;
  const learning: RunOptions = { ...options, again, plan: { ...options.plan, only: 'learn' }, isReviewed: true };
  const reason = await runWith(place, learning, io);
  const isLearned = reason === 'learned' && (await store.status()).phase === 'learning';
  if (!isLearned || options.plan.only === 'learn') return reason;
  const { dir } = options;
  if (options.json || options.plain || !fitsDashboard(io)) {
    io.err(reviewSteps(quoted(dir), options.again));
    return reason;
  }
  const { reviewOnScreen } = await import('../review/review-on-screen.ts');
  let reviewed: Reviewed | undefined;
  do {
    const opened = { store, workspace: reviewed === undefined ? workspace : options.load() };
    const { news, madeTopic }: Partial<Reviewed> = reviewed ?? {};
    reviewed = await withOpenStore({ ...opened, watch: watchOn(io), isCrawlRunning: false }, (session) =>
      reviewOnScreen({ io, dir, review: new ReviewSession(session, { dir }) }, { news, madeTopic }),
    );
  } while (reviewed.end === 'applied');
  if (reviewed.end === 'stopped') return 'stopped';
  if (reviewed.end === 'broken off') {
    io.err(reviewSteps(quoted(dir), options.again));
    return 'stopped';
  }
  // Pages due for a recheck were visited in the first part.
  const { only, endWhen, ask } = options.plan;
  return await runWith({ ...place, workspace: options.load() }, { ...options, plan: { only, endWhen, ask } }, io);
}

function reviewSteps(dir: string, again: string): string {
  return [
    '',
    'Learning has ended. Review the training pages, then continue:',
    `  bingo review ${dir}`,
    '      page by page; with --plain in plain lines',
    `  bingo review ${dir} --export review.csv`,
    '      in a spreadsheet; --apply takes it back',
    `  ${again}`,
    '      harvest',
    '',
  ].join('\n');
}

/** @returns why it ended */
async function runWith(place: CrawlPlace, options: RunOptions, io: Io): Promise<StopReason> {
  const { store, workspace } = place;
  const { recording } = options;
  const recorder = recording && (await openRecording(recording, workspace.config, io));
  const steers: Steer[] = [];
  const dashboard =
    !options.json && !options.plain && fitsDashboard(io)
      ? await openDashboardReporter(store, workspace, io)
      : undefined;
  const reporter = dashboard ?? makeReporter(io, options.json, options);
  const onEvent = (event: CrawlEvent): void => {
    if (event.kind === 'steer') steers.push(event.record.command);
    reporter.onEvent(event);
  };
  const run = { place, dashboard, reporter, onEvent, only: options.plan, recorder };
  const { summary, found, judged, standing = [] } = await crawlReported(run, io).finally(() => recorder?.close());
  io.err(judgedLine(judged));
  if (options.json)
    await io.out(`${safeJson({ ...summaryRow(summary, found), ...(standing.length > 0 && { standing }) })}\n`);
  else if (!options.isReviewed || summary.reason !== 'learned')
    io.err(
      standingText(standing, options.dir) + summaryText(summary, found, options, io) + keepLines(steers).join('\n'),
    );
  if (recording !== undefined && recorder !== undefined) {
    const recorded = await finishRecording(recording, recorder, place);
    if (!options.json) io.err(recorded);
  }
  return summary.reason;
}

function readOnly(text: string | undefined): 'learn' | 'harvest' | undefined {
  const only = ONLY.find((phase) => phase === text);
  if (text === undefined || only !== undefined) return only;
  throw new UsageError(`Expected --only ${ONLY.join(' or --only ')}, got "${text}".`);
}

function settingFlags(args: Args): ReadonlyMap<string, string> {
  const flags = new Map(args.values('set').map(splitAssignment));
  if (args.has('fast')) flags.set('learn.metaHarvesting', 'best');
  if (args.has('sitemaps')) flags.set('crawl.sitemaps', 'true');
  if (args.has('feeds')) flags.set('crawl.feeds', 'true');
  for (const [flag, key] of Object.entries(SETTING_FLAGS)) {
    const value = args.value(flag);
    if (value !== undefined) flags.set(key, flag === 'time' ? withUnit(value) : value);
  }
  return flags;
}

/** Names the flag that the user typed in errors about settings. */
function namingFlags<T>(args: Args, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const typed = new Map(
      Object.entries(SETTING_FLAGS).flatMap(([flag, key]) => (args.has(flag) ? [[key, flag]] : [])),
    );
    const mistakes = error.mistakes.map((mistake) => {
      const flag = mistake.file === 'command line' ? typed.get(mistake.key ?? '') : undefined;
      return flag === undefined ? mistake : { ...mistake, key: `--${flag}` };
    });
    throw new InputError(describeMistakes(mistakes.length), mistakes);
  }
}

/** Describes the planned recheck. */
function planLine({ due, pages, keptOut, nextAt }: RecheckPlan): string {
  const next = Number.isFinite(nextAt) ? new Date(nextAt).toISOString().slice(0, 10) : undefined;
  const left = keptOut === 0 ? '' : ` ${counted(keptOut, 'stored page')} skipped (crawl.exclude, crawl.include).`;
  if (due.length === 0) {
    const when = next === undefined ? '' : ` before ${next}`;
    return `No page is due for a recheck${when}.${left} --recheck-all rechecks all of them now.\n`;
  }
  const others = next === undefined ? '' : ` The next one is due on ${next}.`;
  return `Rechecking ${count(due.length)} of ${counted(pages, 'page')}.${others}${left}\n`;
}
