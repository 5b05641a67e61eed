import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_CURATION, THEMES, writePortal } from '../../../src/postprocess/index.ts';
import { type Browser, type BrowserPage, CHROMIUM, type Look, openBrowser } from '../../support/chromium.ts';
import { row, source, speaking, tree } from './portal-source.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Enough pages for a list with several pages, including all hostile ones. */
const rich = {
  ...source,
  async *exportPages() {
    yield* source.exportPages();
    for (let i = 0; i < 150; i++) yield row(100 + i, 'bikes/touring');
  },
};
const PAGES = ['index.html', 'topics/bikes.html', 'all/bikes/1.html', 'search.html?q=panniers+page', 'changes.html'];

describe.skipIf(CHROMIUM === undefined)('a portal in a browser', () => {
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    await writePortal(rich, { tree, title: `My "bikes" & <more>` }, folder);
    browser = await openBrowser(CHROMIUM!);
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (path: string, look: Look = {}): Promise<BrowserPage> => {
    const page = await browser.open(`file://${folder}/${path}`, look);
    if (path.startsWith('search')) await found(page);
    return page;
  };

  test.each([
    ['light', {}, PAGES],
    ['dark', { dark: true }, ['topics/bikes.html', PAGES[3]!]],
  ])('has nothing that axe finds fault with: %s', async (_, look, paths) => {
    for (const path of paths) {
      const page = await open(path, look);
      await page.evaluate(AXE);
      const faults = `axe.run().then((r) => r.violations.map((v) => v.id + ' ' + v.nodes[0].html))`;
      expect(await page.evaluate<string[]>(faults), path).toEqual([]);
    }
  });

  test.each(THEMES)('can be read in the theme %s with any accent colour, light and dark', async (theme) => {
    const own = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    const more = {
      theme,
      language: 'de',
      accent: [255, 220, 0],
      about: ['Wir.'],
      introduction: ['Ein Wort.'],
    } as const;
    await writePortal(rich, { tree, title: 'Räder', curation: { ...NO_CURATION, ...more } }, own);
    for (const dark of [false, true])
      for (const path of ['index.html', 'topics/bikes.html', 'about.html', 'search.html?q=panniers+page']) {
        const page = await browser.open(`file://${own}/${path}`, { dark });
        if (path.startsWith('search')) await found(page);
        await page.evaluate(AXE);
        const faults = `axe.run().then((r) => r.violations.map((v) => v.id + ' ' + v.nodes[0].html))`;
        expect(await page.evaluate<string[]>(faults), `${path} ${dark}`).toEqual([]);
        if (path.startsWith('search'))
          expect(await page.evaluate<string>(`document.getElementById('status').textContent`)).toContain(
            'mit allen Wörtern',
          );
      }
    rmSync(own, { recursive: true, force: true });
  });

  test('fits on a screen of 400 pixels', async () => {
    for (const path of PAGES) {
      const page = await open(path, { width: 400 });
      expect(await page.evaluate<number>(`document.documentElement.scrollWidth`), path).toBe(400);
    }
  });

  test('breaks names of sites only at their dots on a small phone', async () => {
    const page = await open('index.html', { width: 300 });
    const lines = `[...document.querySelectorAll('th[scope=row]')].flatMap((name) => [...name.childNodes]).map((part) => {
      const range = document.createRange();
      range.selectNodeContents(part);
      return part.textContent + ' ' + range.getClientRects().length;
    })`;
    const told = await page.evaluate<string[]>(lines);
    expect(told.filter((line) => /[^ ] /.test(line))).toEqual(['site0. 1', 'example 1', 'site1. 1', 'example 1']);
  });

  test('is dark if the reader prefers dark', async () => {
    const ground = `getComputedStyle(document.body).backgroundColor`;
    const lightOf = async (look: Look): Promise<number> => {
      const colour = await (await open('index.html', look)).evaluate<string>(ground);
      return Math.max(...colour.match(/\d+/g)!.slice(0, 3).map(Number));
    };
    expect(await lightOf({})).toBeGreaterThan(240);
    expect(await lightOf({ dark: true })).toBeLessThan(40);
  });

  test('prints pages with their addresses and without forms', async () => {
    const page = await open('topics/bikes.html', { print: true });
    const after = `getComputedStyle(document.querySelector('.page h3 a'), '::after').content`;
    expect(await page.evaluate<string>(after)).toContain('https://site1.example/1');
    expect(await page.evaluate<string>(`getComputedStyle(document.querySelector('form')).display`)).toBe('none');
  });

  test('runs no script from a title, an address or a text', async () => {
    for (const path of PAGES) {
      const page = await open(path);
      const foreign = `[...document.querySelectorAll('script, img, iframe, object, style, base, [onclick], [onerror]')]
        .filter((e) => !/(words|accents|beginnings|query|search|manifest|facets|fa|\\d+)\\.js$/.test(e.src ?? '')).map((e) => e.outerHTML)`;
      expect(await page.evaluate<string[]>(foreign), path).toEqual([]);
      const links = `[...document.links].map((a) => a.protocol).filter((p) => !/^(https?|file):$/.test(p))`;
      expect(await page.evaluate<string[]>(links), path).toEqual([]);
      expect(await page.evaluate<boolean>(`/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.textContent)`)).toBe(
        false,
      );
    }
  });

  test('searches in the topic that the address names, wherever the name occurs in it', async () => {
    const page = await open('search.html?q=page&topic=bikes-touring');
    expect(await page.evaluate<string>(`document.getElementById('topic').selectedOptions[0].label.trim()`)).toBe(
      'touring',
    );
    const topics = `[...new Set([...document.querySelectorAll('#results .facts a')].map((a) => a.textContent))]`;
    expect(await page.evaluate<string[]>(topics)).toEqual(['touring']);
  });

  test('narrows results to a topic and a site, keeps both in the address, and takes them back', async () => {
    const status = (of: BrowserPage): Promise<string> => of.evaluate(`document.getElementById('status').textContent`);
    const within = await open('search.html?q=words&topic=bikes-touring');
    const touring = await status(within);
    const page = await open('search.html?q=words');
    const all = await status(page);
    const press = async (value: string): Promise<void> => {
      const button = `document.querySelector('#facets button[data-value="${value}"]')`;
      await expect.poll(() => page.evaluate<boolean>(`${button} !== null`)).toBe(true);
      await page.evaluate(`${button}.click()`);
    };
    await press('topic bikes-touring');
    await expect.poll(() => status(page)).toBe(touring);
    expect(touring).not.toBe(all);
    await press('site site1.example');
    await expect.poll(() => status(page)).not.toBe(touring);
    const both = await status(page);
    const hosts = `[...new Set([...document.querySelectorAll('#results .site')].map((one) => one.textContent))]`;
    expect(await page.evaluate<string[]>(hosts)).toEqual(['site1.example']);
    const pressed = `[...document.querySelectorAll('#facets [aria-pressed=true]')].map((one) => one.dataset.value)`;
    expect(await page.evaluate<string[]>(pressed)).toEqual(['topic bikes-touring', 'site site1.example']);
    const kept = await open('search.html?q=words&in-topic=bikes-touring&in-site=site1.example');
    await expect.poll(() => status(kept)).toBe(both);
    await press('site site1.example');
    await press('topic bikes-touring');
    await expect.poll(() => status(page)).toBe(all);
  });

  test('shows more results on request, and moves to them', async () => {
    const page = await open('search.html?q=words+page');
    const rows = (): Promise<number> => page.evaluate<number>(`document.querySelectorAll('#results > li').length`);
    expect(await rows()).toBe(20);
    await page.evaluate(`document.getElementById('more').click()`);
    await expect.poll(rows).toBe(40);
    const focused = `[...document.querySelectorAll('#results a')].indexOf(document.activeElement)`;
    expect(await page.evaluate<number>(focused)).toBeGreaterThanOrEqual(20);
  });
});

