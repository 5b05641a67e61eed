import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiError, connect, type RemoteCrawl, type RemoteWorkspace } from '../../src/server/client/client.ts';
import { type RunningServer, startServer } from '../../src/server/index.ts';
import { type CrawlRun, type OpenWorkspace, openWorkspace } from '../../src/workbench/index.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from '../cli/support/bike-web.ts';

/** Methods that a program may call on either workspace. */
type Shared = Pick<
  OpenWorkspace,
  'title' | 'status' | 'search' | 'page' | 'explain' | 'topics' | 'clusters' | 'pages' | 'export' | 'sql' | 'close'
>;
type SharedCrawl = Pick<
  CrawlRun,
  'summary' | 'pause' | 'resume' | 'stop' | 'setBudget' | 'setPhase' | 'steer' | 'status'
>;

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
    expect(workspace.title).toBe(local.title);
    expect(crawl).toBeTypeOf('function');
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
