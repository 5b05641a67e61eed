import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../../src/server/index.ts';
import { type OpenWorkspace, openWorkspace } from '../../src/workbench/index.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from '../cli/support/bike-web.ts';
import { type Answer, answerOf } from './support/served.ts';

let web: BikeWeb;
let dir: string;
let workspace: OpenWorkspace;
let server: RunningServer;
beforeAll(async () => {
  web = await startBikeWeb();
  dir = join(mkdtempSync(join(tmpdir(), 'bingo-working-')), 'bikes');
  mkdirSync(dir);
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
  workspace = await openWorkspace(dir, { env: {} });
  server = await startServer({ workspaces: [workspace], port: 0 });
});
afterAll(async () => {
  await server.close();
  await workspace.close();
  await web.close();
  rmSync(join(dir, '..'), { recursive: true });
});

async function ask(path: string, init?: RequestInit): Promise<Answer> {
  return await answerOf(`${server.url}api/v1/workspaces/bikes${path}`, init);
}

async function post(path: string, body?: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return await ask(path, { method: 'POST', headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

/** Reads a stream until it has a text. */
async function seenInStream(path: string, wanted: string): Promise<void> {
  const { body } = await fetch(`${server.url}api/v1/workspaces/bikes${path}`);
  let text = '';
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.includes(wanted)) return;
  }
  expect(text).toContain(wanted);
}

describe('a crawl by the API', () => {
  test('reports a workspace without a store', async () => {
    expect(await ask('/search?q=saddle')).toMatchObject({ status: 409, json: { error: { code: 'STORE_MISSING' } } });
    expect(await ask('/crawl')).toMatchObject({ status: 404, json: { error: { code: 'NOT_FOUND' } } });
  });

  test('starts, pauses, resumes and reports its events until its end', async () => {
    const release = web.hold(12);
    expect(await post('/crawl', { budget: 14 })).toMatchObject({ status: 200, json: { state: 'running' } });
    expect(await post('/crawl', {})).toMatchObject({ status: 409, json: { error: { code: 'BUSY' } } });
    await expect.poll(async () => (await ask('/crawl')).json.status?.phase).toMatch(/learning|harvesting/);
    await post('/crawl/steer', { kind: 'pause' });
    await expect.poll(async () => (await ask('/crawl')).json.status?.paused).toBe(true);
    await post('/crawl/steer', { kind: 'resume' });
    // The status is reported once a second: a fast crawl would end before.
    await seenInStream('/crawl/events', 'event: status');
    release();
    const { text, headers } = await ask('/crawl/events');
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const events = [...text.matchAll(/^id: (\d+)\nevent: (\S+)\ndata: (.*)$/gm)];
    expect(events.map(([, id]) => Number(id))).toEqual(events.map((_, i) => i + 1));
    expect(events.map(([, , kind]) => kind)).toEqual(expect.arrayContaining(['page', 'round', 'status']));
    expect(events.at(-1)?.[2]).toBe('summary');
    expect(JSON.parse(events.at(-1)![3]!)).toMatchObject({ reason: 'budget', budget: 14 });
    const again = await ask('/crawl/events', { headers: { 'last-event-id': String(events.length - 1) } });
    expect(again.text.match(/^event: .*$/gm)).toEqual(['event: summary']);
    expect((await ask('/crawl')).json).toMatchObject({ state: 'ended', summary: { reason: 'budget' } });
  });

  test('refuses commands that are not valid', async () => {
    expect(await post('/crawl/steer', { kind: 'judge-page' })).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringMatching(/^kind takes one of pause, resume, .*, got "judge-page"\.$/) } },
    });
    expect(await post('/crawl/steer', { kind: 'set-limit', limit: 'parallel', value: 9999 })).toMatchObject({
      status: 400,
      json: { error: { message: 'The command has a value out of range.' } },
    });
  });
});

describe('a crawl of another process', () => {
  test('is reported, followed and steered, but not stopped', async () => {
    const release = web.hold(3);
    const crawl = workspace.crawl({ budget: 20 });
    await expect.poll(async () => (await ask('/crawl')).json.isElsewhere, { timeout: 20_000 }).toBe(true);
    const events = ask('/crawl/events');
    expect((await post('/crawl/steer', { kind: 'set-budget', budget: 18 })).status).toBe(200);
    expect(await post('/crawl/steer', { kind: 'stop' })).toMatchObject({
      status: 409,
      json: { error: { code: 'BUSY' } },
    });
    await expect.poll(() => crawl.status()?.budget, { timeout: 20_000 }).toBe(18);
    release();
    expect((await crawl.summary).budget).toBe(18);
    const kinds = [...(await events).text.matchAll(/^event: (\S+)$/gm)].map(([, kind]) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['page', 'status', 'steer']));
    await expect.poll(async () => (await ask('/crawl')).json.isElsewhere, { timeout: 20_000 }).toBeUndefined();
  });
});

