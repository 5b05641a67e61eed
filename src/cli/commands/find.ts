import { join } from 'node:path';
import { BingoError, count, counted, safeJson, type TopicId, topicTree, UsageError } from '../../core/index.ts';
import type { CrawlSummary } from '../../engine/index.ts';
import { type Query, readQuery } from '../../postprocess/index.ts';
import { openStore, type Store, type StoreStatus } from '../../store/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { checkContact } from '../crawl/contact.ts';
import { makeReporter, SILENT } from '../crawl/crawl-reporter.ts';
import { barrenLines, NOT_RESUMED, REASONS } from '../crawl/crawl-summary.ts';
import { elapsed } from '../crawl/crawl-view.ts';
import { fitsDashboard, openDashboardReporter } from '../crawl/dashboard-reporter.ts';
import { failureLines } from '../crawl/failure-lines.ts';
import { type FindTable, Lines, workOn } from '../find/find-loop.ts';
import { openSearch } from '../find/find-workspace.ts';
import { countWhole, type WholeMatches, wholeText } from '../find/whole-matches.ts';
import { judgeAfterCrawl } from '../judging/after-crawl.ts';
import { readCount } from '../read-count.ts';
import { withStore } from '../reading.ts';
import {
  type LocalAnswer,
  type LocalSearch,
  readSearch,
  readWeights,
  SEARCH_FLAGS,
  searchContext,
  searchPages,
  surestPages,
} from '../search/local-search.ts';
import { readPageFilter } from '../search/page-filter.ts';
import { resultRow, resultText } from '../search/result-text.ts';
import { quoted } from '../shell-words.ts';
import { sanitizeForTerminal, showAddress } from '../terminal.ts';
import { claimWorkspace, WORKSPACE_FILE, type Workspace, withLearnShare } from '../workspace/workspace.ts';
import { runReported } from './crawl.ts';

const LIMIT = 10;

export const find: Command = {
  name: 'find',
  summary: 'A needle in a haystack, in one line: learn from a query, crawl, answer, learn from marks.',
  positionals: ['QUERY...'],
  flags: {
    seed: {
      value: 'URL',
      greedy: true,
      help: 'Pages on the subject, to learn from and to start at. A search that has begun takes more of them.',
    },
    'search-service': {
      value: 'NAME',
      help: 'Where else first pages come from: searxng:URL, wikipedia:LANGUAGE, file:PATH. Also network.searchService.',
    },
    time: { value: 'TIME', help: 'How long to crawl. Default: 10m.' },
    budget: { value: 'N', help: 'Pages to fetch. Default: 1000.' },
    keep: { value: 'DIR', help: 'Folder of the workspace. Default: one by the words, among your data files.' },
    others: {
      value: 'FILE',
      help: 'Pages that are not wanted, one URL a line. Default: about fifty everyday subjects.',
    },
    rank: SEARCH_FLAGS.rank!,
    limit: { value: 'N', help: `Answers shown. Default: ${LIMIT}.` },
    contact: { value: 'MAIL', help: 'How site owners reach you.' },
    proxy: { value: 'URL', help: 'HTTP proxy for all requests.' },
    set: { value: 'KEY=VALUE', repeats: true, help: 'Any setting, such as --set network.delayMs=1s.' },
    plain: { help: 'Plain lines instead of the dashboard.' },
    json: { help: 'One JSON object on stdout: what was fetched, and the answers. Asks nothing.' },
  },
  examples: [
    [
      'bingo find "aries recovery algorithm" --seed https://en.wikipedia.org/wiki/ARIES',
      'Learn, crawl ten minutes, answer.',
    ],
    ['bingo find "aries recovery algorithm" --search-service wikipedia:en', 'First pages from a search in Wikipedia.'],
    ['bingo find "aries recovery algorithm" --search-service searxng:http://localhost:8888', 'From your own SearXNG.'],
    ['bingo find "aries recovery algorithm" --budget 500 --json < /dev/null', 'For programs.'],
  ],
  notes: [
    'The query is a document to learn from, beside the pages. On a terminal you then mark answers good or bad: Bingo learns ' +
      'from that at once, judges all pages again and shows the new order; it crawls on when you ask. The same line goes on ' +
      'later where you stopped, and every other command works on the folder too.',
    'Addresses among the words are pages to begin with, like those of --seed. site:, type:, since:, until: and title: among them narrow ' +
      'the answers, as in bingo search, not the crawl.',
    'A search service is asked from here as you name it, on this machine if you like; the pages that it names are fetched ' +
      'by the rules of every crawl. BINGO_NETWORK_SEARCH_SERVICE and BINGO_NETWORK_CONTACT save typing.',
  ],
  run: runFind,
};

