import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Config, DEFAULTS } from '../../../src/core/index.ts';
import { askService } from '../../../src/workbench/find/search-service.ts';
import { parseService } from '../../../src/workbench/workspace/service-name.ts';

type More = { limit?: number; timeoutMs?: number; network?: Config['network'] };
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let origin: string;
let handler: Handler;
let asked: { readonly url: URL; readonly agent: string | undefined }[];
let folder: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push({ url: new URL(request.url ?? '/', origin), agent: request.headers['user-agent'] });
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = mkdtempSync(join(tmpdir(), 'bingo-service-'));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  asked = [];
});

const json =
  (body: unknown, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
const text =
  (body: string, status: number): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);
  };
const ask = async (name: string, query = 'aries recovery', more: More = {}) =>
  await askService(parseService(name)!, query, {
    ...{ limit: 5, userAgent: 'bingo-test', network: DEFAULTS.network },
    ...more,
  });
const failure = async (name: string, more: More = {}): Promise<string> =>
  await ask(name, 'aries', more).then(
    () => 'no failure',
    (error: { message: string; hint: string }) => `${error.message} ${error.hint}`,
  );

describe('the name of a search service', () => {
  it('is a kind with an address, a language or a path', () => {
    expect(parseService('searxng:https://search.example.org/')).toEqual({
      kind: 'searxng',
      address: 'https://search.example.org',
    });
    expect(parseService('searxng:localhost:8888/search')).toEqual({
      kind: 'searxng',
      address: 'http://localhost:8888',
    });
    expect(parseService('wikipedia:simple')).toMatchObject({ address: 'https://simple.wikipedia.org/w/api.php' });
    expect(parseService('wikipedia:https://wiki.example.org/api.php')).toMatchObject({
      address: 'https://wiki.example.org/api.php',
    });
    expect(parseService('file:a list.txt')).toEqual({ kind: 'file', path: 'a list.txt' });
  });

  it.each(['google', 'searxng:', 'searxng:ftp://x', 'searxng:http://me:secret@x', 'bing:x', '', 'http://x'])(
    'is not %j',
    (name) => {
      expect(parseService(name)).toBeUndefined();
    },
  );
});

describe('SearXNG', () => {
  it('is asked for JSON with our user agent, and returns web pages in order, each once', async () => {
    const pages = ['https://a.example/x', 'ftp://no.example/', 'https://a.example/x#part', 'https://b.example/'];
    handler = json({
      results: [...pages.map((url) => ({ url, title: ` Title of ${url}` })), { title: 'no address' }, 7],
    });
    expect(await ask(`searxng:${origin}`)).toEqual([
      { url: 'https://a.example/x', title: 'Title of https://a.example/x' },
      { url: 'https://b.example/', title: 'Title of https://b.example/' },
    ]);
    expect(asked.map(({ url, agent }) => `${url.pathname}${url.search} ${agent}`)).toEqual([
      '/search?q=aries+recovery&format=json bingo-test',
    ]);
  });

  it('may have a path', async () => {
    handler = json({ results: [{ url: 'https://a.example/', title: '' }] });
    await ask(`searxng:${origin}/searx/`);
    expect(asked[0]?.url.pathname).toBe('/searx/search');
  });

  it.each<[string, Handler, RegExp]>([
    ['has JSON switched off (403)', text('<title>403 Forbidden</title>', 403), /403 Forbidden.*search\.formats/],
    ['takes us for a robot (429)', text('Too Many Requests', 429), /429.*limiter/],
    ['gives a web page', text('<!doctype html><p>hello', 200), /a web page that is not JSON/],
    ['gives something else', text('hello', 200), /something that is not JSON/],
    ['gives JSON of another kind', json({ hits: [] }), /without a list of results/],
    ['is broken', text('', 500), /answers 500 Internal Server Error/],
    ['knows nothing', json({ results: [] }), /has no page for "aries"/],
    [
      'breaks off',
      (_r, response) => response.writeHead(200, { 'content-length': '50' }).write('{"a"', () => response.destroy()),
      /broke off/,
    ],
    ['never ends', (_r, response) => endless(response), /more than 4 MiB/],
  ])('reports plainly that %s', async (_what, answer, said) => {
    handler = answer;
    expect(await failure(`searxng:${origin}`)).toMatch(said);
  });

  it('that is missing or returns nothing is reported plainly', async () => {
    handler = () => {};
    expect(await failure(`searxng:${origin}`, { timeoutMs: 100 })).toMatch(/no answer within 0\.1 s/);
    expect(await failure('searxng:http://127.0.0.1:9')).toMatch(/cannot be reached/);
  });
});

describe('Wikipedia, or any MediaWiki', () => {
  const general = { server: 'https://wiki.example.org', articlepath: '/title/$1' };
  const answer = (titles: readonly string[]): unknown => ({
    query: { general, search: titles.map((title, i) => ({ ns: 0, title, pageid: i })) },
  });

  it('is asked for titles, whose addresses follow from its own settings', async () => {
    handler = json(answer(['Write-ahead logging', 'A/B & C? $&', 'Talk:ARIES']));
    expect((await ask(`wikipedia:${origin}/api.php`)).map(({ url }) => url)).toEqual([
      'https://wiki.example.org/title/Write-ahead_logging',
      'https://wiki.example.org/title/A/B_%26_C%3F_%24%26',
      'https://wiki.example.org/title/Talk:ARIES',
    ]);
    const { pathname, searchParams } = asked[0]!.url;
    expect(pathname).toBe('/api.php');
    expect(Object.fromEntries(searchParams)).toMatchObject({
      ...{ action: 'query', list: 'search', srsearch: 'aries recovery', srlimit: '5', format: 'json' },
    });
  });

  it('accepts a server without a scheme, as Wikipedia returns it', async () => {
    handler = json({
      query: { general: { server: '//de.example.org', articlepath: '/wiki/$1' }, search: [{ title: 'Ü' }] },
    });
    expect(await ask(`wikipedia:${origin}`)).toEqual([{ url: 'http://de.example.org/wiki/%C3%9C', title: 'Ü' }]);
    expect(asked[0]?.url.pathname).toBe('/w/api.php');
  });

  it('explains a rejected request', async () => {
    handler = json({ error: { code: 'badvalue', info: 'Unrecognized value for parameter "list": search.' } });
    expect(await failure(`wikipedia:${origin}`)).toMatch(/refuses the search: Unrecognized value/);
    handler = json({ batchcomplete: true });
    expect(await failure(`wikipedia:${origin}`)).toMatch(/without a list of pages/);
  });
});

