import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AdaptSummary, openWorkspace } from '../../src/workbench/index.ts';
import { mysql, onServer } from '../contracts/store-databases.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: BikeWeb;
let dir: string;

beforeAll(async () => {
  web = await startBikeWeb();
  dir = join(mkdtempSync(join(tmpdir(), 'bingo-adapt-')), 'bikes');
  mkdirSync(dir);
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web, 'search: {log: true}\n'));
});
afterAll(async () => {
  await web.close();
  rmSync(join(dir, '..'), { recursive: true });
});

async function urls(): Promise<readonly string[]> {
  const { out } = await run(['export', dir, '--format', 'jsonl']);
  return out
    .trim()
    .split('\n')
    .map((line) => new URL((JSON.parse(line) as { readonly url: string }).url).pathname);
}

async function adapt(...words: string[]): Promise<AdaptSummary> {
  const { code, out, err } = await run(['adapt', dir, '--json', ...words]);
  expect([code, out], err).toEqual([0, expect.stringContaining('isReplaced')]);
  return JSON.parse(out) as AdaptSummary;
}

it('refuses without a crawl, without queries and with wrong values', async () => {
  const list = join(dir, 'wishes.txt');
  writeFileSync(list, 'oven bread\n\nbicycle saddle\n');
  expect((await run(['adapt', dir, '--queries', list])).err).toContain('bingo crawl');
  await run(['crawl', dir, '--budget', '8', '--learn', '2']);
  expect((await run(['adapt', dir])).err).toContain('query log is empty');
  for (const wrong of [
    ['--theta', '2'],
    ['--sample', 'best'],
    ['--count', '0'],
    ['--ordering', 'x'],
    ['--time', '5'],
  ])
    expect((await run(['adapt', dir, ...wrong])).code, wrong.join(' ')).toBe(2);
  expect((await run(['adapt', dir, '--undo'])).err).toContain('No former collection');
  expect(existsSync(join(dir, 'collections'))).toBe(false);
});

it('shows queries of the log and the cost without fetching', async () => {
  for (const query of ['saddle', 'bicycle saddle', 'oven bread', 'bicycle saddle']) await run(['search', dir, query]);
  const { out, err } = await run(['adapt', dir, '--preview', '--pages', '20']);
  expect(out).toMatch(/75 %\s+2\s+bicycle saddle/);
  expect(out).toContain('for each query');
  expect(err).toContain(`Nothing was fetched. Next: bingo adapt ${dir} --pages 20\n`);
  expect(existsSync(join(dir, 'collections'))).toBe(false);
});

it('replaces the pages, and an open workspace uses them at once', async () => {
  await using workspace = await openWorkspace(dir, { env: {} });
  const before = await urls();
  expect((await workspace.status()).pages).toBe(8);
  const marked = before.find((path) => path !== '/0' && path !== '/1')!;
  const made = await adapt('--pages', '14', '--iterations', '2');
  expect(made.isReplaced).toBe(true);
  expect(made.queries.map(({ query }) => query)).toEqual(['bicycle saddle', 'oven bread']);
  expect(made.newPages).toBeGreaterThan(0);
  const { pages } = await workspace.status();
  expect(pages).not.toBe(8);
  expect(pages).toBe(made.pages);
  expect((await workspace.search('oven')).matches).toBeGreaterThan(0);
  expect(JSON.parse(readFileSync(join(dir, 'collection.json'), 'utf8'))).toEqual({
    current: 'collections/2',
    before: '.',
  });
  expect(marked).toBeDefined();
});

it('crawls on in the new collection, without an alarm about its ordering', async () => {
  const { code, err } = await run(['crawl', dir, '--budget', '16', '--plain']);
  expect([code, err]).toEqual([0, expect.not.stringContaining('is missing now')]);
});

it('takes an adaptation back, and keeps one former collection', async () => {
  const now = await urls();
  await run(['adapt', dir, '--undo']);
  expect((await urls()).length).not.toBe(now.length);
  await run(['adapt', dir, '--undo']);
  expect(await urls()).toEqual(now);
  await adapt('--pages', '10');
  expect(existsSync(join(dir, 'store.db'))).toBe(false);
  expect(readdirSync(join(dir, 'collections')).sort()).toEqual(['2', '3']);
});

