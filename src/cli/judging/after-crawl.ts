import { type CrawlStatus, count } from '../../core/index.ts';
import type { CrawlSummary, Effect } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import type { Workspace } from '../../workbench/index.ts';
import type { Io } from '../command.ts';
import { withOpenStore } from './carry-out.ts';
import { inSight } from './judging.ts';

/** Judging so many pages takes seconds: whoever stopped a crawl can wait for it. */
const FEW_PAGES = 2_000;

const LEFT_TO_NEXT =
  '\nStored pages are yet to be judged by what was learned since they were fetched: the next run does it when it ends of itself.\n';

/** When a crawl has ended: judges stored pages again if what they were judged by is out of date, and tells what came of it. */
export async function judgeAfterCrawl(
  { store, workspace, io }: { readonly store: Store; readonly workspace: Workspace; readonly io: Io },
  summary: Pick<CrawlSummary, 'isReclassificationDue' | 'isRoundLeft' | 'isResumed' | 'reason'>,
): Promise<void> {
  const { isReclassificationDue, isRoundLeft, isResumed, reason } = summary;
  if (!isReclassificationDue || !isResumed) return;
  // By a model that is about to be replaced it would be in vain, and they would count as judged.
  if (isRoundLeft || (reason === 'stopped' && (await store.status()).pages > FEW_PAGES)) {
    io.err(LEFT_TO_NEXT);
    return;
  }
  const { effect, isWaited } = await withOpenStore({ store, workspace, io, isCrawlRunning: false }, ({ feedback }) =>
    inSight(io, async (seen) => {
      const { onJudged, waited, leave } = attendOthers(store);
      const effect = await feedback.catchUp({
        signal: AbortSignal.any([seen.signal, waited]),
        onJudged: async (pages, of) => {
          await seen.onJudged(pages, of);
          await onJudged(pages, of);
        },
      });
      await leave();
      return { effect, isWaited: waited.aborted };
    }),
  );
  io.err(judgedText(effect, isWaited));
}

/** What came of it. Where somebody waits with decisions (`isWaited`), pages that are left are judged by whoever does. */
export function judgedText(
  { pages, of, changed }: Pick<Effect, 'pages' | 'of' | 'changed'>,
  isWaited: boolean,
): string {
  const next = isWaited ? 'the command that waits with later decisions' : 'the next run';
  const left = pages < of ? ` The other ${count(of - pages)} are left to ${next}.` : '';
  return `\nStored pages were judged again by what was learned since they were fetched: ${count(changed)} of ${count(pages)} changed topic.${left}\n`;
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
