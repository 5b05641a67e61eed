import { join } from 'node:path';
import { BingoError } from '../../core/index.ts';
import type { CrawlSummary } from '../../engine/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import type { StoreStatus } from '../../store/index.ts';
import {
  type AskedOtherwise,
  type FindAnswers,
  type FindCrawl,
  type FindSession,
  resultRow,
  sanitizeForTerminal,
  WORKSPACE_FILE,
  type Workspace,
} from '../../workbench/index.ts';
import type { Args, Io } from '../command.ts';
import { makeReporter, SILENT } from '../crawl/crawl-reporter.ts';
import { barrenLines, NOT_RESUMED, REASONS } from '../crawl/crawl-summary.ts';
import { elapsed } from '../crawl/crawl-view.ts';
import { fitsDashboard, openDashboardReporter } from '../crawl/dashboard-reporter.ts';
import { failureLines } from '../crawl/failure-lines.ts';
import { crawlReported } from '../crawl/run-crawl.ts';
import { judgedLine } from '../judging/after-crawl.ts';
import { resultList, resultText } from '../search/result-text.ts';
import { wholeText } from './full-matches.ts';

interface ScreenParts {
  readonly session: FindSession;
  readonly query: string;
  readonly args: Args;
  readonly io: Io;
  /** A session follows, in which the user may ask for passages. */
  readonly isTalking: boolean;
}

/** Shows a search: its crawls and its answers. */
export class FindScreen {
  readonly session: FindSession;
  readonly #parts: ScreenParts;
  #isSpent = false;
  #isBarren = false;

  constructor(parts: ScreenParts) {
    this.session = parts.session;
    this.#parts = parts;
  }

  /** The budget for continuing; `undefined` while some of the current one is left. */
  get nextBudget(): number | undefined {
    return this.#isSpent ? this.session.budget : undefined;
  }

  /** The last crawl found nothing for so long that continuing is unlikely to help. */
  get isBarren(): boolean {
    return this.#isBarren;
  }

  async more(): Promise<void> {
    const answers = await this.session.more();
    if (answers !== undefined) await this.#print(answers);
    else this.#parts.io.err('No more answers. Try other words (search WORDS), or fetch more pages (crawl).\n');
  }

  async show(change: AskedOtherwise = {}): Promise<void> {
    await this.#print(await this.session.ask(change));
  }

  async #print(answers: FindAnswers): Promise<void> {
    const { io, isTalking } = this.#parts;
    await io.out((isTalking ? resultList : resultText)(answers.results, io));
    io.err(answers.notes.map((note) => `${sanitizeForTerminal(note)}\n`).join(''));
    io.err(this.#shownText(answers));
  }

  #shownText({ matches, results, without, whole }: FindAnswers): string {
    const { words, limit, workspace } = this.session;
    const { share, below } = wholeText(whole, { matches, limit, words, dir: workspace.dir });
    if (results.length === 0)
      return `No accepted page has these words. Try other words, or crawl more pages.\n${below}`;
    const surest = `the ${count(without)} surest without them`;
    if (matches === 0) return `No accepted page has these words. Shown: ${surest}.\n${below}`;
    const then = without > 0 ? `, then ${surest}` : '';
    return `${count(results.length - without)} of ${counted(matches, 'accepted page')} with these words${share}${then}.\n${below}`;
  }

  async crawlOn(): Promise<void> {
    await this.crawl();
    await this.show();
  }

  /** Crawls until time or budget are used up; a second call continues. */
  async crawl(): Promise<FindCrawl> {
    const { io, args } = this.#parts;
    const isQuiet = args.has('json');
    const isPlain = args.has('plain');
    const warn = ({ message }: { readonly message: string }): void => io.err(`${message}\n`);
    const crawled = await this.session.crawl(async (place, plan) => {
      const { store, workspace } = place;
      const dashboard =
        !isQuiet && !isPlain && fitsDashboard(io) ? await openDashboardReporter(store, workspace, io) : undefined;
      const reporter = dashboard ?? (isQuiet ? SILENT : makeReporter(io, false, { plain: isPlain }));
      const { onEvent } = reporter;
      return await crawlReported({ place, dashboard, reporter, onEvent, only: plan, recorder: undefined }, io);
    }, warn);
    const { summary, found, judged, isSearchable } = crawled;
    if (!isSearchable && summary.reason !== 'stopped') throw nothingFetched(crawled, this.session.workspace);
    this.#isSpent = summary.reason === 'budget';
    this.#isBarren = barrenLines(summary).length > 0;
    if (!isQuiet) io.err(judgedLine(judged) + crawlText(summary, found));
    return crawled;
  }

  /** Prints everything as one JSON object. */
  async tell({ summary: { status, reason, fetchedNow }, found }: FindCrawl): Promise<void> {
    const { io, query } = this.#parts;
    const { matches, results } = await this.session.ask();
    const { fetched, elapsedMs } = status;
    const crawled = { reason, pages: fetched, fetchedNow, relevant: found.relevant, elapsedMs: Math.round(elapsedMs) };
    const answers = { matches, results: results.map(resultRow) };
    await io.out(`${safeJson({ query, workspace: this.session.workspace.dir, crawl: crawled, ...answers })}\n`);
  }
}

function nothingFetched({ summary, found }: FindCrawl, { dir }: Workspace): BingoError {
  const why = failureLines(found).slice(1);
  const [what, hint] =
    summary.reason === 'time'
      ? ['The time was up before a page was fetched', 'Allow more time, such as --time 10m.']
      : [
          'None of the first pages could be fetched',
          'Check that they are right and that this machine can reach them. Name others: --seed URL. Remove wrong ones ' +
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
