import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { canonicalize } from '../../src/core/index.ts';
import { decodeBody } from '../../src/core/web/content-coding.ts';
import { isUsableType, parseMediaType } from '../../src/core/web/media-type.ts';
import { CookieJar } from '../../src/fetch/cookie-jar.ts';
import { parseRetryAfter } from '../../src/fetch/retry-after.ts';
import { heldBytes } from '../crawl/support/held-bytes.ts';

describe('Content-Type', () => {
  it.each([
    ['text/html', 'text/html', ''],
    ['Text/HTML; Charset="UTF-8"', 'text/html', 'UTF-8'],
    ['text/html;charset=windows-1251;q=1', 'text/html', 'windows-1251'],
    ["text/html; charset='koi8-r'", 'text/html', 'koi8-r'],
    ['text/html; boundary=x; charset = gbk', 'text/html', 'gbk'],
    ['text/html charset=utf-8', 'text/html', 'utf-8'],
    ['text/html, charset=utf-8', 'text/html', 'utf-8'],
    ['text/plain, text/html; charset=utf-8', 'text/html', 'utf-8'],
    ['*/*', '', ''],
    ['html', '', ''],
    ['', '', ''],
    ['; charset=utf-8', '', 'utf-8'],
  ])('%j is %s in %s', (header, type, charset) => {
    expect(parseMediaType(header)).toEqual({ type, charset });
  });

  it('never fails', () => {
    fc.assert(fc.property(fc.string(), (header) => void parseMediaType(header)));
  });

  it('is usable if it can become a document', () => {
    const usable = [
      '',
      'text/html',
      'application/xhtml+xml',
      'application/pdf',
      'application/rss+xml',
      'application/zip',
    ];
    expect(usable.every((type) => isUsableType(type, '/'))).toBe(true);
    const useless = ['image/png', 'video/mp4', 'application/javascript', 'text/css', 'application/json'];
    expect(useless.some((type) => isUsableType(type, '/x.pdf'))).toBe(false);
  });

  it('of generic binary is usable if a query value has a document extension', () => {
    const vague = 'application/octet-stream';
    expect(isUsableType(vague, '/download.php?id=3&file=paper.pdf&inline=1')).toBe(true);
    expect(isUsableType(vague, '/get?paper.pdf')).toBe(true);
    expect(isUsableType(vague, '/download.php?file=film.mp4&pdf=1')).toBe(false);
  });

  it.each([
    ['text/htm', 'text/html'],
    ['application/html; charset=utf-8', 'text/html'],
    ['text/x-server-parsed-html', 'text/html'],
    ['text/pdf', 'application/pdf'],
    ['application/x-msword', 'application/msword'],
    ['application/mspowerpoint', 'application/vnd.ms-powerpoint'],
    ['text/rss+xml; charset=utf-8', 'application/rss+xml'],
    ['application/atom', 'application/atom+xml'],
    ['multipart/x-zip', 'application/zip'],
    ['application/vnd.wap.xhtml+xml', 'text/html'],
    ['application/unknown', ''],
    ['unknown/unknown', ''],
  ])('is understood under a wrong name: %s', (header, type) => {
    expect(parseMediaType(header).type).toBe(type);
  });

  it('of office software is usable for slides, templates and macros, not for tables', () => {
    const ooxml = 'application/vnd.openxmlformats-officedocument.';
    for (const type of [
      `${ooxml}wordprocessingml.document`,
      `${ooxml}wordprocessingml.template`,
      `${ooxml}presentationml.presentation`,
      `${ooxml}presentationml.slideshow`,
      'application/vnd.ms-powerpoint.slideshow.macroenabled.12',
      'application/vnd.ms-word.document.macroenabled.12',
      'application/vnd.oasis.opendocument.presentation',
      'application/vnd.oasis.opendocument.text-template',
    ])
      expect(isUsableType(type, '/x'), type).toBe(true);
    for (const type of [
      `${ooxml}spreadsheetml.sheet`,
      'application/vnd.ms-excel.sheet.macroenabled.12',
      'application/vnd.oasis.opendocument.spreadsheet',
    ])
      expect(isUsableType(type, '/x.pptx'), type).toBe(false);
    for (const ending of ['ppsx', 'pps', 'docm', 'dotx', 'pptm', 'potx', 'ott', 'odp', 'doc', 'ppt'])
      expect(isUsableType('application/octet-stream', `/x.${ending}`), ending).toBe(true);
    for (const ending of ['xlsx', 'ods', 'docz', 'potato', 'ots'])
      expect(isUsableType('application/octet-stream', `/x.${ending}`), ending).toBe(false);
  });

  it('follows the file extension of the path if it is missing', () => {
    expect(isUsableType('application/octet-stream', '/paper.PDF?download=1')).toBe(true);
    expect(isUsableType('application/octet-stream', '/setup.exe?x=.pdf')).toBe(false);
  });

  it('of data is usable if the URL looks like a feed', () => {
    for (const path of ['http://a.test/feed.json', '/blog/feed/json/', '/news-feed.json?x=1'])
      expect(isUsableType('application/json', path), path).toBe(true);
    for (const path of ['/', '/package.json', '/feed', '/x?feed.json', '/feed.json/5'])
      expect(isUsableType('application/json', path), path).toBe(false);
    expect(isUsableType('application/feed+json', '/')).toBe(true);
  });

  it('or follows the file name that the header gives', () => {
    const disposition = (name: string): string => `attachment; filename=${name}`;
    expect(isUsableType('application/force-download', '/get.php?id=7', disposition('"a paper.pdf"'))).toBe(true);
    expect(isUsableType('application/octet-stream', '/get/7', "inline; filename*=UTF-8''paper.pdf")).toBe(true);
    expect(isUsableType('application/octet-stream', '/get/7', disposition('setup.exe'))).toBe(false);
    expect(isUsableType('image/png', '/get/7', disposition('a.pdf'))).toBe(false);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('Wed, 21 Oct 2026 07:00:00 GMT');
  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 28 * 60_000],
    ['Wed, 21 Oct 2020 07:28:00 GMT', 0],
    ['99999999999999', 7 * 86_400_000],
    ['soon', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['', undefined],
  ])('%j is %s ms', (header, expected) => expect(parseRetryAfter(header, now)).toBe(expected));

  it.each(['America/New_York', 'Asia/Tokyo'])('a date without a zone is in GMT, in %s too', (zone) => {
    vi.stubEnv('TZ', zone);
    for (const header of ['Wed Oct 21 07:28:00 2026', 'Wed, 21 Oct 2026 07:28:00', 'Wednesday, 21-Oct-26 07:28:00 GMT'])
      expect(parseRetryAfter(header, now)).toBe(28 * 60_000);
    vi.unstubAllEnvs();
  });
});

