import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CanonicalUrl, FetchOutcome } from '../../src/core/index.ts';
import { ArchiveFetcher, FrozenWeb } from '../../src/lab/index.ts';
import { heldBytes } from '../crawl/support/held-bytes.ts';
import { gzippedWarc, type MadePage, plainWarc, warcRecord } from './support/warc-writer.ts';
import { zstdWarc, zstdWarcWith } from './support/zstd-warc.ts';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-web-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function webOf(pages: readonly MadePage[], bytes: Uint8Array = gzippedWarc(pages)): Promise<FrozenWeb> {
  const path = join(dir, 'tiny.warc.gz');
  writeFileSync(path, bytes);
  return FrozenWeb.open(path, { cacheBytes: 1000 });
}

const at = (text: string): CanonicalUrl => text as CanonicalUrl;
const bodyOf = (web: FrozenWeb, url: string): string => Buffer.from(web.page(at(url))?.body ?? []).toString();

describe('FrozenWeb', () => {
  test('finds pages by canonical URL and keeps their spelling in the archive', async () => {
    const web = await webOf([{ url: 'http://A.test:80/x/../y', body: 'y' }]);

    expect(bodyOf(web, 'http://a.test/y')).toBe('y');
    expect(web.spelling(at('http://a.test/y'))).toBe('http://A.test:80/x/../y');
    expect(web.name).toBe('tiny');
    expect(web.hosts()).toEqual(['a.test']);
  });

  test.each([
    ['one member a record', gzippedWarc],
    ['a single member', (pages: readonly MadePage[]) => gzipSync(plainWarc(pages))],
    ['plain', plainWarc],
    ['one zstd frame a record', zstdWarc],
    ['one zstd frame a record, with a dictionary', zstdWarcWith],
  ])(
    'gives every page again and again, however the file is made: %s',
    async (_form, write: (pages: readonly MadePage[]) => Uint8Array) => {
      const pages = Array.from({ length: 20 }, (_, i) => ({ url: `http://a.test/${i}`, body: `${i}`.repeat(500) }));
      const web = await webOf(pages, write(pages));

      for (let round = 0; round < 2; round++) for (const page of pages) expect(bodyOf(web, page.url)).toBe(page.body);
    },
  );

  test('the first of several records of one URL counts', async () => {
    const web = await webOf([
      { url: 'http://a.test/', body: 'first' },
      { url: 'http://a.test/', body: 'second' },
    ]);

    expect([web.size, bodyOf(web, 'http://a.test/')]).toEqual([1, 'first']);
  });

  test('a page has priority over a note that it is unchanged', async () => {
    const web = await webOf([
      { url: 'http://a.test/', status: 304 },
      { url: 'http://a.test/', body: 'page' },
    ]);

    expect(bodyOf(web, 'http://a.test/')).toBe('page');
  });

  test('requests, metadata and non-HTTP URLs are not pages; resources are', async () => {
    const web = await webOf([
      { url: 'http://a.test/q', type: 'request' },
      { url: 'dns:a.test' },
      { url: 'http://a.test/r', type: 'resource', body: 'bare' },
    ]);

    expect([...web.urls()]).toEqual(['http://a.test/r']);
    expect(web.page(at('http://a.test/r'))).toMatchObject({ status: 200, headers: [['Content-Type', 'text/html']] });
    expect(bodyOf(web, 'http://a.test/r')).toBe('bare');
  });

  test('a revisit record has the body of the page it repeats', async () => {
    const web = await webOf([
      { url: 'http://a.test/1', body: 'same' },
      { url: 'http://a.test/2', type: 'revisit', warcHeaders: { 'WARC-Refers-To-Target-URI': 'http://a.test/1' } },
    ]);

    expect(bodyOf(web, 'http://a.test/2')).toBe('same');
  });

  test('a revisit record without a target repeats the record with its digest, if there is one', async () => {
    const digest = { 'WARC-Payload-Digest': 'sha1:ABC' };
    const web = await webOf([
      { url: 'http://a.test/1', body: 'same', warcHeaders: digest },
      { url: 'http://a.test/2', type: 'revisit', warcHeaders: digest },
      { url: 'http://a.test/3', type: 'revisit', warcHeaders: { 'WARC-Payload-Digest': 'sha1:DEF' } },
    ]);

    expect(bodyOf(web, 'http://a.test/2')).toBe('same');
    expect([2, 3].map((n) => web.page(at(`http://a.test/${n}`))?.breaksOff)).toEqual([false, true]);
  });

  test('a revisit record may name its target by record id only', async () => {
    const web = await webOf([
      { url: 'http://a.test/1', body: 'same', warcHeaders: { 'WARC-Record-ID': '<urn:uuid:1>' } },
      { url: 'http://a.test/2', type: 'revisit', warcHeaders: { 'WARC-Refers-To': '<urn:uuid:1>' } },
    ]);

    expect(bodyOf(web, 'http://a.test/2')).toBe('same');
  });

  test('a revisit record of a missing version does not get another version', async () => {
    const digested = (digest: string): Readonly<Record<string, string>> => ({
      'WARC-Payload-Digest': `sha1:${digest}`,
    });
    const named = { 'WARC-Refers-To-Target-URI': 'http://a.test/1', 'WARC-Refers-To-Date': '2025-01-01T00:00:00Z' };
    const web = await webOf([
      { url: 'http://a.test/1', body: 'new', warcHeaders: digested('NEW') },
      { url: 'http://a.test/2', type: 'revisit', warcHeaders: { ...named, ...digested('OLD') } },
      { url: 'http://a.test/3', type: 'revisit', warcHeaders: { ...named, ...digested('NEW') } },
    ]);

    expect([bodyOf(web, 'http://a.test/2'), web.page(at('http://a.test/2'))?.breaksOff]).toEqual(['', true]);
    expect(bodyOf(web, 'http://a.test/3')).toBe('new');
  });

  test('a page has priority over a revisit record of the same URL without a body', async () => {
    const web = await webOf([
      { url: 'http://a.test/', type: 'revisit', warcHeaders: { 'WARC-Payload-Digest': 'sha1:DEF' } },
      { url: 'http://a.test/', body: 'changed', warcHeaders: { 'WARC-Payload-Digest': 'sha1:ABC' } },
    ]);

    expect(bodyOf(web, 'http://a.test/')).toBe('changed');
  });

  test('a revisit record without headers has those of the page it repeats', async () => {
    const original = warcRecord({ url: 'http://a.test/1', headers: { ETag: '"1"' }, body: 'same' });
    const head = [
      ...['WARC/1.1', 'WARC-Type: revisit', 'WARC-Target-URI: http://a.test/2', 'WARC-Date: 2026-02-02T00:00:00Z'],
      ...['WARC-Refers-To-Target-URI: http://a.test/1', 'Content-Length: 0'],
    ];
    const web = await webOf([], Buffer.concat([original, Buffer.from(`${head.join('\r\n')}\r\n\r\n\r\n\r\n`)]));

    expect(web.page(at('http://a.test/2'))).toMatchObject({
      url: 'http://a.test/2',
      status: 200,
      recordedAt: Date.parse('2026-02-02T00:00:00Z'),
    });
    expect(bodyOf(web, 'http://a.test/2')).toBe('same');
  });

  const segment = (number: number, body: string, more: Readonly<Record<string, string>> = {}): MadePage => ({
    ...{ url: 'http://a.test/', body, type: number === 1 ? 'response' : 'continuation' },
    warcHeaders: { 'WARC-Segment-Number': `${number}`, ...more },
  });
  const later = { 'WARC-Segment-Origin-ID': '<urn:uuid:00000000-0000-0000-0000-000000000000>' };
  const last = { ...later, 'WARC-Segment-Total-Length': '1' };

  test('a page split into several records is joined; its first record alone is incomplete', async () => {
    const [first, second, third] = [segment(1, 'one '), segment(2, 'two ', later), segment(3, 'three', last)];
    const url = at('http://a.test/');

    const joined = await webOf([first, second, third]);
    expect([bodyOf(joined, url), joined.page(url)?.breaksOff]).toEqual(['one two three', false]);
    for (const some of [[first], [first, second], [first, third]])
      expect((await webOf(some)).page(url)?.breaksOff).toBe(true);
    expect(bodyOf(await webOf([first, { url: 'http://a.test/', body: 'whole' }]), 'http://a.test/')).toBe('whole');
  });

  test('the answer to a form is not a page', async () => {
    const identified = (id: number): Readonly<Record<string, string>> => ({ 'WARC-Record-ID': `<urn:uuid:${id}>` });
    const form = {
      ...{ url: 'http://a.test/', type: 'request', body: 'POST / HTTP/1.1\r\n\r\na=b' },
      warcHeaders: { 'WARC-Concurrent-To': '<urn:uuid:1>' },
    };
    const answer = { url: 'http://a.test/', body: 'sent', warcHeaders: identified(1) };
    const page = { url: 'http://a.test/', body: 'page', warcHeaders: identified(2) };

    for (const pages of [
      [answer, form, page],
      [form, answer, page],
      [page, answer, form],
    ])
      expect(bodyOf(await webOf(pages), 'http://a.test/')).toBe('page');
    await expect(webOf([answer, form])).rejects.toMatchObject({ code: 'WARC_EMPTY' });
  });

  test('bodies are unchunked and decompressed; with a wrong header they stay unchanged', async () => {
    const web = await webOf([
      {
        url: 'http://a.test/c',
        headers: { 'Transfer-Encoding': 'chunked' },
        body: '3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n',
      },
      { url: 'http://a.test/g', headers: { 'Content-Encoding': 'gzip' }, body: gzipSync('packed') },
      { url: 'http://a.test/b', headers: { 'Content-Encoding': 'br' }, body: brotliCompressSync('packed') },
      {
        url: 'http://a.test/w',
        headers: { 'Content-Encoding': 'gzip', 'Transfer-Encoding': 'chunked' },
        body: 'plain',
      },
    ]);

    expect(['c', 'g', 'b', 'w'].map((name) => bodyOf(web, `http://a.test/${name}`))).toEqual([
      'abcde',
      'packed',
      'packed',
      'plain',
    ]);
  });

  test('an archive without pages is rejected', async () => {
    await expect(webOf([{ url: 'http://a.test/', type: 'request' }])).rejects.toMatchObject({ code: 'WARC_EMPTY' });
  });

  test('a truncated file is rejected, or opened without its last page if asked', async () => {
    const path = join(dir, 'cut.warc.gz');
    writeFileSync(path, gzippedWarc([{ url: 'http://a.test/1' }, { url: 'http://a.test/2' }]).subarray(0, -3));

    await expect(FrozenWeb.open(path)).rejects.toMatchObject({ code: 'WARC_TRUNCATED', records: 1 });
    const web = await FrozenWeb.open(path, { onDamage: () => {} });
    expect([...web.urls()]).toEqual(['http://a.test/1']);
  });

  test('a file that changes while open is noticed', async () => {
    const web = await webOf([{ url: 'http://a.test/', body: 'x'.repeat(100) }]);
    writeFileSync(web.path, 'gone');

    expect(() => web.page(at('http://a.test/'))).toThrow(/the record at byte \d+ is gone/);
  });
});

