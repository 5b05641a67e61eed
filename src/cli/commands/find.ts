import { topicTree, UsageError } from '../../core/index.ts';
import { readQuery } from '../../postprocess/index.ts';
import {
  FindSession,
  openSearch,
  parseOthers,
  quoted,
  readPageFilter,
  readTextFile,
  readWeights,
  refuseTopics,
  SERVICE_FORMS,
  type ServiceResult,
  sanitizeForTerminal,
  showAddress,
  splitAssignment,
  truncate,
  type Workspace,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { fitsDashboard, holdingKeys } from '../crawl/dashboard-reporter.ts';
import { checkExplore, explore } from '../crawl/explore.ts';
import { workOn } from '../find/find-loop.ts';
import { FindScreen } from '../find/find-session.ts';
import { Lines } from '../lines.ts';
import { readCount } from '../read-count.ts';
import { withUnit } from '../read-time.ts';
import { pageFilterOptions, SEARCH_FLAGS, searchOptions } from '../search/search-flags.ts';

const LIMIT = 10;

export const find: Command = {
  name: 'find',
  summary: 'Find pages for a query: learn from it, crawl, answer, and learn from your marks.',
  positionals: ['QUERY...'],
  flags: {
    seed: {
      value: 'URL',
      greedy: true,
      help: 'Pages on the subject, to learn from and start at. You can add more later.',
    },
    'search-service': {
      value: 'NAME',
      help: `Search for first pages: ${SERVICE_FORMS}. Also network.searchService.`,
    },
    time: { value: 'TIME', help: 'Time to crawl. Default: 10m.' },
    budget: { value: 'N', help: 'Pages to fetch. Default: 1000.' },
    keep: { value: 'DIR', help: 'Folder of the workspace. Default: named after the words, in your data folder.' },
    others: {
      value: 'FILE',
      help: 'File of unwanted pages, one URL per line. Default: about fifty everyday subjects.',
    },
    explore: { help: 'First fetch 60 pages, and answer ten questions about them.' },
    rank: SEARCH_FLAGS.rank!,
    limit: { value: 'N', help: `Answers shown. Default: ${LIMIT}.` },
    contact: { value: 'MAIL', help: 'Address by which site owners reach you.' },
    proxy: { value: 'URL', help: 'HTTP proxy for all requests.' },
    set: { value: 'KEY=VALUE', repeats: true, help: 'Any setting, such as --set network.delayMs=1s.' },
    plain: { help: 'Plain lines instead of the dashboard.' },
    json: { help: 'One JSON object on stdout: counts and answers. Asks no questions.' },
  },
  examples: [
    [
      'bingo find "aries recovery algorithm" --seed https://en.wikipedia.org/wiki/ARIES',
      'Learns, crawls ten minutes, answers.',
    ],
    ['bingo find "aries recovery algorithm" --search-service wikipedia:en', 'First pages from a search in Wikipedia.'],
    ['bingo find "aries recovery algorithm" --search-service searxng:http://localhost:8888', 'From your own SearXNG.'],
    ['bingo find "aries recovery algorithm" --budget 500 --json < /dev/null', 'For programs.'],
  ],
  notes: [
    'Bingo learns from the query and the pages. On a terminal you then mark answers good or bad. Bingo learns ' +
      'from each mark at once, judges all pages again and shows the new order. It crawls more if you ask. The same command continues ' +
      'later where you stopped. All other commands work on the folder too.',
    'Addresses among the words are seeds, like those of --seed. The words site:, type:, since:, until: and title: narrow ' +
      'the answers, as in bingo search, but not the crawl.',
    'The search service may run on this machine. Bingo fetches the pages that it names ' +
      'by the rules of every crawl. BINGO_NETWORK_SEARCH_SERVICE and BINGO_NETWORK_CONTACT set defaults.',
  ],
  run: runFind,
};

async function runFind(args: Args, io: Io): Promise<number> {
  const isOnScreen = !args.has('json') && !args.has('plain') && fitsDashboard(io);
  return await (isOnScreen ? holdingKeys(io, () => findWith(args, io)) : findWith(args, io));
}

async function findWith(given: Args, io: Io): Promise<number> {
  const [query, args] = withNamedPages(given, io);
  const limit = readCount('--limit', args.value('limit'), LIMIT);
  if (args.has('rank')) readWeights(args.value('rank')!);
  checkOperators(query, args);
  if (args.has('explore')) checkExplore(io);
  const isTalking = io.stdinIsTerminal && io.stderrIsTerminal && io.stdoutIsTerminal && !args.has('json');
  const lines = new Lines(io);
  const workspace = await openSearch({
    ...{ query, keep: args.value('keep'), seeds: args.values('seed'), asksService: args.has('search-service') },
    ...{ others: listedOthers(args.value('others')), flags: findSettings(args), env: io.env },
    choose: async (results) => {
      io.err(`${results.map((result, i) => resultLine(result, i, io)).join('')}\n`);
      return isTalking ? await chooseResults(results.length, lines, io) : [...results.keys()];
    },
    onNews: (news) =>
      io.err(
        news.kind === 'asking'
          ? `Asking ${sanitizeForTerminal(news.service)} …\n`
          : `New to learn from and to start at: ${news.pages.join(', ')}.\n`,
      ),
  });
  if (workspace === undefined) return EXIT.stopped;
  if (args.has('explore')) await explore(workspace, `bingo find ${quoted(query)} --explore`, io);
  const options = searchOptions(args);
  const session = new FindSession({ workspace, query, limit, rank: args.value('rank'), options, env: io.env });
  const screen = new FindScreen({ session, query, args, io, isTalking });
  const crawled = await screen.crawl();
  if (args.has('json')) await screen.tell(crawled);
  else await screen.show();
  if (isTalking) await workOn(screen, lines, io);
  if (!args.has('json')) io.err(nextSteps(workspace, query, screen));
  return crawled.summary.reason === 'stopped' && !isTalking ? EXIT.stopped : EXIT.done;
}

/** Flags that set settings. */
const SETTING_FLAGS: Readonly<Record<string, string>> = {
  budget: 'crawl.budget',
  time: 'crawl.timeMs',
  contact: 'network.contact',
  proxy: 'network.proxy',
  'search-service': 'network.searchService',
};

/** Returns the settings that flags set. */
function findSettings(args: Args): ReadonlyMap<string, string> {
  const flags = new Map(args.values('set').map(splitAssignment));
  for (const [flag, key] of Object.entries(SETTING_FLAGS)) {
    const value = args.value(flag);
    if (value !== undefined) flags.set(key, flag === 'time' ? withUnit(value) : value);
  }
  return flags;
}

function listedOthers(file: string | undefined): ReturnType<typeof parseOthers> | undefined {
  return file === undefined ? undefined : parseOthers(readTextFile(file), file);
}

function resultLine({ url, title }: ServiceResult, index: number, io: Io): string {
  const width = Math.max(20, Math.min(100, io.screen().columns) - 6);
  const name = title === '' ? [] : [truncate(sanitizeForTerminal(title), width)];
  const lines = [...name, truncate(showAddress(url), width)];
  return `${String(index + 1).padStart(4)}  ${lines.join('\n      ')}\n`;
}

/** Treats URLs among the words as start pages whose flag was forgotten: no search matches words of a URL. */
function withNamedPages(args: Args, io: Io): readonly [query: string, args: Args] {
  const words = args.positionals[0]!.trim().split(/\s+/);
  const pages = words.filter((word) => /^https?:\/\/[^\s"“”„«»]+$/i.test(word));
  if (pages.length === 0) return [args.positionals[0]!.trim(), args];
  const query = words.filter((word) => !pages.includes(word)).join(' ');
  if (query === '')
    throw new UsageError(
      'The query has addresses but no words.',
      `bingo find WORDS --seed ${pages.map(quoted).join(' ')}`,
    );
  io.err(
    `Using ${pages.length === 1 ? 'this address as a seed' : 'these addresses as seeds'}, like --seed: ${pages.map(showAddress).join(', ')}\n`,
  );
  const values = (flag: string): readonly string[] =>
    flag === 'seed' ? [...args.values('seed'), ...pages] : args.values(flag);
  return [query, { ...args, positionals: [query], values, has: (flag) => values(flag).length > 0 || args.has(flag) }];
}

/** Reports mistakes in a query before the crawl, not after it. */
function checkOperators(query: string, args: Args): void {
  refuseTopics(query);
  readPageFilter(pageFilterOptions(args), topicTree([], []), readQuery(query).filters);
}

/** Asks which pages of a search service become examples. */
async function chooseResults(count: number, lines: Lines, io: Io): Promise<readonly number[] | undefined> {
  for (;;) {
    const line = await lines.ask('Learn from which? Numbers, Enter for all, q to cancel: ');
    if (line === undefined || /^\s*q/i.test(line)) return undefined;
    const places = line.split(/[\s,]+/).filter((word) => word !== '');
    if (places.length === 0) return Array.from({ length: count }, (_, i) => i);
    const chosen = places.map(Number);
    if (chosen.every((place) => Number.isInteger(place) && place >= 1 && place <= count))
      return chosen.map((n) => n - 1);
    io.err(`They are numbered 1 to ${count}.\n`);
  }
}

function nextSteps({ dir }: Workspace, query: string, screen: Pick<FindScreen, 'nextBudget' | 'isBarren'>): string {
  const place = quoted(dir);
  const more = screen.nextBudget === undefined ? '' : ` --budget ${screen.nextBudget}`;
  return [
    `Everything is kept in ${place}.`,
    `  bingo find ${quoted(query)} --keep ${place}${screen.isBarren ? ' --seed URL' : ''}${more}`,
    screen.isBarren ? '      continue from other pages on the subject' : '      continue the crawl',
    `  bingo search ${place} "words"`,
    '      ask for other words',
    `  bingo why ${place} URL`,
    '      how a page was found, and why it is there',
    '',
  ].join('\n');
}
