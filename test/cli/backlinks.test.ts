import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { page } from '../contracts/store-records.ts';
import { run } from './support/captured-io.ts';

let server: Server;
let origin: string;
let dir: string;
/** Requests that the service received. */
let asked: string[];
/** Answers by page; a number is a status. */
let answers: Record<string, unknown>;

const linking = (...urls: string[]) => ({ results: urls.map((url) => ({ url })) });

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const { searchParams } = new URL(request.url ?? '', origin);
    const answer = answers[searchParams.get('url') ?? searchParams.get('to') ?? ''] ?? { results: [] };
    response.writeHead(typeof answer === 'number' ? answer : 200, { 'content-type': 'application/json' });
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(async () => {
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  dir = mkdtempSync(join(tmpdir(), 'bingo-backlinks-'));
  [asked, answers] = [[], {}];
  writeFileSync(
    join(dir, 'bingo.yaml'),
    'topics:\n  - {name: databases, examples: ["https://a.example/"]}\nothers: ["https://o.example/"]\nnetwork: {delayMs: 0}\n',
  );
  const store = await openStore({ url: 'sqlite', workspace: dir, batch: 100, flushMs: 1 });
  const put = (i: number, relevance: number, others = false) =>
    store.append(page(i, `https://p${i}.example/`, { topic: others ? '' : 'databases', others, relevance }));
  put(1, 0.6);
  put(2, 0.9);
  put(3, 0.1, true);
  await store.close();
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const written = (): string => readFileSync(join(dir, 'backlinks.tsv'), 'utf8');

describe('bingo backlinks', () => {
  it('asks about examples and relevant pages, best first, and about none twice', async () => {
    answers['https://p2.example/'] = linking('https://list.example', 'https://list.example/', 'https://p2.example/');
    const first = await run(['backlinks', dir, '--service', `${origin}/api?key=1`, '--limit', '2']);
    expect(first.code).toBe(0);
    const question = (url: string) => `/api?key=1&url=${encodeURIComponent(url)}`;
    expect(asked).toEqual([question('https://a.example/'), question('https://p2.example/')]);
    expect(first.err).toContain('Asked about 2 pages: 1 link added to backlinks.tsv. 1 page left.');
    expect(first.err).toContain('crawl.backlinks backlinks.tsv');
    expect(written()).toBe(
      '# asked: https://a.example/\n# asked: https://p2.example/\nhttps://list.example/\thttps://p2.example/\n',
    );
    const second = await run(['backlinks', dir, '--service', `${origin}/{url}?to={url}`, '--json']);
    expect(asked.slice(2)).toEqual(['/https%3A%2F%2Fp1.example%2F?to=https%3A%2F%2Fp1.example%2F']);
    expect(JSON.parse(second.out)).toEqual({ file: 'backlinks.tsv', asked: 1, links: 0, left: 0, failures: [] });
    await run(['backlinks', dir, '--service', origin]);
    expect(asked).toHaveLength(3);
  });

  it('adds to the file of crawl.backlinks, which a crawl and distill can read', async () => {
    writeFileSync(join(dir, 'own.tsv'), 'https://mine.example/\thttps://p1.example/');
    expect((await run(['settings', 'set', dir, 'crawl.backlinks', 'own.tsv'])).code).toBe(0);
    answers['https://p1.example/'] = linking('https://list.example/');
    const { err } = await run(['backlinks', dir, '--service', origin]);
    expect(err).toContain('Next: bingo crawl');
    const file = join(dir, 'own.tsv');
    expect(
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.includes('\t')),
    ).toEqual(['https://mine.example/\thttps://p1.example/', 'https://list.example/\thttps://p1.example/']);
    const hubs = JSON.parse((await run(['distill', dir, 'databases', '--backlinks', file, '--json'])).out).hubs;
    expect(hubs.map(({ url }: { url: string }) => url)).toEqual(
      expect.arrayContaining(['https://mine.example/', 'https://list.example/']),
    );
  });

  it('names pages without an answer, and asks about them again', async () => {
    answers['https://p2.example/'] = 500;
    const { code, err } = await run(['backlinks', dir, '--service', origin]);
    expect(code).toBe(0);
    expect(err).toContain(`No answer for https://p2.example/: ${origin} answers 500`);
    expect(err).toContain('1 page left.');
    delete answers['https://p2.example/'];
    asked = [];
    await run(['backlinks', dir, '--service', origin]);
    expect(asked).toEqual([`/?url=${encodeURIComponent('https://p2.example/')}`]);
  });

  it('stops after three failures in a row, and says why', async () => {
    for (const host of ['a', 'p1', 'p2']) answers[`https://${host}.example/`] = '{"links": []}';
    const { code, err } = await run(['backlinks', dir, '--service', origin]);
    expect(code).not.toBe(0);
    expect(err).toContain('answered without a list of results');
    expect(err).toContain('{"results": [{"url"');
    expect(asked).toHaveLength(3);
  });

  it.each([[[]], [['--service', 'links.example']], [['--service', 'ftp://links.example/']]])(
    'rejects %j',
    async (flags) => {
      const { code, err } = await run(['backlinks', dir, ...flags]);
      expect(code).not.toBe(0);
      expect(err).toContain('For example: --service https://links.example/api');
      expect(asked).toEqual([]);
    },
  );
});
