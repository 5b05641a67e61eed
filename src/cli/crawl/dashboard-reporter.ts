import type { CanonicalUrl, CrawlStatus, SteerCommand } from '../../core/index.ts';
import { freeKeys, holdKeys, openDashboard, type Terminal } from '../../dashboard/index.ts';
import type { Crawl } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import {
  editTopicsBy,
  journalInWordsOf,
  loadForReading,
  replayStore,
  type Workspace,
  workspaceTitle,
} from '../../workbench/index.ts';
import { openInBrowser } from '../browser.ts';
import type { Io } from '../command.ts';
import { whyLines } from '../explain/url-answer.ts';
import { wantsColour } from '../process-io.ts';
import { type CrawlReporter, lineReporter, readsScreenAloud } from './crawl-reporter.ts';
import { reviewBeside } from './review-beside.ts';

/** The dashboard as a reporter for a crawl in this process. */
export interface DashboardReporter extends CrawlReporter {
  /** Connects the keys to this crawl. */
  readonly attach: (crawl: Crawl) => void;
  /** Releases the terminal, unless it has been released already. */
  readonly release: () => Promise<void>;
}

/** Whether there is a keyboard and a screen. */
export function fitsDashboard(io: Io): boolean {
  return io.stdinIsTerminal && io.stderrIsTerminal && io.env.TERM !== 'dumb' && !readsScreenAloud(io);
}

/** Runs work that loads screens: keys typed between them are dropped. */
export async function holdingKeys<T>({ stdin }: Io, work: () => Promise<T>): Promise<T> {
  holdKeys(stdin);
  try {
    return await work();
  } finally {
    freeKeys(stdin);
  }
}

/** The terminal for a dashboard: stdout stays free for results. */
export function terminalOf(io: Io): Terminal {
  return { stdin: process.stdin, stdout: process.stderr, isColourful: wantsColour(io, io.stderrIsTerminal) };
}

/**
 * Opens the dashboard for a crawl that is about to run, and fills it with stored data. If the user leaves it, or
 * drawing fails, the crawl continues with plain lines.
 */
export async function openDashboardReporter(store: Store, workspace: Workspace, io: Io): Promise<DashboardReporter> {
  const lines = lineReporter(io);
  const coming = new ComingCrawl();
  let isOpen = true;
  const dashboard = await openDashboard(dashboardPorts(coming, { store, workspace, io }));
  const ended = dashboard.ended.then(
    () => {
      if (isOpen) freeKeys(io.stdin);
      if (isOpen) io.err('You left the dashboard; the crawl continues. Ctrl-C stops and saves.\n');
      isOpen = false;
    },
    (error: unknown) => {
      isOpen = false;
      freeKeys(io.stdin);
      io.err(`The dashboard failed (${String(error)}); the crawl continues. Ctrl-C stops and saves.\n`);
    },
  );
  const release = async (): Promise<void> => {
    isOpen = false;
    await dashboard.close();
    await ended;
  };
  try {
    const inWords = await journalInWordsOf(workspace, store);
    await replayStore(store, {
      after: 0,
      onEvent: dashboard.dispatch,
      onBeginning: dashboard.dispatch,
      inWords,
      isWanted: () => isOpen && !coming.isStopped,
    });
  } catch (error) {
    await release();
    throw error;
  }
  return {
    attach: (started) => coming.attach(started),
    onEvent: (event) => (isOpen ? dashboard.dispatch(event) : lines.onEvent(event)),
    tick: (status) => (isOpen ? dashboard.dispatch({ kind: 'status', status }) : lines.tick(status)),
    say: (line) => (isOpen ? dashboard.dispatch({ kind: 'message', text: line }) : lines.say(line)),
    mayAsk: () => !isOpen && lines.mayAsk?.() === true,
    close: async (status: CrawlStatus | undefined) => {
      if (isOpen) await release();
      else await lines.close(status);
    },
    release,
  };
}

/** What the dashboard shows and can do. */
function dashboardPorts(
  coming: ComingCrawl,
  { store, workspace, io }: { readonly store: Store; readonly workspace: Workspace; readonly io: Io },
): Parameters<typeof openDashboard>[0] {
  return {
    title: workspaceTitle(workspace),
    ownsCrawl: true,
    timeMs: workspace.config.crawl.timeMs,
    tree: workspace.tree,
    terminal: terminalOf(io),
    steer: (command) => coming.steer(command),
    explain: async (url) => {
      await store.flush();
      return whyLines(store, url as CanonicalUrl, workspace);
    },
    linksTo: async (site) => ({ links: coming.crawl?.waitingFor(site) ?? 0, isBound: false }),
    open: (url) => openInBrowser(url, io.env),
    editTopics: (line) => editTopicsBy(loadForReading(workspace.dir, io), line),
    review: async (start) => {
      const letGo = coming.crawl?.hold();
      return await reviewBeside(workspace.dir, io, start).finally(letGo);
    },
    stop: () => coming.stop(),
    // Calls the listeners of the signal, which is not sent while keys are read one by one.
    interrupt: () => process.emit('SIGINT'),
  };
}

/** The crawl of a dashboard. Keeps what the user enters before it exists. */
class ComingCrawl {
  readonly #asked: SteerCommand[] = [];
  #crawl: Crawl | undefined;
  #isStopped = false;

  get crawl(): Crawl | undefined {
    return this.#crawl;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  attach(started: Crawl): void {
    this.#crawl = started;
    for (const command of this.#asked) started.steer(command);
    if (this.#isStopped) started.stop();
  }

  /** Returns false if the crawl does not accept the command. */
  steer(command: SteerCommand): boolean {
    return this.#crawl?.steer(command) ?? this.#asked.push(command) > 0;
  }

  stop(): void {
    this.#isStopped = true;
    this.#crawl?.stop();
  }
}
