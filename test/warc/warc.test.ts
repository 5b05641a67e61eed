import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WARCRecord, WARCSerializer } from 'warcio';
import { readWarc, WarcError, type WarcRecord } from '../../src/warc/index.ts';
import { gzippedWarc, type MadePage, plainWarc, warcRecord } from '../lab/support/warc-writer.ts';
import { DICTIONARY, skippableFrame, zstdFrame, zstdWarc, zstdWarcWith } from '../lab/support/zstd-warc.ts';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-warc-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function file(bytes: Uint8Array, name = 'test.warc.gz'): string {
  const path = join(dir, name);
  writeFileSync(path, bytes);
  return path;
}

async function collect(path: string, onDamage?: (error: WarcError) => void): Promise<WarcRecord[]> {
  const records: WarcRecord[] = [];
  for await (const record of readWarc(path, onDamage === undefined ? {} : { onDamage })) records.push(record);
  return records;
}

const PAGES: readonly MadePage[] = ['a', 'b', 'c'].map((name) => ({
  url: `http://x.test/${name}`,
  body: `page ${name}`,
}));
/** Empty frames and skippable frames have no effect. */
function inThreeFrames(page: MadePage): Buffer[] {
  const record = warcRecord(page);
  const parts = [record.subarray(0, 30), record.subarray(30, 200), Buffer.alloc(0), record.subarray(200)];
  return [...parts.map((part) => zstdFrame(part)), skippableFrame(0x184d2a50, Buffer.from('a table'))];
}

function inTwoMembers(page: MadePage): Buffer[] {
  const record = warcRecord(page);
  return [record.subarray(0, 300), record.subarray(300)].map((part) => gzipSync(part));
}

const URLS = PAGES.map((page) => page.url);

