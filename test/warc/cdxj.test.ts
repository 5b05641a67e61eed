import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { getSurt } from 'warcio';
import { type CdxjEntry, cdxjLine, parseCdxjLine, surtOf, timeOf, timestampOf } from '../../src/warc/cdxj.ts';
import { CdxjFile } from '../../src/warc/cdxj-file.ts';
import { LineSorter } from '../../src/warc/line-sorter.ts';
import { writeCdxj, writeLines } from '../../src/warc/wacz.ts';
import { gzippedWarc, plainWarc } from '../lab/support/warc-writer.ts';

const root = mkdtempSync(join(tmpdir(), 'bingo-cdxj-'));
afterAll(() => rmSync(root, { recursive: true }));

function entry(url: string, timestamp = '20240101000000'): CdxjEntry {
  return {
    key: surtOf(url),
    timestamp,
    url,
    mime: 'text/html',
    status: '200',
    digest: 'sha1:A',
    offset: 7,
    length: 9,
    filename: 'a',
  };
}

describe('the key of a URL', () => {
  it.each([
    'https://www.example.com/Path/?b=2&a=1',
    'http://example.com:8080/',
    'https://www2.example.org/a%20b?x=%C3%A4',
    'https://sub.example.co.uk/index.html?q=a+b',
    'http://127.0.0.1:3000/x',
    'urn:pageinfo:https://example.com/',
  ])('of %s is that of an independent library', (url) => {
    expect(surtOf(url)).toBe(getSurt(url));
  });
});

describe('dates of captures', () => {
  it('reads 4 to 14 digits, and nothing else', () => {
    expect(timeOf('20240229')).toBe(Date.UTC(2024, 1, 29));
    expect(timeOf('2024')).toBe(Date.UTC(2024, 0, 1));
    expect(timeOf('20240131235959')).toBe(Date.UTC(2024, 0, 31, 23, 59, 59));
    expect(timeOf('20241301')).toBeNaN();
    expect(timeOf('last week')).toBeNaN();
    expect(timestampOf('2026-01-02T03:04:05.678Z')).toBe('20260102030405');
  });
});

describe('lines of an index', () => {
  it('read back as written', () => {
    const made = entry('https://example.com/ä b"');
    expect(parseCdxjLine(cdxjLine(made))).toEqual(made);
  });

  it('of other formats are skipped', () => {
    const lines = [
      '',
      '!meta 0 {"format": "cdxj-gzip-1.0"}',
      'com,example)/ 2024 {"url": 5}',
      'com,example)/ 20240101000000 {"url":"x","offset":"-1","length":"5"}',
    ];
    expect(lines.map(parseCdxjLine)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('a sorter of lines', () => {
  it('gives the order of a plain sort, with any number of runs', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z),. ]{0,6}$/)),
        fc.integer({ min: 1, max: 40 }),
        (lines, runChars) => {
          const sorter = new LineSorter(runChars);
          try {
            for (const line of lines) sorter.add(line);
            expect([...sorter.sorted()]).toEqual([...new Set(lines)].sort());
          } finally {
            sorter.close();
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('an index file', () => {
  it('finds every entry of a key, and only these, by reading few blocks', () => {
    const urls = Array.from({ length: 3000 }, (_, i) => `https://host${i % 37}.example/page/${i}`);
    const lines = urls.flatMap((url) => [cdxjLine(entry(url, '20230101000000')), cdxjLine(entry(url))]);
    const path = join(root, 'many.cdxj');
    writeLines(path, lines.sort());
    const index = new CdxjFile(path);

    for (const url of urls)
      expect(index.entries(surtOf(url)).map(({ timestamp }) => timestamp)).toEqual([
        '20230101000000',
        '20240101000000',
      ]);
    expect(index.entries(surtOf('https://host1.example/page/'))).toEqual([]);
    expect(index.entries('zzz')).toEqual([]);
    expect(index.entries('')).toEqual([]);
    index.close();
  });

  it('is empty without captures', () => {
    const path = join(root, 'empty.cdxj');
    writeLines(path, []);
    const index = new CdxjFile(path);
    expect([index.entries('com,example)/'), [...index.all()]]).toEqual([[], []]);
    index.close();
  });

  it('of a WARC file has the place, status, type and digest of each capture', async () => {
    const pages = [
      { url: 'https://b.example/', body: 'bb', warcHeaders: { 'WARC-Payload-Digest': 'sha1:B' } },
      { url: 'https://a.example/moved', status: 301, headers: { Location: '/' } },
      { url: 'https://a.example/', type: 'request', body: 'GET / HTTP/1.1\r\n\r\n' },
      { url: 'https://b.example/', type: 'revisit' },
      { url: 'dns:a.example', type: 'resource', body: 'x' },
    ];
    for (const [name, bytes] of [
      ['a.warc.gz', gzippedWarc(pages)],
      ['a.warc', plainWarc(pages)],
    ] as const) {
      const warc = join(root, name);
      const to = join(root, `${name}.cdxj`);
      writeFileSync(warc, bytes);

      expect(await writeCdxj(to, [{ path: warc }])).toBe(3);

      const entries = readFileSync(to, 'utf8')
        .trim()
        .split('\n')
        .map((line) => parseCdxjLine(line)!);
      expect(entries.map(({ url, status, mime, digest }) => [url, status, mime, digest])).toEqual([
        ['https://a.example/moved', '301', 'text/html', ''],
        ['https://b.example/', '200', 'text/html', 'sha1:B'],
        ['https://b.example/', '200', 'warc/revisit', ''],
      ]);
      for (const { offset, filename } of entries) {
        expect(filename).toBe(name);
        const start = bytes.subarray(offset, offset + 6);
        expect(name.endsWith('gz') ? start[0] : start.toString()).toBe(name.endsWith('gz') ? 0x1f : 'WARC/1');
      }
    }
  });
});
