import { join } from 'node:path';
import { isSiteUse, type Judgement, type Steer, UsageError } from '../../core/index.ts';
import { loadExtensions } from '../../engine/index.ts';
import {
  collectionsOf,
  collectionUrl,
  deleteCollections,
  newCollection,
  openStore,
  otherCollections,
  type Store,
  switchCollection,
} from '../../store/index.ts';
import { askAfterCrawl } from '../crawl/ask-after-crawl.ts';
import { checkContact } from '../crawl/contact.ts';
import { rateImportance } from '../crawl/rate-importance.ts';
import { withOpenStore } from '../judging/apply-feedback.ts';
import { findPage } from '../judging/decided-pages.ts';
import { placeOf, readingStore } from '../reading/reading.ts';
import { takeUpTopics } from '../topics/sync-topics.ts';
import type { Watch } from '../watch.ts';
import { quoted } from '../words/shell-words.ts';
import { claimWorkspace, type Workspace } from '../workspace/workspace.ts';
import type { AdaptEvent, AdaptSummary } from './adapt-events.ts';
import { type AdaptState, writeAdaptState } from './adapt-state.ts';
import { type AdaptChoice, type Begun, begunAdaptation, newAdaptation } from './plan-adapt.ts';
import { QueryCrawls } from './query-crawls.ts';

