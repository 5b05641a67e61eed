import { BingoError, type CrawlEvent, type PageHistory } from '../../core/index.ts';
import { UrlRules } from '../../crawl/index.ts';
import { type Crawl, type CrawlSummary, loadExtensions, planRecheck, type RecheckPlan } from '../../engine/index.ts';
import { isStoreEmptied, openStore, type Store } from '../../store/index.ts';
import { judgeStored } from '../judging/after-crawl.ts';
import type { Watch } from '../watch.ts';
import { quoted } from '../words/shell-words.ts';
import { claimWorkspace, type Workspace } from '../workspace/workspace.ts';
import { attendDashboards, dropOldRequests } from './attend-dashboards.ts';
import { checkContact } from './contact.ts';
import type { CrawlOutcome } from './crawl-events.ts';
import { EventSinks } from './event-sinks.ts';
import { openSession, type SessionOptions } from './session.ts';

/** What a crawl does. Budget and time limits are settings of its workspace. */
export type CrawlPlan = Pick<SessionOptions, 'only' | 'recheck' | 'onlyRecheck' | 'endWhen' | 'recorder'>;

/** How a crawl reports its progress, and who controls it. */
export interface CrawlFace {
  readonly onEvent: (event: CrawlEvent) => void;
  /** Called before the crawl runs. The returned function is called after it; without a summary if it failed. */
  readonly attach: (crawl: Crawl) => ((summary: CrawlSummary | undefined) => Promise<void>) | undefined;
}

/** A warning before the crawl begins. */
export type CrawlWarning = CrawlEvent & { readonly kind: 'alarm' };

const EMPTIED: CrawlWarning = {
  kind: 'alarm',
  code: 'store-emptied',
  message: 'store.db is empty (0 bytes): the crawl starts from the beginning.',
  remedy: 'If it had pages, stop the crawl and restore a copy of the file.',
};

/**
 * Locks a workspace and opens its store for a crawl.
 * @param dir the workspace as the user named it, for messages
 * @throws WorkspaceLockedError if another process works in the workspace
 * @throws UsageError if no contact is set and the crawl would start on the open web
 */
export async function withCrawlStore<T>(
  workspace: Workspace,
  { dir = workspace.dir, warn }: { readonly dir?: string; readonly warn: (warning: CrawlWarning) => void },
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const { config, tree } = workspace;
  checkContact(config, tree, `bingo crawl ${quoted(dir)}`, (text) =>
    warn({ kind: 'alarm', code: 'no-contact', message: text.trim(), remedy: 'Set network.contact.' }),
  );
  const lock = await claimWorkspace(workspace.dir);
  try {
    if (isStoreEmptied(workspace.dir, config.store.url)) warn(EMPTIED);
    const store = await openStore({ ...config.store, workspace: workspace.dir });
    try {
      await store.saveTopics(tree);
      return await use(store);
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
}

/** Which stored pages a crawl visits again. */
export interface RecheckWish {
  /** Those that are due, or all. */
  readonly which: 'due' | 'all';
  /** The crawl does nothing else. */
  readonly isOnly: boolean;
  /** The workspace as the user named it, for messages. */
  readonly dir?: string;
}

/**
 * Plans which stored pages are visited again.
 * @throws BingoError `NO_PAGES` if nothing has been crawled yet and the crawl does nothing else
 */
export async function recheckPlan(
  store: Pick<Store, 'status' | 'histories'>,
  { config, dir: path }: Workspace,
  { which, isOnly, dir = path }: RecheckWish,
): Promise<RecheckPlan> {
  if (isOnly && (await store.status()).phase === undefined) {
    const message = 'Nothing was crawled yet that could be looked at again.';
    throw new BingoError({ code: 'NO_PAGES', message, hint: `First: bingo crawl ${quoted(dir)}` });
  }
  const options = { now: Date.now(), all: which === 'all', urls: new UrlRules(config.crawl) };
  return await planRecheck(store.histories(), config.recheck, options);
}

/** Runs a crawl to its end in an open store: trains, then harvests. Dashboards of other processes may control it. */
export async function runCrawl(
  store: Store,
  { dir, tree, config }: Workspace,
  plan: CrawlPlan,
  { onEvent, attach }: CrawlFace,
): Promise<CrawlSummary> {
  await dropOldRequests(store);
  const session = await openSession({ dir, tree, config, journal: store, onEvent, ...plan });
  let summary: CrawlSummary | undefined;
  let detach: ReturnType<CrawlFace['attach']>;
  try {
    detach = attach(session.crawl);
    const leave = attendDashboards(store, session.crawl);
    try {
      summary = await session.crawl.run();
      return summary;
    } finally {
      await detach?.(summary);
      await leave();
    }
  } finally {
    await session.close();
  }
}

/** What a crawl of the library does. */
export interface WorkspaceCrawlPlan extends Pick<CrawlPlan, 'only' | 'onlyRecheck'> {
  readonly recheck?: RecheckWish['which'] | undefined;
}

/**
 * Runs a crawl to its end, then judges stored pages again if the last model requires it.
 * @throws InputError that lists every extension that cannot be used
 */
export async function crawlWorkspace(
  workspace: Workspace,
  { recheck: which, ...plan }: WorkspaceCrawlPlan,
  face: CrawlFace & { readonly watch: Watch },
): Promise<CrawlOutcome> {
  const sinks = new EventSinks(await loadExtensions(workspace.extensions ?? []), face.onEvent);
  const joined = sinks.joining(face);
  const run = async (store: Store): Promise<CrawlOutcome> => {
    let recheck: readonly PageHistory[] | undefined;
    if (which !== undefined)
      recheck = (await recheckPlan(store, workspace, { which, isOnly: plan.onlyRecheck === true })).due;
    const summary = await runCrawl(store, workspace, { ...plan, recheck }, joined);
    await judgeStored({ store, workspace, watch: joined.watch }, summary);
    return { summary, found: await store.status() };
  };
  try {
    const outcome = await withCrawlStore(workspace, { warn: joined.onEvent }, run);
    sinks.summary(outcome);
    return outcome;
  } finally {
    await sinks.close();
  }
}
