import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { FrozenWeb, NO_FAULTS, serveFrozenWeb } from '../../../src/lab/index.ts';
import { kitchenPage, railPage, writeTwoTopics } from '../../lab/support/two-topics.ts';

const ROOT = join(import.meta.dirname, '../../..');
export const BINGO: string = join(ROOT, 'bin/bingo.js');
const WAIT_MS = 60_000;

const whyNot = !existsSync(join(ROOT, 'dist/main.js'))
  ? 'the program is not built'
  : spawnSync('tmux', ['-V']).error !== undefined
    ? 'tmux is not installed'
    : undefined;

const folder = mkdtempSync(join(tmpdir(), 'bingo-terminal-'));
/** The workspace that each test copies. */
const made = join(folder, 'made');
type Server = Awaited<ReturnType<typeof serveFrozenWeb>>;
/** The server for crawls that are watched, which is slow. Crawls that must end use a fast one. */
let slow: Server;
let fast: Server;
let dir = '';
let workspaces = 0;
/** The socket of the current test. The server of the last test may still be running. */
let socket = '';

export function tmux(...words: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync('tmux', ['-L', socket, ...words], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tmux ${words.join(' ')}: ${stderr}`);
  return stdout;
}

/** Starts a terminal with a command, and prints the exit code when the command ends. */
export function terminal(name: string, columns: number, rows: number, words: readonly string[], env = ''): void {
  const command = [process.execPath, BINGO, ...words].map((word) => `'${word}'`).join(' ');
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('new-session', '-d', '-s', name, ...size, `${env} ${command}; echo "ended with $?"; exec sleep 600`);
}

export const keys = (name: string, ...names: readonly string[]): string => tmux('send-keys', '-t', name, ...names);
const screen = (name: string): string => tmux('capture-pane', '-p', '-t', name);

/** Waits until a terminal shows a text, and returns its screen. */
export async function shows(name: string, what: RegExp): Promise<string> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const text = screen(name);
    if (what.test(text)) return text;
    if (Date.now() > end) throw new Error(`Expected the terminal to show ${what}, got:\n${text}`);
    await sleep(100);
  }
}

/** A slow crawl of a web with two topics. */
export const crawlWords = (...more: readonly string[]): string[] => wordsOf(slow, more);

/** The same crawl at full speed. */
export const fastCrawlWords = (...more: readonly string[]): string[] => wordsOf(fast, more);

function wordsOf(server: Server, more: readonly string[]): string[] {
  const settings = ['network.concurrency=1', 'network.delayMs=0'].flatMap((setting) => ['--set', setting]);
  const proxy = `http://127.0.0.1:${server.port}`;
  return ['crawl', dir, '--budget', '60', '--learn', '15', '--proxy', proxy, ...settings, ...more];
}

/** The workspace of the current test: three examples about railways. */
export const workspace = (): string => dir;

/** Tests that send keys to Bingo in tmux and read the screen. */
export function inATerminal(tests: () => void): void {
  describe.skipIf(whyNot !== undefined)(`in a terminal${whyNot === undefined ? '' : ` (skipped: ${whyNot})`}`, () => {
    beforeAll(async () => {
      writeTwoTopics(folder);
      const web = await FrozenWeb.open(join(folder, 'two.warc.gz'));
      slow = await serveFrozenWeb({ web, port: 0, faults: { ...NO_FAULTS, latencyMs: 100 } });
      fast = await serveFrozenWeb({ web, port: 0, faults: NO_FAULTS });
      initialize(made);
    });

    afterAll(async () => {
      await slow?.close();
      await fast?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    beforeEach(() => {
      dir = join(folder, `rails${++workspaces}`);
      socket = `bingo-test-${process.pid}-${workspaces}`;
      cpSync(made, dir, { recursive: true });
    });

    afterEach(() => {
      spawnSync('tmux', ['-L', socket, 'kill-server']);
    });

    tests();
  });
}

function initialize(workspace: string): void {
  const others = join(folder, 'others.txt');
  writeFileSync(others, [0, 1, 2, 3, 4, 5].map(kitchenPage).join('\n'));
  const seeds = [0, 1, 2].flatMap((i) => ['--seed', railPage(i)]);
  const words = ['init', workspace, '--topic', 'railways', ...seeds, '--others', others];
  const { status, stderr } = spawnSync(process.execPath, [BINGO, ...words]);
  expect(status, String(stderr)).toBe(0);
}
