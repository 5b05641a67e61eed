import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArgs } from '../../src/cli/args.ts';
import type { Command } from '../../src/cli/command.ts';
import { run } from './support/captured-io.ts';

const command = (...rest: string[]): Command => ({
  ...{ name: 'try', summary: '', flags: {}, examples: [], run: async () => 0 },
  positionals: ['[DIR]', ...rest],
});
let root: string;
let bikes: string;
let stars: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'bingo-fill-')));
  bikes = join(root, 'bikes');
  stars = join(root, 'stars');
  mkdirSync(join(bikes, 'notes', 'old'), { recursive: true });
  mkdirSync(stars);
  for (const dir of [bikes, stars]) writeFileSync(join(dir, 'bingo.yaml'), 'topics: []\n');
});
afterAll(() => rmSync(root, { recursive: true }));

const inBikes = () => ({ cwd: join(bikes, 'notes', 'old'), env: {} });
const outside = () => ({ cwd: root, env: {} });

describe('a command that works in a workspace', () => {
  it('finds the workspace that holds the current folder', () => {
    expect(readArgs(command(), [], inBikes()).positionals).toEqual([bikes]);
    expect(readArgs(command('WORDS...'), ['gold', 'silver'], inBikes()).positionals).toEqual([bikes, 'gold silver']);
    expect(readArgs(command('[TOPIC]'), ['cycling'], inBikes()).positionals).toEqual([bikes, 'cycling']);
    expect(readArgs(command('[TOPIC]'), [], inBikes()).positionals).toEqual([bikes]);
  });

  it('reads a first word that is an existing workspace as such, even inside another one', () => {
    expect(readArgs(command('WORDS...'), [stars, 'gold'], inBikes()).positionals).toEqual([stars, 'gold']);
    expect(readArgs(command('[TOPIC]'), [stars], outside()).positionals).toEqual([stars]);
    expect(() => readArgs(command('WORDS...'), [stars], inBikes())).toThrow('WORDS is missing');
  });

  it('prefers BINGO_WORKSPACE to the current folder, and --workspace to both', () => {
    const place = { cwd: bikes, env: { BINGO_WORKSPACE: stars } };
    expect(readArgs(command('WORDS...'), ['gold'], place).positionals).toEqual([stars, 'gold']);
    expect(readArgs(command('WORDS...'), ['gold'], { cwd: bikes, env: { BINGO_WORKSPACE: '' } }).positionals[0]).toBe(
      bikes,
    );
    const words = ['--workspace', bikes, stars];
    expect(readArgs(command('WORDS...'), words, place).positionals).toEqual([bikes, stars]);
  });

  it('reads the first word as workspace if there is one word too many or no workspace near', () => {
    expect(readArgs(command(), ['nosuch'], inBikes()).positionals).toEqual(['nosuch']);
    expect(readArgs(command('URL'), ['nosuch', 'x'], inBikes()).positionals).toEqual(['nosuch', 'x']);
    expect(readArgs(command('WORDS...'), ['./nosuch', 'x'], inBikes()).positionals).toEqual(['./nosuch', 'x']);
    expect(() => readArgs(command('WORDS...'), ['nosuch'], outside())).toThrow('WORDS is missing');
  });

  it('says what to do if no workspace is named and none is near', () => {
    expect(() => readArgs(command('WORDS...'), [], outside())).toThrow(
      expect.objectContaining({
        message: 'DIR is missing: this folder is not in a workspace.',
        hint: expect.stringContaining('bingo try DIR WORDS...'),
      }),
    );
    const place = { cwd: bikes, env: { BINGO_WORKSPACE: '/nowhere' } };
    expect(() => readArgs(command(), [], place)).toThrow('BINGO_WORKSPACE is /nowhere, which is not a workspace.');
  });

  it('shows in its help that DIR is optional', async () => {
    const { out } = await run(['search', '--help']);
    expect(out).toContain('Usage: bingo search [DIR] [WORDS...] [flags]');
    expect(out).toContain('--workspace DIR');
    expect((await run(['init', '--help'])).out).not.toContain('--workspace');
  });

  it('reports errors of the workspace that it found', async () => {
    const { code, err } = await run(['status'], { cwd: join(bikes, 'notes') });
    expect([code, err]).toEqual([2, expect.stringContaining(join(bikes, 'bingo.yaml'))]);
  });
});
