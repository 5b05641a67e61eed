import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CanonicalUrl, DEFAULTS, type FetchedPage } from '../../src/core/index.ts';
import { findBrowser } from '../../src/fetch/browser/browser.ts';
import { HttpFetcher, type NoBrowser, openRendering, type RenderingFetcher } from '../../src/fetch/index.ts';
import type { Recording, RenderedRecording } from '../../src/warc/index.ts';
import { appScript, dataOf, FRAMEWORKS, shellOf } from './support/app-shells.ts';

const settings = (changed: Partial<typeof DEFAULTS.network> = {}): typeof DEFAULTS.network => ({
  ...DEFAULTS.network,
  ...{ allowPrivate: true, delayMs: 0, domainDelayMs: 0, addressDelayMs: 0 },
  ...changed,
});

const ARTICLE = `<title>plain</title><script src="/plain.js"></script><p>${'Words of a plain article. '.repeat(100)}</p>`;
const HANGING = `<title>hang</title><div id="root"></div><script>for (;;) {}</script>`;
const SIGNALLING = `<title>signal</title><div id="root"></div><script src="/signal.js"></script>`;
const COOKIES = `<title>state</title><div id="root"></div><script>
const seen = document.cookie + '|' + localStorage.getItem('seen');
document.cookie = 'seen=cookie'; localStorage.setItem('seen', 'storage');
for (let i = 0; i < 20; i++) document.body.append(document.createElement('p'), 'state ' + seen + ' of this page, number ' + i);
</script>`;

