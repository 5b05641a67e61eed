import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './support/captured-io.ts';

/** Tests the steps of the tutorial (docs/tutorial-needle.md). */
let folder: string;
let told: { readonly proxy: string; readonly searchService: string; readonly others: readonly string[] };
let stop: () => void;
let ended: Promise<{ code: number; err: string }>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bingo-playground-'));
  let tell = (_text: string): void => {};
  const first = new Promise<string>((resolve) => {
    tell = resolve;
  });
  ended = run(['demo', '--serve', '--keep', folder, '--json'], {
    out: async (text) => tell(text),
    onInterrupt: (listener) => {
      stop = listener;
      return () => {};
    },
  });
  told = JSON.parse(await first) as typeof told;
});
afterAll(async () => {
  stop();
  expect((await ended).code).toBe(0);
  rmSync(folder, { recursive: true });
});

describe('bingo demo --serve', () => {
  it('leaves out listed pages', () => {
    expect(readFileSync(join(folder, 'others.txt'), 'utf8').trim().split('\n')).toEqual(told.others);
    expect(told.others.length).toBeGreaterThan(5);
  });

  it('is a proxy for its hosts, so their links need no port', async () => {
    const page = await throughProxy('http://chalk.npm.test/');
    expect(page).toContain('<h1>chalk</h1>');
    expect(page).not.toMatch(/npm\.test:\d/);
    expect(await throughProxy('http://nobody.npm.test/')).toContain('no such page');
  });

  it('is a search service with the API of SearXNG, whose other formats are off', async () => {
    const ask = async (query: string): Promise<Response> => await fetch(`${told.proxy}/search?${query}`);
    const { results } = (await (await ask('q=terminal+colours&format=json')).json()) as { results: { url: string }[] };
    expect(results.length).toBeGreaterThan(3);
    expect(results[0]?.url).toMatch(/^http:\/\/[\w.-]+\.npm\.test\//);
    expect((await ask('q=terminal')).status).toBe(403);
    expect(await (await ask('q=zeppelin&format=json')).json()).toMatchObject({ results: [] });
  });

  it('serves a whole search session, from the search service to the answers', async () => {
    const env = { BINGO_NETWORK_PROXY: told.proxy, BINGO_NETWORK_SEARCH_SERVICE: told.searchService };
    const place = ['--keep', join(folder, 'colours'), '--others', join(folder, 'others.txt')];
    const pace = ['--budget', '20', '--set', 'network.delayMs=0', '--set', 'analyze.threads=1'];
    const { code, out } = await run(['find', 'terminal colours', ...place, ...pace, '--json'], { env });
    expect(code).toBe(0);
    const { crawl, results } = JSON.parse(out) as { crawl: { pages: number }; results: { title: string }[] };
    expect(crawl.pages).toBe(20);
    expect(results.map(({ title }) => title).join()).toMatch(/chalk|ansi/);
  });

  it('says that a port is in use, that --port needs --serve, and that --budget does not apply', async () => {
    expect(await run(['demo', '--serve', '--port', new URL(told.proxy).port])).toMatchObject({ code: 1 });
    expect(await run(['demo', '--port', '8080'])).toMatchObject({ code: 2 });
    expect(await run(['demo', '--serve', '--budget', '20'])).toMatchObject({ code: 2 });
  });
});

async function throughProxy(url: string): Promise<string> {
  const { port } = new URL(told.proxy);
  return await new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: url, headers: { host: new URL(url).host } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
    asked.on('error', reject);
    asked.end();
  });
}
