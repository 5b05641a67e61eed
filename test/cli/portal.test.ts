import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { newCollection, openStore, switchCollection } from '../../src/store/index.ts';
import type { LoggedQuery } from '../../src/workbench/index.ts';
import { page, round, topic } from '../contracts/store-records.ts';
import { capturedIo, run } from './support/captured-io.ts';
import { type MadeWorkspace, makeWorkspace } from './support/made-workspace.ts';

const YAML = `topics:
  - name: databases
    examples: [https://a.example/]
    topics:
      - name: recovery
        examples: [https://b.example/]
others: [https://o.example/]
`;
const HOSTILE = `<img src=x onerror=alert(1)>"'\u202Eevil`;

let made: MadeWorkspace;
let place: string;
let site: string;

beforeAll(async () => {
  made = await makeWorkspace(
    YAML,
    [
      (n) => page(n, 'https://a.example/', { record: { role: 'example' }, stems: { databas: 3 } }),
      (n) => page(n, 'https://b.example/', { topic: 'databases/recovery', stems: { recoveri: 4, log: 1 } }),
      (n) =>
        page(n, 'https://c.example/', {
          topic: 'databases/recovery',
          stems: { recoveri: 1, ari: 2, 茶葉: 1 },
          document: { title: HOSTILE, text: `About recoveries. 紅茶、茶葉。 ${HOSTILE}` },
        }),
      (n) => page(n, 'https://o.example/', { others: true, document: { title: 'Unwanted' } }),
      (n) =>
        round(n, {
          training: [
            { key: 'https://a.example/', title: 'A', topic: topic('databases'), origin: 'user', confidence: 1 },
          ],
        }),
    ],
    [{ topic: topic('databases/recovery'), url: 'https://b.example/', hub: 0, authority: 1 }],
  );
  place = mkdtempSync(join(tmpdir(), 'bingo-site-'));
  site = join(place, 'site');
});

afterAll(() => {
  made.drop();
  rmSync(place, { recursive: true, force: true });
});

