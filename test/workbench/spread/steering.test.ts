import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CrawlStatus, Steer } from '../../../src/core/index.ts';
import { openStore, type StoreOptions } from '../../../src/store/index.ts';
import { type OpenWorkspace, openWorkspace } from '../../../src/workbench/index.ts';
import { type StartedBingo, startBingo } from '../../cli/support/bingo-process.ts';
import { run } from '../../cli/support/captured-io.ts';
import { DATABASES, onServer, type Place, sqlite } from '../../contracts/store-databases.ts';
import { type ManySites, manySitesWorkspace, startManySites } from '../../support/many-sites.ts';

const SHARDS = 3;
/** Fetches that count against the budget before the crawl is spread. */
const BEFORE = 12;
/** Time in which all processes obey. */
const OBEYED_MS = 2_000;
const root = mkdtempSync(join(tmpdir(), 'bingo-steering-'));
let web: ManySites;
let place: Place;
let dir: string;
let workspace: OpenWorkspace;
let workers: StartedBingo[];

beforeAll(async () => {
  // Three fetches at a time: some 15 pages per second.
  web = await startManySites(20, 6, 150);
});

afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true, force: true });
});

beforeEach(() => {
  workers = [];
});

afterEach(async () => {
  for (const { child } of workers) child.kill('SIGKILL');
  await Promise.all(workers.map(({ ended }) => ended));
  await workspace.close();
  const { url } = place.options;
  for (let shard = 0; url !== 'sqlite' && shard < SHARDS; shard++)
    await onServer(`drop database if exists ${new URL(url).pathname.slice(1)}_s${shard}`);
  await place.drop();
});

async function bingo(...words: string[]): Promise<string> {
  const { code, out, err } = await run(words);
  expect(code, `bingo ${words.join(' ')}\n${out}${err}`).toBe(0);
  return out;
}

/** Makes a spread crawl that has learned. @param steers the user's changes before it is spread */
async function spread(name: string, database = sqlite, steers: readonly Steer[] = []): Promise<void> {
  place = await database.place();
  dir = join(root, name);
  mkdirSync(dir);
  const store = `store: {url: "${place.options.url}"}\nlearn: {maxArchetypes: 0}\n`;
  const text = manySitesWorkspace(web, store).replace('network:', `network:\n  concurrency: ${SHARDS}`);
  writeFileSync(join(dir, 'bingo.yaml'), text);
  await bingo('crawl', dir, '--budget', String(BEFORE), '--plain');
  await read({ readOnly: false }, async (store) => {
    const last = await store.count();
    for (const [i, command] of steers.entries())
      store.append({ kind: 'steer', sequence: last + i + 1, at: 0, command });
  });
  await bingo('spread', dir, '--shards', String(SHARDS));
  workspace = await openWorkspace(dir);
  web.takeRequests();
}

function work(...words: string[]): StartedBingo {
  const worker = startBingo(['work', dir, ...words]);
  workers.push(worker);
  return worker;
}

async function statusIs(expected: Partial<CrawlStatus>): Promise<void> {
  const look = async (): Promise<CrawlStatus | undefined> => await workspace.crawlElsewhere();
  await expect.poll(look, { timeout: 30_000, interval: 100 }).toMatchObject(expected);
}

/** Resolves once all processes have obeyed a pause: on a busy machine, a look takes longer than a second. */
async function rest(): Promise<void> {
  const requested = async (): Promise<readonly string[]> => {
    web.takeRequests();
    await sleep(OBEYED_MS);
    return web.takeRequests();
  };
  await expect.poll(requested, { timeout: 20_000 }).toEqual([]);
}