const TEXTS: Readonly<Record<number, { readonly text: string; readonly language: string }>> = {
  1: { text: 'Škoda a příliš žluťoučký kůň', language: 'cs' },
  2: { text: 'Die Mühle und das Müsli am Morgen, die Straßenbahn', language: 'de' },
  3: { text: 'Un café à Orléans et des idées', language: 'fr' },
  4: { text: 'Orleans on a map', language: 'en' },
  100: { text: '東京の隅田川には多くの橋が架かっています。', language: 'ja' },
  101: { text: 'يقف المشاة على الجسر.', language: 'ar' },
  102: { text: 'One generator and its noise', language: 'en' },
};

/** Words for an index of several files, from a to z. */
function filling(sequence: number): string {
  return Array.from({ length: 140 }, (_, i) => `${String.fromCharCode(97 + (i % 26))}${sequence}filling${i}`).join(' ');
}

describe.skipIf(CHROMIUM === undefined)('the search of a portal in several languages', () => {
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    const many = speaking((sequence) => TEXTS[sequence] ?? { text: filling(sequence), language: 'en' }, rich);
    const { shards } = await writePortal(many, { tree, title: 'In several languages' }, folder);
    expect(shards).toBeGreaterThan(2);
    browser = await openBrowser(CHROMIUM!);
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ['kun', ['kůň']],
    ['skoda', ['Škoda']],
    ['CAFE', ['café']],
    ['muehle', ['Mühle']],
    ['musli', ['Müsli']],
    ['orleans', ['Orleans', 'Orléans']],
    ['Orléans', ['Orléans', 'Orleans']],
    ['隅田川', ['隅田川']],
    ['الجسر', ['الجسر']],
    ['skod*', ['Škoda']],
    ['zlut*', ['žluťoučký']],
    ['الجس*', ['الجسر']],
    ['generati*', ['generator']],
    ['straß*', ['Straßenbahn']],
    ['Orl* -map', ['Orléans']],
    ['orleans -ma*', ['Orléans']],
    ['orleans NOT map', ['Orléans']],
    ['orleans -(map plan)', ['Orléans']],
    ['orleans AND ma*', ['Orleans', 'map']],
    ['+map orleans', ['Orleans', 'map']],
    ['map OR skod*', ['Škoda', 'map']],
    ['(map | skoda) AND orleans', ['Orleans', 'map']],
    ['"Škoda a příliš"', ['Škoda', 'a', 'příliš']],
    ['-site:nowhere.example title:skoda', ['Škoda']],
  ])('finds %j with accents and without, what was typed first: %j', async (query, words) => {
    const page = await browser.open(`file://${folder}/search.html?q=${encodeURIComponent(query)}`);
    await found(page);
    const marks = `[...document.querySelectorAll('#results mark')].map((mark) => mark.textContent)`;
    expect(await page.evaluate<string[]>(marks)).toEqual(words);
    const direction = `getComputedStyle(document.querySelector('#results .snippet')).direction`;
    expect(await page.evaluate<string>(direction)).toBe(/\p{Script=Arabic}/u.test(query) ? 'rtl' : 'ltr');
  });
});

