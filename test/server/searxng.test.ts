import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../src/core/index.ts';
import { askService } from '../../src/workbench/find/search-service.ts';
import { parseService } from '../../src/workbench/workspace/service-name.ts';
import { type Served, serveMade } from './support/served.ts';

let served: Served;
beforeAll(async () => {
  served = await serveMade();
});
afterAll(() => served.close());

describe('the search of a SearXNG instance', () => {
  test('answers in its format', async () => {
    const { status, json } = await served.get('/search?q=recovery&format=json&language=en&safesearch=0');
    expect(status).toBe(200);
    expect(json).toMatchObject({ query: 'recovery', number_of_results: 2, answers: [], unresponsive_engines: [] });
    expect(json.results[0]).toEqual({
      url: 'https://b.example/',
      title: 'Recovery by logs',
      content: 'How recovery works. The log comes first.',
      engine: served.name,
      engines: [served.name],
      parsed_url: ['https', 'b.example', '/', '', '', ''],
      template: 'default.html',
      positions: [1],
      score: expect.any(Number),
      category: 'general',
      publishedDate: null,
    });
  });

  test('answers forms, pages, engines and times', async () => {
    const body = new URLSearchParams({ q: 'recovery', format: 'json', pageno: '1' });
    const first = await served.get('/search', { method: 'POST', body });
    expect(first.json.results).toHaveLength(2);
    const counts = async (more: string): Promise<number> =>
      (await served.get(`/search?q=recovery&format=json&${more}`)).json.results.length;
    expect(await counts('pageno=2')).toBe(0);
    expect(await counts('engines=google')).toBe(0);
    expect(await counts(`engines=google,${served.name}`)).toBe(2);
    expect(await counts('time_range=year')).toBe(0);
    expect((await served.get('/search?q=recoveyr&format=json')).json.corrections).toEqual(['recovery']);
    expect((await served.get('/search?q=recovery')).status).toBe(403);
  });

  test('is a search service for another Bingo', async () => {
    const service = parseService(`searxng:${served.origin}`)!;
    const options = { limit: 5, userAgent: 'test', network: DEFAULTS.network };
    const found = await askService(service, 'recovery', options);
    expect(found[0]).toEqual({ url: 'https://b.example/', title: 'Recovery by logs' });
  });
});