async function read<T>(
  options: Partial<StoreOptions>,
  use: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
): Promise<T> {
  const store = await openStore({
    url: place.options.url,
    workspace: dir,
    batch: 10,
    flushMs: 10,
    readOnly: true,
    ...options,
  });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function granted(): Promise<number> {
  const grants = await read({}, (store) => store.grants());
  return [...grants.values()].reduce((all, pages) => all + pages, BEFORE);
}

for (const database of DATABASES)
  test.skipIf(database.missing !== undefined)(
    `all processes pause and resume in ${database.name}, also those that join later or take over the lead`,
    async () => {
      await spread(`paused-${database.name}`, database);
      const leader = work('--budget', '1000');
      await statusIs({ paused: false });
      const second = work('--budget', '1000');
      await web.requested(20);
      await workspace.steerElsewhere({ kind: 'pause' });
      await rest();
      await statusIs({ paused: true });
      const third = work('--budget', '1000');
      await sleep(2 * OBEYED_MS);
      leader.child.kill('SIGKILL');
      await leader.ended;
      const killedAt = Date.now();
      await expect
        .poll(() => read({}, async (store) => (await store.published())?.at), { timeout: 30_000 })
        .toBeGreaterThan(killedAt);
      await statusIs({ paused: true });
      await sleep(2 * OBEYED_MS);
      expect(web.takeRequests()).toEqual([]);
      expect([second.child.exitCode, third.child.exitCode]).toEqual([null, null]);
      const resumed = web.requested(5);
      await workspace.steerElsewhere({ kind: 'resume' });
      await resumed;
      for (const { ended } of [second, third]) expect((await ended).err).toContain('No links are left');
      const status = JSON.parse(await bingo('status', dir, '--json'));
      expect(status.fetched).toBe(web.reachable - 2);
    },
    240_000,
  );

test('a budget that is changed holds for all processes, and takes back no page that was granted', async () => {
  await spread('budget');
  const all = [work('--budget', '1000', '--json'), work('--budget', '1000', '--json')];
  await web.requested(20);
  await workspace.steerElsewhere({ kind: 'pause' });
  await statusIs({ paused: true });
  // Lower than what is fetched: a paused crawl does not end.
  await workspace.steerElsewhere({ kind: 'set-budget', budget: BEFORE + 1 });
  await statusIs({ budget: BEFORE + 1 });
  await rest();
  const before = await granted();
  await workspace.steerElsewhere({ kind: 'set-budget', budget: before + 20 });
  await workspace.steerElsewhere({ kind: 'resume' });
  await statusIs({ paused: false });
  for (const { ended } of all) {
    const { lines, err } = await ended;
    expect(lines).toEqual([{ reason: 'budget', fetched: before + 20, budget: before + 20 }]);
    expect(err).toContain(`The budget of the crawl is ${BEFORE + 1} pages, not 1,000.`);
    expect(err).toContain(`The budget of the crawl is ${before + 20} pages, not ${BEFORE + 1}.`);
  }
  expect(await granted()).toBe(before + 20);

  // The same command continues with the changed budget, as one process does. Another budget replaces it.
  expect(await run(['work', dir, '--budget', '1000'])).toMatchObject({
    code: 0,
    err: expect.stringContaining('used up'),
  });
  expect(await granted()).toBe(before + 20);
  const lowered = work('--budget', '200', '--json');
  await web.requested(10);
  await workspace.steerElsewhere({ kind: 'set-budget', budget: before + 21 });
  await statusIs({ budget: before + 21 });
  const last = await granted();
  const [summary] = (await lowered.ended).lines;
  expect(summary).toMatchObject({ reason: 'budget', budget: before + 21 });
  expect(summary!.fetched).toBeLessThanOrEqual(last);
  expect(await granted()).toBe(last);
  const published = await read({}, (store) => store.published());
  expect(published?.status).toMatchObject({ phase: 'done', endReason: 'budget' });
}, 120_000);

test('the ordering and limits that are changed reach all shards; other commands are refused where they are given', async () => {
  await spread('ordered');
  const leader = work('--budget', '1000');
  const steers: readonly Steer[] = [
    { kind: 'set-ordering', ordering: 'breadth-first' },
    { kind: 'set-limit', limit: 'tunnel', value: 1 },
    { kind: 'set-limit', limit: 'parallel', value: 4 * SHARDS - 1 },
  ];
  await web.requested(10);
  expect(web.mostAtOnce()).toBeLessThanOrEqual(SHARDS);
  for (const command of steers) await workspace.steerElsewhere(command);
  await statusIs({ ordering: 'breadth-first' });
  const other = work('--budget', '500');
  await expect(workspace.steerElsewhere({ kind: 'begin-learning' })).rejects.toThrow('has no learning phase');
  const time = workspace.steerElsewhere({ kind: 'set-limit', limit: 'time', value: 60_000 });
  await expect(time).rejects.toThrow('has no time limit');
  await web.requested(20);
  // Another process takes over the lead, and the budget with it.
  leader.child.kill('SIGINT');
  const { err } = await leader.ended;
  expect(err).toContain('changed by hand: ordering breadth-first');
  const end = await other.ended;
  expect(end.err).toContain('The budget of the crawl is 1,000 pages, not 500.');
  expect(end.err).toContain('No links are left');
  for (let shard = 0; shard < SHARDS; shard++) {
    const own = await read({ workspace: join(dir, 'shards', String(shard)) }, (store) => store.decisions(0));
    const commands = own.flatMap((record) => (record.kind === 'steer' ? [record.command] : []));
    expect(commands).toEqual(expect.arrayContaining([...steers.slice(0, 2), { ...steers[2], value: 4 }]));
  }
  expect(web.mostAtOnce()).toBeGreaterThan(SHARDS);
  await expect(workspace.steerElsewhere({ kind: 'pause' })).rejects.toThrow('No crawl is running');
}, 120_000);

test('a process ends at its own time limit, whatever limit an earlier run had', async () => {
  await spread('timed', sqlite, [{ kind: 'set-limit', limit: 'time', value: 1 }]);
  const requested = web.requested(20);
  const { err, code } = await work('--budget', '1000', '--set', 'crawl.timeMs=3s').ended;
  expect([code, err]).toEqual([0, expect.stringContaining('The time is up')]);
  expect(err).toContain('Next: bingo work');
  const { err: rest } = await work('--budget', '1000').ended;
  expect(rest).toContain('No links are left');
  await requested;
}, 60_000);
