import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../src/core/index.ts';
import {
  configWith,
  LISTED_SETTINGS,
  retiredNotes,
  SETTINGS,
  settingOf,
} from '../../../src/workbench/workspace/settings.ts';
import { settingsPage } from '../../../src/workbench/workspace/settings-page.ts';

describe('the table of settings', () => {
  it('has a line for every default, and no others', () => {
    const keys = Object.entries(DEFAULTS).flatMap(([section, values]) =>
      Object.keys(values).map((name) => `${section}.${name}`),
    );
    expect(SETTINGS.map((setting) => setting.key).sort()).toEqual(keys.sort());
  });

  it.each(SETTINGS.map((setting) => [setting.key, setting] as const))(
    'accepts its own default for %s',
    (_key, setting) => {
      expect(setting.rule.read(setting.default)).toEqual({ ok: true, value: setting.default });
    },
  );

  it.each(SETTINGS.map((setting) => [setting.key, setting] as const))(
    'names a variable and explains %s',
    (_key, setting) => {
      expect(setting.variable).toMatch(/^BINGO_[A-Z_]+$/);
      expect(setting.help).toMatch(/^[A-Za-z].*[.…]$/);
      expect(setting.instead ?? setting.why).toMatch(/^[A-Z].*\.$/);
    },
  );

  it('lists no retired setting, and names only listed ones instead', () => {
    const keys = new Set(SETTINGS.map(({ key }) => key));
    const listed = new Set(LISTED_SETTINGS.map(({ key }) => key));
    const old = SETTINGS.filter(({ instead }) => instead !== undefined);
    expect([listed.size, old.length]).toEqual([112, 44]);
    for (const { key, instead = '' } of old) {
      expect(listed.has(key)).toBe(false);
      for (const [named] of instead.matchAll(/\b[a-z]+\.[a-zA-Z]+\b/g))
        if (keys.has(named) && !instead.includes('--set')) expect(listed).toContain(named);
    }
    expect(retiredNotes(['crawl.budget', 'learn.candidates'])).toEqual([
      'learn.candidates is retired and still works. Set learn.features.',
    ]);
  });

  it('gives no two settings the same variable', () => {
    expect(new Set(SETTINGS.map((setting) => setting.variable)).size).toBe(SETTINGS.length);
  });
});

describe('configWith', () => {
  it('changes only the given settings', () => {
    const config = configWith(new Map<string, unknown>([['crawl.budget', 7]]));
    expect(config).toEqual({ ...DEFAULTS, crawl: { ...DEFAULTS.crawl, budget: 7 } });
  });
});

describe('a merged setting', () => {
  it('raises the settings that it replaces, and never lowers them', () => {
    const network = (total: number) => configWith(new Map([['network.totalTimeoutMs', total]])).network;
    expect(network(600_000)).toMatchObject({ connectTimeoutMs: 100_000, headersTimeoutMs: 200_000 });
    expect(network(1000)).toMatchObject({ connectTimeoutMs: 10_000, headersTimeoutMs: 20_000 });
  });

  it('leaves a replaced setting alone that is set', () => {
    const values = new Map([
      ['network.perDomain', 50],
      ['network.perAddress', 7],
    ]);
    expect(configWith(values).network).toMatchObject({ perDomain: 50, perAddress: 7 });
    expect(configWith(new Map([['network.perDomain', 50]])).network.perAddress).toBe(100);
  });
});

