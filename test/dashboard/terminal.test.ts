import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FrozenWeb, NO_FAULTS, serveFrozenWeb } from '../../src/lab/index.ts';
import { kitchenPage, railPage, writeTwoTopics } from '../lab/support/two-topics.ts';

const ROOT = join(import.meta.dirname, '../..');
const BINGO = join(ROOT, 'bin/bingo.js');
const WAIT_MS = 25_000;

const whyNot = !existsSync(join(ROOT, 'dist/cli/main.js'))
  ? 'the program is not built'
  : spawnSync('tmux', ['-V']).error !== undefined
    ? 'tmux is not installed'
    : undefined;

const folder = mkdtempSync(join(tmpdir(), 'bingo-terminal-'));
const socket = `bingo-test-${process.pid}`;
let server: Awaited<ReturnType<typeof serveFrozenWeb>>;
let dir: string;
let workspaces = 0;

function tmux(...words: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync('tmux', ['-L', socket, ...words], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tmux ${words.join(' ')}: ${stderr}`);
  return stdout;
}

/** A terminal with a command in it; when the command ends its exit code is printed. */
function terminal(name: string, columns: number, rows: number, words: readonly string[], env = ''): void {
  const command = [process.execPath, BINGO, ...words].map((word) => `'${word}'`).join(' ');
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('new-session', '-d', '-s', name, ...size, `${env} ${command}; echo "ended with $?"; exec sleep 60`);
}

const keys = (name: string, ...names: readonly string[]): string => tmux('send-keys', '-t', name, ...names);
const screen = (name: string): string => tmux('capture-pane', '-p', '-t', name);

/** Waits until a terminal shows something, and gives what it shows. */
async function shows(name: string, what: RegExp): Promise<string> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const text = screen(name);
    if (what.test(text)) return text;
    if (Date.now() > end) throw new Error(`Expected the terminal to show ${what}, got:\n${text}`);
    await sleep(100);
  }
}

function crawlWords(...more: readonly string[]): string[] {
  const settings = ['network.concurrency=1', 'network.delayMs=0'].flatMap((setting) => ['--set', setting]);
  const proxy = `http://127.0.0.1:${server.port}`;
  return ['crawl', dir, '--budget', '60', '--learn', '15', '--proxy', proxy, ...settings, ...more];
}

describe.skipIf(whyNot !== undefined)(`in a terminal${whyNot === undefined ? '' : ` (skipped: ${whyNot})`}`, () => {
  beforeAll(async () => {
    writeTwoTopics(folder);
    const web = await FrozenWeb.open(join(folder, 'two.warc.gz'));
    server = await serveFrozenWeb({ web, port: 0, faults: { ...NO_FAULTS, latencyMs: 100 } });
  });

  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    dir = join(folder, `rails${++workspaces}`);
    const others = join(folder, 'others.txt');
    writeFileSync(others, [0, 1, 2, 3, 4, 5].map(kitchenPage).join('\n'));
    const seeds = [0, 1, 2].flatMap((i) => ['--seed', railPage(i)]);
    const made = spawnSync(process.execPath, [BINGO, 'init', dir, '--topic', 'railways', ...seeds, '--others', others]);
    expect(made.status, String(made.stderr)).toBe(0);
  });

  afterEach(() => {
    spawnSync('tmux', ['-L', socket, 'kill-server']);
  });

  test('a crawl is watched, paused, raised, asked why, and stopped with what was changed', async () => {
    terminal('crawl', 80, 24, crawlWords());
    await shows('crawl', /learning phase .*\n[\s\S]*✓ \d\.\d\d railways/);
    keys('crawl', 'p');
    await shows('crawl', /paused/);
    keys('crawl', '+', '+');
    const raised = await shows('crawl', /of 73 pages/);
    expect(
      raised
        .split('\n')
        .slice(0, 24)
        .every((line) => line.length <= 80),
    ).toBe(true);
    keys('crawl', 'Enter');
    await shows('crawl', /The way from a seed:/);
    keys('crawl', 'Escape');
    await shows('crawl', /last pages/);
    keys('crawl', 'q');
    await shows('crawl', /Stop the crawl and save\?/);
    keys('crawl', 's');
    const end = await shows('crawl', /ended with 130/);
    expect(end).toContain('Stopped; pages and frontier are saved.');
    expect(end).toContain('  crawl.budget: 73');
  }, 60_000);

  test('crawl and dashboard each survive the end of the other, and steer across processes', async () => {
    terminal('crawl', 80, 24, crawlWords());
    await shows('crawl', /[1-9] of 60 pages/);
    terminal('beside', 120, 40, ['dashboard', dir]);
    await shows('beside', /learning phase|harvesting phase/);
    keys('beside', 'p');
    await shows('crawl', /paused/);
    await shows('beside', /paused/);
    keys('beside', 'q');
    await shows('beside', /ended with 0/);
    keys('crawl', 'q');
    await shows('crawl', /d leave the dashboard/);
    keys('crawl', 'd');
    await shows('crawl', /You left the dashboard; the crawl goes on/);

    terminal('again', 80, 24, ['dashboard', dir]);
    await shows('again', /paused/);
    keys('again', 'p');
    await shows('crawl', /ended with 0/);
    await shows('again', /no crawl is running .*60 of 60 pages/);
    keys('again', 'p');
    await shows('again', /No crawl is running in this workspace/);
    keys('again', 'q');
    await shows('again', /ended with 0/);
  }, 90_000);

  test('Ctrl-C stops and saves; the same crawl goes on with its past on the screen, without colours when asked', async () => {
    terminal('crawl', 80, 24, crawlWords());
    await shows('crawl', /[1-9] of 60 pages/);
    keys('crawl', 'C-c');
    expect(await shows('crawl', /ended with 130/)).toContain('Stopped; pages and frontier are saved.');
    terminal('resumed', 80, 24, crawlWords(), 'NO_COLOR=1');
    await shows('resumed', /✓ \d\.\d\d railways/);
    // 39 and 49 are the terminal's own colours.
    expect(tmux('capture-pane', '-p', '-e', '-t', 'resumed')).not.toMatch(/\u001b\[(3[0-8]|4[0-8]|9\d|10\d)m/);
    tmux('resize-window', '-t', 'resumed', '-x', '120', '-y', '40');
    await shows('resumed', /hosts: relevant\/pages/);
    tmux('resize-window', '-t', 'resumed', '-x', '30', '-y', '8');
    await shows('resumed', /too small/);
    await shows('resumed', /ended with 0/);
  }, 90_000);

  test('--plain prints lines that never move', async () => {
    terminal('plain', 80, 24, crawlWords('--plain'));
    const text = await shows('plain', /ended with 0/);
    expect(tmux('capture-pane', '-p', '-S', '-200', '-t', 'plain')).toMatch(/learning phase: training pages fetched/);
    expect(text).not.toContain('█');
  }, 60_000);
});
