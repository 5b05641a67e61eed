import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ApiError,
  connect,
  type RemoteCrawl,
  type RemoteFind,
  type RemoteStanding,
  type RemoteWorkspace,
} from '../../src/server/client/client.ts';
import { type RunningServer, startServer } from '../../src/server/index.ts';
import { type CrawlRun, type FindRun, type OpenWorkspace, openWorkspace } from '../../src/workbench/index.ts';
import type { StandingList } from '../../src/workbench/library/standing-list.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from '../cli/support/bike-web.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

/** Methods that a program may call on either workspace. */
type Shared = Pick<
  OpenWorkspace,
  'title' | 'status' | 'search' | 'page' | 'explain' | 'topics' | 'clusters' | 'pages' | 'export' | 'sql' | 'close'
>;
type SharedCrawl = Pick<
  CrawlRun,
  'summary' | 'pause' | 'resume' | 'stop' | 'setBudget' | 'setPhase' | 'steer' | 'status' | 'answer'
>;
type SharedFind = Pick<FindRun, 'answer' | 'stop'> & AsyncIterable<unknown>;
type SharedStanding = Pick<StandingList, 'list' | 'add' | 'ask' | 'markSeen'>;

/** The methods of a type, each with a promise. */
type Resolved<T> = {
  [K in keyof T]: T[K] extends (...given: infer G) => infer A ? (...given: G) => Promise<Awaited<A>> : never;
};

let web: BikeWeb;
let dir: string;
let local: OpenWorkspace;
let server: RunningServer;
let remote: RemoteWorkspace;
beforeAll(async () => {
  web = await startBikeWeb();
  dir = join(mkdtempSync(join(tmpdir(), 'bingo-client-')), 'bikes');
  mkdirSync(dir);
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
  local = await openWorkspace(dir, { env: {} });
  server = await startServer({ workspaces: [local], port: 0, hosts: ['127.0.0.1'] });
  remote = await connect(server.url, { token: server.tokens!.steer });
});
afterAll(async () => {
  await server.close();
  await local.close();
  await web.close();
  rmSync(join(dir, '..'), { recursive: true });
});

