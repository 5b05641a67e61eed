import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './support/captured-io.ts';

let dir: string;
const TEXT = 'topics: [ { name: a, examples: [ http://a.test/ ] } ]\nothers: everyday\n';

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-settings-'));
  writeFileSync(join(dir, 'bingo.yaml'), TEXT);
});
afterAll(() => rmSync(dir, { recursive: true }));

describe('bingo settings', () => {
  it('shows the common settings with their sources, and how to list the others', async () => {
    const { code, out, err } = await run(['settings', dir]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^crawl\.budget +1000 +default +Pages to fetch/m)]);
    expect(err).toContain('bingo settings --all');
    expect(out.split('\n').length).toBeLessThan(24);
  });

  it('explains one setting, and shows the defaults outside of a workspace', async () => {
    const { code, out } = await run(['settings', 'network.delayMs'], { cwd: tmpdir() });
    expect(code).toBe(0);
    for (const line of ['network.delayMs: 250', 'Comes from:  default', 'Environment: BINGO_NETWORK_DELAY_MS'])
      expect(out).toContain(line);
  });

  it('says what to do instead of a retired setting, and lists it only if it is set', async () => {
    const { out } = await run(['settings', 'learn.candidates'], { cwd: tmpdir() });
    expect(out).toContain('Retired, and still read. Set learn.features.');
    expect((await run(['settings', '--all'], { cwd: tmpdir() })).out).not.toContain('learn.candidates');
    const set = await run(['settings', '--all', '--set', 'learn.candidates=9'], { cwd: tmpdir() });
    expect(set.out).toMatch(/learn\.candidates +9 +flag/);
    const refused = await run(['settings', 'set', dir, 'learn.candidates', '9']);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Set learn.features.')]);
    expect(readFileSync(join(dir, 'bingo.yaml'), 'utf8')).toBe(TEXT);
  });

  it('writes a setting and removes it again', async () => {
    const set = await run(['settings', 'set', dir, 'network.delayMs', '1s'], { env: { BINGO_CRAWL_BUDGET: '5' } });
    expect([set.code, set.err]).toEqual([0, expect.stringContaining('network.delayMs: 1s (file)')]);
    expect(readFileSync(join(dir, 'bingo.yaml'), 'utf8')).toBe(`${TEXT}network:\n  delayMs: 1s\n`);
    const unset = await run(['settings', 'unset', dir, 'network.delayMs', '--json']);
    expect(JSON.parse(unset.out)).toMatchObject({ setting: 'network.delayMs', value: 250, from: 'default' });
    expect(readFileSync(join(dir, 'bingo.yaml'), 'utf8')).toBe(TEXT);
  });

  it('names the command that reads the setting', async () => {
    expect((await run(['settings', 'set', dir, 'search.log', 'true'])).err).toContain('the next "bingo search"');
    expect((await run(['settings', 'unset', dir, 'search.log'])).err).toContain('the next "bingo search"');
    expect((await run(['settings', 'set', dir, 'crawl.budget', '9'])).err).toContain('the next "bingo crawl"');
    expect((await run(['settings', 'unset', dir, 'crawl.budget'])).code).toBe(0);
  });

  it('says so if the environment has priority over what is written', async () => {
    const { err } = await run(['settings', 'set', dir, 'crawl.budget', '9'], { env: { BINGO_CRAWL_BUDGET: '5' } });
    expect(err).toContain('BINGO_CRAWL_BUDGET in the environment has priority');
  });

  it.each([
    [['settings', 'set', 'extensions', './a.js'], 'Edit bingo.yaml, for example extensions: [./my-sink.js].'],
    [['settings', 'set', 'delayMs', '1s'], 'Did you mean network.delayMs?'],
    [['settings', 'set', 'network.delayMs', 'soon'], 'Expected milliseconds'],
    [['settings', 'unset', 'network.delaysMs'], 'Did you mean "network.delayMs"?'],
    [['settings', 'nosuchword'], 'bingo settings --all'],
    [['settings', 'set', 'network.delayMs'], 'VALUE is missing'],
  ])('%j is misuse', async (words, message) => {
    const { code, err } = await run(words, { env: { BINGO_WORKSPACE: dir } });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
