import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type CrawlEvent,
  type SteerCommand,
  StoreError,
  type TopicId,
  type UsageError,
} from '../../../src/core/index.ts';
import type { Crawl } from '../../../src/engine/index.ts';
import { openStore, requestSteer, type Store, type StoreOptions } from '../../../src/store/index.ts';
import { attendDashboards, dropOldRequests } from '../../../src/workbench/crawl/attend-dashboards.ts';
import { type JournalPages, requireRunning, StoreFollower } from '../../../src/workbench/reading/follow-store.ts';
import { crawlStatus, link, page, round, visit } from '../../contracts/store-records.ts';

let place: StoreOptions;
let writing: Store;
let reading: Store;

beforeEach(async () => {
  place = { url: 'sqlite', workspace: mkdtempSync(join(tmpdir(), 'bingo-follow-')), batch: 100, flushMs: 10 };
  writing = await openStore(place);
  reading = await openStore({ ...place, readOnly: true });
});

afterEach(async () => {
  vi.useRealTimers();
  await reading.close();
  await writing.close();
  rmSync(place.workspace, { recursive: true, force: true });
});

describe('following a crawl through its store', () => {
  test('returns the events of the crawl, each once, as they become durable', async () => {
    const follower = new StoreFollower(reading);
    const seen: string[] = [];
    const onEvent = (event: CrawlEvent): void => {
      if (event.kind !== 'resuming') seen.push(event.kind);
    };
    writing.append({ kind: 'run', sequence: 1, at: 1, settings: '{}' });
    writing.append(page(2, 'https://a.example/', { links: [link('https://b.example/')] }));
    writing.append(visit(3, 'https://b.example/'));
    await writing.flush();
    await follower.look(0, onEvent);
    expect(seen).toEqual(['page', 'visit']);
    writing.append(round(4));
    writing.append({ kind: 'phase', sequence: 5, phase: 'learning', reason: '', at: 1 });
    writing.append({ kind: 'steer', sequence: 6, command: { kind: 'end-learning' }, at: 1 });
    await writing.flush();
    await follower.look(0, onEvent);
    await follower.look(0, onEvent);
    expect(seen).toEqual(['page', 'visit', 'round', 'phase', 'steer']);
  });

  test('stops reading if no listener is left; the next read continues there', async () => {
    const follower = new StoreFollower(reading);
    const many = 600;
    for (let sequence = 1; sequence <= many; sequence++)
      writing.append(visit(sequence, `https://a.example/${sequence}`));
    await writing.flush();
    const seen: number[] = [];
    const onEvent = (event: CrawlEvent): void => {
      if (event.kind === 'visit') seen.push(event.record.sequence);
    };
    await follower.look(0, onEvent, () => seen.length === 0);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.length).toBeLessThan(many);
    await follower.look(0, onEvent);
    expect(seen).toEqual(Array.from({ length: many }, (_, i) => i + 1));
  });

  test('sums the beginning of a long journal, and shows its last records one by one', async () => {
    const [many, replayed] = [5_500, 2_000];
    const first = page(1, 'https://a.example/');
    writing.append({ ...first, origin: { ...first.origin, via: 'link' } });
    for (let sequence = 2; sequence <= many; sequence++)
      writing.append(visit(sequence, `https://a.example/${sequence % 100}`));
    await writing.flush();
    const follower = new StoreFollower(reading);
    const seen: string[] = [];
    const onBeginning = ({ pages }: JournalPages): void => {
      seen.push(`sums of ${pages.length}`);
    };
    const onEvent = (event: CrawlEvent): void => {
      if (event.kind === 'page' || event.kind === 'visit') seen.push(`${event.kind} ${event.record.sequence}`);
    };
    await follower.look(0, onEvent, undefined, onBeginning);
    expect(seen).toHaveLength(1 + replayed);
    expect(seen.slice(0, 2)).toEqual(['sums of 1', `visit ${many - replayed + 1}`]);
    await follower.look(0, onEvent, undefined, onBeginning);
    expect(seen.at(-1)).toBe(`visit ${many}`);
    expect(seen).toHaveLength(1 + replayed);
  });

  test('a crawl counts as running while it publishes numbers, whatever its clock shows', async () => {
    const follower = new StoreFollower(reading);
    const look = async (now: number): Promise<unknown> => [
      (await follower.look(now, () => {}))?.fetched,
      follower.isRunning,
    ];
    expect(await look(1000)).toEqual([undefined, false]);
    await writing.publish(crawlStatus({ fetched: 1 }));
    // By the reader's clock the message comes from the future.
    expect(await look(2000)).toEqual([1, true]);
    expect(await look(6000)).toEqual([undefined, true]);
    expect(await look(8000)).toEqual([undefined, false]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await writing.publish(crawlStatus({ fetched: 2 }));
    expect(await look(9000)).toEqual([2, true]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await writing.publish(crawlStatus({ fetched: 3, phase: 'done' }));
    expect(await look(9500)).toEqual([3, false]);
  });

  test('waits for a lost database server, and gives the crawl time to reconnect', async () => {
    let isLost = false;
    const lost = new StoreError({ code: 'STORE_LOST', message: 'The server is gone.' });
    const answer = <T>(value: T): T => {
      if (isLost) throw lost;
      return value;
    };
    const store = {
      count: async () => answer(0),
      read: async function* () {
        yield answer([]);
      },
      published: async () => answer(await reading.published()),
    } as unknown as Store;
    const follower = new StoreFollower(store);
    const codes: string[] = [];
    const look = async (now: number): Promise<boolean> => {
      await follower.look(now, (event) => codes.push(event.kind === 'alarm' ? event.code : event.kind));
      return follower.isRunning;
    };
    await writing.publish(crawlStatus({ fetched: 1 }));
    expect(await look(1000)).toBe(true);
    isLost = true;
    expect([await look(2000), await look(58_000)]).toEqual([true, true]);
    isLost = false;
    expect([await look(59_000), await look(68_000), await look(70_000)]).toEqual([true, true, false]);
    expect(codes).toEqual(['store-silent', 'store-answers']);
    isLost = true;
    expect([await look(80_000), await look(4_000_000)]).toEqual([false, false]);
    await expect(new StoreFollower(store).look(0, () => {})).rejects.toBe(lost);
  });

  test('does not repeat events after a database server was lost', async () => {
    let losesIn = Number.POSITIVE_INFINITY;
    const store = {
      count: async () => 4,
      read: async function* ({ after = 0 }: { after?: number }) {
        for (let sequence = after + 1; sequence <= 4; sequence++) {
          if (losesIn-- === 0) throw new StoreError({ code: 'STORE_LOST', message: 'The server is gone.' });
          yield [visit(sequence, `https://a.example/${sequence}`)];
        }
      },
      published: async () => undefined,
    } as unknown as Store;
    const follower = new StoreFollower(store);
    const told: (number | string)[] = [];
    const onEvent = (event: CrawlEvent): void => {
      if (event.kind === 'visit') told.push(event.record.sequence);
      if (event.kind === 'resuming') told.push(`${event.read} of ${event.total}`);
    };
    await follower.look(0, onEvent);
    told.length = 0;
    follower.rewind(undefined);
    losesIn = 2;
    await follower.look(0, onEvent);
    expect(told).toEqual([1, '1 of 4', 2, '2 of 4']);
    told.length = 0;
    await follower.look(0, onEvent);
    expect(told).toEqual([3, '3 of 4', 4, '4 of 4']);
  });

  test('old numbers of a crawl do not count as a running one', async () => {
    await writing.publish(crawlStatus({}));
    const follower = new StoreFollower(reading);
    await follower.look(Date.now() + 60_000, () => {});
    expect(follower.isRunning).toBe(false);
  });
});

describe('a crawl with dashboards', () => {
  const heard: SteerCommand[] = [];
  const crawl = {
    status: () => crawlStatus({ fetched: heard.length }),
    steer: (command: SteerCommand) => heard.push(command) > 0,
  } as unknown as Crawl;

  test('publishes its numbers and handles requests, once a second, and says when it ends', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    heard.length = 0;
    const leave = attendDashboards(writing, crawl);
    await requestSteer(place, { kind: 'pause' });
    vi.advanceTimersByTime(1000);
    await expect.poll(async () => (await reading.published())?.status.fetched).toBe(1);
    expect(heard).toEqual([{ kind: 'pause' }]);
    await leave();
    expect((await reading.published())?.status.phase).toBe('done');
    await requestSteer(place, { kind: 'resume' });
    vi.advanceTimersByTime(5000);
    expect(heard).toHaveLength(1);
  });

  test('seems to run while it reads its journal again, with its last complete numbers', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let isReading = true;
    const publish = vi.spyOn(writing, 'publish');
    const leave = attendDashboards(writing, {
      steer: crawl.steer,
      status: () => crawlStatus({ fetched: isReading ? 3 : 7 }),
      get isReading() {
        return isReading;
      },
    });
    const published = async (times: number): Promise<unknown> => {
      vi.advanceTimersByTime(1000);
      await expect.poll(() => publish.mock.calls).toHaveLength(times);
      return publish.mock.lastCall?.[0].fetched;
    };
    vi.advanceTimersByTime(1000);
    isReading = false;
    expect(await published(1)).toBe(7);
    isReading = true;
    expect(await published(2)).toBe(7);
    await leave();
    expect((await reading.published())?.status).toMatchObject({ fetched: 7, phase: 'done' });
  });

  test('receives requests again after a failed read of the store', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    heard.length = 0;
    const takeRequests = vi.spyOn(writing, 'takeRequests').mockRejectedValueOnce(new Error('the store is away'));
    const leave = attendDashboards(writing, crawl);
    await requestSteer(place, { kind: 'pause' });
    vi.advanceTimersByTime(1000);
    await expect.poll(() => takeRequests.mock.calls).toHaveLength(1);
    const heardLater = (): readonly SteerCommand[] => {
      vi.advanceTimersByTime(1000);
      return heard;
    };
    await expect.poll(heardLater).toEqual([{ kind: 'pause' }]);
    await leave();
  });

  test('drops requests made while no crawl ran', async () => {
    await requestSteer(place, { kind: 'pause' });
    await dropOldRequests(writing);
    expect(await writing.takeRequests()).toEqual([]);
  });
});

describe('a command for a crawl that does not run', () => {
  const refused = (command?: SteerCommand): unknown => {
    try {
      requireRunning(false, 'bikes', command);
    } catch (error) {
      return (error as UsageError).hint;
    }
    return undefined;
  };

  test('is answered with the command that does the same without a crawl', () => {
    const topic = 'sport/cycling' as TopicId;
    expect(refused({ kind: 'mark-topic', topic, good: true })).toMatch(/: bingo topic good bikes sport\/cycling$/);
    expect(refused({ kind: 'mark-topic', topic, good: false })).toMatch(/sport\/cycling --off$/);
    expect(refused({ kind: 'lock-host', host: 'a.example' })).toMatch(/bingo mark bikes --bad-site a\.example$/);
    expect(refused({ kind: 'pause' })).toBe('Start one: bingo crawl bikes');
    expect(() => requireRunning(true, 'bikes')).not.toThrow();
  });
});