/** Options of {@link adaptWorkspace}. */
export interface AdaptOptions extends AdaptChoice {
  /** Milliseconds for all crawls, shared by the queries; 0 = no limit. */
  readonly timeMs?: number | undefined;
  /** Drops an adaptation that was interrupted, instead of continuing it. */
  readonly restart?: boolean | undefined;
  readonly onEvent?: ((event: AdaptEvent) => void) | undefined;
  /** Stops it; the same call continues. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Adapts the stored pages to the queries of users (Pant, Bradshaw, Menczer 2003): crawls a new collection around the
 * hits of representative queries, and replaces the present one by it. A kill at any moment leaves the old or the new
 * collection in use; the old one is kept until the next adaptation.
 * @throws WorkspaceLockedError if another process works in the workspace
 * @throws UsageError if nothing was crawled yet, or there is no query
 */
export async function adaptWorkspace(given: Workspace, options: AdaptOptions = {}): Promise<AdaptSummary> {
  const { onEvent = () => {}, restart = false } = options;
  const { dir, config } = given;
  const began = performance.now();
  const again = `bingo adapt ${quoted(dir)}`;
  checkContact(config, given.tree, again, (message) =>
    onEvent({ kind: 'alarm', code: 'no-contact', message: message.trim(), remedy: 'Set network.contact.' }),
  );
  const lock = await claimWorkspace(dir);
  try {
    if (restart) await deleteCollections(placeOf(given), otherCollections(dir));
    const known = begunAdaptation(dir);
    const begun = known ?? (await begin(given, options));
    const { queries, pages } = begun.state;
    onEvent({ kind: 'planned', queries, pages, isResumed: known !== undefined });
    const made = await readingStore(given, (old) => make(given, { old, begun, options }));
    const summary = { ...made, elapsedMs: Math.round(performance.now() - began), standing: [] };
    if (!made.isReplaced) return summary;
    switchCollection(dir, begun.name);
    onEvent({ kind: 'replaced', pages: made.pages });
    await deleteCollections(placeOf(given), otherCollections(dir));
    return { ...summary, standing: await readingStore(given, (store) => askAfterCrawl(store, given)) };
  } finally {
    lock.release();
  }
}

/**
 * Takes back the last adaptation: the collection before it is in use again. A second call takes that back.
 * @returns pages of the collection now in use
 * @throws UsageError if no collection is kept
 */
export async function undoAdaptation(workspace: Workspace): Promise<number> {
  const { dir } = workspace;
  const lock = await claimWorkspace(dir);
  try {
    const { before } = collectionsOf(dir);
    if (before === null)
      throw new UsageError(
        'No former collection is kept.',
        `bingo adapt ${quoted(dir)} keeps the one that it replaces.`,
      );
    switchCollection(dir, before);
  } finally {
    lock.release();
  }
  return await readingStore(workspace, async (store) => (await store.status()).pages);
}

async function begin(workspace: Workspace, options: AdaptOptions): Promise<Begun> {
  const { dir } = workspace;
  const state = await newAdaptation(workspace, options);
  // Left by a process that was killed before it wrote what it was going to do.
  await deleteCollections(placeOf(workspace), otherCollections(dir));
  const name = newCollection(dir);
  writeAdaptState(join(dir, name), state);
  return { name, state };
}

interface Making {
  readonly old: Store;
  readonly begun: Begun;
  readonly options: AdaptOptions;
}

/** Makes the new collection, or continues. */
async function make(
  given: Workspace,
  { old, begun: { name, state }, options }: Making,
): Promise<Omit<AdaptSummary, 'elapsedMs' | 'standing'>> {
  const { signal, onEvent = () => {}, timeMs = 0 } = options;
  const { store: settings } = given.config;
  const folder = join(given.dir, name);
  const next = await openStore({ ...settings, url: collectionUrl(settings.url, name), workspace: folder });
  try {
    const workspace = await takeUpTopics(next, given);
    const extensions = await loadExtensions(given.extensions ?? []);
    const steers = await keptSteers(old, state.judgements);
    const place = { workspace, folder, old, next, extensions, steers, timeMs, signal, onEvent };
    const crawls = new QueryCrawls(place, state);
    const isWhole = await crawls.run();
    const lostMarks = isWhole ? await settle(next, workspace, { state, watch: { onEvent, signal } }) : [];
    const { pages, relevant } = await next.status();
    const counts = { pages, relevant, newPages: await countNew(old, next) };
    return { isReplaced: isWhole, queries: outcomes(crawls.state), ...counts, lostMarks };
  } finally {
    await next.close();
  }
}

/** Returns the user's changes that a new journal repeats, apart from decisions on pages. */
async function keptSteers(old: Store, judgements: readonly Judgement[]): Promise<readonly Steer[]> {
  const all = await old.steers();
  const kept = all.filter((one): one is Steer => one.kind === 'lock-host' || one.kind === 'mark-topic');
  const sites = judgements.filter(({ use }) => isSiteUse(use));
  return [...kept, ...sites.map((judgement): Steer => ({ kind: 'judge-page', judgement }))];
}

/**
 * Applies the user's decisions on pages in the new collection, and judges its pages by the last model.
 * @returns keys of pages that it does not have
 */
async function settle(
  store: Store,
  workspace: Workspace,
  { state, watch }: { readonly state: AdaptState; readonly watch: Watch },
): Promise<readonly string[]> {
  const lost: string[] = [];
  await withOpenStore({ store, workspace, watch, isCrawlRunning: false }, async ({ desk, take }) => {
    const decided: Judgement[] = [];
    for (const judgement of state.judgements) {
      if (isSiteUse(judgement.use)) continue;
      const page = await findPage(store, desk, judgement.key);
      if (page === undefined) lost.push(judgement.key);
      else decided.push({ ...judgement, key: page.key, sequence: page.sequence });
    }
    const news = decided.filter((judgement) => !desk.isInForce(judgement));
    const isPossible = desk.objection(news) === undefined;
    if (!isPossible) lost.push(...news.map(({ key }) => key));
    if ((isPossible && news.length > 0) || desk.isReclassificationDue) await take(isPossible ? news : []);
  });
  await rateImportance(store);
  return lost;
}

async function countNew(old: Store, next: Store): Promise<number> {
  const known = new Set<string>();
  for await (const { finalUrl } of old.exportPages()) known.add(finalUrl);
  let fresh = 0;
  for await (const { finalUrl, role } of next.exportPages()) if (role === 'crawled' && !known.has(finalUrl)) fresh++;
  return fresh;
}

function outcomes({ queries, crawls, ended }: AdaptState): AdaptSummary['queries'] {
  return queries.map((query, number) => ({
    ...query,
    iterations: crawls.filter((crawl) => crawl.query === number && crawl.isDone).length,
    ended: ended.find((one) => one.query === number)?.why ?? null,
  }));
}
