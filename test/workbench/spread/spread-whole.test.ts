import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JournalRecord, RoundRecord } from '../../../src/core/index.ts';
import { openStore } from '../../../src/store/index.ts';
import { loadWorkspace, spreadWorkspace } from '../../../src/workbench/index.ts';
import { startBingo } from '../../cli/support/bingo-process.ts';
import { run } from '../../cli/support/captured-io.ts';
import { type ManySites, manySitesWorkspace, startManySites } from '../../support/many-sites.ts';

const root = mkdtempSync(join(tmpdir(), 'bingo-whole-'));
/** Time until a page is answered. */
const DELAY_MS = 40;
let web: ManySites;

beforeAll(async () => {
  web = await startManySites(30, 3, DELAY_MS);
});

afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true, force: true });
});

function workspace(name: string, more: string): string {
  const dir = join(root, name);
  mkdirSync(dir);
  writeFileSync(join(dir, 'bingo.yaml'), manySitesWorkspace(web, more));
  return dir;
}

async function bingo(...words: string[]): Promise<string> {
  const { code, out, err } = await run(words);
  expect(code, `bingo ${words.join(' ')}\n${out}${err}`).toBe(0);
  return out;
}

async function recordsOf(folder: string): Promise<readonly JournalRecord[]> {
  const store = await openStore({ url: 'sqlite', workspace: folder, batch: 10, flushMs: 10, readOnly: true });
  const all: JournalRecord[] = [];
  for await (const records of store.read()) all.push(...records);
  await store.close();
  return all;
}

/** What the crawl decided, without times. */
function decisionsOf(records: readonly JournalRecord[]): readonly unknown[] {
  return records.flatMap((record) => {
    if (record.kind === 'visit') return [[record.url, record.origin, record.result, record.reason]];
    if (record.kind !== 'page') return [];
    return [[record.url, record.finalUrl, record.origin, record.assignment, record.document.contentHash]];
  });
}

function roundsOf(records: readonly JournalRecord[]): readonly RoundRecord[] {
  return records.filter((record) => record.kind === 'round');
}

test('a crawl spread over one shard decides record for record what one process decides', async () => {
  const one = workspace('one', 'learn: {maxArchetypes: 0}\n');
  const exact = ['--set', 'network.concurrency=1'];
  await bingo('crawl', one, '--budget', '12', '--plain', ...exact);
  const spread = join(root, 'spread');
  cpSync(one, spread, { recursive: true });
  await bingo('crawl', one, '--budget', '60', '--plain', ...exact);
  await spreadWorkspace(loadWorkspace(spread), 1);
  await bingo('work', spread, '--budget', '60', ...exact);
  const expected = decisionsOf(await recordsOf(one));
  expect(expected.length).toBeGreaterThan(60);
  expect(decisionsOf(await recordsOf(spread))).toEqual(expected);
});

/** Checks that shards have the first rounds of the whole and judge by them. Returns the least number of rounds of a shard. */
async function roundsAdopted(dir: string): Promise<number> {
  const models = roundsOf(await recordsOf(dir)).map(({ model, blob }) => [model, blob.length]);
  const counts: number[] = [];
  for (let shard = 0; shard < 3; shard++) {
    const records = await recordsOf(join(dir, 'shards', String(shard)));
    const own = roundsOf(records).map(({ model, blob }) => [model, blob.length]);
    expect(models.slice(0, own.length)).toEqual(own);
    const others: number[] = [];
    let model: number | undefined;
    for (const record of records) {
      if (record.kind === 'round') model = record.model;
      else if (record.kind === 'page' && record.assignment.model !== (model ?? record.assignment.model))
        others.push(record.sequence);
    }
    expect(others, `pages of shard ${shard} that another model judged`).toEqual([]);
    counts.push(own.length);
  }
  return Math.min(...counts);
}

test('rounds of training learn from all shards, and all shards adopt their models', async () => {
  const dir = workspace('learning', 'learn: {retrainEvery: 10}\n');
  await bingo('crawl', dir, '--budget', '12', '--plain');
  const before = roundsOf(await recordsOf(dir)).length;
  await bingo('spread', dir, '--shards', '3');
  // On a busy machine, a round may come after the last page of a run: the next run adopts its model.
  let adopted = before;
  for (let budget = 40; adopted === before && budget <= 90; budget += 10) {
    await bingo('work', dir, '--budget', String(budget));
    adopted = await roundsAdopted(dir);
  }
  expect(adopted).toBeGreaterThan(before);
  await bingo('gather', dir);
  await bingo('check', dir);
  await bingo('crawl', dir, '--budget', '100', '--plain');
});

test('marks of the user reach all shards, and processes with other settings are refused', async () => {
  const dir = workspace('marked', '');
  await bingo('crawl', dir, '--budget', '12', '--plain');
  await bingo('spread', dir, '--shards', '2');
  const worker = startBingo(['crawl', dir, '--budget', '1000']);
  await web.requested(10);
  const other = await run(['work', dir, '--set', 'crawl.tunnelDistance=0']);
  expect(other).toMatchObject({ code: 2, err: expect.stringContaining('Use the same bingo.yaml') });
  expect(other.err).toContain('other topics or settings: crawl.tunnelDistance (0 here, 2 there).');
  await bingo('mark', dir, '--bad-site', 'site29.test');
  // Links to the blocked site stay, and the crawl ends nevertheless.
  expect(await worker.ended).toMatchObject({ code: 0, err: expect.stringContaining('No links are left') });
  for (const folder of [dir, join(dir, 'shards', '0'), join(dir, 'shards', '1')]) {
    const marks = (await recordsOf(folder)).filter(
      (record) => record.kind === 'steer' && record.command.kind === 'judge-page',
    );
    expect(marks).toHaveLength(1);
  }
});

test('30 sites on one address never get more requests at a time than an address may get', async () => {
  const dir = workspace('address', '');
  await bingo('crawl', dir, '--budget', '12', '--plain');
  const { code, err } = await run(['spread', dir, '--shards', '16']);
  expect([code, err]).toEqual([2, expect.stringContaining('Use 10 shards')]);
  await bingo('spread', dir, '--shards', '10');
  const workers = [1, 2, 3].map(() => startBingo(['work', dir, '--budget', '1000']));
  for (const { ended } of workers) expect((await ended).err).toContain('No links are left');
  expect(web.mostAtOnce()).toBeGreaterThan(3);
  expect(web.mostAtOnce()).toBeLessThanOrEqual(10);
});