async function runFind(given: Args, io: Io): Promise<number> {
  const [query, args] = withNamedPages(given, io);
  const limit = readCount('--limit', args.value('limit'), LIMIT);
  if (args.has('rank')) readWeights(args.value('rank')!);
  checkOperators(readQuery(query), args);
  const isTalking = io.stdinIsTerminal && io.stderrIsTerminal && io.stdoutIsTerminal && !args.has('json');
  const lines = new Lines(io);
  const workspace = await openSearch(query, args, io, (results) =>
    isTalking ? chooseResults(results.length, lines, io) : Promise.resolve([...results.keys()]),
  );
  if (workspace === undefined) return EXIT.stopped;
  const session = new FindSession({ query, limit, args, io, workspace });
  const { summary, status } = await session.crawl();
  if (args.has('json')) await session.tell(summary, status);
  else await session.show();
  if (isTalking) await workOn(session, lines, io);
  if (!args.has('json')) io.err(nextSteps(workspace, query, session));
  return summary.reason === 'stopped' && !isTalking ? EXIT.stopped : EXIT.done;
}

/** Addresses among the words are pages to begin with, whose flag was forgotten: no page is found by words of an address. */
function withNamedPages(args: Args, io: Io): readonly [query: string, args: Args] {
  const words = args.positionals[0]!.trim().split(/\s+/);
  const pages = words.filter((word) => /^https?:\/\/[^\s"“”„«»]+$/i.test(word));
  if (pages.length === 0) return [args.positionals[0]!.trim(), args];
  const query = words.filter((word) => !pages.includes(word)).join(' ');
  if (query === '')
    throw new UsageError(
      'There are pages to begin with, but no words.',
      `bingo find WORDS --seed ${pages.map(quoted).join(' ')}`,
    );
  io.err(
    `Taken for ${pages.length === 1 ? 'a page' : 'pages'} to begin with, like --seed: ${pages.map(showAddress).join(', ')}\n`,
  );
  const values = (flag: string): readonly string[] =>
    flag === 'seed' ? [...args.values('seed'), ...pages] : args.values(flag);
  return [query, { ...args, positionals: [query], values, has: (flag) => values(flag).length > 0 || args.has(flag) }];
}

/** What is wrong with a question is told before the crawl, not after it. */
function checkOperators(query: Query, args: Args): void {
  refuseTopics(query);
  readPageFilter(args, topicTree([], []), query.filters);
}

function refuseTopics({ filters }: Query): void {
  if (filters.some(({ name }) => name === 'topic'))
    throw new UsageError('topic: is nothing to ask here: a search has one topic, its own.', 'bingo search takes it.');
}

/** Asks which of the pages of a search service to learn from. */
async function chooseResults(count: number, lines: Lines, io: Io): Promise<readonly number[] | undefined> {
  for (;;) {
    const line = await lines.ask('Learn from which? Numbers, Enter for all, q to call it off: ');
    if (line === undefined || /^\s*q/i.test(line)) return undefined;
    const places = line.split(/[\s,]+/).filter((word) => word !== '');
    if (places.length === 0) return Array.from({ length: count }, (_, i) => i);
    const chosen = places.map(Number);
    if (chosen.every((place) => Number.isInteger(place) && place >= 1 && place <= count))
      return chosen.map((n) => n - 1);
    io.err(`They are numbered 1 to ${count}.\n`);
  }
}

/** How a crawl went, and what is stored after it. */
interface Crawled {
  readonly summary: CrawlSummary;
  readonly status: StoreStatus;
  /** Whether a page is stored that could be an answer: one that was found, or a first page. */
  readonly isSearchable: boolean;
}

interface FindParts {
  readonly query: string;
  readonly limit: number;
  readonly args: Args;
  readonly io: Io;
  readonly workspace: Workspace;
}

/** One search: the workspace, what is asked of it, and the answers as they are shown. */
class FindSession implements FindTable {
  readonly workspace: Workspace;
  readonly #parts: FindParts;
  #words: string;
  #rank: string | undefined;
  #limit: number;
  #answer: LocalAnswer = { results: [], matches: 0, unchecked: 0, ended: 0 };
  /** Of the results, the last so many are without the words. */
  #without = 0;
  #whole: WholeMatches = { accepted: 0, rejected: 0 };
  #budget: number;
  #isSpent = false;
  #isBarren = false;
  #notes: readonly string[] = [];

  constructor(parts: FindParts) {
    this.workspace = parts.workspace;
    this.#parts = parts;
    this.#words = parts.query;
    this.#rank = parts.args.value('rank');
    this.#limit = parts.limit;
    this.#budget = parts.workspace.config.crawl.budget;
  }

  /** The budget to go on with; `undefined` while some of it is left. */
  get nextBudget(): number | undefined {
    return this.#isSpent ? this.#budget : undefined;
  }

  /** The last crawl found nothing more for so long that it need not go on as it did. */
  get isBarren(): boolean {
    return this.#isBarren;
  }

  get results(): LocalAnswer['results'] {
    return this.#answer.results;
  }

  async more(): Promise<void> {
    this.#limit += this.#parts.limit;
    await this.show();
  }

  async show(change: { readonly words?: string; readonly rank?: string } = {}): Promise<void> {
    const { io } = this.#parts;
    // Only once it is understood does it stand for what comes after.
    const words = change.words ?? this.#words;
    const rank = change.rank ?? this.#rank;
    this.#answer = await this.#ask(words, rank);
    [this.#words, this.#rank] = [words, rank];
    await io.out(resultText(this.results, io));
    io.err(this.#notes.map((note) => `${sanitizeForTerminal(note)}\n`).join(''));
    io.err(this.#shownText());
  }

  #shownText(): string {
    const { matches } = this.#answer;
    const shown = this.results.length;
    const shownFor = { matches, limit: this.#limit, words: this.#words, dir: this.workspace.dir };
    const { share, below } = wholeText(this.#whole, shownFor);
    if (shown === 0) return `No accepted page has these words. Other words, or more pages, may help.\n${below}`;
    const surest = `the ${count(this.#without)} surest without them`;
    if (matches === 0) return `No accepted page has these words. Shown: ${surest}.\n${below}`;
    const without = this.#without > 0 ? `, then ${surest}` : '';
    return `${count(shown - this.#without)} of ${counted(matches, 'accepted page')} with these words${share}${without}.\n${below}`;
  }

  async crawlOn(): Promise<void> {
    await this.crawl();
    await this.show();
  }

  /** Crawls until time or budget are up; a second call goes on from there. */
  async crawl(): Promise<Crawled> {
    const { io, args } = this.#parts;
    const { config } = this.workspace;
    const crawl = { ...config.crawl, budget: this.#budget };
    const workspace = withLearnShare({ ...this.workspace, config: { ...config, crawl } }, undefined);
    checkContact(workspace.config, workspace.tree, `bingo find ${quoted(this.#parts.query)}`, io.err);
    const lock = await claimWorkspace(workspace.dir);
    try {
      const crawled = await crawlOnce(workspace, io, { quiet: args.has('json'), plain: args.has('plain') });
      const { summary, status } = crawled;
      if (!crawled.isSearchable && summary.reason !== 'stopped') throw nothingFetched(crawled, workspace);
      this.#budget = summary.status.fetched + config.crawl.budget;
      this.#isSpent = summary.reason === 'budget';
      this.#isBarren = barrenLines(summary).length > 0;
      if (!args.has('json')) io.err(crawlText(summary, status));
      return crawled;
    } finally {
      lock.release();
    }
  }

  /** Everything as one JSON object. */
  async tell({ status, reason, fetchedNow }: CrawlSummary, found: StoreStatus): Promise<void> {
    const { io, query } = this.#parts;
    this.#answer = await this.#ask(this.#words, this.#rank);
    const { fetched, elapsedMs } = status;
    const crawled = { reason, pages: fetched, fetchedNow, relevant: found.relevant, elapsedMs: Math.round(elapsedMs) };
    const answers = { matches: this.#answer.matches, results: this.results.map(resultRow) };
    await io.out(`${safeJson({ query, workspace: this.workspace.dir, crawl: crawled, ...answers })}\n`);
  }

  async #ask(words: string, rank: string | undefined): Promise<LocalAnswer> {
    const { io, args } = this.#parts;
    return await withStore(this.workspace.dir, io, async (store, { tree }) => {
      const context = await searchContext(store, words, { tree, limit: this.#limit });
      const search: LocalSearch = readSearch(words, args, context);
      refuseTopics(search.query);
      const topics = [...tree.nodes.values()].filter(({ id, good }) => good && id !== '').map(({ id }): TopicId => id);
      const weights = rank === undefined ? search.weights : readWeights(rank);
      const accepted = { ...search, weights, filter: { ...search.filter, topics } };
      this.#notes = search.notes ?? [];
      const answer = await searchPages(store, accepted);
      this.#whole = await countWhole(store, words, accepted);
      const missing = this.#limit - answer.results.length;
      // The question told the crawl what to look for: a page on the subject may answer it in other words.
      const isQuestion = words === this.#parts.query;
      const more =
        isQuestion && missing > 0 ? { shown: answer.results, count: missing, filter: accepted.filter } : undefined;
      const surest = more === undefined ? [] : await surestPages(store, weights, more);
      this.#without = surest.length;
      return { ...answer, results: [...answer.results, ...surest] };
    });
  }
}

async function crawlOnce(
  workspace: Workspace,
  io: Io,
  { quiet, plain }: { readonly quiet: boolean; readonly plain: boolean },
): Promise<Crawled> {
  const store = await openStore({ ...workspace.config.store, workspace: workspace.dir });
  try {
    await store.saveTopics(workspace.tree);
    const dashboard =
      !quiet && !plain && fitsDashboard(io) ? await openDashboardReporter(store, workspace, io) : undefined;
    const reporter = dashboard ?? (quiet ? SILENT : makeReporter(io, false, plain));
    const { onEvent } = reporter;
    const summary = await runReported(
      { store, workspace, dashboard, reporter, onEvent, only: {}, recorder: undefined },
      io,
    );
    await judgeAfterCrawl({ store, workspace, io: quiet ? { ...io, err: () => {} } : io }, summary);
    const isSearchable = summary.status.fetched > 0 || (await holdsExample(store));
    return { summary, status: await store.status(), isSearchable };
  } finally {
    await store.close();
  }
}

async function holdsExample(store: Store): Promise<boolean> {
  for await (const { role } of store.exportPages()) if (role === 'example') return true;
  return false;
}

function nothingFetched({ summary, status }: Crawled, { dir }: Workspace): BingoError {
  const why = failureLines(status).slice(1);
  const [what, hint] =
    summary.reason === 'time'
      ? ['The time was up before a page was fetched', 'Give it longer, such as --time 10m.']
      : [
          'None of the first pages could be fetched',
          'Are they right, and can they be reached from here? Name others in the same line: --seed URL. What is wrong can be taken ' +
            `out of ${join(dir, WORKSPACE_FILE)}. Pages of an intranet: --set network.allowPrivate=true.`,
        ];
  const message = [`${what}, so there is nothing to search in.`, ...why].join('\n');
  return new BingoError({ code: 'NOTHING_FETCHED', message, hint });
}

function crawlText({ reason, isResumed, status, fetchedNow }: CrawlSummary, found: StoreStatus): string {
  if (!isResumed) return `\n${NOT_RESUMED}\n`;
  const lines = [
    '',
    `${REASONS[reason]}. ${counted(fetchedNow, 'page')} in ${elapsed(status.elapsedMs)}, ${count(status.fetched)} in all, ${count(found.relevant)} on the subject.`,
    ...barrenLines({ status, reason }),
    ...failureLines(found),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function nextSteps({ dir }: Workspace, query: string, session: Pick<FindSession, 'nextBudget' | 'isBarren'>): string {
  const place = quoted(dir);
  const more = session.nextBudget === undefined ? '' : ` --budget ${session.nextBudget}`;
  return [
    `Everything is kept in ${place}.`,
    `  bingo find ${quoted(query)} --keep ${place}${session.isBarren ? ' --seed URL' : ''}${more}`,
    session.isBarren ? '      go on from other pages on the subject' : '      go on with it',
    `  bingo search ${place} "words"`,
    '      ask for other words',
    `  bingo why ${place} URL`,
    '      how a page was found, and why it is there',
    '',
  ].join('\n');
}