describe('judging by the API', () => {
  test('previews marks, and applies them', async () => {
    const { results } = await workspace.search('saddle', { accepted: true });
    const good = [results[0]!.url];
    const preview = await post('/marks', { good, preview: true });
    expect(preview.json).toMatchObject({ isPreview: true, change: { decisions: [{ page: good[0], use: 'example' }] } });
    expect((await post('/marks', { good })).json).toMatchObject({ isPreview: false, isCrawlRunning: false });
    expect((await post('/marks', { good })).json).toMatchObject({ known: 1, isPreview: true });
  });

  test('reviews: candidates, text, a decision, its effect', async () => {
    const { json } = await post('/review', { topic: 'cycling' });
    const page = json.topics[0].pages.find(({ isTraining }: { isTraining: boolean }) => !isTraining);
    expect(await post('/crawl', {})).toMatchObject({ status: 409, json: { error: { code: 'BUSY' } } });
    const text = await ask(`/review/text?sequence=${page.sequence}&topic=cycling`);
    expect(text.json.paragraphs[0][0].text).not.toBe('');
    expect(text.json.against).toBeInstanceOf(Array);
    expect((await post('/review/decisions', { key: page.key, decision: 'accept' })).json).toEqual({ decisions: 1 });
    expect((await ask('/review')).json.decisions).toMatchObject([{ key: page.key, use: 'example' }]);
    expect((await post('/review/preview')).json).toMatchObject({ decisions: [{ page: page.key }] });
    expect((await post('/review/apply')).json).toMatchObject({ isPreview: false });
    expect((await ask('/review', { method: 'DELETE' })).json).toEqual({ done: true });
    expect((await ask('/review')).status).toBe(404);
  });

  test('names the reviewer and the time of each decision, undoes per reviewer, and reports agreement', async () => {
    const { json } = await post('/review', { topic: 'cycling' });
    const [first, second] = json.topics[0].pages.map(({ key }: { key: string }) => key);
    const decide = (key: string, decision: string, by: string) => post('/review/decisions', { key, decision, by });
    const decisions = async () => (await ask('/review')).json.decisions;
    await decide(first, 'accept', 'Ann');
    await decide(second, 'others', 'Ann');
    await decide(first, 'reject', 'Bo');
    expect(await decisions()).toMatchObject([
      { key: second, use: 'others', reviewer: 'Ann', at: expect.stringMatching(/^\d{4}-/) },
      { key: first, use: 'dropped', reviewer: 'Bo' },
    ]);
    expect((await post('/review/undo', { by: 'Bo' })).json).toEqual({ key: first });
    expect(await decisions()).toContainEqual(expect.objectContaining({ key: first, use: 'example', reviewer: 'Ann' }));
    expect((await post('/review/undo', { by: 'Bo' })).json).toEqual({ key: null });
    await decide(first, 'reject', 'Bo');
    // Bo decided since: Ann's undo leaves that decision.
    expect((await post('/review/undo', { by: 'Ann' })).json).toEqual({ key: second });
    expect((await post('/review/undo', { by: 'Ann' })).json).toEqual({ key: first });
    expect(await decisions()).toMatchObject([{ key: first, use: 'dropped', reviewer: 'Bo' }]);
    await decide(first, 'reject', 'Ann');
    const audit = (await ask('/review/audit')).json;
    expect(audit.decisions[0]).toMatchObject({ key: first, by: 'Ann', use: 'dropped' });
    expect(audit.agreements).toEqual([{ reviewers: ['Ann', 'Bo'], pages: 1, same: 1, kappa: null }]);
    await ask('/review', { method: 'DELETE' });
  });
});

