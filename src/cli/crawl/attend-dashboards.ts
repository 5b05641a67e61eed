import type { Crawl } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';

/** How often dashboards in other processes are told and asked. */
const TURN_MS = 1000;

/** Drops what dashboards asked for while no crawl ran: nobody waits for it any more. */
export async function dropOldRequests(store: Store): Promise<void> {
  await store.takeRequests();
}

/** Tells dashboards in other processes how the crawl goes, and does what they ask, until the result is called. */
export function attendDashboards(store: Store, crawl: Crawl): () => Promise<void> {
  let isAttending = true;
  let turn: Promise<void> | undefined;
  const attend = async (): Promise<void> => {
    try {
      for (const command of await store.takeRequests()) crawl.steer(command);
      if (!crawl.isReading) await store.publish(crawl.status());
    } catch {
      // The store is lost, and the crawl is told so by its journal.
      isAttending = false;
    }
  };
  const timer = setInterval(() => {
    if (!isAttending || turn !== undefined) return;
    turn = attend().finally(() => {
      turn = undefined;
    });
  }, TURN_MS);
  return async () => {
    clearInterval(timer);
    await turn;
    if (isAttending) await store.publish({ ...crawl.status(), phase: 'done' }).catch(() => {});
  };
}
