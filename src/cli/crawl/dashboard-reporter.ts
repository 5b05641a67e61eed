import type { CanonicalUrl, CrawlStatus, SteerCommand } from '../../core/index.ts';
import { openDashboard, type Terminal } from '../../dashboard/index.ts';
import type { Crawl } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import { journalInWordsOf, replayStore, type Workspace, workspaceTitle } from '../../workbench/index.ts';
import { openInBrowser } from '../browser.ts';
import type { Io } from '../command.ts';
import { whyLines } from '../explain/url-answer.ts';
import { wantsColour } from '../process-io.ts';
import { type CrawlReporter, lineReporter, readsScreenAloud } from './crawl-reporter.ts';
import { reviewBeside } from './review-beside.ts';

/** The dashboard as a reporter of a crawl in this process. */
export interface DashboardReporter extends CrawlReporter {
  /** From now on keys steer this crawl. */
  readonly attach: (crawl: Crawl) => void;
  /** Gives the terminal back, if it was not given back already. */
  readonly release: () => Promise<void>;
}

/** True when there are keys to press and a screen to draw on. */
export function fitsDashboard(io: Io): boolean {
  return io.stdinIsTerminal && io.stderrIsTerminal && io.env.TERM !== 'dumb' && !readsScreenAloud(io);
}

/** The terminal that a dashboard draws on: stdout stays free for results. */
export function terminalOf(io: Io): Terminal {
  return { stdin: process.stdin, stdout: process.stderr, isColourful: wantsColour(io, io.stderrIsTerminal) };
}

/**
 * Opens the dashboard over a crawl that is about to run, filled with what is stored. When the person leaves it, or drawing
 * fails, the crawl goes on with plain lines.
 */
export async function openDashboardReporter(store: Store, workspace: Workspace, io: Io): Promise<DashboardReporter> {
  const lines = lineReporter(io);
  let crawl: Crawl | undefined;
  let isOpen = true;
  let isStopped = false;
  /** What keys asked for before there was a crawl to ask. */
  const asked: SteerCommand[] = [];
  const dashboard = await openDashboard({
    title: workspaceTitle(workspace),
    ownsCrawl: true,
    timeMs: workspace.config.crawl.timeMs,
    tree: workspace.tree,
    terminal: terminalOf(io),
    steer: (command) => crawl?.steer(command) ?? asked.push(command) > 0,
    explain: async (url) => {
      await store.flush();
      return whyLines(store, url as CanonicalUrl, workspace);
    },
    linksTo: async (site) => ({ links: crawl?.waitingFor(site) ?? 0, isBound: false }),
    open: (url) => openInBrowser(url, io.env),
    review: async () => {
      const letGo = crawl?.hold();
      return await reviewBeside(workspace.dir, io).finally(letGo);
    },
    stop: () => {
      isStopped = true;
      crawl?.stop();
    },
    // The same listeners as for the signal, which does not come while keys are read one by one.
    interrupt: () => process.emit('SIGINT'),
  });
  const ended = dashboard.ended.then(
    () => {
      if (isOpen) io.err('You left the dashboard; the crawl goes on. Ctrl-C stops and saves.\n');
      isOpen = false;
    },
    (error: unknown) => {
      isOpen = false;
      io.err(`The dashboard failed (${String(error)}); the crawl goes on. Ctrl-C stops and saves.\n`);
    },
  );
  const release = async (): Promise<void> => {
    isOpen = false;
    await dashboard.close();
    await ended;
  };
  try {
    const inWords = await journalInWordsOf(workspace, store);
    await replayStore(store, { after: 0, onEvent: dashboard.dispatch, inWords, isWanted: () => isOpen && !isStopped });
  } catch (error) {
    await release();
    throw error;
  }
  return {
    attach: (started) => {
      crawl = started;
      for (const command of asked) crawl.steer(command);
      if (isStopped) crawl.stop();
    },
    onEvent: (event) => (isOpen ? dashboard.dispatch(event) : lines.onEvent(event)),
    tick: (status) => (isOpen ? dashboard.dispatch({ kind: 'status', status }) : lines.tick(status)),
    say: (line) => (isOpen ? dashboard.dispatch({ kind: 'message', text: line }) : lines.say(line)),
    close: async (status: CrawlStatus | undefined) => {
      if (isOpen) await release();
      else await lines.close(status);
    },
    release,
  };
}
