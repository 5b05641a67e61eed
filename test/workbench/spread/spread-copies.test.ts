import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shardOf } from '../../../src/core/index.ts';
import { openStore } from '../../../src/store/index.ts';
import { startBingo } from '../../cli/support/bingo-process.ts';
import { run } from '../../cli/support/captured-io.ts';
import { DATABASES } from '../../contracts/store-databases.ts';
import { type ManySites, manySitesWorkspace, startManySites } from '../../support/many-sites.ts';

const root = mkdtempSync(join(tmpdir(), 'bingo-copies-'));
const SITES = 10;
const PAGES = 8;
/** Hosts with all pages of site 1. At least one is in another shard than that site, however many shards there are. */
const MIRRORS = ['mirror.test', 'double.test', 'again.test'];
let web: ManySites;
/** Titles of what one crawl stores. Equal texts have equal titles, and no others. */
let expected: readonly string[];

beforeAll(async () => {
  for (const shards of [3, 8])
    expect(MIRRORS.some((host) => shardOf(host, shards) !== shardOf('site1.test', shards))).toBe(true);
  const mirrors = new Map(MIRRORS.map((host) => [host, 1]));
  web = await startManySites(SITES, PAGES, 20, { mirrors, hasArticle: true });
  const one = workspace('one');
  await bingo('crawl', one, '--budget', '12', '--plain');
  await bingo('crawl', one, '--budget', '1000', '--plain');
  expected = (await storedIn(one)).titles;
  expect(expected.filter((title) => title === 'article')).toHaveLength(1);
  expect(new Set(expected).size).toBe(expected.length);
}, 120_000);

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
    manySitesWorkspace(web, `store: {url: "${url}", batch: 5, flushMs: 20ms}\nlearn: {maxArchetypes: 0}\n`),
  );
  return dir;
}

async function bingo(...words: string[]): Promise<string> {
  const { code, out, err } = await run(words);
  expect(code, `bingo ${words.join(' ')}\n${out}${err}`).toBe(0);
  return out;
}

interface Stored {
  /** Titles of all pages, sorted. */
  readonly titles: readonly string[];
  /** Titles of the pages that duplicates name as their originals, by the address of the duplicate. */
  readonly originals: ReadonlyMap<string, string | undefined>;
}

async function storedIn(dir: string, url = 'sqlite'): Promise<Stored> {
  const store = await openStore({ url, workspace: dir, batch: 10, flushMs: 10, readOnly: true });
  try {
    const pages = new Map<number, string>();
    const originals = new Map<string, string | undefined>();
    for await (const records of store.read({ links: false }))
      for (const record of records) {
        if (record.kind === 'page') pages.set(record.sequence, record.document.title);
        if (record.kind === 'visit' && record.result === 'duplicate') originals.set(record.url, pages.get(record.page));
      }
    return { titles: [...pages.values()].sort(), originals };
  } finally {
    await store.close();
  }
}

/** Checks that every text is stored once, and that the duplicates name the pages that have their text. */
function checkCopies({ titles, originals }: Stored): void {
  expect(titles.length).toBe(new Set(titles).size);
  for (const [url, title] of originals) {
    const [, number] = /\/(\d+)$/.exec(url) ?? [];
    expect(title, url).toBe(url.endsWith('/a0') ? 'article' : `site 1 page ${number}`);
  }
}

for (const database of DATABASES) {
  const shards = database.name === 'SQLite' ? 8 : 3;
  test.skipIf(database.missing !== undefined)(
    `a crawl spread over ${shards} shards in ${database.name} stores each text of a web with copies once, as one crawl does`,
    async () => {
      const place = await database.place();
      const { url } = place.options;
      const dir = workspace(`many-${database.name}`, url);
      await bingo('crawl', dir, '--budget', '12', '--plain');
      await bingo('spread', dir, '--shards', String(shards));
      const worker = startBingo(['work', dir, '--budget', '1000']);
      await web.requested(40);
      worker.child.kill('SIGKILL');
      await worker.ended;
      const done = JSON.parse(await bingo('work', dir, '--budget', '1000', '--json'));
      expect(done).toMatchObject({ reason: 'frontier-dry' });
      const whole = await storedIn(dir, url);
      expect(whole.titles).toEqual(expected);
      checkCopies(whole);
      expect(whole.originals.size).toBeGreaterThan(SITES);
      const status = JSON.parse(await bingo('status', dir, '--json'));
      expect(status.fetched).toBe(done.fetched);
      await bingo('gather', dir);
      expect(await storedIn(dir, url)).toEqual(whole);
      await bingo('check', dir);
      await bingo('crawl', dir, '--budget', '1000', '--plain');
      expect((await storedIn(dir, url)).titles).toEqual(expected);
      await place.drop();
    },
    240_000,
  );
}

test('what a killed process has not gathered is compared with all that is stored, when it is gathered', async () => {
  const dir = workspace('killed');
  await bingo('crawl', dir, '--budget', '12', '--plain');
  await bingo('spread', dir, '--shards', '8');
  const worker = startBingo(['work', dir, '--budget', '1000']);
  await web.requested(110);
  worker.child.kill('SIGKILL');
  await worker.ended;
  await bingo('gather', dir);
  const gathered = await storedIn(dir);
  checkCopies(gathered);
  expect(gathered.originals.size).toBeGreaterThan(0);
  await bingo('check', dir);
  await bingo('crawl', dir, '--budget', '1000', '--plain');
  expect((await storedIn(dir)).titles).toEqual(expected);
}, 120_000);