describe('a find by the API', () => {
  test('finds pages for a question, and reports what it fetched', async () => {
    expect((await ask('/find')).status).toBe(404);
    const seeds = ['http://bikes.test/a'];
    const pages = (await ask('/status')).json.fetched as number;
    expect((await post('/find', { question: 'saddle bag', seeds, budget: pages + 4 })).json).toMatchObject({
      ...{ question: 'saddle bag', state: 'running' },
    });
    expect(await post('/crawl', {})).toMatchObject({ status: 409, json: { error: { code: 'BUSY' } } });
    await expect.poll(async () => (await ask('/find')).json.state, { timeout: 60_000 }).toBe('ended');
    const { answer, fetched } = (await ask('/find')).json;
    expect(answer).toMatchObject({ topic: 'saddle bag', results: expect.any(Array) });
    expect(fetched).toBeLessThanOrEqual(4);
    expect((await ask('/find', { method: 'DELETE' })).json.state).toBe('ended');
  });
});

describe('questions that take longer', () => {
  test('groups pages, and exports them', async () => {
    const { clusters } = (await ask('/clusters?topic=cycling&count=2')).json;
    expect(clusters[0].words).not.toEqual([]);
    const heap = (await ask('/clusters?rejected=1')).json.clusters;
    expect(heap[0]).toMatchObject({ words: expect.anything(), hosts: expect.any(Array) });
    const lines = (await ask('/export?format=jsonl&relevant=1')).text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).topic)).toEqual(lines.map(() => 'cycling'));
    expect((await ask('/export?format=csv')).text).toMatch(/^url,finalUrl,title,topic/);
  });

  test('adds a topic, and removes it again', async () => {
    const topics = async (): Promise<string[]> =>
      (await ask('/topics')).json.topics.map((one: { topic: string }) => one.topic);
    const before = await topics();
    const added = await post('/topics', { topic: 'stars', examples: ['http://stars.test/9'] });
    expect(added.json).toEqual({ topic: 'stars' });
    expect(await topics()).toContain('stars');
    expect((await ask('/topics?topic=stars', { method: 'DELETE' })).json).toEqual({ done: true });
    expect(await topics()).toEqual(before);
    expect((await ask('/topics?topic=moons', { method: 'DELETE' })).status).toBe(400);
  });

  test('keeps standing queries, and compares two workspaces', async () => {
    const kept = await post('/standing', { query: 'saddle' });
    expect(kept.json.queries).toEqual([expect.objectContaining({ query: 'saddle', kind: 'search', news: [] })]);
    expect((await post('/standing', { query: 'saddle' })).status).toBe(400);
    expect((await ask('/standing?query=saddle', { method: 'DELETE' })).json).toEqual({ queries: [] });
    const { json } = await ask('/compare?with=bikes');
    expect(json.coverage[0]).toMatchObject({ by: 'bikes', of: 'bikes', share: 1 });
    expect((await ask('/compare?with=nosuch')).status).toBe(404);
  });

  test('runs SQL that only reads, with a limit on rows', async () => {
    const counted = await post('/sql', { query: 'select count(*) as n from page' });
    expect(counted.json).toMatchObject({ columns: ['n'], truncated: false });
    expect(counted.json.rows[0][0]).toBeGreaterThan(10);
    expect((await post('/sql', { query: 'select url from page', limit: 2 })).json).toMatchObject({ truncated: true });
    expect(await post('/sql', { query: 'delete from page' })).toMatchObject({
      status: 400,
      json: { error: { code: 'SQL_READ_ONLY' } },
    });
  });

  test('ends a query at its time limit, and answers others meanwhile', async () => {
    const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n';
    const late = post('/sql', { query: endless, seconds: 2 });
    expect((await ask('/status')).status).toBe(200);
    expect(await late).toMatchObject({ status: 400, json: { error: { code: 'SQL_TIMEOUT' } } });
  });

  test('reports metrics in the format of Prometheus', async () => {
    const { text } = await answerOf(`${server.url}metrics`);
    expect(text).toMatch(/^# TYPE bingo_pages gauge\nbingo_pages\{workspace="bikes"\} \d+$/m);
    expect(text).toMatch(/^bingo_crawl_running\{workspace="bikes"\} 0$/m);
    expect(text).toMatch(/^bingo_answers_total\{status="409"\} \d+$/m);
  });
});

test('closing the server stops its crawl, stores everything, and frees the workspace', async () => {
  const own = await startServer({ workspaces: [workspace], port: 0 });
  const release = web.hold(0);
  const headers = { 'content-type': 'application/json' };
  const url = `${own.url}api/v1/workspaces/bikes/crawl`;
  expect((await answerOf(url, { method: 'POST', headers, body: '{"budget": 500}' })).json.state).toBe('running');
  const closed = own.close();
  release();
  await closed;
  const { reason } = await workspace.crawl({ budget: 1 }).summary;
  expect(reason).toBe('budget');
});
