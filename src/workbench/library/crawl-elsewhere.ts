import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlEvent, CrawlStatus } from '../../core/index.ts';
import { crawlEvent, type WorkspaceCrawlEvent } from '../crawl/crawl-events.ts';
import { crawledTree } from '../reading/crawled-tree.ts';
import { StoreFollower } from '../reading/follow-store.ts';
import type { Reading } from './reader.ts';

/** Interval between reads of the store. */
const LOOK_MS = 500;

/** Returns the figures of a crawl that another process runs; `undefined` if none does. */
export async function statusElsewhere({ tables: { store } }: Reading): Promise<CrawlStatus | undefined> {
  const follower = new StoreFollower(store);
  await follower.skip();
  const status = await follower.look(Date.now(), () => {});
  return follower.isRunning ? status : undefined;
}

/**
 * Yields the events of a crawl that another process runs, from now on until it ends. Yields nothing if none runs.
 * @param signal ends the loop
 */
export async function* eventsElsewhere(
  { tables: { store }, workspace }: Reading,
  signal: AbortSignal | undefined,
): AsyncGenerator<WorkspaceCrawlEvent, void, void> {
  const follower = new StoreFollower(store, (await crawledTree(store, workspace)).inItsWords);
  await follower.skip();
  while (signal?.aborted !== true) {
    const events: CrawlEvent[] = [];
    const status = await follower.look(
      Date.now(),
      (event) => events.push(event),
      () => signal?.aborted !== true,
    );
    for (const event of events) yield crawlEvent(event);
    if (status !== undefined) yield { kind: 'status', status };
    if (!follower.isRunning) return;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}