describe('Content-Encoding', () => {
  it.each(['gzip', 'deflate', 'br', 'zstd'])('may be declared for a plain page: %s', async (coding) => {
    for (const page of ['<!DOCTYPE html><p>plain', '\ufeff\n<html><p>plain', '<?xml version="1.0"?><p>plain</p>']) {
      const decoded = await decodeBody(Buffer.from(page), coding, 10_000);
      expect(decoded.kind === 'decoded' && Buffer.from(decoded.body).toString()).toBe(page);
    }
  });

  it('returns a body that owns its memory, whatever the encoding and size', async () => {
    for (const size of [0, 10, 10_000, 300_000]) {
      const plain = Buffer.alloc(size, 'bingo');
      for (const [header, body] of [
        ['', plain],
        ['gzip', gzipSync(plain)],
      ] as const) {
        const decoded = await decodeBody(body, header, 1_000_000);
        if (decoded.kind !== 'decoded') throw new Error(decoded.kind);
        expect(Buffer.from(decoded.body).equals(plain)).toBe(true);
        expect(decoded.body.buffer.byteLength).toBe(size);
      }
    }
  });

  it.each([10, 300_000])('ignores bytes after the data of a gzip body, %i bytes long', async (size) => {
    const plain = randomBytes(size);
    const whole = gzipSync(plain);
    const unsure = Buffer.from(whole).fill(0xff, whole.length - 8);
    for (const body of [Buffer.concat([whole, Buffer.from('<!-- cached -->')]), unsure]) {
      const decoded = await decodeBody(body, 'gzip', 1_000_000);
      expect(decoded.kind === 'decoded' && Buffer.from(decoded.body).equals(plain)).toBe(true);
    }
  });

  it('reads all zstd frames in a row, also skippable ones, and stops at their limits', async () => {
    const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2]);
    const frames = ['one ', '', 'two ', 'three'].map((text) => zstdCompressSync(Buffer.from(text)));
    const decoded = await decodeBody(Buffer.concat([skipped, ...frames, Buffer.from('behind')]), 'zstd', 13);
    expect(decoded.kind === 'decoded' && Buffer.from(decoded.body).toString()).toBe('one two three');
    expect(await decodeBody(Buffer.concat(frames), 'zstd', 12)).toEqual({ kind: 'too-large' });
    expect(await decodeBody(Buffer.concat(frames), 'zstd', 8)).toEqual({ kind: 'too-large' });
    const crumbs = Buffer.concat(Array.from({ length: 1001 }, () => zstdCompressSync(Buffer.alloc(0))));
    expect(await decodeBody(crumbs, 'zstd', 10)).toMatchObject({
      kind: 'damaged',
      detail: expect.stringContaining('more than 1000 frames'),
    });
  });

  const CODINGS = [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const;

  it.each(CODINGS)('returns the readable part of a truncated body: %s', async (header, pack) => {
    for (const size of [20_000, 400_000]) {
      const plain = randomBytes(size);
      const packed = pack(plain);
      const decoded = await decodeBody(packed.subarray(0, packed.length * 0.75), header, 1_000_000);
      expect(decoded).toMatchObject({ kind: 'decoded', isWhole: false });
      const got = decoded.kind === 'decoded' ? decoded.body : Buffer.alloc(0);
      expect(got.length, `of ${size} bytes`).toBeGreaterThan(size / 2);
      expect(plain.subarray(0, got.length).equals(got)).toBe(true);
    }
  });

  it.each(CODINGS)('separates a body that lacks one byte of data from a whole one: %s', async (header, pack) => {
    const trailer = { gzip: 8, deflate: 4, br: 0, zstd: 0 }[header];
    for (const size of [1, 20_000, 400_000]) {
      const packed = pack(randomBytes(size));
      expect(await decodeBody(packed, header, 1_000_000)).toMatchObject({ isWhole: true, body: { length: size } });
      const cut = packed.subarray(0, packed.length - trailer - 1);
      expect(await decodeBody(cut, header, 1_000_000)).toMatchObject({ isWhole: false });
    }
  });

  it.each([10, 300_000])('is whole if its data are, although its checksum is cut: %i bytes', async (size) => {
    const plain = randomBytes(size);
    for (const [header, packed, trailer] of [
      ['gzip', gzipSync(plain), 8],
      ['deflate', deflateSync(plain), 4],
    ] as const)
      for (const cut of [packed.subarray(0, -trailer), packed.subarray(0, 1 - trailer)])
        expect(await decodeBody(cut, header, 1_000_000)).toMatchObject({ isWhole: true, body: { length: size } });
  });

  it('is whole if its last flush is, although its end mark is missing', async () => {
    const options = { finishFlush: constants.Z_SYNC_FLUSH };
    for (const [header, pack] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
    ] as const) {
      const flushed = pack(Buffer.alloc(9_000, 'bingo'), options);
      expect(await decodeBody(flushed, header, 10_000)).toMatchObject({ isWhole: true, body: { length: 9_000 } });
    }
  });

  it('is not whole if the second of two gzip members was cut short', async () => {
    const members = Buffer.concat([gzipSync('first '), gzipSync(randomBytes(500))]);
    const decoded = await decodeBody(members.subarray(0, -100), 'gzip', 10_000);
    expect(decoded).toMatchObject({ kind: 'decoded', isWhole: false });
    expect(decoded.kind === 'decoded' && decoded.body.length).toBeGreaterThan(100);
  });

  it.each(CODINGS)('returns a body at the limit, and none that is a byte longer: %s', async (header, pack) => {
    for (const size of [1_000, 300_000]) {
      const packed = pack(randomBytes(size));
      expect(await decodeBody(packed, header, size)).toMatchObject({ kind: 'decoded', body: { length: size } });
      expect(await decodeBody(packed, header, size - 1)).toEqual({ kind: 'too-large' });
    }
  });

  it('reads a body of zero bytes as an empty page, whatever its encoding', async () => {
    for (const header of ['gzip', 'deflate', 'br', 'zstd', 'br, gzip'])
      expect(await decodeBody(Buffer.alloc(0), header, 10), header).toMatchObject({
        kind: 'decoded',
        body: { length: 0 },
      });
  });

  it('stops at the limit, also if each of two encodings stays below it', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(20_000_000)));
    expect(bomb.length).toBeLessThan(1000);
    expect(await decodeBody(bomb, 'gzip, gzip', 1_000_000)).toEqual({ kind: 'too-large' });
  });

  it.each(['GZIP', ' x-gzip', 'gzip;q=1', '"gzip"', 'gzip, identity', 'gzip,gzip', 'identity, none, utf-8, gzip,'])(
    'may be named in odd ways: %s',
    async (header) => {
      const decoded = await decodeBody(gzipSync('bingo'), header, 10);
      expect(decoded.kind === 'decoded' && Buffer.from(decoded.body).toString()).toBe('bingo');
    },
  );

  it.each(['identity', 'none', 'utf-8', 'binary', 'UTF-8, text/html, 8bit, chunked'])(
    'may name none: %s',
    async (header) => {
      const decoded = await decodeBody(Buffer.from('bingo'), header, 10);
      expect(decoded.kind === 'decoded' && Buffer.from(decoded.body).toString()).toBe('bingo');
    },
  );

  it.each(['gzip', 'deflate', 'br', 'zstd'])(
    'may be declared as %s and be another one with a signature',
    async (header) => {
      for (const packed of [gzipSync('bingo'), zstdCompressSync('bingo')]) {
        const decoded = await decodeBody(packed, header, 10);
        expect(decoded.kind === 'decoded' && Buffer.from(decoded.body).toString()).toBe('bingo');
      }
      expect(await decodeBody(gzipSync(Buffer.alloc(100_000)), header, 1_000)).toEqual({ kind: 'too-large' });
    },
  );

  it('rejects a stack of encodings', async () => {
    expect(await decodeBody(Buffer.from('x'), 'gzip,gzip,gzip,gzip,gzip', 10)).toMatchObject({ kind: 'damaged' });
  });

  it('never rejects', async () => {
    const header = fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'br, gzip', 'x');
    await fc.assert(
      fc.asyncProperty(header, fc.uint8Array({ maxLength: 60 }), async (coding, bytes) => {
        await decodeBody(Buffer.from(bytes), coding, 1000);
      }),
      { numRuns: 300 },
    );
  });
});

