// `npm run pictures`: makes docs/pictures from a real run over the demo web. Needs tmux and Chromium.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHROMIUM, openBrowser } from '../test/support/chromium.ts';
import { terminalSvg } from './terminal-svg.ts';

const ROOT: string = join(import.meta.dirname, '..');
const PICTURES: string = join(ROOT, 'docs/pictures');
const SIZE = { columns: 104, rows: 34 } as const;
/** Rows of a session from its first command to its last answer. */
const SESSION_ROWS = 48;
const TMUX = ['-L', `bingo-pictures-${process.pid}`];
const PROMPT = '$ ';
const TITLE = 'The terminal shelf';
/** Examples and their topics: the tree of docs/tutorial-portal.md. */
const PAGES: readonly (readonly [url: string, topic: string])[] = [
  ['http://chalk.npm.test/readme.html', 'terminal/colours'],
  ['http://ansi-styles.npm.test/readme.html', 'terminal/colours'],
  ['http://ink.npm.test/readme.html', 'terminal/screens'],
  ['http://cli-truncate.npm.test/readme.html', 'terminal/screens'],
  ['http://better-sqlite3.npm.test/readme.html', 'databases'],
  ['http://mysql2.npm.test/readme.html', 'databases'],
  ['http://kysely.npm.test/readme.html', 'databases'],
];

const place: string = mkdtempSync(join(tmpdir(), 'bingo-pictures-'));
mkdirSync(PICTURES, { recursive: true });
const web = await serveWeb();
try {
  startTerminal(web.proxy);
  await session();
  await dashboard();
  await review();
  await portal();
  await studio();
} finally {
  tmux('kill-server');
  web.stop();
  rmSync(place, { recursive: true, force: true });
}

/** Serves the web for all pictures. */
async function serveWeb(): Promise<{ proxy: string; stop: () => void }> {
  const args = [join(ROOT, 'bin/bingo.js'), 'demo', '--serve', '--keep', place, '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
  return { proxy: (JSON.parse(line) as { proxy: string }).proxy, stop: () => child.kill('SIGINT') };
}

/** Starts a shell in which `bingo` is the one of this clone. */
function startTerminal(proxy: string): void {
  const bin = join(place, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'bingo'), `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin/bingo.js')}" "$@"\n`);
  chmodSync(join(bin, 'bingo'), 0o755);
  const settings = {
    PATH: `${bin}:${process.env.PATH}`,
    PS1: PROMPT,
    TERM: 'xterm-256color',
    BINGO_NETWORK_PROXY: proxy,
  };
  const env = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const size = ['-x', String(SIZE.columns), '-y', String(SIZE.rows)];
  tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'pictures', ...size, '-c', place, 'env', ...env, 'sh');
}

/** Records a session of three commands: set up, crawl, search. */
async function session(): Promise<void> {
  await prompted();
  resize(SESSION_ROWS);
  writeFileSync(join(place, 'pages.txt'), PAGES.map(([url, topic]) => `${url}\t${topic}\n`).join(''));
  await typed('bingo init shelf --urls pages.txt --others others.txt --set crawl.budget=150');
  await typed('bingo crawl shelf');
  await typed('bingo search shelf "256 colours" --limit 2');
  picture('session', 'init, crawl, search');
  resize(SIZE.rows);
}

/** Records the dashboard of a running crawl. */
async function dashboard(): Promise<void> {
  clear();
  await typed('bingo init again --urls pages.txt --others others.txt --set crawl.budget=150');
  clear();
  tmux('send-keys', '-t', 'pictures', 'bingo crawl again --set network.delayMs=60ms', 'Enter');
  await shown(/\b1[0-3]\d\b.*\b150\b/);
  picture('dashboard', 'bingo crawl');
  await prompted();
}

async function review(): Promise<void> {
  clear();
  tmux('send-keys', '-t', 'pictures', 'bingo review shelf', 'Enter');
  await shown(/accept/i);
  await sleep(1500);
  picture('review', 'bingo review');
  tmux('send-keys', '-t', 'pictures', 'q');
  await sleep(1000);
  tmux('send-keys', '-t', 'pictures', 'y', 'Enter');
  await prompted();
}

async function portal(): Promise<void> {
  clear();
  await typed(`bingo portal shelf site --title "${TITLE}"`);
  if (CHROMIUM === undefined) throw new Error('Chromium is missing: the portal cannot be shown.');
  const browser = await openBrowser(CHROMIUM);
  const look = { width: 900, height: 640 };
  await (await browser.open(`file://${place}/site/topics/terminal-screens.html`, look)).screenshot(
    join(PICTURES, 'portal.png'),
  );
  const search = await browser.open(`file://${place}/site/search.html?q=256+colours`, { ...look, dark: true });
  while (!(await search.evaluate<boolean>(`document.querySelectorAll('#results > li').length > 0`))) await sleep(50);
  await search.screenshot(join(PICTURES, 'portal-search.png'));
  await browser.close();
}

async function studio(): Promise<void> {
  if (CHROMIUM === undefined) throw new Error('Chromium is missing: the studio cannot be shown.');
  const child = spawn(process.execPath, [join(ROOT, 'bin/bingo.js'), 'studio', 'shelf', '--json'], { cwd: place });
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
  const { url } = JSON.parse(line) as { url: string };
  const browser = await openBrowser(CHROMIUM);
  for (const [name, path] of [
    ['studio-crawl', '#/shelf/watch'],
    ['studio-review', '#/shelf/review'],
  ] as const) {
    const page = await browser.open(`${url}${path}`, { width: 1100, height: 680 });
    await sleep(4_000);
    await page.screenshot(join(PICTURES, `${name}.png`));
  }
  await browser.close();
  child.kill('SIGINT');
}

/** Types a command and waits until it is done. */
async function typed(command: string): Promise<void> {
  for (const line of command.split('\n')) tmux('send-keys', '-t', 'pictures', line, 'Enter');
  await prompted();
}

/** Waits until the shell is ready for the next command. */
async function prompted(): Promise<void> {
  await shown(/\n\$ *$/);
}

async function shown(pattern: RegExp): Promise<void> {
  await sleep(500);
  for (let tries = 0; tries < 600; tries++) {
    if (pattern.test(`\n${tmux('capture-pane', '-p', '-t', 'pictures').trimEnd()}`)) return;
    await sleep(200);
  }
  throw new Error(`Expected ${pattern} on the screen, got:\n${tmux('capture-pane', '-p', '-t', 'pictures')}`);
}

function picture(name: string, title: string): void {
  const text = tmux('capture-pane', '-e', '-p', '-t', 'pictures').replace(/\n\$ *\s*$/, '\n');
  writeFileSync(join(PICTURES, `${name}.svg`), terminalSvg({ text, columns: SIZE.columns, title }));
}

function resize(rows: number): void {
  tmux('resize-window', '-t', 'pictures', '-x', String(SIZE.columns), '-y', String(rows));
}

function clear(): void {
  tmux('send-keys', '-t', 'pictures', 'clear', 'Enter');
}

function tmux(...args: string[]): string {
  return execFileSync('tmux', [...TMUX, ...args], { encoding: 'utf8', env: { ...process.env, LANG: 'C.UTF-8' } });
}