test('10,000 pages take 5 MB: only the necessary headers are kept', async () => {
  const digest = `sha1:${'A'.repeat(1000)}`;
  const pages = Array.from({ length: 10_000 }, (_, i) => ({
    url: `http://a.test/some/longer/path/page-${i}.html`,
    warcHeaders: { 'WARC-Payload-Digest': digest },
  }));
  const bytes = plainWarc(pages);
  const before = heldBytes();
  const web = await webOf([], bytes);

  expect((heldBytes() - before) / 2 ** 20).toBeLessThan(5);
  expect(web.size).toBe(10_000);
  web.close();
});

describe('ArchiveFetcher', () => {
  test('returns robots directives and link headers, in any number of headers', async () => {
    const headers = {
      ...{ 'X-Robots-Tag': 'otherbot: nofollow', 'x-robots-tag': 'noindex' },
      ...{ Link: '</a>; rel=next', link: '</b>; rel=canonical' },
    };
    const fetcher = new ArchiveFetcher(await webOf([{ url: 'http://a.test/', headers, body: 'x' }]));

    expect(await fetcher.fetch(at('http://a.test/'))).toMatchObject({
      headers: { xRobotsTag: 'otherbot: nofollow\nnoindex', link: '</a>; rel=next, </b>; rel=canonical' },
    });
  });

  test('answers like the network: pages, redirects, errors, and 404 for missing pages', async () => {
    const web = await webOf([
      { url: 'http://a.test/p', headers: { 'Content-Type': 'Text/HTML; charset="utf-8"', ETag: '"1"' }, body: 'hello' },
      { url: 'http://a.test/r', status: 301, headers: { Location: 'p' } },
      { url: 'http://a.test/e', status: 500 },
    ]);
    const fetcher = new ArchiveFetcher(web);

    const page = await fetcher.fetch(at('http://a.test/p'));
    const recorded = Date.parse('2026-01-02T03:04:05Z');
    expect(page).toMatchObject({ kind: 'fetched', status: 200, address: '', durationMs: 0, fetchedAt: recorded });
    expect(page).toMatchObject({ headers: { contentType: 'text/html', charset: 'utf-8', etag: '"1"' } });
    expect(await fetcher.fetch(at('http://a.test/r'))).toMatchObject({
      kind: 'redirected',
      target: 'http://a.test/p',
      permanent: true,
    });
    for (const [url, status] of [['http://a.test/e', 500] as const, ['http://b.test/', 404] as const])
      expect(await fetcher.fetch(at(url))).toMatchObject({ kind: 'failed', retry: 'never', status });
    expect([await fetcher.resolve('a.test'), await fetcher.resolve('b.test')]).toEqual([true, false]);
  });

  test('rejects pages beyond the size limit of a crawl', async () => {
    const web = await webOf([{ url: 'http://a.test/p', headers: { 'Content-Type': 'text/html' }, body: 'hello' }]);
    const sized = (bytes: number): Promise<FetchOutcome> => new ArchiveFetcher(web, bytes).fetch(at('http://a.test/p'));

    expect(await sized(5)).toMatchObject({ kind: 'fetched' });
    expect(await sized(4)).toMatchObject({ kind: 'refused', reason: 'size', detail: 'the body has more than 4 bytes' });
  });

  test('rejects pages that are too long to keep, even without a length header', async () => {
    const body = Buffer.alloc(65 * 2 ** 20, 'a');
    const web = await webOf([
      { url: 'http://a.test/p', body },
      { url: 'http://a.test/q', type: 'resource', body },
    ]);
    const fetcher = new ArchiveFetcher(web);

    for (const url of ['http://a.test/p', 'http://a.test/q'])
      expect(await fetcher.fetch(at(url))).toMatchObject({ kind: 'refused', reason: 'size' });
    expect(web.page(at('http://a.test/p'))).toMatchObject({ breaksOff: true, body: new Uint8Array(0) });
  });

  /** Returns the outcome for a page with these headers at http://a.test/p. */
  async function outcomeOf(page: Partial<MadePage>): Promise<FetchOutcome> {
    const web = await webOf([{ url: 'http://a.test/p', body: 'hello', ...page }]);
    return new ArchiveFetcher(web).fetch(at('http://a.test/p'));
  }

  test('reads media types like a crawl: several headers, wrong names, unsupported types', async () => {
    const typed = async (headers: Readonly<Record<string, string>>): Promise<FetchOutcome> => outcomeOf({ headers });

    expect(await typed({ 'Content-Type': 'text/x-html; charset=x' })).toMatchObject({
      headers: { contentType: 'text/html', charset: 'x' },
    });
    expect(await typed({ 'Content-Type': 'text/plain', 'content-type': 'text/html' })).toMatchObject({
      headers: { contentType: 'text/html' },
    });
    expect(await typed({ 'Content-Type': 'image/png' })).toMatchObject({ kind: 'refused', reason: 'type' });
    expect(await typed({ 'Content-Type': 'application/octet-stream' })).toMatchObject({ kind: 'refused' });
  });

  test('follows redirects like a crawl: with status 300, not without a target or to itself', async () => {
    const led = async (status: number, location: string): Promise<FetchOutcome> =>
      outcomeOf({ status, headers: { Location: location } });

    expect(await led(300, '/caf\xe9')).toMatchObject({ kind: 'redirected', target: 'http://a.test/caf%C3%A9' });
    expect(await led(302, '')).toMatchObject({ kind: 'failed', reason: 'http', status: 302 });
    expect(await led(302, '#')).toMatchObject({ kind: 'failed', reason: 'too-many-redirects' });
    expect(await led(304, '/q')).toMatchObject({ kind: 'failed', status: 304 });
  });

  test('the beginning of an interrupted text is a page, without a version', async () => {
    const cut = { warcHeaders: { 'WARC-Truncated': 'disconnect' } };

    expect(await outcomeOf({ ...cut, headers: { ETag: '"1"' } })).toMatchObject({
      kind: 'fetched',
      status: 206,
      headers: { etag: '' },
    });
    expect(await outcomeOf({ ...cut, headers: { 'Content-Type': 'application/pdf' } })).toMatchObject({
      kind: 'failed',
      reason: 'truncated',
    });
    expect(await outcomeOf({ ...cut, body: '' })).toMatchObject({ kind: 'failed', reason: 'reset', status: 0 });
  });
});
