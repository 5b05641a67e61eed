import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { CanonicalUrl, Config, FetchOutcome } from '../../src/core/index.ts';
import { exactConfig, PaperFetcher, paperCrawl, paperUrl, paperWeb, topicTreeWith } from './support/paper-web.ts';

const LATE = paperUrl('rail', 59);
const PAUSE_MS = 400;

/** Answers in a moment; one page fails when it is first asked for, so that its host has a pause. */
class LateFetcher extends PaperFetcher {
  override async fetch(url: CanonicalUrl): Promise<FetchOutcome> {
    const answer = await super.fetch(url);
    await sleep(1);
    if (url !== LATE || this.asked.filter((each) => each === url).length > 1) return answer;
    const trouble = { reason: 'timeout', detail: 'no answer', status: 0, fetchedAt: 0 } as const;
    return { kind: 'failed', url, retry: 'later', ...trouble };
  }
}

/** A crawl that stopped while learning, or spent its budget. It continues with another example, which is not available at once. */
async function resumedWithLateExample(budget: number, learn: number, stopAt: number) {
  // The host of the late example has no other page of the crawl.
  const crawl: Partial<Config['crawl']> = { budget, learn, lockedHosts: ['rail2.paper.test'] };
  const network = { concurrency: 4, perHost: 2, perDomain: 8, backoffMs: PAUSE_MS, backoffJitter: 0 };
  const config = exactConfig({ crawl, network, learn: { maxArchetypes: 0 } });
  const first = paperCrawl(paperWeb(), config, {
    onEvent: ({ kind }) => {
      if (kind === 'page' && first.journal.crawled().length === stopAt) first.crawl.stop();
    },
  });
  await first.run();
  const before = first.journal.records.length;
  const web = paperWeb();
  const made = paperCrawl(web, config, {
    journal: first.journal,
    tree: topicTreeWith([0, 1, 2, 59]),
    fetcher: new LateFetcher(web),
  });
  return { made, before };
}

afterEach(() => {
  vi.restoreAllMocks();
});

test('learning stays within its page limit while an example is pending', async () => {
  const { made, before } = await resumedWithLateExample(40, 12, 5);
  await made.run();
  const { records } = made.journal;
  const harvest = records.findIndex((record) => record.kind === 'phase' && record.phase === 'harvesting');
  const learned = records.slice(0, harvest).filter((r) => r.kind === 'page' && r.role === 'crawled');
  expect(learned).toHaveLength(12);
  expect(records.slice(before).filter((r) => r.kind === 'page' && r.finalUrl === LATE)).toHaveLength(1);
});

test('a crawl with a spent budget sleeps until its pending example may be retried', async () => {
  const { made } = await resumedWithLateExample(20, 2, 15);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  await made.run();
  expect(made.fetcher.asked.at(-1)).toBe(LATE);
  expect(timers.mock.calls.length).toBeLessThan(PAUSE_MS / 4);
});
