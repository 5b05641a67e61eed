import {
  BingoError,
  type CrawlEvent,
  isBuiltInOrdering,
  type LoadedExtension,
  type OfKind,
  ORDERINGS,
  type OrderingName,
  UsageError,
} from '../../core/index.ts';
import { UrlRules } from '../../crawl/index.ts';
import {
  type Crawl,
  type CrawlSummary,
  type LinkScores,
  loadExtensions,
  planRecheck,
  type RecheckPlan,
} from '../../engine/index.ts';
import { collectionFolder, isStoreEmptied, openStore, type Store } from '../../store/index.ts';
import { type JudgedAfterCrawl, judgeStored } from '../judging/after-crawl.ts';
import { beginNotifying, noteForNotice } from '../notify/notify-workspace.ts';
import { takeUpTopics } from '../topics/sync-topics.ts';
import type { Watch } from '../watch.ts';
import { quoted } from '../words/shell-words.ts';
import { didYouMean } from '../words/suggest.ts';
import { claimWorkspace, type Workspace } from '../workspace/workspace.ts';
import { askAfterCrawl } from './ask-after-crawl.ts';
import { attendDashboards, dropOldRequests } from './attend-dashboards.ts';
import { checkContact } from './contact.ts';
import type { CrawlOutcome } from './crawl-events.ts';
import { EventSinks } from './event-sinks.ts';
import { rateImportance } from './rate-importance.ts';
import { openSession, type SessionOptions } from './session.ts';

/** What a crawl does. Budget and time limits are settings of its workspace. */
export type CrawlPlan = Pick<
  SessionOptions,
  'only' | 'recheck' | 'onlyRecheck' | 'endWhen' | 'ask' | 'isExploring' | 'recorder' | 'extensions' | 'checkpoints'
>;

/** How a crawl reports its progress, and who controls it. */
export interface CrawlFace {
  readonly onEvent: (event: CrawlEvent) => void;
  /** Called before the crawl runs. The returned function is called after it; without a summary if it failed. */
  readonly attach: (crawl: Crawl) => ((summary: CrawlSummary | undefined) => Promise<void>) | undefined;
}

/** A warning before the crawl begins. */
export type CrawlWarning = OfKind<CrawlEvent, 'alarm'>;

const EMPTIED: CrawlWarning = {
  kind: 'alarm',
  code: 'store-emptied',
  message: 'store.db is empty (0 bytes): the crawl starts from the beginning.',
  remedy: 'If it had pages, stop the crawl and restore a copy of the file.',
};

/** How a crawl was asked for. */
export interface CrawlCommand {
  /** The command line that repeats it, for messages. Default: `bingo crawl` with the folder. */
  readonly again?: string;
  readonly warn: (warning: CrawlWarning) => void;
}

/** A locked workspace with its open store and extensions. */
export interface CrawlPlace {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly extensions: readonly LoadedExtension[];
}

/**
 * Locks a workspace and opens its store for a crawl.
 * @throws WorkspaceLockedError if another process works in the workspace
 * @throws TopicsUnclearError if bingo.yaml was edited by hand, and a topic may have been renamed
 * @throws UsageError if no contact is set and the crawl would start on the open web
 * @throws InputError that lists every extension that cannot be used
 * @throws UsageError if the ordering is neither one of Bingo nor an extension
 */