describe('rules', () => {
  const read = (key: string, value: unknown) => settingOf(key)?.rule.read(value);

  it.each([
    ['crawl.budget', '1.5'],
    ['crawl.budget', 0],
    ['crawl.budget', true],
    ['crawl.tunnelDecay', 0],
    ['crawl.tunnelDecay', 1.1],
    ['crawl.lockedHosts', ['http://a.example/']],
    ['crawl.lockedHosts', ['a.example/shop']],
    ['crawl.lockedHosts', ['*.a.example']],
    ['crawl.lockedHosts', ['...']],
    ['crawl.exclude', ['login']],
    ['crawl.include', [7]],
    ['network.allowPrivate', 'maybe'],
    ['network.dnsServers', ['ns.example.org']],
    ['network.userAgent', '2bot/1.0'],
    ['network.userAgent', 'bot 🚲'],
    ['network.userAgent', 'bot\r\nx: y'],
    ['network.contact', 'https://example.org/🚲'],
    ['network.contact', 'ja€n@example.org'],
    ['network.dnsServers', '300.0.0.1'],
    ['network.dnsServers', '127.0.0.1:70000'],
    ['network.dnsServers', [':::']],
    ['network.proxy', 'socks4://127.0.0.1'],
    ['network.contact', 'nobody'],
    ['network.totalTimeoutMs', '25d'],
    ['analyze.timeoutMs', 2 ** 31],
    ['network.userAgent', 'two\nlines'],
    ['learn.spaces', []],
    ['learn.spaces', ['words']],
    ['learn.spaces', ['terms+']],
    ['learn.spaces', ['terms', 'terms']],
    ['learn.spaces', ['anchors+terms', 'terms+anchors']],
    ['learn.metaLearning', 'unanimus'],
    ['network.maxBytesByType', ['pdf=20MiB']],
    ['network.maxBytesByType', ['application/pdf=0']],
    ['network.maxBytesByType', ['application/pdf']],
    ['store.url', 'postgres://localhost/x'],
    ['store.url', 'mysql://u:p#w@db/bingo'],
    ['store.url', 'mysql://u@db/bingo?ssl=true'],
  ])('%s refuses %j', (key, value) => {
    expect(read(key, value)?.ok).toBe(false);
  });

  it.each([
    ['crawl.timeMs', '90m', 5_400_000],
    ['network.maxBodyBytes', '8MiB', 8_388_608],
    ['network.maxBytesByType', 'Application/PDF=20MiB, text/*=1000', ['application/pdf=20971520', 'text/*=1000']],
    ['network.allowPrivate', 'yes', true],
    ['network.dnsServers', '127.0.0.1:5353, ::1', ['127.0.0.1:5353', '::1']],
    ['network.dnsServers', '[2001:db8::1]:53, [::1]', ['[2001:db8::1]:53', '[::1]']],
    ['network.contact', 'me@example.org', 'me@example.org'],
    ['crawl.lockedHosts', 'WWW.A.example., .b.example, a.example:80', ['www.a.example', 'b.example', 'a.example']],
    [
      'crawl.lockedHosts',
      ['bücher.example', '[::1]', 'c.example:8080'],
      ['xn--bcher-kva.example', '[::1]', 'c.example:8080'],
    ],
    [
      'crawl.exclude',
      ['https://A.test/Shop', '*.b.test', '/*.pdf$', 'müller.test'],
      ['a.test/Shop', '*.b.test', '/*.pdf$', 'xn--mller-kva.test'],
    ],
    ['crawl.exclude', 'a.test, /login', ['a.test', '/login']],
    ['crawl.exclude', `[a.test/x, "/login", '*.b.test']`, ['a.test/x', '/login', '*.b.test']],
    ['crawl.include', '[::1]', ['[::1]']],
    ['crawl.include', '[]', []],
    ['learn.spaces', 'terms,pairs', ['terms', 'pairs']],
    ['learn.spaces', ['terms', 'anchors + terms'], ['terms', 'terms+anchors']],
    ['store.url', 'mysql://u:p@db:3306/bingo', 'mysql://u:p@db:3306/bingo'],
  ])('%s reads %j', (key, value, expected) => {
    expect(read(key, value)).toEqual({ ok: true, value: expected });
  });

  it('suggests a correction for a misspelt choice', () => {
    expect(read('crawl.ordering', 'bredth-first')).toEqual({ ok: false, hint: 'Did you mean "breadth-first"?' });
    expect(read('learn.spaces', ['terms+anchor'])).toEqual({ ok: false, hint: 'Did you mean "anchors"?' });
  });

  it('explains what is wrong with a joined feature space', () => {
    expect(read('learn.spaces', ['pairs+pairs'])).toEqual({
      ok: false,
      hint: '"pairs+pairs" joins "pairs" with itself.',
    });
    expect(read('learn.spaces', ['terms', 'terms'])).toEqual({ ok: false, hint: '"terms" is there twice.' });
  });
});

describe('a list of name servers', () => {
  it.each(['[127.0.0.1:5353]', '["127.0.0.1:5353"]', '127.0.0.1:5353', ['127.0.0.1:5353']])('may be %j', (value) => {
    expect(settingOf('network.dnsServers')?.rule.read(value)).toMatchObject({ ok: true, value: ['127.0.0.1:5353'] });
  });
});

describe('docs/settings.md', () => {
  it('matches the table (npm run docs writes it)', () => {
    const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
    expect(page).toBe(settingsPage());
  });
});
