import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TinyWeb } from '../../support/tiny-web.ts';
import { startBikeWeb } from '../support/bike-web.ts';
import { run } from '../support/captured-io.ts';

let web: TinyWeb;
let root: string;

beforeAll(async () => {
  web = await startBikeWeb();
  root = mkdtempSync(join(tmpdir(), 'bingo-explore-'));
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

const urls = (host: string, numbers: readonly number[]): string[] => numbers.map((n) => `${web.origin(host)}/${n}`);

function init(): string[] {
  writeFileSync(join(root, 'others.txt'), urls('food.test', [1, 2, 5, 7]).join('\n'));
  const settings = [
    ...['network.allowPrivate=true', `network.dnsServers=${web.dnsServer}`],
    ...['network.delayMs=0', 'network.concurrency=1'],
  ];
  return [
    ...['init', mkdtempSync(join(root, 'bikes-')), '--topic', 'cycling', '--seed', ...urls('bikes.test', [0, 5])],
    ...['--others', join(root, 'others.txt'), '--explore', ...settings.flatMap((setting) => ['--set', setting])],
  ];
}

describe('bingo init --explore', () => {
  test('is rejected without a terminal, before anything is made', async () => {
    const { code, err } = await run(init());
    expect(code).toBe(2);
    expect(err).toContain('needs a terminal');
  });

  test('takes accepted pages as examples and rejected ones as counter-examples', async () => {
    const stdin = new PassThrough();
    let shown = '';
    const answers = { y: 0, n: 0 };
    const answer = (text: string): void => {
      shown += text;
      const asked = /On topic \(cycling[^)]*\)\? ([^\n]*)/.exec(text);
      if (asked === null) return;
      const line = /[369]$/.test(asked[1]!.trim()) ? 'n' : 'y';
      answers[line]++;
      stdin.write(`${line}\n`);
    };
    const terminal = { stdin: stdin as unknown as NodeJS.ReadStream, stdinIsTerminal: true, stderrIsTerminal: true };
    const { code } = await run(init(), { ...terminal, err: answer, env: { NO_COLOR: '1' } });
    expect(code, shown).toBe(0);
    expect(Math.min(answers.y, answers.n), shown).toBeGreaterThan(0);
    expect(shown).toMatch(new RegExp(`Explored: ${answers.y} examples? and ${answers.n} counter-examples? added`));
  });
});
