import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WARCParser } from 'warcio';
import { canonicalize } from '../../src/core/index.ts';
import { FrozenWeb } from '../../src/lab/index.ts';
import { type Recording, readWarc, WarcRecorder, writeCdxj } from '../../src/warc/index.ts';
import { WarcFile } from '../../src/warc/warc-file.ts';

const INFO = { software: 'bingo-crawler/0', userAgent: 'bingo/0', contact: 'me@x.test', obeysRobots: true };

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-recorder-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** An exchange whose response is a page. */
function exchange(path: string, body: string | Uint8Array, change: Partial<Recording> = {}): Recording {
  return {
    url: canonicalize(`http://x.test/${path}`)!,
    fetchedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
    address: '192.0.2.1',
    requestFields: ['user-agent', 'bingo/0'],
    status: 200,
    responseFields: ['Content-Type', 'text/html; charset=utf-8', 'X-Seen', 'yes'],
    body: Buffer.from(body),
    cut: false,
    ...change,
  };
}

async function record(name: string, exchanges: readonly Recording[]): Promise<WarcRecorder> {
  const recorder = await WarcRecorder.open(join(dir, name), INFO);
  await Promise.all(exchanges.map((each) => recorder.record(each)));
  await recorder.close();
  return recorder;
}

interface Read {
  readonly type: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null | undefined };
  readonly http: string;
  readonly text: string;
}

/** Reads with an independent library, which checks that each gzip member is one record. */
async function readByWarcio(path: string): Promise<Read[]> {
  const found: Read[] = [];
  for await (const each of WARCParser.iterRecords(createReadStream(path))) {
    const text = await each.contentText();
    found.push({
      type: each.warcType ?? '',
      url: each.warcTargetURI ?? '',
      headers: each.warcHeaders.headers,
      http: each.httpHeaders?.statusline ?? '',
      text,
    });
  }
  return found;
}

const LONG = 'a page of some length that is worth a pointer';