describe('bingo portal', () => {
  test('makes a site and says how to open it', async () => {
    const { code, out, err } = await run(['portal', made.dir, site, '--title', 'Data & more', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ pages: 3, topics: 2, shards: 1 });
    expect(err).toContain(`3 pages in 2 topics: open ${site}/index.html`);
    expect(readFileSync(join(site, 'index.html'), 'utf8')).toContain('<h1><bdi>Data &amp; more</bdi></h1>');
    expect(readFileSync(join(site, 'topics', 'databases-recovery.html'), 'utf8')).toContain(
      '<h1><bdi>recovery</bdi></h1>',
    );
  });

  test('writes it again in the same place, and does not overwrite other files', async () => {
    expect((await run(['portal', made.dir, site])).code).toBe(0);
    writeFileSync(join(place, 'mine.txt'), 'mine');
    const { code, err } = await run(['portal', made.dir, place]);
    expect([code, existsSync(join(place, 'mine.txt'))]).toEqual([2, true]);
    expect(err).toContain('--force');
    expect((await run(['portal', made.dir, made.dir, '--force'])).code).toBe(2);
  });

  test('serves it on this machine only, until Ctrl-C', async () => {
    let interrupt = (): void => {};
    const { io, err } = capturedIo({
      onInterrupt: (listener) => {
        interrupt = listener;
        return () => {};
      },
    });
    const done = main(['portal', made.dir, site, '--serve'], io);
    await expect.poll(err).toContain('Open http://127.0.0.1:');
    const url = /http:\S+/.exec(err())![0];
    const home = await fetch(url);
    expect([home.status, home.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await fetch(`${url}index/manifest.js`)).headers.get('x-content-type-options')).toBe('nosniff');
    const statuses = [
      '..%2f..%2fetc/passwd',
      '%2e%2e/bingo.yaml',
      'topics/%00.html',
      '.hidden.html',
      'nothing.html',
      '%',
    ];
    for (const path of statuses) expect((await fetch(url + path)).status, path).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    const asked = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) =>
        get(url, { headers: { host } }, (response) => resolve(response.resume().statusCode)).on('error', reject),
      );
    // A foreign host name that resolves to this machine.
    expect(await Promise.all(['evil.example', 'localhost:1'].map(asked))).toEqual([421, 200]);
    interrupt();
    expect(await done).toBe(0);
  });

  test('shows it without leaving a folder behind, and updates it after a crawl', async () => {
    let interrupt = (): void => {};
    let told = '';
    const { io, err } = capturedIo({
      onInterrupt: (listener) => {
        interrupt = listener;
        return () => {};
      },
      // A concurrent crawl stores a page after the site was built and before its first check.
      out: async (text) => {
        told += text;
        const store = await openStore({ url: 'sqlite', workspace: made.dir, batch: 1, flushMs: 1 });
        store.append(page((await store.count()) + 1, 'https://new.example/', { document: { title: 'A new page' } }));
        await store.close();
      },
    });
    const done = main(['portal', made.dir, '--serve', '--json'], io);
    await expect.poll(err).toContain('Open http://127.0.0.1:');
    const url = /http:\S+/.exec(err())![0];
    expect(JSON.parse(told)).toMatchObject({ pages: 3, topics: 2, url });
    await expect.poll(err).toContain('The crawl found more: 4 pages in 2 topics.');
    expect(await (await fetch(`${url}topics/databases.html`)).text()).toContain('A new page');
    interrupt();
    expect(await done).toBe(0);
    expect((await run(['portal', made.dir])).err).toContain('OUT is missing.');
  });

  test('uses the collection that replaces the present one', async () => {
    const served = serving(['portal', made.dir, '--serve']);
    await expect.poll(served.err).toContain('Open http://127.0.0.1:');
    const name = newCollection(made.dir);
    const store = await openStore({ url: 'sqlite', workspace: join(made.dir, name), batch: 1, flushMs: 1 });
    // As many records as the present collection has.
    const records = await served.records();
    for (let n = 1; n <= records; n++)
      store.append(page(n, `https://night.example/${n}`, { document: { title: `Found at night ${n}` } }));
    await store.close();
    switchCollection(made.dir, name);
    try {
      await expect.poll(served.err, { timeout: 10_000 }).toContain(`Another collection is in use: ${records} pages`);
      expect(await (await fetch(`${served.url()}topics/databases.html`)).text()).toContain('Found at night 2');
      expect(await served.end()).toBe(0);
    } finally {
      switchCollection(made.dir, '.');
    }
  });

  const entries = async (): Promise<readonly LoggedQuery[]> =>
    JSON.parse((await run(['queries', made.dir, '--json'])).out) as readonly LoggedQuery[];

  test('logs what its search page reports, if the log is on', async () => {
    const served = serving(['portal', made.dir, '--serve', '--log']);
    await expect.poll(served.err).toContain('Open http://127.0.0.1:');
    const report = async (body: string, origin = served.url().slice(0, -1)): Promise<number> =>
      (await fetch(`${served.url()}log`, { method: 'POST', body, headers: { origin } })).status;
    const form = await (await fetch(`${served.url()}search.html?q=x`)).text();
    expect([form, form]).toEqual([
      expect.stringContaining('<html data-log="/log" '),
      expect.stringContaining('connect-src &#39;self&#39;'),
    ]);
    expect(await report('{"query":"log files","matches":1}')).toBe(204);
    expect(await report('{"query":"log files","opened":"https://b.example/"}')).toBe(204);
    expect(await report('{"query":"log files","opened":"https://evil.example/"}')).toBe(204);
    expect(await report('{"query":"forged"}', 'https://evil.example')).toBe(403);
    expect([await report('[]'), await report('x'.repeat(20_000))]).toEqual([400, 400]);
    expect(await served.end()).toBe(0);
    const asked = { query: 'log files', times: 1, matches: 1, from: ['portal'], opened: ['https://b.example/'] };
    expect(await entries()).toEqual([expect.objectContaining(asked)]);
    expect(readFileSync(join(made.dir, 'queries.jsonl'), 'utf8')).not.toContain('evil');
  });

  test('reports nothing while the log is off', async () => {
    const served = serving(['portal', made.dir, '--serve']);
    await expect.poll(served.err).toContain('Open http://127.0.0.1:');
    expect(await (await fetch(`${served.url()}search.html`)).text()).not.toContain('data-log');
    expect((await fetch(`${served.url()}log`, { method: 'POST', body: '{"query":"x"}' })).status).toBe(405);
    expect(await served.end()).toBe(0);
    expect((await run(['portal', made.dir, site, '--log'])).err).toContain('--log requires --serve');
  });

  const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
  test.skipIf(chromium === undefined)(
    'is searched in a browser straight from the disk, with hostile titles as text',
    async () => {
      await run(['portal', made.dir, site]);
      const dom = browse(chromium!, `file://${site}/search.html?q=recoveries+aries`);
      expect(dom).toContain('1 page with all words, 1 with some.');
      const [first, second, ...others] = [...dom.matchAll(/ · \[(\d\.\d\d)\]/g)].map(([, score]) => Number(score));
      expect([first, others]).toEqual([1, []]);
      expect(second).toBeLessThan(0.8);
      expect(dom).toContain('About <mark>recoveries</mark>.');
      expect(dom).toContain('&lt;img src=x onerror=alert(1)&gt;"\'evil</a>');
      expect(dom).not.toContain('<img');
      expect(browse(chromium!, `file://${site}/search.html?q=茶`)).toContain('紅<mark>茶</mark>、<mark>茶</mark>葉');
      expect(browse(chromium!, `file://${site}/search.html?q=nonsense`)).toContain('No page is found by these words.');
    },
  );

  test.skipIf(chromium === undefined)('logs a search in a browser', async () => {
    const served = serving(['portal', made.dir, '--serve', '--log']);
    await expect.poll(served.err).toContain('Open http://127.0.0.1:');
    await browseServed(chromium!, `${served.url()}search.html?q=recoveries`);
    await expect.poll(entries).toContainEqual(expect.objectContaining({ query: 'recoveries', matches: 2 }));
    expect(await served.end()).toBe(0);
  });
});

