/**
 * `npm run walk`: goes from nothing to a published portal in the studio, as a person does who never opens a terminal, and
 * writes docs/pictures/walk-*.png. The web is that of `bingo demo --serve`. Needs Chromium.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BrowserPage, CHROMIUM, openBrowser } from '../test/support/chromium.ts';

const ROOT: string = join(import.meta.dirname, '..');
const PICTURES: string = join(ROOT, 'docs/pictures');
const SIZE = { width: 1100, height: 760 } as const;
const WAIT_MS = 120_000;
const NAME = 'shelf';
/** What the person types. */
const EXAMPLES = `terminal colours
http://chalk.npm.test/readme.html
http://ansi-styles.npm.test/readme.html
databases
http://better-sqlite3.npm.test/readme.html
http://kysely.npm.test/readme.html`;

/** Types into a field and presses a button as a person does. */
const HANDS = `window.type = (label, text) => {
  const field = [...document.querySelectorAll('label')].find((one) => one.textContent === label).control;
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value');
  set.call(field, text);
  field.dispatchEvent(new Event('input', { bubbles: true }));
};
window.press = (text) => [...document.querySelectorAll('button')].find((one) => one.textContent.startsWith(text)).click();`;

if (CHROMIUM === undefined) throw new Error('Chromium is missing.');
const place: string = mkdtempSync(join(tmpdir(), 'bingo-walk-'));
mkdirSync(join(place, 'web'));
mkdirSync(join(place, 'desk'));
const web = await started(['demo', '--serve', '--keep', join(place, 'web'), '--json'], place);
const { proxy } = JSON.parse(web.line) as { readonly proxy: string };
const studio = await started(['studio', '--json'], join(place, 'desk'), { BINGO_NETWORK_PROXY: proxy });
const browser = await openBrowser(CHROMIUM);
try {
  await walk((JSON.parse(studio.line) as { readonly url: string }).url);
} finally {
  await browser.close();
  studio.stop();
  web.stop();
  await sleep(1_000);
  rmSync(place, { recursive: true, force: true });
}

/** Starts a command of this clone; resolves with the first line that it prints. */
async function started(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [join(ROOT, 'bin/bingo.js'), ...args], {
    ...{ cwd, env: { ...process.env, ...env } },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
  return { line, stop: () => child.kill('SIGINT') };
}

async function walk(url: string): Promise<void> {
  const page = await browser.open(url, SIZE);
  await page.evaluate(HANDS);
  await shows(page, 'Start a new one');
  await page.evaluate(`type('Name', '${NAME}'); type('Topics and example pages', ${JSON.stringify(EXAMPLES)})`);
  await shows(page, 'words,');
  await until(page, `document.querySelectorAll('.looks li').length === 4`);
  await picture(page, 'walk-1-start', true);
  await page.evaluate(`press('Create')`);
  await shows(page, 'Start crawling');
  await page.evaluate(`type('Pages in all', '120'); press('Start crawling')`);
  await until(page, `[...document.querySelectorAll('h2')].some((one) => one.textContent === 'Fetched next')`);
  await picture(page, 'walk-2-crawl', true);
  await shows(page, 'Crawl on', 'ended');
  await go(page, 'review');
  await shows(page, 'Select text, or press the number');
  await picture(page, 'walk-3-review');
  for (const key of ['a', 'a', 'r'])
    await page.evaluate(`document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))`);
  await shows(page, 'would change topic');
  await page.evaluate(`press('Apply')`);
  await shows(page, 'Take back what was applied');
  await page.evaluate(`press('End the review')`);
  await go(page, 'search?q=colours');
  await until(page, `document.querySelectorAll('.result').length > 0`);
  await page.evaluate(`document.querySelector('.result a').click()`);
  await shows(page, 'Why it was judged so');
  await picture(page, 'walk-4-search');
  await go(page, `explore?topic=${encodeURIComponent('terminal colours')}`);
  await until(
    page,
    `document.querySelectorAll('.links a').length > 0 && document.querySelectorAll('.busy').length === 0`,
  );
  await picture(page, 'walk-5-explore');
  await go(page, 'curate');
  await until(page, `document.querySelector('[aria-label="portal.yaml"]')?.value.includes('title:')`);
  await page.evaluate(`press('Write the site')`);
  await shows(page, 'Look at it');
  await picture(page, 'walk-6-portal');
  const site = await page.evaluate<string>(`[...document.links].find((one) => one.textContent === 'Look at it').href`);
  const published = await browser.open(new URL('topics/terminal-colours.html', site).href, SIZE);
  await picture(published, 'walk-7-published', true);
}

async function go(page: BrowserPage, view: string): Promise<void> {
  await page.evaluate(`location.hash = '#/${NAME}/${view}'; scrollTo(0, 0)`);
}

async function shows(page: BrowserPage, ...texts: readonly string[]): Promise<void> {
  await until(page, `${JSON.stringify(texts)}.every((text) => document.body.innerText.includes(text))`);
}

/** Waits until an expression is true in the page. @throws Error with what the page shows instead */
async function until(page: BrowserPage, expression: string): Promise<void> {
  for (let waited = 0; waited < WAIT_MS; waited += 200) {
    if (await page.evaluate<boolean>(expression)) return;
    await sleep(200);
  }
  throw new Error(`Expected ${expression}, got: ${await page.evaluate<string>('document.body.innerText')}`);
}

async function picture(page: BrowserPage, name: string, whole = false): Promise<void> {
  await sleep(500);
  await page.screenshot(join(PICTURES, `${name}.png`), whole);
  process.stdout.write(`docs/pictures/${name}.png\n`);
}
