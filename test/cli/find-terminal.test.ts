import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TinyWeb } from '../support/tiny-web.ts';
import { startBikeWeb } from './support/bike-web.ts';

const ROOT = join(import.meta.dirname, '../..');
const BINGO = join(ROOT, 'bin/bingo.js');
const WAIT_MS = 60_000;
const SOCKET = `bingo-find-${process.pid}`;

const whyNot = !existsSync(join(ROOT, 'dist/main.js'))
  ? 'the program is not built'
  : spawnSync('tmux', ['-V']).error !== undefined
    ? 'tmux is not installed'
    : undefined;

let web: TinyWeb;
let root: string;

function tmux(...words: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync('tmux', ['-L', SOCKET, ...words], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tmux ${words.join(' ')}: ${stderr}`);
  return stdout;
}

/** Waits until the terminal shows a text, and returns all output so far. */
async function shows(what: RegExp): Promise<string> {
  for (const end = Date.now() + WAIT_MS; ; await sleep(100)) {
    const text = tmux('capture-pane', '-p', '-S', '-500', '-t', 'find');
    if (what.test(text)) return text;
    if (Date.now() > end) throw new Error(`Expected the terminal to show ${what}, got:\n${text}`);
  }
}

const type = (line: string): string => tmux('send-keys', '-t', 'find', line, 'Enter');

describe.skipIf(whyNot !== undefined)(
  `bingo find in a terminal${whyNot === undefined ? '' : ` (skipped: ${whyNot})`}`,
  () => {
    beforeAll(async () => {
      web = await startBikeWeb();
      root = mkdtempSync(join(tmpdir(), 'bingo-find-terminal-'));
    });
    afterAll(async () => {
      spawnSync('tmux', ['-L', SOCKET, 'kill-server']);
      await web.close();
      rmSync(root, { recursive: true, force: true });
    });

    it('shows the crawl on the dashboard, then reads commands line by line until quit', async () => {
      const pages = (host: string): string[] => [1, 2, 5, 7].map((n) => `${web.origin(host)}/${n}`);
      writeFileSync(join(root, 'others.txt'), [...pages('food.test'), ...pages('stars.test')].join('\n'));
      const set = ['network.allowPrivate=true', `network.dnsServers=${web.dnsServer}`, 'network.delayMs=50'];
      const words = [
        ...['find', 'touring bicycle', '--seed', `${web.origin('bikes.test')}/0`, `${web.origin('bikes.test')}/5`],
        ...['--keep', join(root, 'touring'), '--others', join(root, 'others.txt'), '--budget', '12'],
        ...set.flatMap((setting) => ['--set', setting]),
      ];
      const command = [process.execPath, BINGO, ...words].map((word) => `'${word}'`).join(' ');
      tmux(
        'new-session',
        '-d',
        '-s',
        'find',
        '-x',
        '80',
        '-y',
        '24',
        `${command}; echo "ended with $?"; exec sleep 600`,
      );
      await shows(/harvest rate/);
      // Keys for the dashboard that arrive after it has ended are not part of the first command.
      while (!/on the subject/.test(tmux('capture-pane', '-p', '-t', 'find'))) {
        tmux('send-keys', '-t', 'find', '~');
        await sleep(20);
      }
      await shows(/Type \? for help\.\n>/);
      // Ten answers and the prompt fit the screen.
      expect(tmux('capture-pane', '-p', '-t', 'find')).toMatch(/^ {2}1 {2}\S[\s\S]*\n>/m);
      type('?');
      await shows(/First letters will do\.\n>/);
      type('good 1 bad 2');
      await shows(/Learned and judged again in .* s\.[^>]*accepted pages with these words[^>]*\n>/);
      type('crawl');
      await shows(/24 in all[^>]*accepted pages with these words[^>]*\n>/);
      type('q');
      const all = await shows(/ended with 0/);
      expect(all).not.toContain('~');
      expect(all).toContain('Everything is kept in');
    });
  },
);