export async function withCrawlStore<T>(
  workspace: Workspace,
  { again = `bingo crawl ${quoted(workspace.dir)}`, warn }: CrawlCommand,
  use: (place: CrawlPlace) => Promise<T>,
): Promise<T> {
  const { config, tree } = workspace;
  const extensions = await loadExtensions(workspace.extensions ?? []);
  checkOrdering(config.crawl.ordering, extensions);
  checkContact(config, tree, again, (text) =>
    warn({ kind: 'alarm', code: 'no-contact', message: text.trim(), remedy: 'Set network.contact.' }),
  );
  const lock = await claimWorkspace(workspace.dir);
  try {
    if (isStoreEmptied(collectionFolder(workspace.dir), config.store.url)) warn(EMPTIED);
    const store = await openStore({ ...config.store, workspace: workspace.dir });
    try {
      return await use({ store, workspace: await takeUpTopics(store, workspace), extensions });
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
}

function checkOrdering(name: OrderingName, extensions: readonly LoadedExtension[]): void {
  const named = extensions.flatMap(({ extension }) => (extension.kind === 'ordering' ? [extension.name] : []));
  if (isBuiltInOrdering(name) || named.includes(name)) return;
  const hint = didYouMean(name, [...ORDERINGS, ...named]);
  throw new UsageError(
    `No extension is an ordering named "${name}".`,
    `${hint === undefined ? '' : `${hint} `}Name its module under "extensions" in bingo.yaml, or choose another one: bingo crawl --ordering learned. Priorities that it gave are kept.`,
  );
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
  store: Pick<Store, 'status' | 'histories' | 'lastRun' | 'scoredPages'>,
  { config, dir: path }: Workspace,
  { which, isOnly, dir = path }: RecheckWish,
): Promise<RecheckPlan> {
  if (isOnly && (await store.status()).phase === undefined) {
    const message = 'No page has been stored yet, so none can be rechecked.';
    throw new BingoError({ code: 'NO_PAGES', message, hint: `First: bingo crawl ${quoted(dir)}` });
  }
  const analysed = await linkScores(store, config.distill.hubs);
  const options = { now: Date.now(), all: which === 'all', urls: new UrlRules(config.crawl), ...analysed };
  return await planRecheck(store.histories(), config.recheck, options);
}

/** Returns the best hubs of each topic, and the scores of all pages that the last link analysis scored. */
async function linkScores(
  store: Pick<Store, 'lastRun' | 'scoredPages'>,
  limit: number,
): Promise<{ readonly hubs: ReadonlySet<number>; readonly scores: ReadonlyMap<number, LinkScores> }> {
  const hubs = new Set<number>();
  const scores = new Map<number, LinkScores>();
  for (const { id } of (await store.lastRun()).topics) {
    const pages = await store.scoredPages(id);
    for (const { sequence, hub, authority } of pages) {
      const known = scores.get(sequence);
      scores.set(sequence, {
        hub: Math.max(hub, known?.hub ?? 0),
        authority: Math.max(authority, known?.authority ?? 0),
      });
    }
    const best = pages.filter(({ hub }) => hub > 0).toSorted((a, b) => b.hub - a.hub);
    for (const { sequence } of best.slice(0, limit)) hubs.add(sequence);
  }
  return { hubs, scores };
}

/** Runs a crawl to its end in an open store: trains, then harvests. Dashboards of other processes may control it. */
export async function runCrawl(
  store: Store,
  { dir, tree, known, config }: Workspace,
  plan: CrawlPlan,
  { onEvent, attach }: CrawlFace,
): Promise<CrawlSummary> {
  await dropOldRequests(store);
  const session = await openSession({ dir, tree, known, config, journal: store, onEvent, ...plan });
  let summary: CrawlSummary | undefined;
  let detach: ReturnType<CrawlFace['attach']>;
  try {
    detach = attach(session.crawl);
    const leave = attendDashboards(store, session.crawl);
    try {
      summary = await session.crawl.run();
      if (isRated(summary) && !(await store.isImportanceCurrent())) await rateImportance(store);
      return summary;
    } finally {
      await detach?.(summary);
      await leave();
    }
  } finally {
    await session.close();
  }
}

/** Rating this many pages takes a second, which a user who stopped a crawl can wait. */
const RATED_WHEN_STOPPED = 20_000;

function isRated({ reason, isResumed, status }: CrawlSummary): boolean {
  return isResumed && (reason !== 'stopped' || status.fetched <= RATED_WHEN_STOPPED);
}

/** What a crawl of the library does. */
export interface WorkspaceCrawlPlan extends Pick<CrawlPlan, 'only' | 'onlyRecheck' | 'endWhen' | 'ask'> {
  readonly recheck?: RecheckWish['which'] | undefined;
}

/** A crawl's outcome, and that of judging stored pages again. */
export interface JudgedOutcome extends CrawlOutcome {
  readonly judged: JudgedAfterCrawl | undefined;
}

/**
 * Runs a crawl to its end in an open store, then judges stored pages again if the last model requires it. Event sinks
 * receive its events.
 */
export async function crawlIn(
  { store, workspace, extensions }: CrawlPlace,
  plan: CrawlPlan,
  face: CrawlFace & { readonly watch: Watch },
): Promise<JudgedOutcome> {
  await beginNotifying(store, workspace);
  const sinks = new EventSinks(extensions, (event) => {
    if (event.kind === 'alarm') noteForNotice(workspace, event.message, event.remedy);
    face.onEvent(event);
  });
  const joined = sinks.joining(face);
  try {
    const summary = await runCrawl(store, workspace, { ...plan, extensions }, joined);
    const judged = await judgeStored({ store, workspace, watch: joined.watch }, summary);
    const standing = await askAfterCrawl(store, workspace);
    const outcome = { summary, found: await store.status(), judged, standing };
    sinks.summary(outcome);
    return outcome;
  } finally {
    await sinks.close();
  }
}

/** Locks a workspace, and runs a crawl in it. */
export async function crawlWorkspace(
  given: Workspace,
  { recheck: which, ...plan }: WorkspaceCrawlPlan,
  face: CrawlFace & { readonly watch: Watch },
): Promise<CrawlOutcome> {
  return await withCrawlStore(given, { warn: face.onEvent }, async (place) => {
    const { store, workspace } = place;
    const isOnly = plan.onlyRecheck === true;
    const recheck = which === undefined ? undefined : await recheckPlan(store, workspace, { which, isOnly });
    return await crawlIn(place, { endWhen: 'alarms', ...plan, recheck: recheck?.due }, face);
  });
}
