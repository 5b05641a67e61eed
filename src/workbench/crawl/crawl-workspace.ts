import { BingoError, type CrawlEvent, type PageHistory } from '../../core/index.ts';
import { UrlRules } from '../../crawl/index.ts';
import { type Crawl, type CrawlSummary, loadExtensions, planRecheck } from '../../engine/index.ts';
import { isStoreEmptied, openStore, type Store } from '../../store/index.ts';
import type { WarcRecorder } from '../../warc/index.ts';
import { judgeStored } from '../judging/after-crawl.ts';
import type { Watch } from '../watch.ts';
import { claimWorkspace, type Workspace } from '../workspace/workspace.ts';
import { attendDashboards, dropOldRequests } from './attend-dashboards.ts';
import { checkContact } from './contact.ts';
import type { CrawlOutcome } from './crawl-events.ts';
import { EventSinks } from './event-sinks.ts';
import { openSession } from './session.ts';

/** What a crawl does. Budget and time limits are settings of its workspace. */
export interface CrawlPlan {
  readonly only?: 'learn' | 'harvest' | undefined;
  /** Stored pages to visit again first: those that are due, or all. */
  readonly recheck?: 'due' | 'all' | undefined;
  /** Ends after the stored pages have been visited again. */
  readonly onlyRecheck?: boolean | undefined;
  readonly recorder?: WarcRecorder | undefined;
}

/** How a crawl reports its progress, and who controls it. */
export interface CrawlFace {
  readonly onEvent: (event: CrawlEvent) => void;
  /** Called before the crawl runs. */
  readonly attach: (crawl: Crawl) => void;
  readonly watch: Watch;
}

const EMPTIED: CrawlEvent = {
  kind: 'alarm',
  code: 'store-emptied',
  message: 'store.db is empty (0 bytes): the crawl starts from the beginning.',
  remedy: 'If it held pages, stop the crawl and put back a copy of the file.',
};

/**
 * Runs a crawl to its end: locks the workspace, trains, harvests, then judges stored pages again if the last model
 * requires it.
 * @throws WorkspaceLockedError if another process works in the workspace
 * @throws UsageError if no contact is set and the crawl would start on the open web
 * @throws InputError that lists every extension that cannot be used
 */
export async function crawlWorkspace(workspace: Workspace, plan: CrawlPlan, face: CrawlFace): Promise<CrawlOutcome> {
  const sinks = new EventSinks(await loadExtensions(workspace.extensions ?? []), face.onEvent);
  try {
    const outcome = await crawlLocked(workspace, plan, sinks.joining(face));
    sinks.summary(outcome);
    return outcome;
  } finally {
    await sinks.close();
  }
}

async function crawlLocked(workspace: Workspace, plan: CrawlPlan, face: CrawlFace): Promise<CrawlOutcome> {
  const { config, tree, dir } = workspace;
  const { onEvent } = face;
  checkContact(config, tree, `bingo crawl ${dir}`, (text) =>
    onEvent({ kind: 'alarm', code: 'no-contact', message: text.trim(), remedy: 'Set network.contact.' }),
  );
  const lock = await claimWorkspace(dir);
  try {
    if (isStoreEmptied(dir, config.store.url)) onEvent(EMPTIED);
    const store = await openStore({ ...config.store, workspace: dir });
    try {
      await store.saveTopics(tree);
      const recheck = plan.recheck === undefined ? undefined : await dueForRecheck(store, workspace, plan.recheck);
      const summary = await runIn(store, workspace, { ...plan, due: recheck }, face);
      await judgeStored({ store, workspace, watch: face.watch }, summary);
      return { summary, found: await store.status() };
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
}

/** @throws BingoError `NO_PAGES` if nothing has been crawled yet */
async function dueForRecheck(
  store: Store,
  { config, dir }: Workspace,
  which: 'due' | 'all',
): Promise<readonly PageHistory[]> {
  if ((await store.status()).phase === undefined) {
    const message = 'Nothing was crawled yet that could be looked at again.';
    throw new BingoError({ code: 'NO_PAGES', message, hint: `First: bingo crawl ${dir}` });
  }
  const options = { now: Date.now(), all: which === 'all', urls: new UrlRules(config.crawl) };
  return (await planRecheck(store.histories(), config.recheck, options)).due;
}

async function runIn(
  store: Store,
  { dir, tree, config }: Workspace,
  { only, due, onlyRecheck, recorder }: CrawlPlan & { readonly due: readonly PageHistory[] | undefined },
  { onEvent, attach }: CrawlFace,
): Promise<CrawlSummary> {
  await dropOldRequests(store);
  const session = await openSession({
    ...{ dir, tree, config, journal: store, onEvent },
    ...(only === undefined ? {} : { only }),
    ...(due === undefined ? {} : { recheck: due }),
    ...(onlyRecheck === undefined ? {} : { onlyRecheck }),
    ...(recorder === undefined ? {} : { recorder }),
  });
  try {
    attach(session.crawl);
    const leave = attendDashboards(store, session.crawl);
    try {
      return await session.crawl.run();
    } finally {
      await leave();
    }
  } finally {
    await session.close();
  }
}
