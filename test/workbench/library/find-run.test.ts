import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../../../src/core/index.ts';
import type { FindEvent } from '../../../src/workbench/library/find-run.ts';
import { type OpenWorkspace, openWorkspace } from '../../../src/workbench/library/open-workspace.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from '../../cli/support/bike-web.ts';

const QUERY = 'planet orbit telescope';

let web: BikeWeb;
let dir: string;
let workspace: OpenWorkspace;

const star = (n: number): string => `${web.origin('stars.test')}/${n}`;
const yaml = (): string => readFileSync(join(dir, 'bingo.yaml'), 'utf8');

beforeAll(async () => {
  web = await startBikeWeb();
  dir = mkdtempSync(join(tmpdir(), 'bingo-library-find-'));
  // The stars are not counter-examples here.
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web).replace(/, http:\/\/stars[^\]]*/, ''));
  workspace = await openWorkspace(dir, { env: {} });
});

afterAll(async () => {
  await workspace.close();
  await web.close();
  rmSync(dir, { recursive: true, force: true });
});

test('finds pages for a query: adds it as a topic, crawls, and answers from its pages', async () => {
  const events: FindEvent[] = [];
  const find = workspace.find(QUERY, { seeds: [star(0), star(5)], budget: 22, limit: 5 });
  for await (const event of find) events.push(event);
  expect(events[0]).toEqual({ kind: 'pages-added', pages: [star(0), star(5)] });
  expect(events.filter(({ kind }) => kind === 'page').length).toBeGreaterThan(10);
  expect(events.at(-1)).toMatchObject({ kind: 'summary' });
  const answer = await find.answer;
  expect(answer).toMatchObject({ query: QUERY, topic: QUERY, crawl: { pages: expect.any(Number) } });
  expect(answer.results).toHaveLength(5);
  for (const { url, topic } of answer.results)
    expect([url, topic]).toEqual([expect.stringMatching(/stars\.test/), QUERY]);
  expect(yaml()).toContain(`query: ${QUERY}`);
});

test('continues a find, and learns from marks of its answers', async () => {
  const { results } = await workspace.find(QUERY, { budget: 24 }).answer;
  const { change } = await workspace.mark({ bad: [results[0]!.url] });
  expect(change.decisions).toHaveLength(1);
  const events: FindEvent[] = [];
  const again = workspace.find(QUERY, { seeds: [star(0), star(8)], budget: 26, limit: 20 });
  for await (const event of again) events.push(event);
  expect(events[0]).toEqual({ kind: 'pages-added', pages: [star(8)] });
  expect((await again.answer).results.map(({ url }) => url)).not.toContain(results[0]!.url);
});

test('takes first pages from a search service, and asks which of them', async () => {
  const list = join(dir, 'results.txt');
  const food = `${web.origin('food.test')}/0`;
  writeFileSync(list, `${food}\n${web.origin('food.test')}/3\n`);
  const service = { searchService: `file:${list}`, budget: 30 };
  const cancelled = workspace.find('recipe oven', { ...service, choose: async () => undefined });
  expect(await cancelled.answer).toMatchObject({ results: [], crawl: null });
  expect(yaml()).not.toContain('recipe oven');
  const events: FindEvent[] = [];
  for await (const event of workspace.find('recipe oven', { ...service, choose: async () => [0] })) events.push(event);
  expect(events.slice(0, 2)).toEqual([
    { kind: 'asking', service: `file:${list}` },
    { kind: 'pages-added', pages: [food] },
  ]);
});

test('stops by a signal with the answers found so far, and reports a wrong query', async () => {
  const stopped = await workspace.find(QUERY, { budget: 99, signal: AbortSignal.abort() }).answer;
  expect(stopped.crawl?.reason).toBe('stopped');
  expect(stopped.results.length).toBeGreaterThan(0);
  await expect(workspace.find(' ').answer).rejects.toThrow(UsageError);
  await expect(workspace.find('saddle topic:cycling').answer).rejects.toThrow(/only one topic/);
  await expect(workspace.find('comets').answer).rejects.toMatchObject({
    message: 'The search has no page to start from.',
    hint: expect.stringContaining('with the option "seeds"'),
  });
});