it('continues an adaptation that was stopped, and answers from the old pages meanwhile', async () => {
  const before = await urls();
  const workspace = await openWorkspace(dir, { env: {} });
  const stopping = new AbortController();
  const stopped = await workspace.adapt({
    queries: ['oven bread', 'bicycle saddle', 'planet telescope'],
    pages: 12,
    signal: stopping.signal,
    onEvent: (event) => {
      if (event.kind === 'query' && event.number === 2) stopping.abort();
    },
  });
  expect([stopped.isReplaced, await urls()]).toEqual([false, before]);
  const plan = await run(['adapt', dir, '--preview']);
  expect(plan.out).toContain('An interrupted adaptation would continue');
  const kinds: (string | boolean)[] = [];
  const made = await workspace.adapt({
    onEvent: (event) => {
      if (event.kind === 'planned') kinds.push(event.isResumed);
      if (event.kind === 'query') kinds.push(event.query);
    },
  });
  expect(kinds[0]).toBe(true);
  expect(kinds).not.toContain('oven bread');
  expect(made).toMatchObject({ isReplaced: true, queries: [{}, {}, { query: 'planet telescope' }] });
  await workspace.close();
});

it('keeps marks, and what they teach', async () => {
  const good = `${web.origin('bikes.test')}/3`;
  const bad = `${web.origin('food.test')}/3`;
  await run(['crawl', dir, '--budget', '60']);
  expect((await run(['mark', dir, '--good', good, '--bad', bad])).code).toBe(0);
  await run(['mark', dir, '--bad-site', 'stars.test']);
  const { lostMarks } = await adapt('--restart', '--pages', '6', '--count', '1');
  expect(lostMarks).toEqual([]);
  const { out } = await run(['topic', 'show', dir, 'cycling', '--json']);
  const { training } = JSON.parse(out) as {
    readonly training: readonly { readonly key: string; readonly origin: string }[];
  };
  expect(training).toContainEqual(expect.objectContaining({ key: good, origin: 'feedback' }));
  expect((await run(['mark', dir, '--good', good])).err).toContain('Already marked');
  expect(
    (await run(['sql', dir, "select count(*) as n from page where host like 'stars.test%' and others = 0", '--json']))
      .out,
  ).toMatch(/"n":\s*0/);
});

it('gives the pages of a query without hits to the others', async () => {
  await using workspace = await openWorkspace(dir, { env: {} });
  const { queries, pages } = await workspace.adapt({ queries: ['qqqq', 'bicycle saddle'], pages: 12 });
  expect(queries.map(({ ended }) => ended === 'no hits')).toEqual([true, false]);
  expect(pages).toBeGreaterThan(8);
  expect(pages).toBeLessThanOrEqual(12);
});

it('searches the new collection for a query that the present one cannot answer', async () => {
  await using workspace = await openWorkspace(dir, { env: {} });
  await workspace.adapt({ queries: ['bicycle saddle'], pages: 4 });
  expect((await workspace.search('oven')).matches).toBe(0);
  const { queries } = await workspace.adapt({ queries: ['bicycle saddle', 'oven'], pages: 60 });
  expect(queries.map(({ ended }) => ended === 'no hits')).toEqual([false, false]);
});

it.skipIf(mysql.missing !== undefined)('replaces a collection on a database server, and takes it back', async () => {
  const place = await mysql.place();
  const { url } = place.options;
  const own = join(dir, '..', 'on-server');
  mkdirSync(own);
  writeFileSync(join(own, 'bingo.yaml'), `${bikeWorkspace(web)}store: {url: '${url}'}\n`);
  try {
    await run(['crawl', own, '--budget', '8', '--learn', '2']);
    await using workspace = await openWorkspace(own, { env: {} });
    const pages = async (): Promise<number> => (await workspace.status()).pages;
    expect(await pages()).toBe(8);
    const made = await workspace.adapt({ queries: ['oven bread', 'bicycle saddle'], pages: 12, iterations: 2 });
    expect([made.isReplaced, await pages()]).toEqual([true, made.pages]);
    expect((await workspace.search('oven')).matches).toBeGreaterThan(0);
    expect((await run(['adapt', own, '--undo', '--json'])).out).toBe('{"pages":8}\n');
    expect([await pages(), existsSync(join(own, 'store.db'))]).toEqual([8, false]);
    const plan = JSON.parse(
      (await run(['adapt', own, '--preview', '--json', '--queries', join(dir, 'wishes.txt')])).out,
    );
    expect(plan).toMatchObject({ bytes: null, isResumed: false });
  } finally {
    await onServer(`drop database if exists \`${new URL(url).pathname.slice(1)}_2\``);
    await place.drop();
  }
});