interface Serving {
  readonly err: () => string;
  readonly url: () => string;
  /** Number of records in the store. */
  readonly records: () => Promise<number>;
  /** Ends it, and returns its exit code. */
  readonly end: () => Promise<number>;
}

function serving(words: readonly string[]): Serving {
  let interrupt = (): void => {};
  const { io, err } = capturedIo({
    onInterrupt: (listener) => {
      interrupt = listener;
      return () => {};
    },
  });
  const done = main([...words], io);
  return {
    err,
    url: () => /Open (http:\S+)/.exec(err())![1]!,
    records: async () => {
      const store = await openStore({ url: 'sqlite', workspace: made.dir, batch: 1, flushMs: 1, readOnly: true });
      const records = await store.count();
      await store.close();
      return records;
    },
    end: async () => {
      interrupt();
      return await done;
    },
  };
}

/** The server runs in this process, so the browser must not block it. */
async function browseServed(chromium: string, url: string): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'bingo-browser-'));
  await promisify(execFile)(chromium, flagsOf(profile, url), { timeout: 60_000 });
  rmSync(profile, { recursive: true, force: true });
}

function flagsOf(profile: string, url: string): readonly string[] {
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'];
  const quiet = ['--disable-background-networking', '--disable-component-update', `--user-data-dir=${profile}`];
  return [...flags, ...quiet, '--virtual-time-budget=5000', '--dump-dom', url];
}

function browse(chromium: string, url: string): string {
  const profile = mkdtempSync(join(tmpdir(), 'bingo-browser-'));
  const dom = execFileSync(chromium, flagsOf(profile, url), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 60_000,
  });
  rmSync(profile, { recursive: true, force: true });
  return dom;
}