describe('cookies', () => {
  const url = (text: string) => canonicalize(text)!;
  const jarWith = (from: string, ...cookies: readonly string[]) => {
    const clock = { now: 1000 };
    const jar = new CookieJar(() => clock.now);
    jar.store(url(from), cookies);
    return { jar, clock };
  };

  it('are sent back only to the host that set them', () => {
    const { jar } = jarWith('http://a.site.test/', 'k=v');
    expect(jar.header(url('http://a.site.test/x'))).toBe('k=v');
    expect(jar.header(url('http://b.site.test/'))).toBe('');
    expect(jar.header(url('http://x.a.site.test/'))).toBe('');
  });

  it('are sent to the whole domain if the host says so', () => {
    const { jar } = jarWith('http://www.example.com/', 'k=v; Domain=.Example.com');
    expect(jar.header(url('http://other.example.com/'))).toBe('k=v');
  });

  it('cannot be set for a public suffix or another site', () => {
    const { jar } = jarWith('http://www.example.co.uk/', 'a=1; Domain=co.uk', 'b=2; Domain=example.org');
    expect(jar.header(url('http://www.example.co.uk/'))).toBe('');
    expect(jarWith('http://me.github.io/', 'a=1; Domain=github.io').jar.header(url('http://you.github.io/'))).toBe('');
  });

  it('are limited to their path and to TLS', () => {
    const { jar } = jarWith('https://a.test/', 'p=1; Path=/x', 's=1; Secure; Path=/');
    expect(jar.header(url('https://a.test/x/y'))).toBe('p=1; s=1');
    expect(jar.header(url('https://a.test/xy'))).toBe('s=1');
    expect(jar.header(url('http://a.test/x'))).toBe('p=1');
  });

  it('keep no memory of their header alive', () => {
    const jar = new CookieJar(() => 1000);
    const before = heldBytes();
    for (let i = 0; i < 400; i++) {
      const cookies = Array.from(
        { length: 8 },
        (_, n) => `k${n}=a-longish-value; Path=/a-longish-path; X=${'x'.repeat(30_000)}`,
      );
      jar.store(
        url(`http://site${i}.test/`),
        cookies.map((cookie) => Buffer.from(cookie).toString()),
      );
    }
    expect(heldBytes() - before).toBeLessThan(8 * 1024 * 1024);
    expect(jar.header(url('http://site9.test/a-longish-path'))).toContain('k7=a-longish-value');
  });

  it('with longer paths are sent first, and equal paths in order of arrival', () => {
    const { jar } = jarWith(
      'http://a.test/',
      'k=all; Path=/',
      'l=1; Path=/',
      'k=wiki; Path=/wiki',
      'm=1; Path=/wiki/x/',
    );
    expect(jar.header(url('http://a.test/wiki/x/y'))).toBe('m=1; k=wiki; k=all; l=1');
  });

  it('expire, and are replaced and deleted by name', () => {
    const { jar, clock } = jarWith('http://a.test/', 'k=1; Max-Age=10', 'l=1', 'l=2', 'm=1', 'm=; Max-Age=0');
    expect(jar.header(url('http://a.test/'))).toBe('k=1; l=2');
    clock.now = 12_000;
    expect(jar.header(url('http://a.test/'))).toBe('l=2');
  });

  it('are kept if their age is not a number of seconds (RFC 6265 §5.2.2)', () => {
    const { jar } = jarWith('http://a.test/', 'k=1; Max-Age=', 'l=1; Max-Age=soon', 'm=1; Max-Age=-5');
    expect(jar.header(url('http://a.test/'))).toBe('k=1; l=1');
  });

  it.each([
    ['would corrupt a request', 'a=b\r\nx: y'],
    ['are in no ASCII', 'é=1'],
    ['are too long', `long=${'x'.repeat(2044)}`],
    ['have no name', '=x'],
    ['have a name of white space', ' \t=x'],
    ['have no value at all', 'x'],
  ])('are dropped that %s', (_, cookie) => {
    expect(jarWith('http://a.test/', cookie).jar.header(url('http://a.test/'))).toBe('');
    expect(jarWith('http://a.test/', cookie, 'k=v').jar.header(url('http://a.test/'))).toBe('k=v');
  });

  it('are dropped, the oldest first, if there are too many', () => {
    const many = Array.from({ length: 50 }, (_, i) => `k${i}=v`);
    const { jar } = jarWith('http://a.test/', ...many);
    expect(jar.header(url('http://a.test/')).split('; ')).toEqual(many.slice(-20));
  });

  it('may have attributes with spaces, and a date', () => {
    const { jar, clock } = jarWith('http://a.test/x/', ' k = v ; Path = / ; Expires = Thu, 01 Jan 1970 00:01:00 GMT');
    expect(jar.header(url('http://a.test/'))).toBe('k=v');
    clock.now = 60_000;
    expect(jar.header(url('http://a.test/'))).toBe('');
  });

  it('need at most the space in a request that servers allow', () => {
    const huge = Array.from({ length: 20 }, (_, i) => `k${i}=${'v'.repeat(1000)}; Domain=site.test`);
    const { jar } = jarWith('http://a.site.test/', 'old=1', ...huge);
    const sent = jar.header(url('http://b.site.test/')).split('; ');
    expect(sent.map((pair) => pair.split('=')[0])).toEqual(['k16', 'k17', 'k18', 'k19']);
  });

  it('never fail, whatever the header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { jar } = jarWith('http://a.test/', `k=v${text}`);
        expect(jar.header(url('http://a.test/'))).toMatch(/^[\x20-\x7e]*$/);
      }),
    );
  });
});
