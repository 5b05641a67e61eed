import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { StoreError } from '../../src/core/index.ts';
import { startServer } from '../../src/server/index.ts';
import { openWorkspace } from '../../src/workbench/index.ts';
import { page, url } from '../contracts/store-records.ts';
import { type Browser, CHROMIUM, openBrowser } from '../support/chromium.ts';
import { run } from './support/captured-io.ts';
import { type MadeWorkspace, makeWorkspace } from './support/made-workspace.ts';

const YAML = `topics:
  - name: databases
    examples: [https://a.example/]
    topics:
      - name: recovery
        examples: [https://b.example/]
others: [https://o.example/]
`;
const HOSTILE = `</title><script>document.title='run'</script><img src=x onerror=alert(1)>"'\u202Eevil`;

let made: MadeWorkspace;
let origin: string;
let stop: () => void;
let ended: Promise<{ code: number; err: string }>;

beforeAll(async () => {
  const recovery = { topic: 'databases/recovery' };
  made = await makeWorkspace(YAML, [
    (n) => page(n, 'https://a.example/', { stems: { databas: 3 } }),
    (n) =>
      page(n, 'https://b.example/', {
        ...recovery,
        stems: { recoveri: 4, log: 1 },
        document: {
          title: 'Recovery by logs',
          text: 'How recovery works. The log comes first.',
          contentHash: 'b',
          language: 'de',
        },
      }),
    (n) =>
      page(n, 'https://c.example/', {
        ...recovery,
        stems: { recoveri: 1, ari: 2 },
        document: { title: HOSTILE, text: `About recoveries. ${HOSTILE}`, contentHash: 'c', simhash: [0, 1] },
        record: { url: url('https://c.example/?"><script>alert(1)</script>') },
      }),
    (n) =>
      page(n, 'https://o.example/', {
        others: true,
        stems: { recoveri: 1 },
        document: { contentHash: 'o', simhash: [9, 9] },
      }),
  ]);
  let told = (_address: string): void => {};
  const address = new Promise<string>((resolve) => {
    told = resolve;
  });
  ended = run(['serve', made.dir, '--json'], {
    out: async (text) => told((JSON.parse(text) as { url: string }).url),
    onInterrupt: (listener) => {
      stop = listener;
      return () => {};
    },
  });
  origin = (await address).replace(/\/$/, '');
});
afterAll(async () => {
  stop();
  expect((await ended).code).toBe(0);
  made.drop();
});

async function get(path: string): Promise<{ status: number; type: string | null; body: string; headers: Headers }> {
  const response = await fetch(`${origin}${path}`);
  const { status, headers } = response;
  return { status, type: headers.get('content-type'), body: await response.text(), headers };
}

