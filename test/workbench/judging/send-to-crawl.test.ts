import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JournalRecord, Judgement, TopicId } from '../../../src/core/index.ts';
import { openStore, type Store, type StoreOptions } from '../../../src/store/index.ts';
import { handOver } from '../../../src/workbench/judging/send-to-crawl.ts';
import { crawlStatus, round } from '../../contracts/store-records.ts';

const JUDGEMENT: Judgement = { key: 'http://a.test/', sequence: 1, title: '', use: 'others', topic: '' as TopicId };
const TAKEN: JournalRecord = {
  ...{ kind: 'steer', sequence: 1, at: 1 },
  command: { kind: 'judge-page', judgement: JUDGEMENT },
};

let place: StoreOptions;
let crawl: Store;
let here: Store;

beforeEach(async () => {
  place = { url: 'sqlite', workspace: mkdtempSync(join(tmpdir(), 'bingo-hand-over-')), batch: 1, flushMs: 1 };
  crawl = await openStore(place);
  here = await openStore({ ...place, readOnly: true });
});

afterEach(async () => {
  await here.close();
  await crawl.close();
  rmSync(place.workspace, { recursive: true, force: true });
});

/**
 * Sends a decision to a crawl that takes these steps one by one after it receives it. Each step runs when the sender polls.
 */
async function handedOver(deeds: readonly JournalRecord[], isLearned = true): Promise<string> {
  const done = Promise.withResolvers<void>();
  const store = {
    count: () => here.count(),
    read: async function* (range: Parameters<Store['read']>[0]) {
      await done.promise;
      yield* here.read(range);
    },
    published: () => here.published(),
  } as unknown as Store;
  const handing = handOver({ place, store, isLearned, patienceMs: 0 }, [{ kind: 'judge-page', judgement: JUDGEMENT }]);
  await expect.poll(() => crawl.takeRequests()).toHaveLength(1);
  for (const deed of deeds) crawl.append(deed);
  await crawl.flush();
  await crawl.publish(crawlStatus({}));
  done.resolve();
  return await handing;
}

test('a crawl that trained with a decision has learned from it', async () => {
  expect(await handedOver([TAKEN, round(2)])).toBe('learned');
});

test('a decision without training is complete once it is stored', async () => {
  expect(await handedOver([TAKEN], false)).toBe('learned');
});

test('a crawl with a very long training has accepted a decision', async () => {
  expect(await handedOver([TAKEN])).toBe('taken');
});

test('a decision that the crawl does not store was not accepted', async () => {
  await expect(handedOver([])).rejects.toMatchObject({ code: 'NOT_TAKEN' });
});
