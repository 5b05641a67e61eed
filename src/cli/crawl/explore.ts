import { UsageError } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import { quoted, type Workspace, withCrawlStore, withLearnShare } from '../../workbench/index.ts';
import type { Io } from '../command.ts';
import { type CrawlReporter, lineReporter } from './crawl-reporter.ts';
import { crawlReported } from './run-crawl.ts';

/** Number of pages that an exploration fetches. */
const PAGES = 60;
/** Number of questions per topic. */
const QUESTIONS = 10;

/**
 * Rejects an exploration without a user to answer.
 * @throws UsageError
 */
export function checkExplore({ stdinIsTerminal, stderrIsTerminal }: Io): void {
  if (stdinIsTerminal && stderrIsTerminal) return;
  throw new UsageError('--explore asks questions, so it needs a terminal.', 'Later: bingo crawl DIR --ask 10');
}

/**
 * Fetches pages near the examples and asks whether some of them are on topic. Pages answered with yes become
 * examples, the others counter-examples. Does nothing in a workspace with that many pages.
 */
export async function explore(given: Workspace, again: string, io: Io): Promise<void> {
  const { config } = given;
  const workspace = withLearnShare(
    { ...given, config: { ...config, crawl: { ...config.crawl, budget: PAGES } } },
    undefined,
  );
  io.err(`Fetching ${counted(PAGES, 'page')} near the examples, then asking ${QUESTIONS} questions per topic …\n`);
  const warn = ({ message }: { readonly message: string }): void => io.err(`${message}\n`);
  const answers = { example: 0, others: 0 };
  await withCrawlStore(workspace, { again, warn }, async (place) => {
    if ((await place.store.status()).fetched >= PAGES) return;
    const lines = lineReporter(io);
    // Nothing moves while the crawl waits for an answer; lines would push the question away.
    const reporter: CrawlReporter = {
      ...lines,
      tick: (status) => (status.question === undefined ? lines.tick(status) : undefined),
    };
    const onEvent: typeof reporter.onEvent = (event) => {
      reporter.onEvent(event);
      if (event.kind !== 'steer' || event.record.command.kind !== 'judge-page') return;
      const { use } = event.record.command.judgement;
      if (use === 'example' || use === 'others') answers[use]++;
    };
    const only = { ask: QUESTIONS, isExploring: true };
    await crawlReported({ place, dashboard: undefined, reporter, onEvent, only, recorder: undefined }, io);
  });
  io.err(`Explored: ${counted(answers.example, 'example')} and ${counted(answers.others, 'counter-example')} added.\n`);
  io.err(`To change them: bingo review ${quoted(workspace.dir)}\n`);
}
