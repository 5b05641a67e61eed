import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { OPERATIONS } from '../../src/server/app.ts';
import { startServer } from '../../src/server/index.ts';
import { openWorkspace } from '../../src/workbench/index.ts';
import { answerOf, type Served, serveMade } from './support/served.ts';

let served: Served;
beforeAll(async () => {
  served = await serveMade();
});
afterAll(() => served.close());

describe('the API', () => {
  test('lists workspaces and answers health checks', async () => {
    const { json } = await served.get('/api/v1/workspaces');
    expect(json.workspaces).toEqual([{ name: served.name, pages: 4, relevant: 3 }]);
    expect(await served.get('/healthz')).toMatchObject({ status: 200, text: 'ok\n' });
  });

  test('answers searches like the library, with filters and an offset', async () => {
    const { results, matches } = await served.workspace.search('recovery', { topic: ['databases'] });
    const { json } = await served.ask('/search?q=recovery&topic=databases');
    expect(json).toMatchObject({ query: 'recovery', matches, results });
    const second = await served.ask('/search?q=recovery&topic=databases&limit=1&offset=1');
    expect(second.json.results).toEqual([results[1]]);
  });

  test('finds pages like a page as the library does', async () => {
    const { results } = await served.workspace.search('', { like: 'b.example' });
    const { json } = await served.ask('/search?like=b.example');
    expect(json.results).toEqual(results);
    expect(results.map(({ url }) => url)).not.toContain('https://b.example/');
    expect(results.length).toBeGreaterThan(0);
  });

  test('lists pages in parts, and counts them', async () => {
    const all = (await served.ask('/pages')).json;
    expect(all.total).toBe(all.pages.length);
    expect((await served.ask('/pages?offset=1&limit=1')).json).toEqual({ total: all.total, pages: [all.pages[1]] });
    const facets = (await served.ask('/facets')).json;
    expect(facets.topic).toContainEqual({
      value: 'databases/recovery',
      pages: (await served.ask('/pages?topic=databases/recovery')).json.total,
    });
  });

  test('returns a part of the text of a page', async () => {
    const { json } = await served.ask('/page?url=b.example&from=4&chars=8');
    expect(json).toMatchObject({ url: 'https://b.example/', text: 'recovery', textChars: 40 });
  });

  test('explains stored and unknown addresses', async () => {
    expect((await served.ask('/why?url=https://b.example/')).json).toMatchObject({ state: 'fetched' });
    expect((await served.ask('/why?url=https://nowhere.example/')).json).toMatchObject({
      state: 'unknown',
      page: null,
    });
  });

  test('answers as its schemas describe', async () => {
    const asked: Readonly<Record<string, string>> = {
      listWorkspaces: '',
      status: '',
      search: '?q=recovery',
      page: '?url=b.example',
      why: '?url=b.example',
      topics: '',
      listPages: '?order=newest',
      facets: '',
    };
    for (const { id, path, answer } of OPERATIONS.filter(({ id }) => id in asked)) {
      const { status, json } = await served.get(`/api/v1${path.replace('{workspace}', served.name)}${asked[id]}`);
      expect([id, status]).toEqual([id, 200]);
      expect([id, (answer as z.ZodType).safeParse(json).error?.issues]).toEqual([id, undefined]);
    }
  });

  test.each([
    ['/search', 400, { code: 'USAGE', message: 'The parameter q is missing.' }],
    ['/search?like=https://nowhere.example/', 400, { message: 'No page is stored under https://nowhere.example/.' }],
    ['/search?q=recovery&tpoic=x', 400, { message: 'Unknown parameter: tpoic.' }],
    ['/search?q=recovery&limit=0', 400, { message: 'limit takes a whole number from 1 to 200, got 0.' }],
    ['/search?q=recovery&limit=x', 400, { message: 'limit takes a whole number from 1 to 200, got "x".' }],
    ['/search?q=recovery&topic=nothing', 400, { code: 'USAGE' }],
    ['/page?url=https://nowhere.example/', 404, { code: 'NOT_FOUND' }],
    ['/nothing', 404, { code: 'NOT_FOUND', hint: '/api/v1/openapi.json lists all.' }],
  ])('answers %s with status %i and a JSON error', async (path, status, error) => {
    expect(await served.ask(path)).toMatchObject({ status, json: { error } });
  });

  test('names the workspaces that it serves', async () => {
    expect(await served.get('/api/v1/workspaces/other/status')).toMatchObject({
      status: 404,
      json: { error: { message: 'No workspace is named "other".', hint: `Known workspaces: ${served.name}.` } },
    });
  });

  test('serves workspaces of the same name under different ones', async () => {
    const twin = await openWorkspace(served.workspace.dir, { env: {} });
    const server = await startServer({ workspaces: [served.workspace, twin], port: 0 });
    try {
      const { json } = await answerOf(`${server.url}api/v1/workspaces`);
      const names = json.workspaces.map(({ name }: { name: string }) => name);
      expect(names).toEqual([served.name, `${served.name}-2`]);
      expect((await answerOf(server.url)).text).toContain(`<a href="/w/${served.name}-2/">`);
      const page = await answerOf(`${server.url}w/${served.name}-2/?q=recovery`);
      expect(page.text).toContain('Recovery by logs');
      expect(page.text).toContain(`<form action="/w/${served.name}-2/"`);
    } finally {
      await server.close();
      await twin.close();
    }
  });
});

