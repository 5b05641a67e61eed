import type { CrawlStatus } from '../../core/index.ts';
import type { CrawlSummary, Effect } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import { type OpenStore, withOpenStore } from './carry-out.ts';
import { judging } from './judging.ts';

/** Judging so many pages takes seconds, which a user who stopped a crawl can wait for. */
const FEW_PAGES = 2_000;

/** What became of stored pages that were judged by an older model. `waited`: another process waits with decisions, and judges the rest. */
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
  // By a model that is about to be replaced it would be in vain, and they would count as judged.
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

/** How often those who wait for the workspace are told how far judging is. */
const TURN_MS = 1000;

/**
 * Tells other processes how far judging is, and hears of decisions that came too late for the crawl: whoever took them waits for the
 * workspace, and judges all pages by them.
 */
export function attendOthers(store: Pick<Store, 'published' | 'publish' | 'takeRequests'>): {
  readonly onJudged: (pages: number, of: number) => Promise<void>;
  /** Somebody waits with decisions. */
  readonly waited: AbortSignal;
  /** It is over. */
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
