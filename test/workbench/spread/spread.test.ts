import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../../src/store/index.ts';
import { readSpread } from '../../../src/workbench/workspace/spread-file.ts';
import { run } from '../../cli/support/captured-io.ts';
import { DATABASES, type Place } from '../../contracts/store-databases.ts';
import { type ManySites, manySitesWorkspace, startManySites } from '../../support/many-sites.ts';

const root = mkdtempSync(join(tmpdir(), 'bingo-spread-'));
let web: ManySites;

beforeAll(async () => {
  web = await startManySites(10, 6);
});

afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true, force: true });
});

/** @param url of its store */
function workspace(name: string, url = 'sqlite'): string {
  const dir = join(root, name);
  mkdirSync(dir);
  writeFileSync(
    join(dir, 'bingo.yaml'),
    manySitesWorkspace(web, `store: {url: "${url}"}\nlearn: {maxArchetypes: 0}\n`),
  );
  return dir;
}

async function bingo(...words: string[]): Promise<string> {
  const { code, out, err } = await run(words);
  expect(code, `bingo ${words.join(' ')}\n${out}${err}`).toBe(0);
  return out;
}

/** Addresses of all stored pages, without training pages. */
async function pagesOf(dir: string, url = 'sqlite'): Promise<readonly string[]> {
  const store = await openStore({ url, workspace: dir, batch: 10, flushMs: 10, readOnly: true });
  try {
    const urls: string[] = [];
    for await (const records of store.read({ links: false }))
      for (const record of records) if (record.kind === 'page') urls.push(record.finalUrl);
    return urls.sort();
  } finally {
    await store.close();
  }
}

/** Scores and addresses of what a search finds. Equal scores may be in any order. */
async function searched(dir: string): Promise<readonly string[]> {
  const rows = JSON.parse(await bingo('search', dir, 'bicycle', 'wheel', '--json', '--limit', '500'));
  return rows.map(({ url, score }: { url: string; score: number }) => `${score} ${url}`).sort();
}

function repeated(requests: readonly string[]): readonly string[] {
  return requests.filter((request, i) => requests.indexOf(request) !== i);
}

for (const database of DATABASES) {
  const shards = database.name === 'SQLite' ? 8 : 3;
  test.skipIf(database.missing !== undefined)(
    `a crawl spread over ${shards} shards in ${database.name} fetches and shows the pages that one process fetches, each once, and is gathered`,
    async () => {
      const one = workspace(`one-${database.name}`);
      await bingo('crawl', one, '--budget', '12', '--plain');
      await bingo('crawl', one, '--budget', '1000', '--plain');
      web.takeRequests();
      const expected = await pagesOf(one);
      expect(expected.length).toBe(web.reachable + 4);

      const place: Place = await database.place();
      const { url } = place.options;
      const many = workspace(`many-${database.name}`, url);
      await bingo('crawl', many, '--budget', '12', '--plain');
      await bingo('spread', many, '--shards', String(shards));
      const done = JSON.parse(await bingo('work', many, '--budget', '1000', '--json'));
      expect(done).toMatchObject({ reason: 'frontier-dry' });
      expect(repeated(web.takeRequests())).toEqual([]);
      const status = JSON.parse(await bingo('status', many, '--json'));
      expect(status.shards).toHaveLength(shards);
      expect(status.shards.every(({ behind }: { behind: number }) => behind === 0)).toBe(true);
      const busy = status.shards.filter(({ fetched }: { fetched: number }) => fetched > 0);
      expect(busy.length).toBeGreaterThan(1);

      // Readers see the whole crawl before it is gathered.
      expect(status.shards.every(({ ungathered }: { ungathered: number }) => ungathered === 0)).toBe(true);
      expect(await pagesOf(many, url)).toEqual(expected);
      const found = await searched(many);
      expect(found.length).toBeGreaterThan(60);
      expect(found).toEqual(await searched(one));

      await bingo('gather', many);
      expect(await searched(many)).toEqual(found);
      expect(existsSync(join(many, 'shards'))).toBe(false);
      expect(await pagesOf(many, url)).toEqual(expected);
      await bingo('check', many);
      await bingo('crawl', many, '--budget', '1000', '--plain');
      expect(web.takeRequests()).toEqual([]);
      await place.drop();
    },
    240_000,
  );
}

describe('a spread crawl', () => {
  test('stops at its budget', async () => {
    const dir = workspace('budget');
    await bingo('crawl', dir, '--budget', '12', '--plain');
    await bingo('spread', dir, '--shards', '2');
    const done = JSON.parse(await bingo('work', dir, '--budget', '30', '--json'));
    expect(done.reason).toBe('budget');
    expect(done.fetched).toBeLessThanOrEqual(30);
    expect(done.fetched).toBeGreaterThan(20);
    const more = JSON.parse(await bingo('work', dir, '--budget', '40', '--json'));
    expect(more.fetched).toBeLessThanOrEqual(40);
    expect(more.fetched).toBeGreaterThan(done.fetched);
  });

  test('counts seeds as one crawl does', async () => {
    const dir = workspace('seeds');
    const file = join(dir, 'bingo.yaml');
    const seeds = [5, 6].map((site) => `"${web.origin(`site${site}.test`)}/1"`).join(', ');
    writeFileSync(file, readFileSync(file, 'utf8').replace('    examples:', `    seeds: [${seeds}]\n    examples:`));
    await bingo('crawl', dir, '--budget', '12', '--plain');
    await bingo('spread', dir, '--shards', '2');
    expect(readSpread(dir)?.fetched).toBe(12);
  });

  test('is left alone by commands that would change the store it began with', async () => {
    const dir = workspace('guarded');
    await bingo('crawl', dir, '--budget', '12', '--plain');
    const { code, err } = await run(['spread', workspace('empty'), '--shards', '2']);
    expect([code, err]).toEqual([2, expect.stringContaining('finished learning')]);
    await bingo('spread', dir, '--shards', '2');
    expect(await run(['spread', dir])).toMatchObject({ code: 2, err: expect.stringContaining('bingo work') });
    expect(await run(['crawl', dir, '--recheck'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('needs one store'),
    });
    const worked = JSON.parse(await bingo('crawl', dir, '--budget', '13', '--json'));
    expect(worked).toMatchObject({ reason: 'budget', fetched: 13 });
    await bingo('gather', dir);
    await bingo('crawl', dir, '--budget', '14', '--plain');
  });
});
