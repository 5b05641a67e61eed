import type { CrawlStatus } from '../../core/index.ts';
import type { Crawl } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';

/** Interval between status updates for dashboards in other processes, and between checks for their requests. */
const TURN_MS = 1000;

/** Deletes dashboard requests that arrived while no crawl ran: their senders no longer wait. */
export async function dropOldRequests(store: Store): Promise<void> {
  await store.takeRequests();
}

/**
 * Publishes the crawl's status for dashboards in other processes and carries out their requests, until the returned
 * function is called.
 */
export function attendDashboards(
  store: Store,
  crawl: Pick<Crawl, 'steer' | 'isReading' | 'status'>,
): () => Promise<void> {
  let turn: Promise<void> | undefined;
  let last: CrawlStatus | undefined;
  // While it reads its journal for another ordering, its figures are incomplete; without any it would seem to have ended.
  const status = (): CrawlStatus | undefined => {
    if (!crawl.isReading) last = crawl.status();
    return last;
  };
  const publish = async (more: Partial<CrawlStatus> = {}): Promise<void> => {
    const now = status();
    if (now !== undefined) await store.publish({ ...now, ...more });
  };
  const attend = async (): Promise<void> => {
    try {
      for (const command of await store.takeRequests()) crawl.steer(command);
      await publish();
    } catch {
      // The journal reports a lost store. After a short outage the next turn succeeds.
    }
  };
  const timer = setInterval(() => {
    if (turn !== undefined) return;
    turn = attend().finally(() => {
      turn = undefined;
    });
  }, TURN_MS);
  return async () => {
    clearInterval(timer);
    await turn;
    await publish({ phase: 'done' }).catch(() => {});
  };
}
