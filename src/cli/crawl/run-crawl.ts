import type { CrawlEvent } from '../../core/index.ts';
import type { Crawl, CrawlSummary } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import type { WarcRecorder } from '../../warc/index.ts';
import {
  type CrawlFace,
  type CrawlPlace,
  type CrawlPlan,
  crawlIn,
  type JudgedOutcome,
  runCrawl,
  type Session,
  type Workspace,
} from '../../workbench/index.ts';
import { EXIT, type Io } from '../command.ts';
import { watchOn } from '../judging/judging.ts';
import type { CrawlReporter } from './crawl-reporter.ts';
import { stoppingLine } from './crawl-view.ts';
import type { DashboardReporter } from './dashboard-reporter.ts';
import { LineQuestions } from './line-questions.ts';

/** Inputs of {@link runReported}. */
interface ReportedRun {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly dashboard: DashboardReporter | undefined;
  readonly reporter: CrawlReporter;
  readonly onEvent: (event: CrawlEvent) => void;
  readonly only: Omit<CrawlPlan, 'recorder'>;
  readonly recorder: WarcRecorder | undefined;
}

/** Runs the crawl, controlled by its dashboards if there are any. Always releases the terminal at the end. */
export async function runReported(
  { store, workspace, only, recorder, ...run }: ReportedRun,
  io: Io,
): Promise<CrawlSummary> {
  return await reported(run, io, (face) => runCrawl(store, workspace, { ...only, recorder }, face));
}

/** Does the same, then judges stored pages again if their model is out of date. */
export async function crawlReported(
  { place, only, recorder, ...run }: Omit<ReportedRun, 'store' | 'workspace'> & { readonly place: CrawlPlace },
  io: Io,
): Promise<JudgedOutcome> {
  return await reported(run, io, (face) => crawlIn(place, { ...only, recorder }, { ...face, watch: watchOn(io) }));
}

async function reported<T>(
  { dashboard, reporter, onEvent }: Pick<ReportedRun, 'dashboard' | 'reporter' | 'onEvent'>,
  io: Io,
  crawl: (face: CrawlFace) => Promise<T>,
): Promise<T> {
  // There is nothing to save yet.
  const handBack = io.onInterrupt(() => {
    void (dashboard?.release() ?? Promise.resolve()).finally(() => io.exit(EXIT.stopped));
  });
  const attach: CrawlFace['attach'] = (started) => {
    handBack();
    dashboard?.attach(started);
    const detach = attachReporter(started, reporter, io);
    return (summary) => detach(summary).finally(() => dashboard?.release());
  };
  try {
    return await crawl({ onEvent, attach });
  } finally {
    handBack();
    await dashboard?.release();
  }
}

/** Runs a crawl outside a workspace to its end, with progress and Ctrl-C. */
export async function runSession(session: Session, reporter: CrawlReporter, io: Io): Promise<CrawlSummary> {
  const detach = attachReporter(session.crawl, reporter, io);
  let summary: CrawlSummary | undefined;
  try {
    summary = await session.crawl.run();
    return summary;
  } finally {
    await detach(summary);
    await session.close();
  }
}

/** Interval between redraws of the live view. */
const TICK_MS = 400;

/** Reports a crawl's progress, and lets Ctrl-C stop it, until the returned function is called. */
function attachReporter(
  crawl: Crawl,
  reporter: CrawlReporter,
  io: Io,
): (summary: CrawlSummary | undefined) => Promise<void> {
  const questions = new LineQuestions(crawl, io);
  const timer = setInterval(() => {
    if (crawl.isReading) return;
    const status = crawl.status();
    reporter.tick(status);
    questions.follow(reporter.mayAsk?.() === true ? status : undefined);
  }, TICK_MS);
  let interrupts = 0;
  const handBack = io.onInterrupt(() => {
    interrupts++;
    if (interrupts > 1) io.exit(EXIT.stopped);
    reporter.say(stoppingLine(crawl.status()));
    crawl.stop();
  });
  return async (summary) => {
    clearInterval(timer);
    questions.follow(undefined);
    try {
      if (summary !== undefined) await reporter.close(summary.isResumed ? summary.status : undefined);
    } finally {
      handBack();
    }
  };
}
