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
  let turn: Promise<void> | undefined;
  const attend = async (): Promise<void> => {
    try {
      for (const command of await store.takeRequests()) crawl.steer(command);
      if (!crawl.isReading) await store.publish(crawl.status());
    } catch {
      // A store that is lost is told of by the journal; one that was away for a moment answers the next time.
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
    await store.publish({ ...crawl.status(), phase: 'done' }).catch(() => {});
  };
}