test.skipIf(CHROMIUM === undefined)('a portal names the parts of a query that it cannot answer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
  await writePortal(source, { tree, title: 'Bikes' }, folder);
  const browser = await openBrowser(CHROMIUM!);
  for (const [query, told] of [
    ['touring words', '0 pages with all words, 5 with some.'],
    ['touring OR words', '5 pages.'],
    ['words AND unknownword', 'No page is found by these words.'],
    ['site:site0.example words', '4 pages. What site: asks for is not known here.'],
    ['"page words"', '4 pages with all words. The words of a phrase are looked for one by one here.'],
    ['words -"page 9"', '4 pages. No phrase can be ruled out here.'],
  ]) {
    const page = await browser.open(`file://${folder}/search.html?q=${encodeURIComponent(query!)}`);
    await expect
      .poll(() => page.evaluate<string>(`document.getElementById('status').textContent`), { message: query! })
      .toBe(told);
  }
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(CHROMIUM === undefined)('a portal reports an empty query', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
  await writePortal(source, { tree, title: 'Bikes' }, folder);
  const browser = await openBrowser(CHROMIUM!);
  for (const query of ['🚲', '-bikes']) {
    const page = await browser.open(`file://${folder}/search.html?q=${encodeURIComponent(query)}`);
    await expect
      .poll(() => page.evaluate<string>(`document.getElementById('status').textContent`))
      .toBe('Type a word to look for.');
  }
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

async function found(page: BrowserPage): Promise<void> {
  await expect
    .poll(() => page.evaluate<number>(`document.querySelectorAll('#results > li').length`))
    .toBeGreaterThan(0);
}
