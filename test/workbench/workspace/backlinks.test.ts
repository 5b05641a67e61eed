import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULTS, InputError } from '../../../src/core/index.ts';
import { parseBacklinks, readBacklinks } from '../../../src/workbench/workspace/backlinks.ts';

test('reads links separated by tabs, commas or blanks', () => {
  const { sources } = parseBacklinks(
    '# from a web graph\nhttp://a.example\thttp://x.example/\n"http://b.example/?q=1,2","http://x.example"\nhttp://a.example/  http://y.example/\n',
    'links.tsv',
  );
  expect([...sources]).toEqual([
    ['http://x.example/', ['http://a.example/', 'http://b.example/?q=1,2']],
    ['http://y.example/', ['http://a.example/']],
  ]);
});

test('skips column names before the first link, and nowhere else', () => {
  const text = '\ufeff# a comment\nfrom,to\nHTTP://a.example/,"https://x.example/?a=1,2"\n';
  expect([...parseBacklinks(text, 'links.csv').sources]).toEqual([['https://x.example/?a=1,2', ['http://a.example/']]]);
  expect(() => parseBacklinks('http://a.example/ http://x.example/\nfrom to\n', 'links.csv')).toThrow(InputError);
});

test('rejects a line with words after the addresses', () => {
  expect(() => parseBacklinks('http://a.example/ http://x.example/ a list\n', 'links.csv')).toThrow(InputError);
});

test('keeps the first fifty pages that link to a page, each once', () => {
  const lines = Array.from({ length: 80 }, (_, i) => `http://a.example/${i % 70} http://x.example/`);
  expect(parseBacklinks(lines.join('\n'), 'links.tsv').sources.get('http://x.example/')).toHaveLength(50);
});

test('has another digest if the list changes', () => {
  const [a, b] = ['http://a.example/ http://x.example/', 'http://b.example/ http://x.example/'];
  expect(parseBacklinks(a, 'f').digest).not.toBe(parseBacklinks(b, 'f').digest);
});

test('names lines that are no links, and a file that is missing', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bingo-backlinks-'));
  const place = (backlinks: string) => ({ dir, config: { ...DEFAULTS, crawl: { ...DEFAULTS.crawl, backlinks } } });
  try {
    expect(readBacklinks(place(''))).toBeUndefined();
    writeFileSync(join(dir, 'links.tsv'), 'http://a.example/ http://x.example/\nhttp://a.example/\n');
    expect(() => readBacklinks(place('links.tsv'))).toThrow(/links\.tsv.*line 2|Expected two web addresses/s);
    expect(() => readBacklinks(place('missing.tsv'))).toThrow('cannot be read');
  } finally {
    rmSync(dir, { recursive: true });
  }
});
