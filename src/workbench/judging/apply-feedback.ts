import { setTimeout as sleep } from 'node:timers/promises';
import { type CrawlStatus, type Judgement, type TopicId, UsageError, WorkspaceLockedError } from '../../core/index.ts';
import type { TrainingDesk, Trial } from '../../engine/index.ts';
import { openStore, type Store, type WorkspaceLock } from '../../store/index.ts';
import { StoreFollower } from '../reading/follow-store.ts';
import { placeOf, readingStore } from '../reading/reading.ts';
import { takeUpTopics } from '../topics/sync-topics.ts';
import { during, type Watch } from '../watch.ts';
import { claimWorkspace, type Workspace } from '../workspace/workspace.ts';
import { type Change, type Feedback, isUntaught, openFeedback, type TakeOptions } from './feedback.ts';
import { judging } from './judging.ts';
import { handOver, notTaken, wordsOfCrawl } from './send-to-crawl.ts';

/** A workspace whose training pages the user reviews, with or without a running crawl. */
export interface FeedbackSession {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly feedback: Feedback;
  readonly desk: TrainingDesk;
  /**
   * A crawl runs: it receives decisions, and judges stored pages again at its end. Becomes false if the crawl ends
   * before it received some.
   */
  readonly isCrawlRunning: boolean;
  /** The running crawl has received decisions and still trains on them. */
  readonly isCrawlTraining: boolean;
  /**
   * Returns what decisions would change, as {@link Feedback.preview} does. A slow preview reports its expected
   * duration.
   */
  preview(judgements: readonly Judgement[]): Promise<Change>;
  /**
   * Applies decisions, here or in the running crawl. Decisions that the crawl leaves at its end are applied here. For
   * a running crawl, the returned change is that of a preview.
   * @throws BingoError if they cannot be applied, or the crawl neither accepts them nor ends
   */
  take(judgements: readonly Judgement[], options?: TakeOptions): Promise<Change>;
  /**
   * Makes a topic a target of the crawl, or no target, and trains. A running crawl does this itself.
   * @returns the changes; `undefined` if a crawl runs
   * @throws BingoError if the crawl neither accepts the mark nor ends
   */
  setGood(topic: TopicId, good: boolean, options?: TakeOptions): Promise<Change | undefined>;
}

/** Time limit for an ended crawl to release the workspace, without the time for judging its pages again. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 300;
/** Time limit for other lock holders, which accept no messages. */
const WAIT_MS = 10_000;

/** Opens a workspace for reading only: does not disturb the process that works in it, and accepts no decisions. */
export async function withFeedbackForReading<T>(
  workspace: Workspace,
  watch: Watch,
  use: (session: FeedbackSession) => Promise<T>,
  { withLinks = false }: Pick<OpenStore, 'withLinks'> = {},
): Promise<T> {
  return await readingStore(workspace, (store) =>
    withOpenStore({ store, workspace, watch, isCrawlRunning: false, withLinks }, use),
  );
}

/** Opens a workspace for reviewing training pages, passes it to a function, and closes it. */
export async function withFeedback<T>(
  workspace: Workspace,
  watch: Watch,
  use: (session: FeedbackSession) => Promise<T>,
): Promise<T> {
  return await withOwnStore(workspace, watch, async (store, isCrawlRunning) => {
    const taken = isCrawlRunning ? workspace : await takeUpTopics(store, workspace);
    return await withOpenStore({ store, workspace: taken, watch, isCrawlRunning }, use);
  });
}

/** Locks a workspace and opens its store: for writing, unless a crawl runs. */
export async function withOwnStore<T>(
  workspace: Workspace,
  watch: Watch,
  use: (store: Store, isCrawlRunning: boolean) => Promise<T>,
): Promise<T> {
  const lock = await claimInTurn(workspace, watch, { patienceMs: WAIT_MS, isWaitedFor: (crawl) => !crawl.isRunning });
  try {
    const isCrawlRunning = lock === undefined;
    const store = await openStore({ ...placeOf(workspace), readOnly: isCrawlRunning });
    try {
      return await use(store, isCrawlRunning);
    } finally {
      await store.close();
    }
  } finally {
    lock?.release();
  }
}

/** An open store: for writing, unless a crawl runs. */
export interface OpenStore {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly watch?: Watch;
  readonly isCrawlRunning: boolean;
  /** Also load the links that wait to be fetched. */
  readonly withLinks?: boolean;
}

