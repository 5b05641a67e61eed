import { setTimeout as sleep } from 'node:timers/promises';
import { BingoError, type CanonicalUrl } from '../../core/index.ts';
import { openDashboard } from '../../dashboard/index.ts';
import type { Store } from '../../store/index.ts';
import {
  crawledTree,
  editTopicsBy,
  loadForReading,
  quoted,
  requireRunning,
  StoreFollower,
  steerElsewhere,
  type Workspace,
  withStore,
  workspaceTitle,
} from '../../workbench/index.ts';
import { openInBrowser } from '../browser.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { lineReporter } from '../crawl/crawl-reporter.ts';
import { stepLines } from '../crawl/crawl-summary.ts';
import { fitsDashboard, holdingKeys, terminalOf } from '../crawl/dashboard-reporter.ts';
import { reviewBeside } from '../crawl/review-beside.ts';
import { whyLines } from '../explain/url-answer.ts';

/** Interval between reads of the store. */
const LOOK_MS = 500;

export const dashboard: Command = {
  name: 'dashboard',
  summary: 'Watch and steer a crawl that runs in another terminal, or look at one that has ended.',
  positionals: ['[DIR]'],
  flags: { plain: { help: 'Plain lines instead of the screen, for screen readers and logs; ends with the crawl.' } },
  examples: [
    ['bingo dashboard bikes', 'Phase, harvest rate, topics, hosts and the last pages; ? lists the keys.'],
    ['bingo dashboard bikes --plain', 'The same as lines of text.'],
  ],
  notes: [
    'The crawl continues after you leave the dashboard, and the dashboard stays after the crawl ends. It only reads. Your changes ' +
      'go to the crawl, which reads them once a second. Without a running crawl, the dashboard is read-only.',
  ],
  run: runDashboard,
};

async function runDashboard(args: Args, io: Io): Promise<number> {
  const isPlain = args.has('plain') || !fitsDashboard(io);
  return await (isPlain ? show(args, io, printLines) : holdingKeys(io, () => show(args, io, drawScreen)));
}

async function show(args: Args, io: Io, draw: typeof drawScreen): Promise<number> {
  const dir = args.positionals[0]!;
  // Use the topic names of the crawl, whatever bingo.yaml says now.
  return withStore(dir, io, async (_, workspace, { store }) => {
    const isRunning = await draw({ store, workspace, dir }, io);
    io.err(isRunning ? `The crawl continues. Watch it: bingo dashboard ${quoted(dir)}\n` : endedLines(quoted(dir)));
    return EXIT.done;
  });
}

function endedLines(dir: string): string {
  const steps = stepLines([
    [`bingo status ${dir}`, 'figures, failures, training rounds'],
    [`bingo search ${dir} "words"`, 'search the stored pages'],
    [`bingo crawl ${dir} --budget N`, 'fetch more, up to N pages in all'],
  ]);
  return `${['No crawl is running. Next:', ...steps].join('\n')}\n`;
}

interface Shown {
  readonly store: Store;
  readonly workspace: Workspace;
  /** The workspace as the user named it. */
  readonly dir: string;
}

/** @returns whether a crawl is running */
async function drawScreen({ store, workspace, dir }: Shown, io: Io): Promise<boolean> {
  let crawled = await crawledTree(store, workspace);
  const follower = new StoreFollower(store, crawled.inItsWords);
  const screen = await openDashboard({
    title: workspaceTitle(workspace),
    ownsCrawl: false,
    // The time limit is on the crawl's own command line, which is unknown here.
    timeMs: 0,
    tree: crawled.tree,
    terminal: terminalOf(io),
    steer: async (command) => {
      await steerElsewhere(workspace, command, { dir, isRunning: follower.isRunning });
      return true;
    },
    explain: (url) => whyLines(store, url as CanonicalUrl, { ...workspaceNow(workspace, io), tree: crawled.tree }),
    linksTo: async (site) => ({ links: await store.countUnfetched(site), isBound: true }),
    open: (url) => openInBrowser(url, io.env),
    editTopics: (line) => editTopicsBy(loadForReading(workspace.dir, io), line),
    review: (start) => reviewBeside(workspace.dir, io, start),
    stop: () => {},
    interrupt: () => {},
  });
  let isOpen = true;
  const ended = screen.ended.finally(() => {
    isOpen = false;
  });
  /** A new crawl may have another topic tree; its names apply to everything shown. */
  const followTree = async (): Promise<void> => {
    if (follower.run <= crawled.run) return;
    try {
      crawled = await crawledTree(store, workspaceNow(workspace, io));
    } catch (error) {
      // The follower reports a lost server, and waits for it.
      if (error instanceof BingoError && error.code === 'STORE_LOST') return;
      throw error;
    }
    screen.dispatch({ kind: 'tree', tree: crawled.tree });
    follower.rewind(crawled.inItsWords);
  };
  const follow = async (): Promise<void> => {
    while (isOpen) {
      const status = await follower.look(Date.now(), screen.dispatch, () => isOpen, screen.dispatch);
      if (!isOpen) return;
      await followTree();
      screen.dispatch({ kind: 'running', isRunning: follower.isRunning });
      if (status !== undefined) screen.dispatch({ kind: 'status', status });
      await Promise.race([sleep(LOOK_MS), ended]);
    }
  };
  try {
    await Promise.all([ended, follow()]);
  } finally {
    await screen.close();
  }
  return follower.isRunning;
}

/** Returns the workspace as bingo.yaml defines it now; the previous one while the file has mistakes. */
function workspaceNow(before: Workspace, io: Io): Workspace {
  try {
    return loadForReading(before.dir, io);
  } catch (error) {
    if (error instanceof BingoError) return before;
    throw error;
  }
}

/** @returns whether a crawl is running */
async function printLines({ store, dir }: Shown, io: Io): Promise<boolean> {
  const reporter = lineReporter(io);
  const follower = new StoreFollower(store);
  await follower.skip();
  let status = await follower.look(Date.now(), reporter.onEvent);
  if (!follower.isRunning) {
    if (status === undefined) requireRunning(false, quoted(dir));
    await reporter.close(status);
    return false;
  }
  let isInterrupted = false;
  const handBack = io.onInterrupt(() => {
    isInterrupted = true;
  });
  try {
    while (follower.isRunning && !isInterrupted) {
      if (status !== undefined) reporter.tick(status);
      await sleep(LOOK_MS);
      status = (await follower.look(Date.now(), reporter.onEvent)) ?? status;
    }
  } finally {
    handBack();
  }
  if (status !== undefined) await reporter.close(status);
  return follower.isRunning;
}
