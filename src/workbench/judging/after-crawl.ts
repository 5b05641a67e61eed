import type { CrawlStatus } from '../../core/index.ts';
import type { CrawlSummary, Effect } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import { type OpenStore, withOpenStore } from './apply-feedback.ts';
import { judging } from './judging.ts';

/** Judging this many pages takes seconds; a user who stopped a crawl can wait for that. */
const FEW_PAGES = 2_000;

/**
 * Outcome for stored pages that an older model judged. `waited`: another process waits with decisions and judges the
 * rest.
 */
export type JudgedAfterCrawl =
  | { readonly kind: 'left-to-next-run' }
  | { readonly kind: 'judged'; readonly effect: Effect; readonly waited: boolean };

/** Judges stored pages again after a crawl, if the model they were judged by is out of date; `undefined` if it is not. */
export async function judgeStored(
  open: Omit<OpenStore, 'isCrawlRunning'>,
  summary: Pick<CrawlSummary, 'isReclassificationDue' | 'isRoundLeft' | 'isResumed' | 'reason'>,
): Promise<JudgedAfterCrawl | undefined> {
  const { isReclassificationDue, isRoundLeft, isResumed, reason } = summary;
  const { store, watch = {} } = open;
  if (!isReclassificationDue || !isResumed) return undefined;
  // The model is about to be replaced: judging with it would be wasted, and the pages would count as judged.
  if (isRoundLeft || (reason === 'stopped' && (await store.status()).pages > FEW_PAGES))
    return { kind: 'left-to-next-run' };
  return await withOpenStore({ ...open, isCrawlRunning: false }, ({ feedback }) =>
    judging(watch, async ({ signal, onJudged: tell }) => {
      const { onJudged, waited, leave } = attendOthers(store);
      const effect = await feedback.catchUp({
        signal: AbortSignal.any([...(signal === undefined ? [] : [signal]), waited]),
        onJudged: async (pages, of) => {
          await tell?.(pages, of);
          await onJudged(pages, of);
        },
      });
      await leave();
      return { kind: 'judged', effect, waited: waited.aborted };
    }),
  );
}

/** Interval of progress reports to processes that wait for the workspace. */
const TURN_MS = 1000;

/**
 * Reports the progress of judging to other processes, and notices decisions that were too late for the crawl. The
 * process that submitted them waits for the workspace and judges all pages by them.
 */
export function attendOthers(store: Pick<Store, 'published' | 'publish' | 'takeRequests'>): {
  readonly onJudged: (pages: number, of: number) => Promise<void>;
  /** Aborted if another process waits with decisions. */
  readonly waited: AbortSignal;
  /** Stops reporting. */
  readonly leave: () => Promise<void>;
} {
  const waiting = new AbortController();
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = async (judged?: CrawlStatus['judged']): Promise<void> => {
    const told = await store.published();
    if (told === undefined) return;
    const { judged: _, ...status } = told.status;
    await store.publish(judged === undefined ? status : { ...status, judged });
  };
  return {
    waited: waiting.signal,
    leave: tell,
    onJudged: async (pages, of) => {
      if (performance.now() - toldAt < TURN_MS) return;
      toldAt = performance.now();
      await tell({ pages, of });
      if ((await store.takeRequests()).some(({ kind }) => kind === 'judge-page')) waiting.abort();
    },
  };
}