describe('a recording', () => {
  test.each(['plain.warc', 'packed.warc.gz'])('another library reads %s record by record', async (name) => {
    await record(name, [
      exchange('a?b=1', LONG),
      exchange('ü', 'ünicode'),
      exchange('z', gzipSync('packed'), {
        responseFields: ['content-type', 'text/plain', 'content-encoding', 'gzip', 'transfer-encoding', 'chunked'],
      }),
    ]);

    const records = await readByWarcio(join(dir, name));

    expect(records.map(({ type, url }) => `${type} ${url}`)).toEqual([
      'warcinfo ',
      'response http://x.test/a?b=1',
      'request http://x.test/a?b=1',
      'response http://x.test/%C3%BC',
      'request http://x.test/%C3%BC',
      'response http://x.test/z',
      'request http://x.test/z',
    ]);
    expect(records[0]!.text).toContain('software: bingo-crawler/0\r\nformat: WARC File Format 1.1');
    expect(records[0]!.text).toContain('operator: me@x.test');
    expect(records[1]).toMatchObject({ http: 'HTTP/1.1 200 OK', text: LONG });
    expect(records[2]!.http).toBe('GET /a?b=1 HTTP/1.1');
    expect(records[2]!.headers.get('WARC-Concurrent-To')).toBe(records[1]!.headers.get('WARC-Record-ID'));
    expect(records[1]!.headers.get('WARC-IP-Address')).toBe('192.0.2.1');
    expect(records[1]!.headers.get('WARC-Date')).toBe('2026-01-02T03:04:05.006Z');
    expect(records[5]!.text).toBe('packed');
  });

  test('names payloads by their SHA-1 in base 32', async () => {
    await record('digest.warc', [exchange('', 'hello world')]);

    const [, response] = await readByWarcio(join(dir, 'digest.warc'));

    // Published value: SHA-1 of "hello world" is 2aae6c35c94fcfb415dbe95f408b9ce91ee846ed.
    expect(response!.headers.get('WARC-Payload-Digest')).toBe('sha1:FKXGYNOJJ7H3IFO35FPUBC445EPOQRXN');
  });

  test('stores a payload once: equal pages refer to the first and are replayed whole', async () => {
    const recorder = await record('twice.warc.gz', [exchange('one', LONG), exchange('two', LONG)]);

    const records = await readByWarcio(recorder.path);
    const web = await FrozenWeb.open(recorder.path);
    const page = web.page(canonicalize('http://x.test/two')!);
    web.close();

    expect(records.map(({ type }) => type)).toEqual(['warcinfo', 'response', 'request', 'revisit', 'request']);
    expect(records[3]!.headers.get('WARC-Profile')).toMatch(/\/revisit\/identical-payload-digest$/);
    expect(records[3]!.headers.get('WARC-Refers-To-Target-URI')).toBe('http://x.test/one');
    expect(recorder.counts).toMatchObject({ exchanges: 2, revisits: 1 });
    expect(Buffer.from(page!.body).toString()).toBe(LONG);
  });

  test.each(['shown.warc', 'shown.warc.gz'])('has a rendered page in %s beside its response', async (name) => {
    const path = join(dir, name);
    const html = Buffer.from('<p>shown, ünicode</p>');
    const shown = (page: string) => ({ url: canonicalize(`http://x.test/${page}`)!, renderedAt: 0, html });
    for (let run = 0; run < 2; run++) {
      const recorder = await WarcRecorder.open(path, INFO);
      if (run === 0) await recorder.record(exchange('app', LONG));
      await recorder.recordRendered(shown('app'));
      await recorder.close();
      expect(recorder.counts).toMatchObject({ exchanges: 1 - run, rendered: 1 });
      expect(recorder.repaired).toBe(0);
    }

    const records = await readByWarcio(path);
    const [, response, , first, , later] = records;
    expect(records.map(({ type }) => type).join(' ')).toBe('warcinfo response request conversion warcinfo conversion');
    expect(first).toMatchObject({ url: 'http://x.test/app', text: '<p>shown, ünicode</p>', http: '' });
    expect(first!.headers.get('WARC-Refers-To')).toBe(response!.headers.get('WARC-Record-ID'));
    expect(first!.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    // The response was recorded by an earlier run.
    expect(later!.headers.get('WARC-Refers-To') ?? '').toBe('');
    // Neither a replay nor an index takes it for the page.
    const web = await FrozenWeb.open(path);
    expect(Buffer.from(web.page(canonicalize('http://x.test/app')!)!.body).toString()).toBe(LONG);
    web.close();
    expect(await writeCdxj(join(dir, `${name}.cdxj`), [{ path }])).toBe(1);
  });

  test('replays the final response of a server, not its earlier errors', async () => {
    const path = (
      await record('trouble.warc.gz', [
        exchange('p', 'out of order', { status: 503 }),
        exchange('p', LONG),
        exchange('q', '', { status: 302, responseFields: ['location', '/q', 'set-cookie', 'a=b'] }),
        exchange('q', 'behind the cookie wall'),
        exchange('r', 'first'),
        exchange('r', 'second, meant by a pointer of thirty-two bytes'),
        exchange('s', 'second, meant by a pointer of thirty-two bytes'),
      ])
    ).path;

    const web = await FrozenWeb.open(path);
    const text = (name: string): string =>
      Buffer.from(web.page(canonicalize(`http://x.test/${name}`)!)!.body).toString();

    expect(['p', 'q', 'r', 's'].map(text)).toEqual([
      LONG,
      'behind the cookie wall',
      'first',
      'second, meant by a pointer of thirty-two bytes',
    ]);
    web.close();
  });

  test.each(['again.warc', 'again.warc.gz'])(
    'resumes %s, and first removes a record that was cut at the end',
    async (name) => {
      const { path } = await record(name, [exchange('a', LONG), exchange('b', 'second')]);
      const whole = statSync(path).size;
      truncateSync(path, whole - 7);

      const recorder = await record(name, [exchange('c', LONG)]);

      expect(recorder.repaired).toBeGreaterThan(0);
      const records = await readByWarcio(path);
      expect(records.map(({ type, url }) => `${type} ${url}`)).toEqual([
        'warcinfo ',
        'response http://x.test/a',
        'request http://x.test/a',
        'response http://x.test/b',
        'warcinfo ',
        // The payload of the earlier run is still known.
        'revisit http://x.test/c',
        'request http://x.test/c',
      ]);
    },
  );

  test.each(['.warc', '.warc.gz'])('is repaired wherever it was cut: %s', async (ending) => {
    const { path } = await record(`whole${ending}`, [exchange('a', LONG), exchange('b', 'second')]);
    const whole = readFileSync(path);
    const name = join(dir, `cut${ending}`);

    for (let cut = 1; cut <= whole.length; cut += 7) {
      writeFileSync(name, whole.subarray(0, cut));
      const file = new WarcFile(name, INFO, 0);
      file.write(exchange('c', 'third'));
      file.close();
      const urls: string[] = [];
      for await (const { type, url } of readWarc(name)) if (type === 'response') urls.push(url);
      expect(urls.at(-1), `cut at ${cut}`).toBe('http://x.test/c');
    }
  });

  test('marks a body that was cut at the size limit', async () => {
    const { path } = await record('big.warc', [exchange('big', '', { cut: true })]);

    expect((await readByWarcio(path))[1]!.headers.get('WARC-Truncated')).toBe('length');
  });

  test('marks a body whose connection broke off', async () => {
    const { path } = await record('part.warc', [exchange('part', LONG, { isBrokenOff: true }), exchange('part', LONG)]);

    const [, part, whole] = (await readByWarcio(path)).filter(({ headers }) => headers.get('WARC-Type') !== 'request');
    expect(part!.headers.get('WARC-Truncated')).toBe('disconnect');
    expect(whole!.headers.get('WARC-Type')).toBe('response');
  });

  test('stores "not modified" as a revisit that represents no page', async () => {
    const { path } = await record('same.warc', [exchange('p', '', { status: 304 }), exchange('p', LONG)]);

    const records = await readByWarcio(path);
    const web = await FrozenWeb.open(path);

    expect(records[1]!.headers.get('WARC-Profile')).toMatch(/\/server-not-modified$/);
    expect(web.page(canonicalize('http://x.test/p')!)?.status).toBe(200);
    web.close();
  });

  test('a header cannot inject another record field', async () => {
    const { path } = await record('inject.warc', [
      exchange('a', 'x', { responseFields: ['x-a', 'b\r\nInjected: yes\r\n\r\nbody'] }),
    ]);

    expect(readFileSync(path, 'latin1')).not.toContain('\r\nInjected');
  });
});

describe('an impossible recording', () => {
  test('leaves a file that is not WARC unchanged', async () => {
    const path = join(dir, 'letter.warc');
    writeFileSync(path, 'Dear Sir');

    await expect(WarcRecorder.open(path, INFO)).rejects.toMatchObject({ code: 'WARC_FOREIGN' });
    expect(readFileSync(path, 'utf8')).toBe('Dear Sir');
  });

  test('leaves a compressed file that is not WARC unchanged, whole or cut', async () => {
    const path = join(dir, 'letter.warc.gz');
    const packed = gzipSync('Dear Sir, this is a letter. '.repeat(50));
    for (const bytes of [packed, packed.subarray(0, -5)]) {
      writeFileSync(path, bytes);
      await expect(WarcRecorder.open(path, INFO)).rejects.toMatchObject({ code: 'WARC_FOREIGN' });
      expect(readFileSync(path)).toEqual(bytes);
    }
  });

  test('reports a missing folder with a remedy', async () => {
    await expect(WarcRecorder.open(join(dir, 'no/such.warc'), INFO)).rejects.toMatchObject({
      code: 'WARC_UNWRITABLE',
      hint: expect.stringContaining('another file'),
    });
  });

  test('rejects another file extension', async () => {
    await expect(WarcRecorder.open(join(dir, 'crawl.zip'), INFO)).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('two recorders of one file: the second reports the first and keeps the file whole', async () => {
    const path = join(dir, 'shared.warc.gz');
    const [first, second] = [await WarcRecorder.open(path, INFO), await WarcRecorder.open(path, INFO)];

    await second.record(exchange('a', 'x'));
    await expect(first.record(exchange('b', 'y'))).rejects.toMatchObject({ code: 'WARC_UNWRITABLE' });
    await Promise.all([first.close(), second.close()]);

    expect((await readByWarcio(path)).map(({ type }) => type)).toEqual(['warcinfo', 'warcinfo', 'response', 'request']);
  });
});