describe('the OpenAPI document', () => {
  test('describes every operation with its parameters and answers', async () => {
    const { json } = await served.get('/api/v1/openapi.json');
    expect(json.openapi).toBe('3.1.0');
    for (const { id, method, path } of OPERATIONS)
      expect(json.paths[`/api/v1${path}`][method]).toMatchObject({ operationId: id, responses: { 200: {} } });
    const { parameters } = json.paths['/api/v1/workspaces/{workspace}/search'].get;
    expect(parameters).toContainEqual({
      ...{ name: 'limit', in: 'query', required: false, description: 'Maximum number of results.' },
      schema: { type: 'integer', minimum: 1, maximum: 200, default: 10 },
    });
  });

  test('refers to schemas that it contains', async () => {
    const { text, json } = await served.get('/api/v1/openapi.json');
    const named = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
    expect(named).toContain('Result');
    expect(named.filter((name) => json.components.schemas[name] === undefined)).toEqual([]);
  });
});

describe('the portal of a served workspace', () => {
  test('reports searches to the server if the log is on, and nothing otherwise', async () => {
    const json = { 'content-type': 'application/json' };
    const made = await served.ask('/portal', { method: 'POST', headers: json, body: '{}' });
    const site: string = made.json.path;
    const report = (body: string, headers: Record<string, string> = {}) =>
      served.get(`${site}log`, { method: 'POST', body, headers });
    expect((await served.get(`${site}search.html`)).text).not.toContain('data-log');
    expect((await report('{"query":"log files"}')).status).toBe(404);
    served.workspace.setSetting('search.log', true);
    expect((await served.get(`${site}search.html`)).text).toContain(`<html data-log="${site}log" `);
    expect((await report('{"query":"log files","matches":1}')).status).toBe(204);
    expect((await report('{"query":"log files","opened":"https://b.example/"}')).status).toBe(204);
    expect((await report('{"query":"log files","opened":"https://evil.example/"}')).status).toBe(204);
    expect([(await report('[]')).status, (await report('x'.repeat(20_000))).status]).toEqual([400, 413]);
    expect((await report('{"query":"forged"}', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await report('{"query":"forged"}', { origin: 'null' })).status).toBe(403);
    expect((await report('{"query":"own"}', { origin: 'null', 'sec-fetch-site': 'same-origin' })).status).toBe(204);
    const asked = { query: 'log files', times: 1, matches: 1, from: ['portal'], opened: ['https://b.example/'] };
    const queries = served.workspace.queries();
    expect(queries).toEqual(expect.arrayContaining([expect.objectContaining(asked)]));
    expect(queries.map(({ query }) => query)).toEqual(expect.not.arrayContaining(['forged']));
  });
});