describe('readWarc', () => {
  test.each([
    ['one gzip member a record', gzippedWarc(PAGES)],
    ['plain', plainWarc(PAGES)],
    ['a single gzip member', gzipSync(plainWarc(PAGES))],
    ['one zstd frame a record', zstdWarc(PAGES)],
    ['one zstd frame a record, with a dictionary', zstdWarcWith(PAGES)],
    ['zstd frames with a packed dictionary', zstdWarcWith(PAGES, zstdFrame(DICTIONARY))],
    ['a single zstd frame', zstdFrame(plainWarc(PAGES))],
    ['records in several zstd frames, with others between them', Buffer.concat(PAGES.flatMap(inThreeFrames))],
    ['records in several gzip members', Buffer.concat(PAGES.flatMap(inTwoMembers))],
    ['without the breaks that end a record', Buffer.concat(PAGES.map((p) => gzipSync(warcRecord(p).subarray(0, -4))))],
  ])('gives all records in order: %s', async (_form, bytes) => {
    const records = await collect(file(bytes));

    expect(records.map((r) => r.url)).toEqual(URLS);
    expect(records.map((r) => Buffer.from(r.block).toString().endsWith('page a'))).toEqual([true, false, false]);
    expect(records.map((r) => r.type)).toEqual(['response', 'response', 'response']);
  });

  test('reads files written by warcio', async () => {
    const record = WARCRecord.create(
      {
        url: 'http://x.test/',
        date: '2026-01-02T03:04:05Z',
        type: 'response',
        warcVersion: 'WARC/1.1',
        httpHeaders: {},
      },
      (async function* () {
        yield new TextEncoder().encode('written elsewhere');
      })(),
    );
    const bytes = await WARCSerializer.serialize(record, { gzip: true });

    const [read] = await collect(file(bytes));

    expect(read?.url).toBe('http://x.test/');
    expect(Buffer.from(read?.block ?? []).toString()).toContain('written elsewhere');
  });

  test('returns the good records of a truncated file, then their number and the position', async () => {
    const whole = gzippedWarc(PAGES);
    const lastAt = whole.length - gzipSync(warcRecord(PAGES[2]!)).length;
    const path = file(whole.subarray(0, -5));
    const seen: string[] = [];

    const reading = (async () => {
      for await (const record of readWarc(path)) seen.push(record.url);
    })();

    await expect(reading).rejects.toMatchObject({ code: 'WARC_TRUNCATED', file: path, offset: lastAt, records: 2 });
    await expect(reading).rejects.toThrow(/ends within a gzip member at byte \d+; 2 records before it are intact/);
    expect(seen).toEqual(URLS.slice(0, 2));
  });

  test('separates a truncated plain file from a whole one', async () => {
    const path = file(plainWarc(PAGES).subarray(0, -10), 'cut.warc');

    await expect(collect(path)).rejects.toMatchObject({ code: 'WARC_TRUNCATED', records: 2 });
  });

  test.each([
    ['gzipped', gzippedWarc],
    ['plain', plainWarc],
    ['zstd', zstdWarc],
  ])('continues after a damaged record if asked to: %s', async (_form, write) => {
    const [first, middle, last] = PAGES.map((page) => write([page])) as [Buffer, Buffer, Buffer];
    const broken = Buffer.from(middle);
    broken.fill(0xff, 0, 40);
    const damages: WarcError[] = [];

    const records = await collect(file(Buffer.concat([first, broken, last])), (error) => damages.push(error));

    expect(records.map((r) => r.url)).toEqual([URLS[0], URLS[2]]);
    expect(damages.map((d) => [d.code, d.offset, d.records])).toEqual([['WARC_DAMAGED', first.length, 1]]);
  });

  test('separates a truncated file of zstd frames from a whole one', async () => {
    const path = file(zstdWarcWith(PAGES).subarray(0, -5), 'cut.warc.zst');

    await expect(collect(path)).rejects.toThrow(/ends within a zstd frame at byte \d+; 2 records before it are intact/);
  });

  test.each([
    ['damaged', zstdWarcWith(PAGES, Buffer.from('no dictionary')), 'damaged zstd dictionary'],
    ['cut short', zstdWarcWith(PAGES).subarray(0, 100), 'the file ends within its zstd dictionary'],
    ['too large', zstdWarcWith(PAGES, Buffer.alloc(8 * 2 ** 20 + 1)), 'a zstd dictionary of more than 8 MiB'],
    ['a bomb', zstdWarcWith(PAGES, zstdFrame(Buffer.alloc(9 * 2 ** 20))), 'damaged zstd dictionary'],
  ])('reports an unusable dictionary: %s', async (_what, bytes, reason) => {
    const reading = collect(file(bytes, 'dictionary.warc.zst'), () => {});

    await expect(reading).rejects.toMatchObject({ code: 'WARC_DICTIONARY', message: expect.stringContaining(reason) });
  });

  test('skips a decompression bomb and reads the records after it', async () => {
    const bomb = zstdCompressSync(Buffer.alloc(65 * 2 ** 20));
    const damages: WarcError[] = [];
    const bytes = Buffer.concat([zstdWarc(PAGES.slice(0, 1)), bomb, zstdWarc(PAGES.slice(1))]);

    const records = await collect(file(bytes), (error) => damages.push(error));

    expect(records.map((r) => r.url)).toEqual(URLS);
    expect(damages).toMatchObject([{ code: 'WARC_TOO_LARGE', hint: expect.stringContaining('zstd -d') }]);
    expect(damages[0]?.message).toContain('more than 64 MiB, expected one zstd frame per record');
  });

  test('a record that declares too many bytes takes none from the next one', async () => {
    const [first, ...rest] = PAGES.map((page) => warcRecord(page));
    const long = Buffer.from(
      first!.toString('latin1').replace(/(Content-Length: )(\d+)\r\n\r\nHTTP/, '$1999\r\n\r\nHTTP'),
    );
    const bytes = Buffer.concat([warcRecord(PAGES[0]!), long, ...rest].map((record) => gzipSync(record)));

    expect((await collect(file(bytes), () => {})).map((r) => r.url)).toEqual(URLS);
  });

  test('counts a member with a wrong checksum as damaged', async () => {
    const bytes = gzippedWarc(PAGES);
    const at = bytes.length - 8;
    bytes[at] = bytes[at]! ^ 1;

    await expect(collect(file(bytes))).rejects.toMatchObject({ code: 'WARC_DAMAGED', records: 2 });
  });

  test.each([
    ['text', Buffer.from('<html>no archive</html>')],
    ['gzipped text', gzipSync('<html>no archive</html>')],
    ['text packed by zstd', zstdFrame(Buffer.from('<html>no archive</html>'))],
  ])('says that a file is no WARC file: %s', async (_kind, bytes) => {
    await expect(collect(file(bytes), () => {})).rejects.toMatchObject({ code: 'WARC_INVALID', records: 0 });
  });

  test('an empty file has no records', async () => {
    expect(await collect(file(new Uint8Array(0)))).toEqual([]);
  });

  test('reports a missing file with its path', async () => {
    await expect(collect(join(dir, 'none.warc.gz'))).rejects.toThrow(/none\.warc\.gz/);
  });

  test('reads records larger than the read buffer completely', async () => {
    const big = Buffer.alloc(9_000_000, 'noise ');
    for (let i = 0; i < big.length; i += 7) big[i] = (i * 2654435761) & 0xff;

    const records = await collect(file(gzippedWarc([{ url: 'http://x.test/big', body: big }, ...PAGES])));

    expect(records.map((r) => r.url)).toEqual(['http://x.test/big', ...URLS]);
    expect(Buffer.from(records[0]!.block.subarray(-big.length)).equals(big)).toBe(true);
  });

  const LONG: MadePage = { url: 'http://x.test/long', body: Buffer.alloc(65 * 2 ** 20, 'a') };
  const inFrames = (page: MadePage, size: number): Buffer => {
    const record = warcRecord(page);
    const starts = Array.from({ length: Math.ceil(record.length / size) }, (_, i) => i * size);
    return Buffer.concat(starts.map((at) => zstdFrame(record.subarray(at, at + size))));
  };

  const inAll = (pages: readonly MadePage[], size: number): Buffer =>
    Buffer.concat(pages.map((page) => inFrames(page, size)));

  test.each([
    ['gzipped', gzippedWarc],
    ['plain', plainWarc],
    ['zstd', zstdWarc],
    ['in several zstd frames', (pages: readonly MadePage[]) => inAll(pages, 9 * 2 ** 20)],
    ['in thousands of zstd frames', (pages: readonly MadePage[]) => inAll(pages, 2 ** 15)],
  ])('of a record of more than 64 MiB the beginning is read, and how much there is: %s', async (_form, write) => {
    const path = file(Buffer.concat([write([LONG]), write(PAGES)]));
    const records = await collect(path);

    expect(records.map((r) => r.url)).toEqual(['http://x.test/long', ...URLS]);
    expect(records.map((r) => r.missing === 0)).toEqual([false, true, true, true]);
    expect(records[0]!.headers).toContainEqual([
      'Content-Length',
      String(records[0]!.block.length + records[0]!.missing),
    ]);
    expect(records[0]!.block.length).toBeLessThanOrEqual(512 * 1024);
  });

  test('a record in thousands of zstd frames needs no more memory than its bytes', async () => {
    const page = { url: 'http://x.test/parts', body: 'a word '.repeat(3000) };
    const path = file(inFrames(page, 5));

    const [record] = await collect(path);

    expect(record!.block.buffer.byteLength).toBeLessThan(8 * page.body.length);
  });

  test('ends with records or a WarcError, never a wrong record, whatever byte changes', async () => {
    const good = gzippedWarc(PAGES);
    const blocks = (await collect(file(good))).map((r) => Buffer.from(r.block).toString());

    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const bytes = Buffer.from(good);
        bytes[at] = bytes[at]! ^ flip;
        const read: string[] = [];
        const failure = await (async () => {
          for await (const record of readWarc(file(bytes))) read.push(Buffer.from(record.block).toString());
        })().catch((error: unknown) => error);
        expect(failure === undefined || failure instanceof WarcError).toBe(true);
        expect(blocks.slice(0, read.length)).toEqual(read);
      }),
      { numRuns: 150 },
    );
  });
});