describe.skipIf(findBrowser('') === undefined)('rendering pages (skipped without Chromium)', () => {
  let server: Server;
  let origin: string;
  const answers = new Map<string, readonly [type: string, body: string]>();
  const asked: string[] = [];
  /** Called while the page /signal is rendered. */
  let onSignal = (): void => {};

  beforeAll(async () => {
    for (const name of FRAMEWORKS) {
      answers.set(`/${name}`, ['text/html', shellOf(name)]);
      answers.set(`/${name}.js`, ['text/javascript', await appScript(name)]);
      answers.set(`/data/${name}.json`, ['application/json', JSON.stringify(dataOf(name))]);
    }
    for (let i = 0; i < 30; i++) answers.set(`/plain/${i}`, ['text/html', ARTICLE]);
    answers.set('/hang', ['text/html', HANGING]);
    answers.set('/signal', ['text/html', SIGNALLING]);
    answers.set('/signal.js', ['text/javascript', '']);
    answers.set('/state', ['text/html', COOKIES]);
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/signal.js') onSignal();
      const [type, body] = answers.get(request.url ?? '') ?? ['', ''];
      response.writeHead(type === '' ? 404 : 200, { 'content-type': type === '' ? 'text/plain' : type }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }, 120_000);
  afterAll(() => server.close());

  async function withRendering<T>(
    changed: Partial<typeof DEFAULTS.network>,
    work: (rendering: RenderingFetcher, plain: HttpFetcher) => Promise<T>,
  ): Promise<T> {
    const http = new HttpFetcher(settings(changed));
    const rendering = openRendering(http, settings(changed), { onMissing: () => {}, isWanted: () => true });
    if (rendering === undefined) throw new Error('no browser');
    try {
      return await work(rendering, http);
    } finally {
      await rendering.close();
      await http.close();
    }
  }

  const sourceOf = async (fetcher: Pick<HttpFetcher, 'fetch'>, path: string): Promise<string> => {
    const outcome = await fetcher.fetch(`${origin}${path}` as CanonicalUrl);
    expect(outcome.kind).toBe('fetched');
    return Buffer.from((outcome as FetchedPage).body).toString('utf8');
  };

  test.each(FRAMEWORKS)(
    'shows the texts and links of an application made with %s',
    { timeout: 60_000 },
    async (name) => {
      await withRendering({}, async (rendering, plain) => {
        const { title, items } = dataOf(name);
        const wanted = [title, ...items.map(({ text }) => text), ...items.map(({ href }) => `href="${href}"`)];
        const foundIn = (source: string): number => wanted.filter((one) => source.includes(one)).length / wanted.length;
        expect(foundIn(await sourceOf(plain, `/${name}`))).toBe(0);
        expect(foundIn(await sourceOf(rendering, `/${name}`))).toBeGreaterThanOrEqual(0.95);
        expect(rendering.counts).toEqual({ rendered: 1, gained: 1, failed: 0, leftOut: 0 });
      });
    },
  );

  test('renders only what needs it on a mixed web', { timeout: 60_000 }, async () => {
    await withRendering({}, async (rendering) => {
      for (let i = 0; i < 30; i++) await sourceOf(rendering, `/plain/${i}`);
      for (const name of FRAMEWORKS) await sourceOf(rendering, `/${name}`);
      expect(rendering.counts.gained).toBe(FRAMEWORKS.length);
      expect(rendering.counts.rendered).toBeLessThanOrEqual(1.2 * FRAMEWORKS.length);
    });
  });

  test('obeys robots.txt for scripts and data', { timeout: 60_000 }, async () => {
    answers.set('/robots.txt', ['text/plain', 'User-agent: *\nDisallow: /data/']);
    asked.length = 0;
    await withRendering({}, async (rendering) => {
      expect(await sourceOf(rendering, '/preact')).not.toContain('paragraph 1 ');
    });
    answers.delete('/robots.txt');
    expect(asked).toContain('/preact.js');
    expect(asked).not.toContain('/data/preact.json');
  });

  test('gives up a page that hangs, and renders the next one', { timeout: 60_000 }, async () => {
    await withRendering({ renderTimeoutMs: 8_000 }, async (rendering) => {
      expect(await sourceOf(rendering, '/hang')).toBe(HANGING);
      expect(await sourceOf(rendering, '/preact')).toContain('preact paragraph 1 ');
      expect(rendering.counts).toMatchObject({ rendered: 2, gained: 1, failed: 1 });
    });
  });

  test.each(['SIGKILL', 'SIGSTOP'] as const)('survives a browser that gets %s', { timeout: 60_000 }, async (signal) => {
    const dir = mkdtempSync(join(tmpdir(), 'bingo-browser-'));
    const [browser, started] = [join(dir, 'browser'), join(dir, 'started')];
    // The script becomes the browser, so that its process id is that of the browser.
    writeFileSync(browser, `#!/bin/sh\necho $$ >> '${started}'\nexec '${findBrowser('')}' "$@"\n`, { mode: 0o755 });
    const pids = (): number[] => readFileSync(started, 'utf8').trim().split('\n').map(Number);
    try {
      await withRendering({ browser, renderTimeoutMs: 8_000 }, async (rendering) => {
        expect(await sourceOf(rendering, '/preact')).toContain('preact paragraph 1 ');
        onSignal = () => process.kill(pids()[0]!, signal);
        expect(await sourceOf(rendering, '/signal')).toBe(SIGNALLING);
        const others = await Promise.all(['/preact', '/vue'].map((path) => sourceOf(rendering, path)));
        for (const source of others) expect(source).toContain(' paragraph 1 ');
        expect(rendering.counts).toEqual({ rendered: 4, gained: 3, failed: 1, leftOut: 0 });
        expect(pids()).toHaveLength(2);
        // Signal 0 only asks whether the process is there.
        expect(() => process.kill(pids()[0]!, 0)).toThrow('ESRCH');
      });
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  test('keeps no cookie and no storage from page to page', { timeout: 60_000 }, async () => {
    await withRendering({}, async (rendering) => {
      for (let i = 0; i < 2; i++) expect(await sourceOf(rendering, '/state')).toContain('state |null of this page');
    });
  });

  test('records a page as shown beside its response, and no page that was read as it is', {
    timeout: 60_000,
  }, async () => {
    const recorded: string[] = [];
    const recorder = {
      record: async ({ url }: Recording) => void recorded.push(`response ${url.replace(origin, '')}`),
      recordRendered: async ({ url, html }: RenderedRecording) =>
        void recorded.push(`shown ${url.replace(origin, '')} ${Buffer.from(html).includes('preact paragraph 1 ')}`),
    };
    const http = new HttpFetcher(settings(), { recorder });
    const ports = { onMissing: () => {}, isWanted: () => true, recorder };
    const rendering = openRendering(http, settings(), ports)!;
    await sourceOf(rendering, '/plain/0');
    await sourceOf(rendering, '/preact');
    await rendering.close();
    await http.close();
    expect(recorded.filter((one) => one.startsWith('shown'))).toEqual(['shown /preact true']);
    expect(recorded.at(-1)).toBe('shown /preact true');
    expect(recorded).toContain('response /preact');
  });

  test('stops if a page as shown cannot be recorded', { timeout: 60_000 }, async () => {
    const full = new Error('the disk is full');
    const recorder = { record: async () => {}, recordRendered: () => Promise.reject(full) };
    const http = new HttpFetcher(settings(), { recorder });
    const rendering = openRendering(http, settings(), { onMissing: () => {}, isWanted: () => true, recorder })!;
    await expect(rendering.fetch(`${origin}/preact` as CanonicalUrl)).rejects.toBe(full);
    await rendering.close();
    await http.close();
  });

  test('renders at most network.renderPages pages', { timeout: 60_000 }, async () => {
    await withRendering({ renderPages: 1 }, async (rendering) => {
      expect(await sourceOf(rendering, '/preact')).toContain('paragraph 1 ');
      expect(await sourceOf(rendering, '/vue')).toBe(shellOf('vue'));
      await sourceOf(rendering, '/plain/0');
      expect(rendering.counts).toEqual({ rendered: 1, gained: 1, failed: 0, leftOut: 1 });
    });
  });
});

describe('without a browser', () => {
  const opened = async (changed: Partial<typeof DEFAULTS.network>): Promise<readonly [boolean, NoBrowser[]]> => {
    const missing: NoBrowser[] = [];
    const http = new HttpFetcher(settings(changed));
    const rendering = openRendering(http, settings(changed), {
      onMissing: (one) => missing.push(one),
      isWanted: () => true,
    });
    await http.close();
    return [rendering !== undefined, missing];
  };

  test('reports a browser that does not exist', async () => {
    expect(await opened({ render: 'always', browser: '/no/such/browser' })).toEqual([
      false,
      [{ why: 'browser', detail: '/no/such/browser' }],
    ]);
  });

  test('looks for none if pages are never rendered', async () => {
    expect(await opened({ render: 'never', browser: '/no/such/browser' })).toEqual([false, []]);
  });
});