describe('a file of results', () => {
  const file = (content: string): string => {
    const path = join(folder, `${asked.length}-${content.length}.txt`);
    writeFileSync(path, content);
    return `file:${path}`;
  };

  it('is a list of addresses, or a saved answer of SearXNG', async () => {
    expect(
      (await ask(file('# mine\nhttps://a.example/\n\nhttps://b.example/\tdatabases\n'))).map((r) => r.url),
    ).toEqual(['https://a.example/', 'https://b.example/']);
    expect(await ask(file('{"results": [{"url": "https://c.example/", "title": "C"}]}'))).toEqual([
      { url: 'https://c.example/', title: 'C' },
    ]);
  });

  it('may come from bingo search --json, without rejected pages', async () => {
    const rows = [
      { rank: 1, title: 'A', url: 'https://a.example/', topic: 'cycling' },
      { rank: 2, title: 'B', url: 'https://b.example/', topic: null },
    ];
    expect(await ask(file(JSON.stringify(rows)))).toEqual([{ url: 'https://a.example/', title: 'A' }]);
  });

  it('may come from bingo export as JSON lines or CSV, without rejected and missing pages', async () => {
    const rows = [
      { url: 'https://a.example/', topic: 'cycling' },
      { url: 'https://b.example/', topic: '' },
      { url: 'https://c.example/', topic: 'cycling', ending: 'gone' },
    ];
    const addresses = async (text: string): Promise<readonly string[]> => (await ask(file(text))).map(({ url }) => url);
    expect(await addresses(rows.map((row) => JSON.stringify(row)).join('\n'))).toEqual(['https://a.example/']);
    expect(await addresses(JSON.stringify(rows[0]))).toEqual(['https://a.example/']);
    const csv = ['url,topic,ending', ...rows.map(({ url, topic, ending = '' }) => `${url},${topic},${ending}`)];
    expect(await addresses(csv.join('\n'))).toEqual(['https://a.example/']);
  });

  it('that is missing, wrong or empty is reported plainly, with the line', async () => {
    expect(await failure('file:/no/such/file')).toMatch(/Cannot read the file/);
    expect(await failure(file('https://a.example/\nnonsense\n'))).toMatch(/line 2: "nonsense"/);
    expect(await failure(file('\n'))).toMatch(/has no page/);
  });
});

function endless(response: ServerResponse): void {
  response.writeHead(200);
  const more = (): void => {
    if (!response.destroyed && response.write(Buffer.alloc(1 << 20, 32))) setImmediate(more);
    else response.once('drain', more);
  };
  more();
}

describe('the request to a search service', () => {
  const other = async (answer: Handler): Promise<{ readonly server: Server; readonly origin: string }> => {
    const made = createServer(answer);
    await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
    return { server: made, origin: `http://127.0.0.1:${(made.address() as AddressInfo).port}` };
  };
  const results = json({ results: [{ url: 'https://a.example/', title: '' }] });

  it('follows redirects within the named origin, on this machine too', async () => {
    handler = (request, response) => {
      if (request.url?.startsWith('/search?')) response.writeHead(302, { location: '/found' }).end();
      else results(request, response);
    };
    expect(await ask(`searxng:${origin}`)).toHaveLength(1);
    expect(asked.map(({ url }) => url.pathname)).toEqual(['/search', '/found']);
  });

  it('is not sent to another origin on this machine', async () => {
    let inner = 0;
    const secret = await other((request, response) => {
      inner++;
      results(request, response);
    });
    handler = (_request, response) => response.writeHead(302, { location: `${secret.origin}/` }).end();
    expect(await failure(`searxng:${origin}`)).toMatch(/redirects to .*127\.0\.0\.1 is not public/);
    expect(inner).toBe(0);
    expect(await ask(`searxng:${origin}`, 'x', { network: { ...DEFAULTS.network, allowPrivate: true } })).toHaveLength(
      1,
    );
    secret.server.close();
  });

  it('ends after five redirects', async () => {
    handler = (_request, response) => response.writeHead(302, { location: '/search?q=again' }).end();
    expect(await failure(`searxng:${origin}`)).toMatch(/more than 5 redirects/);
  });

  it('uses the proxy, except to this machine', async () => {
    const seen: string[] = [];
    const proxy = await other((request, response) => {
      seen.push(request.url ?? '');
      results(request, response);
    });
    const network = { ...DEFAULTS.network, proxy: proxy.origin };
    await ask('searxng:http://search.example.org', 'x', { network });
    expect(seen).toEqual(['http://search.example.org/search?q=x&format=json']);
    handler = results;
    await ask(`searxng:${origin}`, 'x', { network });
    expect(seen).toHaveLength(1);
    proxy.server.close();
  });
});