/** Does the same with a store that the caller opens and closes. */
export async function withOpenStore<T>(
  { store, workspace, watch = {}, isCrawlRunning, withLinks = false }: OpenStore,
  use: (session: FeedbackSession) => Promise<T>,
): Promise<T> {
  const feedback = await openFeedback(store, workspace, {
    onRead: (records) => watch.onEvent?.({ kind: 'reading', records }),
    onDocument: (read, total) => watch.onEvent?.({ kind: 'documents', read, total }),
    withLinks,
  });
  let isRunning = isCrawlRunning;
  let isTraining = false;
  const preview = (judgements: readonly Judgement[]): Promise<Change> =>
    during(watch, 'trial', () => feedback.preview(judgements));
  const attempt = (judgements: readonly Judgement[]): Promise<Trial> =>
    during(watch, 'training', () => feedback.desk.attempt(judgements));
  try {
    const take: FeedbackSession['take'] = isCrawlRunning
      ? async (judgements) => {
          const inItsWords = await wordsOfCrawl(store, feedback.desk);
          const told = judgements.map((judgement): Judgement => ({ ...judgement, topic: inItsWords(judgement.topic) }));
          const change = await preview(judgements);
          const place = placeOf(workspace);
          const isLearned = !isUntaught(change.trial);
          const decisions = told.map((judgement) => ({ kind: 'judge-page', judgement }) as const);
          const taken = await during(watch, 'crawl-learning', () => handOver({ place, store, isLearned }, decisions));
          isRunning = taken !== 'ended';
          isTraining = taken === 'taken';
          return isRunning ? change : await takeAfterwards(workspace, watch, judgements);
        }
      : async (judgements, options) => {
          watch.signal?.throwIfAborted();
          const { round } = feedback.desk;
          if (judgements.length === 0 && round !== undefined && (await feedback.isInterrupted())) {
            const effect = await judging(watch, (seen) => feedback.catchUp({ ...seen, ...options }));
            return { trial: { judgements, before: round, round }, effect };
          }
          feedback.prepare();
          const trial = options?.trial ?? (await attempt(judgements));
          return await judging(watch, (seen) => feedback.take(judgements, { ...seen, ...options, trial }));
        };
    const setGood: FeedbackSession['setGood'] = async (topic, good, options) => {
      const command = { kind: 'mark-topic', topic, good } as const;
      if (!isCrawlRunning) return await judging(watch, (seen) => feedback.change(command, { ...seen, ...options }));
      const told = { ...command, topic: (await wordsOfCrawl(store, feedback.desk))(topic) };
      const place = placeOf(workspace);
      const taken = await during(watch, 'crawl-learning', () => handOver({ place, store, isLearned: true }, [told]));
      isTraining = taken === 'taken';
      isRunning = taken !== 'ended';
      return undefined;
    };
    return await use({
      ...{ store, workspace, feedback, desk: feedback.desk, preview, take, setGood },
      get isCrawlRunning() {
        return isRunning;
      },
      get isCrawlTraining() {
        return isTraining;
      },
    });
  } finally {
    await feedback.close();
  }
}

interface Waiting {
  /** Time limit without any message from the lock holder. A crawl that judges its pages again reports its progress. */
  readonly patienceMs: number;
  /** Returns false for a running crawl that should not be waited for. */
  readonly isWaitedFor: (crawl: CrawlNow) => boolean;
}

/**
 * Returns the workspace's lock; `undefined` if a crawl holds it that should not be waited for. Waits briefly, and
 * informs the user, if a crawl is starting or about to end, or another command judges pages.
 * @throws WorkspaceLockedError
 */
async function claimInTurn(
  workspace: Workspace,
  watch: Watch,
  { patienceMs, isWaitedFor }: Waiting,
): Promise<WorkspaceLock | undefined> {
  let judgedBefore: number | undefined;
  for (let end = performance.now() + patienceMs; ; await sleep(LOOK_MS)) {
    try {
      return await claimWorkspace(workspace.dir);
    } catch (error) {
      if (!(error instanceof WorkspaceLockedError)) throw error;
      const crawl = await crawlNow(workspace);
      if (!isWaitedFor(crawl)) return undefined;
      if (crawl.judged?.pages !== judgedBefore) end = performance.now() + patienceMs;
      judgedBefore = crawl.judged?.pages;
      watch.onEvent?.({ kind: 'waiting', pid: error.pid, judged: crawl.judged });
      if (performance.now() > end || watch.signal?.aborted === true) throw error;
    }
  }
}

interface CrawlNow extends Pick<CrawlStatus, 'judged'> {
  readonly isRunning: boolean;
}

async function crawlNow(workspace: Workspace): Promise<CrawlNow> {
  return await readingStore(workspace, async (store) => {
    const follower = new StoreFollower(store);
    await follower.skip();
    const status = await follower.look(Date.now(), () => {});
    return { isRunning: follower.isRunning, ...(status?.judged && { judged: status.judged }) };
  });
}

/**
 * Applies what the crawl left at its end. It may have saved decisions without training on them; other work has no
 * other process to do it.
 */
async function takeAfterwards(workspace: Workspace, watch: Watch, judgements: readonly Judgement[]): Promise<Change> {
  watch.onEvent?.({ kind: 'crawl-ended' });
  const lock = await claimWhenFree(workspace, watch, judgements.length);
  try {
    const store = await openStore(placeOf(workspace));
    try {
      await store.takeRequests();
      const taken = await takeUpTopics(store, workspace);
      return await withOpenStore({ store, workspace: taken, watch, isCrawlRunning: false }, ({ desk, take }) =>
        take(judgements.filter((judgement) => !desk.isInForce(judgement))),
      );
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
}

/** Locks the workspace after the crawl: an ended crawl may still judge its pages again. */
async function claimWhenFree(workspace: Workspace, watch: Watch, decisions: number): Promise<WorkspaceLock> {
  try {
    return (await claimInTurn(workspace, watch, { patienceMs: PATIENCE_MS, isWaitedFor: () => true }))!;
  } catch (error) {
    throw error instanceof WorkspaceLockedError ? notTaken(decisions, error) : error;
  }
}

/** @throws UsageError if there is no model yet */
export function requireModel(desk: TrainingDesk, dir: string): void {
  if (desk.round === undefined)
    throw new UsageError('Nothing has been learned in this workspace yet.', `First: bingo crawl ${dir} --only learn`);
}
