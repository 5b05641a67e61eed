import type { CrawlEvent } from '../../core/index.ts';
import type { CrawlSummary } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import type { WarcRecorder } from '../../warc/index.ts';
import {
  attendDashboards,
  dropOldRequests,
  openSession,
  type Session,
  type SessionOptions,
  type Workspace,
} from '../../workbench/index.ts';
import { EXIT, type Io } from '../command.ts';
import { hearingInterrupts } from '../until-interrupt.ts';
import type { CrawlReporter } from './crawl-reporter.ts';
import { stoppingLine } from './crawl-view.ts';
import type { DashboardReporter } from './dashboard-reporter.ts';

/** Inputs of {@link runReported}. */
interface ReportedRun {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly dashboard: DashboardReporter | undefined;
  readonly reporter: CrawlReporter;
  readonly onEvent: (event: CrawlEvent) => void;
  readonly only: Pick<SessionOptions, 'only' | 'recheck' | 'onlyRecheck' | 'endWhen'>;
  readonly recorder: WarcRecorder | undefined;
}

/** Runs the crawl, controlled by its dashboards if there are any. Always releases the terminal at the end. */
export async function runReported(run: ReportedRun, io: Io): Promise<CrawlSummary> {
  const { store, workspace, dashboard, reporter, onEvent, only, recorder } = run;
  const { dir, tree, config } = workspace;
  try {
    await dropOldRequests(store);
    // There is nothing to save yet.
    const leaveAtOnce = (): void => {
      void (dashboard?.release() ?? Promise.resolve()).finally(() => io.exit(EXIT.stopped));
    };
    const session = await hearingInterrupts(io, leaveAtOnce, () =>
      openSession({ dir, tree, config, journal: store, onEvent, ...only, ...(recorder && { recorder }) }),
    );
    dashboard?.attach(session.crawl);
    const leave = attendDashboards(store, session.crawl);
    try {
      return await runSession(session, reporter, io);
    } finally {
      await leave();
    }
  } finally {
    await dashboard?.release();
  }
}

/** Interval between redraws of the live view. */
const TICK_MS = 400;

/** Runs a crawl to its end, with progress and Ctrl-C. */
export async function runSession(session: Session, reporter: CrawlReporter, io: Io): Promise<CrawlSummary> {
  const timer = setInterval(() => {
    if (!session.crawl.isReading) reporter.tick(session.crawl.status());
  }, TICK_MS);
  let interrupts = 0;
  const handBack = io.onInterrupt(() => {
    interrupts++;
    if (interrupts > 1) io.exit(EXIT.stopped);
    reporter.say(stoppingLine(session.crawl.status()));
    session.crawl.stop();
  });
  try {
    const summary = await session.crawl.run();
    clearInterval(timer);
    await reporter.close(summary.isResumed ? summary.status : undefined);
    return summary;
  } finally {
    clearInterval(timer);
    handBack();
    await session.close();
  }
}
