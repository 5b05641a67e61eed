import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BINGO, fastCrawlWords, inATerminal, keys, shows, terminal, tmux, workspace } from './support/terminals.ts';

/** A key that means nothing to any screen, and that no path has. */
const KEY = '~';

/** Starts a command in a terminal. When it has ended, what is left to read is printed, as a shell would read it. */
function typedAhead(name: string, words: readonly string[]): void {
  const command = [process.execPath, BINGO, ...words].map((word) => `"${word}"`).join(' ');
  const script = `${command}; echo "ended with $?"; read -t 1 -n 99 rest; echo "left [$rest]"; exec sleep 600`;
  tmux('new-session', '-d', '-s', name, '-x', '100', '-y', '30', `bash -c '${script}'`);
}

/** True once the terminal echoes no keys. */
function isQuiet(name: string): boolean {
  const tty = tmux('display-message', '-p', '-t', name, '#{pane_tty}').trim();
  return / -echo /.test(spawnSync('stty', ['-a', '-F', tty], { encoding: 'utf8' }).stdout);
}

/** Types as soon as keys are not echoed, until the terminal shows a text. */
async function typeUntil(name: string, what: RegExp): Promise<number> {
  await expect.poll(() => isQuiet(name), { timeout: 30_000, interval: 20 }).toBe(true);
  let typed = 0;
  for (const end = Date.now() + 60_000; !what.test(tmux('capture-pane', '-p', '-t', name)); await sleep(20)) {
    if (Date.now() > end) throw new Error(`Expected the terminal to show ${what}.`);
    keys(name, KEY);
    typed++;
  }
  return typed;
}

inATerminal(() => {
  test('keys typed while a screen loads are not echoed and do not reach the shell', async () => {
    typedAhead('crawl', fastCrawlWords());
    expect(await typeUntil('crawl', /[1-9]\d of 60 pages/)).toBeGreaterThan(3);
    expect(await shows('crawl', /left \[/)).toMatch(/ended with 0[\s\S]*left \[\]/);
    expect(tmux('capture-pane', '-p', '-S', '-500', '-t', 'crawl')).not.toContain(KEY);

    for (const [name, opened] of [
      ['dashboard', /\(read-only\)/],
      ['review', /review · railways/],
    ] as const) {
      typedAhead(name, [name, workspace()]);
      expect(await typeUntil(name, opened)).toBeGreaterThan(1);
      keys(name, 'q');
      expect(await shows(name, /left \[/)).toMatch(/ended with 0[\s\S]*left \[\]/);
      expect(tmux('capture-pane', '-p', '-S', '-500', '-t', name)).not.toContain(KEY);
    }
  });

  test('Ctrl-C while a screen loads ends the command', async () => {
    terminal('crawl', 80, 24, fastCrawlWords('--plain'));
    await shows('crawl', /ended with 0/);
    typedAhead('review', ['review', workspace()]);
    await expect.poll(() => isQuiet('review'), { timeout: 30_000, interval: 20 }).toBe(true);
    keys('review', 'C-c');
    await shows('review', /ended with (130|0)/);
    expect(isQuiet('review')).toBe(false);
  });
});
