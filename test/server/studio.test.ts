import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type RunningServer, startServer } from '../../src/server/index.ts';
import { createWorkspace, type OpenWorkspace, openWorkspace } from '../../src/workbench/index.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from '../cli/support/bike-web.ts';
import { type Browser, type BrowserPage, CHROMIUM, openBrowser } from '../support/chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Types into a field as a person does: React hears the event alone. */
const TYPE = `window.type = (label, text) => {
  const field = [...document.querySelectorAll('label')].find((one) => one.textContent === label).control;
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value');
  set.call(field, text);
  field.dispatchEvent(new Event('input', { bubbles: true }));
};
window.press = (text) => [...document.querySelectorAll('button')].find((one) => one.textContent.startsWith(text)).click();`;

describe.skipIf(CHROMIUM === undefined)('the studio in a browser', () => {
  let web: BikeWeb;
  let home: string;
  let server: RunningServer;
  let browser: Browser;
  const made: OpenWorkspace[] = [];
  let page: BrowserPage;
  const text = (): Promise<string> => page.evaluate<string>('document.body.textContent');
  const go = async (hash: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  };

  beforeAll(async () => {
    web = await startBikeWeb();
    home = mkdtempSync(join(tmpdir(), 'bingo-studio-'));
    server = await startServer({
      ...{ workspaces: [], port: 0 },
      scout: {
        look: async (urls) =>
          urls.map((url) => ({ url, title: `Title of ${url}`, language: 'en', words: 400, passage: 'About wheels' })),
        ask: async (question, service) => [{ url: 'http://bikes.test/a', title: `${question} by ${service}` }],
      },
      // The workspace that the user asks for, on a web of this machine.
      make: async (name, { topics = [] }) => {
        const dir = join(home, name);
        mkdirSync(dir);
        expect(topics).toEqual([{ name: 'cycling', examples: ['http://bikes.test/a', 'http://bikes.test/b'] }]);
        writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
        const workspace = await openWorkspace(dir, { env: {} });
        made.push(workspace);
        return workspace;
      },
    });
    browser = await openBrowser(CHROMIUM!);
    page = await browser.open(`${server.url}studio`);
    await page.evaluate(TYPE);
    await page.evaluate(AXE);
  });

  afterAll(async () => {
    await browser?.close();
    await server.close();
    await Promise.all(made.map((workspace) => workspace.close()));
    await web.close();
    rmSync(home, { recursive: true, force: true });
  });

  test('leads from two examples to a portal: make, crawl, review, search, publish', async () => {
    await expect.poll(text).toContain('Start a new one');
    await page.evaluate(`type('Question', 'cycling')`);
    await expect
      .poll(() =>
        page.evaluate<boolean>(
          `[...document.querySelectorAll('button')].find((one) => one.textContent === 'Find pages').disabled`,
        ),
      )
      .toBe(false);
    await page.evaluate(`press('Find pages')`);
    await expect.poll(text).toContain('cycling by wikipedia:en');
    await page.evaluate(`press('Take 1 as examples')`);
    await expect.poll(text).toContain('cycling: 1');
    await page.evaluate(
      `type('Name', 'bikes'); type('Topics and example pages', 'cycling\\nhttp://bikes.test/a\\nhttp://bikes.test/b')`,
    );
    await expect.poll(text).toContain('cycling: 2');
    await expect.poll(text).toContain('✓ Title of http://bikes.test/b 400 words, en.');
    await page.evaluate(`press('Create')`);
    await expect.poll(text).toContain('Start crawling');

    await page.evaluate(`type('Pages in all', '14'); press('Start crawling')`);
    await expect.poll(text).toContain('endedbudget');
    await expect.poll(text).toMatch(/\d+ of 1[0-4] pages are relevant/);

    await go('#/bikes/review');
    await expect.poll(text).toContain('Select text, or press the number');
    await page.evaluate(`dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }))`);
    await page.evaluate(`document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }))`);
    await expect.poll(text).toMatch(/Apply [1-9] decision/);
    await expect.poll(text, { timeout: 30_000 }).toMatch(/would change topic/);
    const key = (name: string): Promise<unknown> =>
      page.evaluate(`document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${name}', bubbles: true }))`);
    await key('z');
    await expect.poll(text).toContain('Apply 0 decisions');
    await page.evaluate(`type('Your name', 'Ann')`);
    // A selection over the first two paragraphs leaves both out.
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('.text'))`);
    await expect
      .poll(() =>
        page.evaluate<boolean>(
          `[...document.querySelectorAll('button')].find((one) => one.textContent.startsWith('Leave out the selection')).disabled`,
        ),
      )
      .toBe(false);
    await key('t');
    await expect
      .poll(() => page.evaluate<number>(`document.querySelectorAll('.paragraph.cut').length`))
      .toBeGreaterThan(0);
    await page.evaluate(`document.querySelectorAll('.paragraph.cut button').forEach((one) => one.click())`);
    await key('r');
    await expect.poll(text).toMatch(/✓ rejected, Ann \d\d:\d\d/);
    await expect.poll(text).toMatch(/Decisions and agreement[\s\S]*Ann/);
    expect(await page.evaluate<number>(`document.querySelectorAll('mark').length`)).toBeGreaterThan(0);
    await page.evaluate(`press('Apply')`);
    await expect.poll(text, { timeout: 30_000 }).toMatch(/changed topic/);
    await page.evaluate(`press('Take back what was applied')`);
    await expect.poll(text, { timeout: 30_000 }).toContain('Taken back.');
    await page.evaluate(`press('End the review')`);
    await expect.poll(() => page.evaluate<number>(`document.querySelectorAll('article').length`)).toBe(0);

    await go('#/bikes/search?q=saddle');
    await expect.poll(() => page.evaluate<number>(`document.querySelectorAll('.result').length`)).toBeGreaterThan(0);
    await page.evaluate(`press('Ask again after each crawl')`);
    await expect.poll(text).toContain('Standing queries');
    await expect.poll(text).toContain('0 new');
    await page.evaluate(`document.querySelector('.result a').click()`);
    await expect.poll(text).toContain('Why it was judged so');
    await page.evaluate(`[...document.links].find((one) => one.textContent === 'Similar pages').click()`);
    await expect.poll(text).toContain('Pages like http');
    await expect.poll(() => page.evaluate<number>(`document.querySelectorAll('.result').length`)).toBeGreaterThan(0);
    expect(await page.evaluate<string[]>(`axe.run().then((r) => r.violations.map((v) => v.id))`)).toEqual([]);

    await go('#/bikes/curate');
    await expect
      .poll(() => page.evaluate<string>(`document.querySelector('[aria-label="portal.yaml"]')?.value ?? ''`))
      .toContain('title:');
    await page.evaluate(
      `type('Title', 'Two wheels'); type('Pages to read first about cycling', 'http://bikes.test/not-stored Begin here')`,
    );
    await page.evaluate(`press('Write the site')`);
    await expect.poll(text).toContain('Look at it');
    expect(await text()).toContain('Pinned, but not stored: http://bikes.test/not-stored');
    const site = await page.evaluate<string>(
      `[...document.links].find((one) => one.textContent === 'Look at it').href`,
    );
    const answer = await fetch(site);
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining('<h1><bdi>Two wheels</bdi></h1>'),
    ]);
    expect((await fetch(`${site}..%2f..%2fbingo.yaml`)).status).toBe(404);
  });

  test.each(['', 'watch', 'review', 'search?q=saddle', 'explore', 'curate', 'settings'])(
    'has nothing that axe finds fault with: %s',
    async (view) => {
      await go(view === '' ? '#/' : `#/bikes/${view}`);
      await expect.poll(() => page.evaluate<number>(`document.querySelectorAll('h1').length`)).toBe(1);
      await expect.poll(() => page.evaluate<number>(`document.querySelectorAll('.busy').length`)).toBe(0);
      const faults = `axe.run().then((r) => r.violations.map((v) => v.id + ' ' + v.nodes[0].html))`;
      expect(await page.evaluate<string[]>(faults)).toEqual([]);
    },
  );

  test.each(['', 'watch', 'search?q=saddle', 'explore?topic=cycling', 'curate', 'settings'])(
    'fits a phone and a tablet in the dark, and axe finds no fault there: %s',
    async (view) => {
      for (const width of [360, 768]) {
        const dark = await browser.open(`${server.url}studio#${view === '' ? '/' : `/bikes/${view}`}`, {
          width,
          dark: true,
        });
        await expect.poll(() => dark.evaluate<number>(`document.querySelectorAll('h1').length`)).toBe(1);
        await expect.poll(() => dark.evaluate<number>(`document.querySelectorAll('.busy').length`)).toBe(0);
        await dark.evaluate(AXE);
        const faults = `axe.run().then((r) => r.violations.map((v) => v.id + ' ' + v.nodes[0].html))`;
        expect(await dark.evaluate<string[]>(faults)).toEqual([]);
        expect(await dark.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
      }
    },
  );

  test('makes a group of rejected pages counter-examples, and takes that back', async () => {
    // An open review locks the workspace.
    await fetch(`${server.url}api/v1/workspaces/bikes/review`, { method: 'DELETE' });
    await go('#/bikes/explore');
    await expect.poll(text).toContain('Group the rejected pages');
    await page.evaluate(`press('Group the rejected pages')`);
    await expect.poll(text).toContain('Make it a topic');
    const faults = `axe.run().then((r) => r.violations.map((v) => v.id + ' ' + v.nodes[0].html))`;
    expect(await page.evaluate<string[]>(faults)).toEqual([]);
    await page.evaluate(`press('Counter-examples')`);
    await expect.poll(text, { timeout: 20_000 }).toContain('of its pages are counter-examples now.');
    await page.evaluate(`press('Undo')`);
    await expect.poll(text, { timeout: 20_000 }).not.toContain('of its pages are counter-examples now.');
  });

  test('adds the page that a bookmarklet or another application sends', async () => {
    const shared = await fetch(`${server.url}studio/share?text=${encodeURIComponent('Look: http://bikes.test/new')}`, {
      redirect: 'manual',
    });
    expect(shared.headers.get('location')).toBe('/studio#/add/http%3A%2F%2Fbikes.test%2Fnew');
    await go('#/add/http%3A%2F%2Fbikes.test%2Fnew');
    await expect
      .poll(() => page.evaluate<number>(`document.querySelectorAll('select')[1]?.options.length ?? 0`))
      .toBeGreaterThan(0);
    await page.evaluate(`press('Add')`);
    await expect.poll(text).toContain('The next crawl learns from it.');
    expect(readFileSync(join(home, 'bikes', 'bingo.yaml'), 'utf8')).toContain('http://bikes.test/new');
  });

  test('saves a setting into bingo.yaml, and reports a wrong value', async () => {
    await go('#/bikes/settings');
    await expect.poll(text).toContain('crawl.budget');
    await page.evaluate(`document.getElementById('crawl.budget').closest('details').open = true`);
    await page.evaluate(`type('crawl.budget', 'many')`);
    await page.evaluate(`press('Save')`);
    await expect
      .poll(() => page.evaluate<string>(`document.querySelector('[role=alert]')?.textContent ?? ''`))
      .toMatch(/whole number/);
    await page.evaluate(`type('crawl.budget', '321')`);
    await page.evaluate(`press('Save')`);
    await expect.poll(() => readFileSync(join(home, 'bikes', 'bingo.yaml'), 'utf8')).toContain('budget: 321');
    await expect.poll(() => page.evaluate<string>('document.activeElement.id')).toBe('crawl.budget');
  });

  test('shows changed settings first, the others in closed sections, and opens what a search finds', async () => {
    const phone = await browser.open(`${server.url}studio#/bikes/settings`, { width: 390 });
    await phone.evaluate(TYPE);
    const open = (): Promise<string[]> =>
      phone.evaluate(`[...document.querySelectorAll('details[open] strong')].map((one) => one.textContent)`);
    const fields = (): Promise<string[]> =>
      phone.evaluate(`[...document.querySelectorAll('details[open] input')].map((one) => one.id)`);
    await expect.poll(fields).toContain('crawl.budget');
    expect(await open()).toEqual(['Changed']);
    expect(await phone.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(2_500);
    await phone.evaluate(`(() => {
      const field = document.querySelector('[type=search]');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'maxBodyBytes');
      field.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    await expect.poll(open).toEqual(['network']);
    expect(await fields()).toContain('network.maxBodyBytes');
  });
});

test('a server without a folder makes no workspaces, and a folder name cannot leave it', async () => {
  const bare = await startServer({ workspaces: [], port: 0 });
  const asked = { name: '../x', topics: [{ name: 'a', examples: ['https://a.example/'] }] };
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(asked) };
  const refused = await fetch(`${bare.url}api/v1/workspaces`, init);
  expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: 'NO_FOLDER' } }]);
  await bare.close();
  const open = await startServer({ workspaces: [], port: 0, make: () => Promise.reject(new TypeError('not reached')) });
  const bad = await fetch(`${open.url}api/v1/workspaces`, init);
  expect([bad.status, await bad.json()]).toMatchObject([400, { error: { message: expect.stringContaining('../x') } }]);
  await open.close();
});

describe('files that are handed over', () => {
  const post = async (base: string, path: string, body: unknown) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(`${base}api/v1${path}`, init);
    return { status: answer.status, json: await answer.json() };
  };

  test('an unknown search service is answered with the known ones', async () => {
    const server = await startServer({ workspaces: [], port: 0 });
    onTestFinished(() => server.close());
    expect(await post(server.url, '/questions', { question: 'x', service: 'nosuch' })).toMatchObject({
      status: 400,
      json: { error: { message: 'service takes wikipedia:LANGUAGE, openalex, crossref or arxiv, got "nosuch".' } },
    });
  });

  test('lists become topics, one below another joined by a dash', async () => {
    const server = await startServer({ workspaces: [], port: 0 });
    onTestFinished(() => server.close());
    const bookmarks = `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><DT><H3>Science</H3><DL><DT><A HREF="https://a.example/">A</A>
<DT><H3>Physics</H3><DL><DT><A HREF="https://b.example/">B</A></DL></DL></DL>`;
    expect((await post(server.url, '/lists', { name: 'bookmarks.html', text: bookmarks })).json).toEqual({
      topics: [
        { name: 'Science', examples: ['https://a.example/'] },
        { name: 'Science – Physics', examples: ['https://b.example/'] },
      ],
    });
    expect((await post(server.url, '/lists', { name: 'birds.txt', text: 'https://c.example/x\n' })).json).toEqual({
      topics: [{ name: 'birds', examples: ['https://c.example/x'] }],
    });
    const page = await post(server.url, '/lists', { name: 'page.html', text: '<!doctype html><p>Words alone</p>' });
    expect(page.status).toBe(400);
  });

  test('documents are written into the workspace as examples; their names cannot leave it', async () => {
    const home = mkdtempSync(join(tmpdir(), 'bingo-documents-'));
    const made: OpenWorkspace[] = [];
    const server = await startServer({
      ...{ workspaces: [], port: 0 },
      make: async (name, options) => {
        const workspace = await createWorkspace(join(home, name), { ...options, env: {} });
        made.push(workspace);
        return workspace;
      },
    });
    onTestFinished(async () => {
      await server.close();
      await Promise.all(made.map((workspace) => workspace.close()));
      rmSync(home, { recursive: true, force: true });
    });
    const topics = [{ name: 'bikes', examples: ['https://bikes.example/'] }];
    const base64 = Buffer.from('Bicycles have two wheels.').toString('base64');
    const documents = ['../../out.txt', 'Zwei Räder.txt', 'Zwei Räder.txt'].map((name) => ({
      topic: 'bikes',
      name,
      base64,
    }));
    expect(await post(server.url, '/workspaces', { name: 'shelf', topics, documents })).toMatchObject({
      status: 200,
    });
    expect(readdirSync(join(home, 'shelf', 'documents')).sort()).toEqual([
      'Zwei Räder-2.txt',
      'Zwei Räder.txt',
      '_out.txt',
    ]);
    expect(readFileSync(join(home, 'shelf', 'bingo.yaml'), 'utf8')).toContain('documents/_out.txt');
    const odd = [{ topic: 'bikes', name: 'a.exe', base64 }];
    expect(await post(server.url, '/workspaces', { name: 'odd', topics, documents: odd })).toMatchObject({
      status: 400,
    });
    expect(existsSync(join(home, 'odd', 'documents'))).toBe(false);
    const broken = [{ topic: '', name: 'a.txt', base64 }];
    expect((await post(server.url, '/workspaces', { name: 'none', topics: [], documents: broken })).status).toBe(400);
  });
});
