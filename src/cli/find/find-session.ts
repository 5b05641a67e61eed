import { join } from 'node:path';
import { BingoError, type TopicId, UsageError } from '../../core/index.ts';
import type { CrawlSummary } from '../../engine/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import type { Query } from '../../postprocess/index.ts';
import { openStore, type Store, type StoreStatus } from '../../store/index.ts';
import {
  checkContact,
  claimWorkspace,
  type LocalAnswer,
  type LocalSearch,
  quoted,
  readSearch,
  readWeights,
  resultRow,
  sanitizeForTerminal,
  searchContext,
  searchPages,
  surestPages,
  takeUpTopics,
  WORKSPACE_FILE,
  type Workspace,
  withLearnShare,
  withStore,
} from '../../workbench/index.ts';
import type { Args, Io } from '../command.ts';
import { makeReporter, SILENT } from '../crawl/crawl-reporter.ts';
import { barrenLines, NOT_RESUMED, REASONS } from '../crawl/crawl-summary.ts';
import { elapsed } from '../crawl/crawl-view.ts';
import { fitsDashboard, openDashboardReporter } from '../crawl/dashboard-reporter.ts';
import { failureLines } from '../crawl/failure-lines.ts';
import { runReported } from '../crawl/run-crawl.ts';
import { judgeAfterCrawl } from '../judging/after-crawl.ts';
import { resultList, resultText } from '../search/result-text.ts';
import { searchOptions } from '../search/search-flags.ts';
import type { FindTable } from './find-loop.ts';
import { countWhole, type WholeMatches, wholeText } from './full-matches.ts';

/** Outcome of a crawl, and the stored totals after it. */
interface Crawled {
  readonly summary: CrawlSummary;
  readonly status: StoreStatus;
  /** Whether a stored page could be a result: a found page, or a start page. */
  readonly isSearchable: boolean;
}

interface FindParts {
  readonly query: string;
  readonly limit: number;
  readonly args: Args;
  readonly io: Io;
  readonly workspace: Workspace;
  /** A session follows, in which the user may ask for passages. */
  readonly isTalking: boolean;
}

/** One search: the workspace, the query, and the results shown. */
export class FindSession implements FindTable {
  readonly workspace: Workspace;
  readonly #parts: FindParts;
  #words: string;
  #rank: string | undefined;
  #limit: number;
  #answer: LocalAnswer = { results: [], matches: 0, unchecked: 0, ended: 0 };
  /** The last results that do not contain the words: their number. */
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

  /** The budget for continuing; `undefined` while some of the current one is left. */
  get nextBudget(): number | undefined {
    return this.#isSpent ? this.#budget : undefined;
  }

  /** The last crawl found nothing for so long that continuing is unlikely to help. */
  get isBarren(): boolean {
    return this.#isBarren;
  }

  get results(): LocalAnswer['results'] {
    return this.#answer.results;
  }

  async more(): Promise<void> {
    if (this.results.length < this.#limit) {
      this.#parts.io.err('No more answers. Try other words (search WORDS), or fetch more pages (crawl).\n');
      return;
    }
    this.#limit += this.#parts.limit;
    await this.show();
  }

  async show(change: { readonly words?: string; readonly rank?: string } = {}): Promise<void> {
    const { io, isTalking } = this.#parts;
    // Keep the new words only after they have been parsed.
    const words = change.words ?? this.#words;
    const rank = change.rank ?? this.#rank;
    this.#answer = await this.#ask(words, rank);
    [this.#words, this.#rank] = [words, rank];
    await io.out((isTalking ? resultList : resultText)(this.results, io));
    io.err(this.#notes.map((note) => `${sanitizeForTerminal(note)}\n`).join(''));
    io.err(this.#shownText());
  }

  #shownText(): string {
    const { matches } = this.#answer;
    const shown = this.results.length;
    const shownFor = { matches, limit: this.#limit, words: this.#words, dir: this.workspace.dir };
    const { share, below } = wholeText(this.#whole, shownFor);
    if (shown === 0) return `No accepted page has these words. Try other words, or crawl more pages.\n${below}`;
    const surest = `the ${count(this.#without)} surest without them`;
    if (matches === 0) return `No accepted page has these words. Shown: ${surest}.\n${below}`;
    const without = this.#without > 0 ? `, then ${surest}` : '';
    return `${count(shown - this.#without)} of ${counted(matches, 'accepted page')} with these words${share}${without}.\n${below}`;
  }

  async crawlOn(): Promise<void> {
    await this.crawl();
    await this.show();
  }

  /** Crawls until time or budget are used up; a second call continues. */
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

  /** Prints everything as one JSON object. */
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
      const search: LocalSearch = readSearch(words, searchOptions(args), context);
      refuseTopics(search.query);
      const topics = [...tree.nodes.values()].filter(({ id, good }) => good && id !== '').map(({ id }): TopicId => id);
      const weights = rank === undefined ? search.weights : readWeights(rank);
      const accepted = { ...search, weights, filter: { ...search.filter, topics } };
      this.#notes = search.notes ?? [];
      const answer = await searchPages(store, accepted);
      this.#whole = await countWhole(store, words, accepted);
      const missing = this.#limit - answer.results.length;
      // The query trained the crawl: a page on its subject may answer it in other words.
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
  loaded: Workspace,
  io: Io,
  { quiet, plain }: { readonly quiet: boolean; readonly plain: boolean },
): Promise<Crawled> {
  const store = await openStore({ ...loaded.config.store, workspace: loaded.dir });
  try {
    const workspace = await takeUpTopics(store, loaded);
    const dashboard =
      !quiet && !plain && fitsDashboard(io) ? await openDashboardReporter(store, workspace, io) : undefined;
    const reporter = dashboard ?? (quiet ? SILENT : makeReporter(io, false, { plain }));
    const { onEvent } = reporter;
    const summary = await runReported(
      { store, workspace, dashboard, reporter, onEvent, only: { endWhen: 'barren' }, recorder: undefined },
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
      ? ['The time was up before a page was fetched', 'Allow more time, such as --time 10m.']
      : [
          'None of the first pages could be fetched',
          'Are they right, and can they be reached from here? Name others in the same line: --seed URL. What is wrong can be taken ' +
            `from ${join(dir, WORKSPACE_FILE)}. For an intranet: --set network.allowPrivate=true.`,
        ];
  const message = [`${what}, so no page can be searched.`, ...why].join('\n');
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

/** @throws UsageError for a topic among the operators */
export function refuseTopics({ filters }: Query): void {
  if (filters.some(({ name }) => name === 'topic'))
    throw new UsageError(
      'topic: is not available here, because a search has only one topic.',
      'Use it with bingo search.',
    );
}
