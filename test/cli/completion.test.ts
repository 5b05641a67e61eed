import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-list.ts';
import { manPage } from '../../src/cli/man-page.ts';
import { run } from './support/captured-io.ts';

/** Returns what bash offers for the last word of a line. */
async function offered(line: string): Promise<readonly string[]> {
  const { out } = await run(['completion', 'bash']);
  const words = line.split(' ').map((word) => JSON.stringify(word));
  const script = `${out}\nCOMP_WORDS=(${words.join(' ')})\nCOMP_CWORD=${words.length - 1}\n_bingo\nprintf '%s\\n' "\${COMPREPLY[@]}"\n`;
  return execFileSync('bash', ['-eu', '-c', script], { encoding: 'utf8' }).trim().split('\n');
}

it('completes commands, second words and flags in bash', async () => {
  expect(await offered('bingo cr')).toEqual(['crawl']);
  expect(await offered('bingo lab t')).toEqual(['tasks', 'table', 'translations', 'traps']);
  expect(await offered('bingo crawl bikes --bud')).toEqual(['--budget']);
  expect(await offered('bingo topic show --wo')).toEqual(['--workspace']);
});

it('lists every command for zsh and fish, and rejects other shells', async () => {
  for (const shell of ['zsh', 'fish']) {
    const { code, out } = await run(['completion', shell]);
    expect(code).toBe(0);
    for (const { name } of COMMANDS) expect(out).toContain(name.split(' ').at(-1));
  }
  expect(await run(['completion', 'tcsh'])).toMatchObject({ code: 2, err: expect.stringContaining('bash, zsh, fish') });
});

it('has a man page with every command (npm run docs writes it)', async () => {
  const commands = await Promise.all(COMMANDS.map((listed) => listed.load()));
  expect(readFileSync('docs/bingo.1', 'utf8')).toBe(manPage(commands));
  for (const { name } of commands) expect(manPage(commands)).toContain(`.SS bingo ${name}`);
});

it('shows a guide by its topic, together with the help of the command of that name', async () => {
  const alarms = await run(['help', 'alarms']);
  expect([alarms.code, alarms.out]).toEqual([0, expect.stringMatching(/^Alarms/)]);
  expect(alarms.out).not.toMatch(/\]\(|`/);
  const search = await run(['help', 'search']);
  expect(search.out).toContain('Usage: bingo search');
  expect(search.out).toContain('\nSearch');
  const wrong = await run(['help', 'alarm']);
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('Did you mean "alarms"?')]);
});

it('prints the version with -v', async () => {
  expect(await run(['-v'])).toEqual(await run(['--version']));
});