describe('a remote workspace', () => {
  test('has the methods and types of the local one', () => {
    const workspace: Shared = remote;
    const crawl = (given: RemoteCrawl): SharedCrawl & AsyncIterable<unknown> => given;
    const find = (given: RemoteFind): SharedFind => given;
    const standing = (given: RemoteStanding): Resolved<SharedStanding> => given;
    expect(workspace.title).toBe(local.title);
    for (const check of [crawl, find, standing]) expect(check).toBeTypeOf('function');
  });

  test('crawls: events, controls, outcome', async () => {
    const release = web.hold(5);
    const crawl = remote.crawl({ budget: 12 });
    const kinds = new Set<string>();
    for await (const event of crawl) {
      if (event.kind === 'page' && !kinds.has('page')) await crawl.setBudget(14);
      if (event.kind === 'status' && event.status.budget === 14) release();
      kinds.add(event.kind);
    }
    expect(await crawl.summary).toMatchObject({ reason: 'budget', budget: 14 });
    expect(crawl.status()?.budget).toBe(14);
    expect([...kinds]).toEqual(expect.arrayContaining(['page', 'round', 'status', 'summary']));
  });

  test('reads the events after an interruption of the connection, each once', async () => {
    const proxy = await TcpProxy.to(server.url);
    let isCut = false;
    const near = await connect(proxy.through(server.url), { token: server.tokens!.steer });
    const release = web.hold(1);
    const crawl = near.crawl({ budget: (await remote.status()).fetched + 4 });
    const pages: string[] = [];
    for await (const event of crawl) {
      if (!isCut) {
        isCut = true;
        proxy.reset();
        release();
      }
      if (event.kind === 'page') pages.push(event.url);
    }
    expect(isCut).toBe(true);
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages.length).toBe((await crawl.summary).fetchedNow);
    await proxy.refuse();
  });

  test('answers as the local one does', async () => {
    const options = { topic: ['cycling'], limit: 3, offset: 1 };
    expect(await remote.search('saddle', options)).toEqual(await local.search('saddle', options));
    const { url } = (await local.search('saddle')).results[0]!;
    expect(await remote.page(url)).toEqual(await local.page(url));
    expect(await remote.page('https://nowhere.example/')).toBeUndefined();
    expect(await remote.explain(url)).toEqual(plain(await local.explain(url)));
    expect(await remote.topics()).toEqual(await local.topics());
    expect(await remote.status()).toEqual(plain(await local.status()));
    expect(await all(remote.pages())).toEqual(await all(local.pages()));
    const query = 'select count(*) as n from page';
    expect(await remote.sql(query)).toEqual(await local.sql(query));
  });

  test('marks and reviews', async () => {
    const { results } = await remote.search('saddle', { accepted: true });
    expect(await remote.previewMarks({ good: [results[0]!.url] })).toMatchObject({ isPreview: true });
    await using review = await remote.review('cycling');
    const page = review.candidates[0]!.pages.find(({ isTraining }) => !isTraining)!;
    expect((await review.text(page)).paragraphs).not.toEqual([]);
    await review.decide(page.key, 'accept');
    expect((await review.preview()).decisions).toMatchObject([{ page: page.key }]);
  });

  test('stops its crawl when the loop over the events is left', async () => {
    const crawl = remote.crawl({ budget: 500 });
    for await (const event of crawl) if (event.kind === 'status') break;
    expect((await crawl.summary).reason).toMatch(/stopped|frontier-dry/);
  });

  test('follows a crawl that another client started; leaving the loop does not stop it', async () => {
    const before = (await remote.status()).fetched;
    const release = web.hold(2);
    const crawl = remote.crawl({ budget: before + 6 });
    await crawl.setBudget(before + 5);
    const other = await connect(server.url, { token: server.tokens!.read });
    for await (const event of other.follow()) if (event.kind === 'status') break;
    const left = new AbortController();
    const aborted = (async () => {
      for await (const _ of other.follow({ signal: left.signal }));
    })();
    left.abort();
    await aborted;
    release();
    const followed = other.follow();
    const kinds: string[] = [];
    for await (const event of followed) kinds.push(event.kind);
    expect(kinds.at(-1)).toBe('summary');
    expect(await followed.summary).toEqual(await crawl.summary);
    expect((await crawl.summary).reason).not.toBe('stopped');
    await expect(other.follow().pause()).rejects.toMatchObject({ code: 'SCOPE' });
  });

  test('finds pages for a question: events, answers, an error', async () => {
    const seeds = [`${web.origin('bikes.test')}/3`];
    const find = remote.find('oven flour', { seeds, budget: (await remote.status()).fetched + 5, limit: 3 });
    const kinds = new Set<string>();
    for await (const event of find) kinds.add(event.kind);
    const answer = await find.answer;
    expect(answer).toMatchObject({ query: 'oven flour', topic: 'oven flour', crawl: expect.any(Object) });
    expect(answer.results.length).toBeLessThanOrEqual(3);
    expect([...kinds]).toEqual(expect.arrayContaining(['pages-added', 'summary']));
    await expect(remote.find('').answer).rejects.toMatchObject({ code: 'USAGE' });
    const stopped = remote.find('oven flour', { seeds, budget: 500, signal: AbortSignal.abort() });
    expect(await stopped.answer).toMatchObject({ topic: 'oven flour' });
  });

  test('keeps standing queries as the local workspace does', async () => {
    expect(await remote.standing.add('saddle')).toMatchObject({ query: 'saddle', kind: 'search', news: [] });
    expect(await remote.standing.list()).toEqual(local.standing.list());
    expect(await remote.standing.ask()).toEqual([{ query: 'saddle', found: [] }]);
    expect(await remote.standing.markSeen()).toBe(0);
    await remote.standing.remove('saddle');
    expect(local.standing.list()).toEqual([]);
    await expect(remote.standing.remove('saddle')).rejects.toMatchObject({ status: 400, code: 'USAGE' });
  });

  test('says that no server answers', async () => {
    const refused = connect('http://127.0.0.1:1');
    await expect(refused).rejects.toMatchObject({
      status: 0,
      code: 'NO_ANSWER',
      hint: 'Start it: bingo serve DIR --port 8080',
    });
  });

  test('throws errors with code and hint', async () => {
    const error = await remote.search('the').catch((thrown: ApiError) => thrown);
    expect(error).toMatchObject({ status: 400, code: 'USAGE', hint: expect.stringContaining('words') });
    await expect(connect(server.url)).rejects.toMatchObject({ code: 'TOKEN' });
    const other = connect(server.url, { token: server.tokens!.read, workspace: 'cars' });
    await expect(other).rejects.toMatchObject({ code: 'NOT_FOUND', hint: 'Name one: bikes.' });
    const reading = await connect(server.url, { token: server.tokens!.read });
    await expect(reading.mark({ good: [] })).rejects.toMatchObject({ code: 'SCOPE' });
  });
});

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