describe('bingo serve', () => {
  test('listens on loopback only', () => {
    expect(new URL(origin).hostname).toBe('127.0.0.1');
  });

  test('answers JSON requests like bingo search', async () => {
    const { status, type, body } = await get('/search.json?q=recovery&rank=cosine&topic=databases&limit=5');
    const answer = JSON.parse(body) as { matches: number; results: { url: string; shares: object }[] };
    const { out } = await run(['search', made.dir, 'recovery', '--rank', 'cosine', '--topic', 'databases', '--json']);
    expect([status, type]).toEqual([200, 'application/json']);
    expect(answer.results).toEqual(JSON.parse(out));
    expect(answer.results.map((result) => Object.keys(result.shares))).toEqual([['cosine'], ['cosine']]);
  });

  test('shows a form, the topics, and answers with highlighted words', async () => {
    const home = await get('/');
    expect(home).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
    expect(home.body).toContain('databases/recovery <span class="soft">2 pages</span>');
    const { body } = await get('/?q=recovery&topic=databases%2Frecovery&site=&since=');
    expect(body).toContain('<a href="https://b.example/" rel="noopener noreferrer">Recovery by logs</a>');
    expect(body).toContain('<h2 dir="auto" lang="de">');
    expect(body).toContain('<p dir="auto" lang="de">How <mark>recovery</mark> works.');
    expect(body).toContain('<option value="databases/recovery" selected>');
    expect(body).not.toContain('https://o.example/');
  });

  test('links each result to the pages most like it', async () => {
    const { body } = await get('/?q=recovery');
    expect(body).toContain('<a href="/?like=https%3A%2F%2Fb.example%2F">Similar pages</a>');
    const alike = await get('/?like=https%3A%2F%2Fb.example%2F');
    expect(alike.status).toBe(200);
    expect(alike.body).toContain('Pages like <bdi>https://b.example/</bdi>. <a href="/">All pages</a>');
    expect(alike.body).toContain('<input type="hidden" name="like" value="https://b.example/">');
    expect(alike.body).toContain('<a href="https://c.example/');
    expect(alike.body).not.toContain('Recovery by logs');
    const unknown = await get('/?like=https%3A%2F%2Fnowhere.example%2F');
    expect([unknown.status, unknown.body]).toEqual([400, expect.stringContaining('No page is stored under')]);
  });

  test('browses topics with the counts of their subtrees', async () => {
    const { body } = await get('/');
    expect(body).toContain('<a href="/?topic=databases">databases <span class="soft">3 pages</span></a>');
    const topic = await get('/?topic=databases&q=');
    expect(topic.body).toContain('3 of 3 pages');
    expect(topic.body).toContain('<a href="https://b.example/" rel="noopener noreferrer">Recovery by logs</a>');
    const below = await get('/?topic=databases%2Frecovery');
    expect(below.body).toContain('2 of 2 pages');
    expect(below.body).not.toContain('https://a.example/');
  });

  test('refuses unknown parameters of a program', async () => {
    const { status, body } = await get('/search.json?q=recovery&tpoic=databases');
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ error: { message: 'Unknown parameter: tpoic.' } });
  });

  test('shows pages and queries as text, and allows no script', async () => {
    const { body, headers } = await get(`/?q=${encodeURIComponent(`recovery ${HOSTILE}`)}`);
    expect(body).not.toMatch(/<script|<img|\u202e/);
    expect(body).toContain('&lt;script&gt;');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('explains a wrong query, in HTML and in JSON', async () => {
    expect(await get('/search.json?q=recovery&rank=luck')).toMatchObject({ status: 400 });
    expect(JSON.parse((await get('/search.json?q=the')).body)).toMatchObject({
      error: { code: 'USAGE', message: expect.stringContaining('stop words') },
    });
    const { status, body } = await get('/?q=recovery&topic=recover');
    expect(status).toBe(400);
    expect(body).toContain('Unknown topic &quot;recover&quot;');
    expect((await get('/search.json')).status).toBe(400);
    const unknown = await get('/search.json?q=recovery&topics=databases');
    expect(unknown.status).toBe(400);
    expect(unknown.body).toContain('Unknown parameter: topics.');
    const urls = async (page: string): Promise<string[]> =>
      (JSON.parse((await get(`/search.json?q=recovery&${page}`)).body) as { results: { url: string }[] }).results.map(
        ({ url }) => url,
      );
    const both = await urls('limit=2');
    expect([...(await urls('limit=1')), ...(await urls('limit=1&offset=1'))]).toEqual(both);
  });

  test('accepts operators, names ignored words, and proposes corrected ones', async () => {
    const found = async (q: string): Promise<object> =>
      JSON.parse((await get(`/search.json?q=${encodeURIComponent(q)}`)).body) as object;
    expect(await found('recovery site:b.example')).toMatchObject({ matches: 1, notes: [] });
    expect(await found('recovery -topic:databases')).toMatchObject({ matches: 1 });
    expect(await found('title:logs')).toMatchObject({ results: [{ url: 'https://b.example/' }] });
    expect(await found('recover* inurl:<b>')).toMatchObject({ notes: [expect.stringContaining('inurl')] });
    expect(await found('recoveyr')).toMatchObject({ matches: 0, notes: ['Did you mean recovery?'] });
    const { body } = await get(`/?q=${encodeURIComponent('recovery <b>x* site:b.example')}`);
    expect(body).toContain('<p class="soft">The asterisk of');
    expect(body).not.toContain('<b>x');
    expect((await get('/?q=recovery+topic:recover')).status).toBe(400);
  });

  test('accepts "no" as a value', async () => {
    const matches = async (flag: string): Promise<number> =>
      JSON.parse((await get(`/search.json?q=recovery+nonsense${flag}`)).body).matches;
    expect(await Promise.all(['', '&all=0', '&all=false', '&all=1', '&all=on'].map(matches))).toEqual([3, 3, 3, 0, 0]);
    const { body } = await get('/?q=recovery&all=0&gone=1');
    expect(body.match(/name="\w+" value="1" checked/g)).toEqual(['name="gone" value="1" checked']);
  });

  test('rejects other host names, methods and paths', async () => {
    expect((await get('/bingo.yaml')).status).toBe(404);
    expect((await get(`/?q=${'x'.repeat(5000)}`)).status).toBe(414);
    expect((await fetch(origin, { method: 'POST' })).status).toBe(405);
    expect(await statusFor('evil.example')).toBe(421);
    expect(await statusFor('localhost:1')).toBe(200);
  });

  test('accepts a limit from 1 to 200, and links to more', async () => {
    const count = async (limit: string): Promise<number> =>
      (JSON.parse((await get(`/search.json?q=recovery&limit=${limit}`)).body) as { results: unknown[] }).results.length;
    expect(await Promise.all(['1', '200', ''].map(count))).toEqual([1, 3, 3]);
    for (const limit of ['99999', '0', 'x', '1.5']) {
      const { status, body } = await get(`/search.json?q=recovery&limit=${limit}`);
      expect([status, body]).toEqual([400, expect.stringMatching(/limit takes .* 200/)]);
      expect((await get(`/?q=recovery&limit=${limit}`)).status).toBe(400);
    }
    expect((await get('/?q=recovery&limit=1')).body).toContain('href="/?q=recovery&amp;limit=21"');
  });

  test('counts pages of topics only without a query, and reports a failing store in HTML', async () => {
    const workspace = await openWorkspace(made.dir, { env: {} });
    const failure = new StoreError({ code: 'STORE_LOST', message: 'The <server> is gone.', hint: 'Start it.' });
    const status = await workspace.read(async ({ store }) => vi.spyOn(store, 'status').mockRejectedValue(failure));
    const server = await startServer({ workspaces: [workspace], port: 0 });
    try {
      const answers = await fetch(`${server.url}?q=recovery`);
      expect([answers.status, status.mock.calls.length]).toEqual([200, 0]);
      const first = await fetch(server.url);
      expect([first.status, first.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
      expect(await first.text()).toContain('The &lt;server&gt; is gone.<br>Start it.');
    } finally {
      await server.close();
      await workspace.close();
    }
  });

  test('says that a port is in use', async () => {
    const { code, err } = await run(['serve', made.dir, '--port', new URL(origin).port]);
    expect([code, err]).toEqual([1, expect.stringContaining('is in use')]);
  });

  describe.skipIf(CHROMIUM === undefined)(
    `in a browser${CHROMIUM === undefined ? ' (skipped: no Chromium)' : ''}`,
    () => {
      let browser: Browser;
      beforeAll(async () => {
        browser = await openBrowser(CHROMIUM!);
      });
      afterAll(() => browser.close());

      test('runs no script of a page, and axe finds no fault', async () => {
        const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
        const page = await browser.open(`${origin}/?q=recovery`);
        expect(await page.evaluate('document.title')).toMatch(/^recovery – /);
        await page.evaluate(axe);
        expect(await page.evaluate(`axe.run().then((r) => r.violations.map((v) => v.id))`)).toEqual([]);
      });
    },
  );
});

async function statusFor(host: string): Promise<number | undefined> {
  const { port } = new URL(origin);
  return await new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: '/', headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject);
    asked.end();
  });
}
