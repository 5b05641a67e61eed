import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setSetting, unsetSetting } from '../../../src/workbench/workspace/edit-settings.ts';
import { settingOf } from '../../../src/workbench/workspace/settings.ts';
import { settingsAsked, settingsInForce } from '../../../src/workbench/workspace/settings-in-force.ts';

const TOPICS = '# mine\ntopics:\n  - name: a\n    examples: [http://a.test/]\nothers: [http://b.test/]\n';
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-settings-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const file = (): string => readFileSync(join(dir, 'bingo.yaml'), 'utf8');
const write = (settings: string): void => writeFileSync(join(dir, 'bingo.yaml'), TOPICS + settings);

describe('setSetting', () => {
  it('changes a value and keeps comments', () => {
    write('network:\n  # be kind\n  delayMs: 500 # half a second\n  perHost: 1\n');
    setSetting(dir, 'network.delayMs', '1s');
    expect(file()).toBe(`${TOPICS}network:\n  # be kind\n  delayMs: 1s # half a second\n  perHost: 1\n`);
  });

  it('adds a section, a list, and a store with a short address', () => {
    write('store: mysql://me@db.test/x\n');
    setSetting(dir, 'crawl.exclude', 'example.org, /login');
    setSetting(dir, 'store.reconnectMs', '50s');
    expect(file()).toBe(
      `${TOPICS}store:\n  url: mysql://me@db.test/x\n  reconnectMs: 50s\ncrawl:\n  exclude: ["example.org", "/login"]\n`,
    );
  });

  it('writes through a symbolic link and keeps the link', () => {
    write('');
    renameSync(join(dir, 'bingo.yaml'), join(dir, 'shared.yaml'));
    symlinkSync('shared.yaml', join(dir, 'bingo.yaml'));
    setSetting(dir, 'crawl.budget', '5');
    expect(lstatSync(join(dir, 'bingo.yaml')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(dir, 'shared.yaml'), 'utf8')).toContain('budget: 5');
  });

  it('rejects a wrong value and an unknown key, and changes nothing', () => {
    write('');
    expect(() => setSetting(dir, 'network.delayMs', 'soon')).toThrow('network.delayMs: Expected milliseconds');
    expect(() => setSetting(dir, 'network.delay', '1s')).toThrow('network.delay: Unknown setting.');
    expect(file()).toBe(TOPICS);
  });

  it('corrects one of two mistakes, but does not change a file that is not YAML', () => {
    write('network: { delayMs: soon, perHost: none }\n');
    setSetting(dir, 'network.delayMs', '2s');
    expect(file()).toContain('delayMs: 2s, perHost: none');
    writeFileSync(join(dir, 'bingo.yaml'), 'topics: [\n');
    expect(() => setSetting(dir, 'network.delayMs', '1s')).toThrow('mistake');
    expect(file()).toBe('topics: [\n');
  });
});

describe('unsetSetting', () => {
  it('removes a setting, and its section if that is empty', () => {
    write('network:\n  delayMs: 500\ncrawl:\n  budget: 5\n  learn: 1\n');
    expect(unsetSetting(dir, settingOf('network.delayMs')!)).toBe(true);
    expect(unsetSetting(dir, settingOf('crawl.learn')!)).toBe(true);
    expect(unsetSetting(dir, settingOf('crawl.learn')!)).toBe(false);
    expect(file()).toBe(`${TOPICS}crawl:\n  budget: 5\n`);
  });
});

describe('settingsInForce', () => {
  it('shows the source of each value', () => {
    write('network: { delayMs: 500, perHost: 1 }\ncrawl: { budget: 7 }\n');
    const env = { BINGO_NETWORK_DELAY_MS: '2s' };
    const all = settingsInForce(dir, { env, flags: new Map([['crawl.budget', '9']]) });
    const found = Object.fromEntries(all.map(({ setting, value, from }) => [setting.key, [value, from]]));
    expect(found).toMatchObject({
      ...{ 'crawl.budget': [9, 'flag'], 'network.delayMs': [2000, 'environment'] },
      ...{ 'network.perHost': [1, 'file'], 'network.perDomain': [5, 'default'] },
    });
  });

  it('lists the extensions of bingo.yaml, as paths relative to the workspace', () => {
    write('extensions: [./sinks/log.js, fields.js]\n');
    for (const name of ['sinks/log.js', 'fields.js']) {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), '');
    }
    const listed = settingsAsked(settingsInForce(dir, {}), undefined);
    expect(listed.find(({ setting }) => setting.key === 'extensions')).toMatchObject({
      ...{ value: ['./sinks/log.js', './fields.js'], from: 'file' },
    });
  });

  it('finds settings by key and by words, and shows common and changed ones', () => {
    const all = settingsInForce(undefined, { env: { BINGO_LEARN_RHO: '3' } });
    const keys = (word?: string): readonly string[] => settingsAsked(all, word).map(({ setting }) => setting.key);
    expect(keys('network.robots')).toEqual(['network.robots']);
    expect(keys('crawl-delay')).toEqual(['network.maxCrawlDelayMs']);
    expect(keys()).toEqual(expect.arrayContaining(['crawl.budget', 'learn.rho']));
    expect(keys()).not.toContain('learn.C');
    expect(keys('nosuchword')).toEqual([]);
  });
});
