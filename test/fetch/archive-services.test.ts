import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CanonicalUrl, canonicalize, DEFAULTS } from '../../src/core/index.ts';
import { parseCaptures } from '../../src/fetch/archive/capture-list.ts';
import { CommonCrawlSource, HttpFetcher, SourceFetcher, WaybackSource } from '../../src/fetch/index.ts';
import { warcRecord } from '../lab/support/warc-writer.ts';

const PAGE = canonicalize('https://example.org/a?b=1')!;
const MOVED = canonicalize('https://example.org/moved')!;
const OTHER = 'https://pages.example/other' as CanonicalUrl;

let server: Server;
let origin: string;
let asked: { readonly url: string; readonly range: string | undefined; readonly at: number }[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', range: request.headers.range, at: performance.now() });
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  asked = [];
});
afterAll(() => server.close());

const network = { ...DEFAULTS.network, robots: false };
function options(overrides: object = {}): ConstructorParameters<typeof WaybackSource>[1] {
  const archive = { ...DEFAULTS.archive, wayback: origin, commoncrawl: origin, commoncrawlData: `${origin}/data` };
  return { userAgent: 'bingo-test', timeoutMs: 5_000, maxBytes: 1_000_000, network, delayMs: 0, archive, ...overrides };
}

/** A service that speaks the protocol of a Wayback Machine and holds records. */
function wayback(
  records: readonly {
    readonly url: string;
    readonly time: string;
    readonly status: number;
    readonly body: string;
    readonly location?: string;
  }[],
) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '', origin);
    if (url.pathname === '/cdx/search/cdx') {
      const rows = records
        .filter((record) => record.url === url.searchParams.get('url'))
        .map(({ url: original, time, status }) => [time, original, 'text/html', String(status), 'D', '9']);
      response.end(JSON.stringify([['timestamp', 'original', 'mimetype', 'statuscode', 'digest', 'length'], ...rows]));
      return;
    }
    const [, time, address] = /^\/web\/(\d+)id_\/(.*)$/.exec(request.url ?? '') ?? [];
    const record = records.find((each) => each.url === address && each.time === time);
    if (record === undefined) response.writeHead(404).end();
    else
      response
        .writeHead(record.status, {
          'content-type': 'text/html; charset=utf-8',
          'x-archive-orig-content-type': 'text/html; charset=utf-8',
          'x-archive-orig-x-robots-tag': 'noarchive',
          'content-encoding': 'gzip',
          ...(record.location && { location: `${origin}/web/${record.time}id_/${record.location}` }),
        })
        .end(gzipSync(record.body));
  };
}

describe('parseCaptures', () => {
  it('reads tables, JSON lines and CDXJ lines', () => {
    const table = '[["original","timestamp","statuscode"],["https://e.org/","20200101000000","200"]]';
    const lines =
      '{"url": "https://e.org/", "timestamp": "20200101", "status": "200", "offset": "5", "length": "7", "filename": "f"}\n';
    const cdxj = 'org,e)/ 20200101000000 {"url": "https://e.org/", "timestamp": "20200101000000", "status": "200"}\n';
    for (const text of [table, lines, cdxj])
      expect(parseCaptures(text)).toMatchObject([
        { url: 'https://e.org/', timestamp: '20200101000000', status: '200' },
      ]);
    expect(parseCaptures('')).toEqual([]);
    expect(parseCaptures('[]')).toEqual([]);
    expect(parseCaptures('<html>')).toBeUndefined();
  });
});

describe('wayback@DATE', () => {
  const records = [
    { url: PAGE, time: '20100101000000', status: 200, body: '<title>old</title>' },
    { url: PAGE, time: '20200301000000', status: 200, body: '<title>near</title>' },
    { url: MOVED, time: '20200301000000', status: 301, body: '', location: PAGE },
  ];

  it('fetches the closest capture with its original header fields, and redirects', async () => {
    answer = wayback(records);
    const source = new WaybackSource(Date.UTC(2020, 0, 1), options());
    const fetcher = new SourceFetcher(source, { maxBodyBytes: 1_000_000, now: () => 7 });

    const page = await fetcher.fetch(PAGE);
    const moved = await fetcher.fetch(MOVED);
    await fetcher.close();

    expect(page).toMatchObject({
      kind: 'fetched',
      status: 200,
      fetchedAt: 7,
      headers: { contentType: 'text/html', xRobotsTag: 'noarchive' },
    });
    expect(page).toMatchObject({ capture: { archive: origin, url: PAGE, at: Date.UTC(2020, 2, 1) } });
    expect(Buffer.from((page as { readonly body: Uint8Array }).body).toString()).toBe('<title>near</title>');
    expect(moved).toMatchObject({ kind: 'redirected', status: 301, target: PAGE });
    expect(asked[0]?.url).toContain('closest=20200101000000');
  });

  it('takes the newest capture without a date', async () => {
    answer = wayback(records);
    const source = new WaybackSource(Number.POSITIVE_INFINITY, options());
    const found = await source.find(PAGE);
    await source.close();
    expect(found).toMatchObject({ kind: 'page', capture: { at: Date.UTC(2020, 2, 1) } });
  });

  it('reads a collection of pywb, whose index and pages are below its own address', async () => {
    answer = (request, response) => {
      const url = new URL(request.url ?? '', origin);
      if (url.pathname === '/coll/cdx') {
        const wanted = url.searchParams.get('url');
        const rows = records.filter(
          (record) => record.url === wanted && url.searchParams.get('filter') === '~status:[23]..',
        );
        const line = ({ url: page, time, status }: (typeof records)[number]): string =>
          `${JSON.stringify({ urlkey: 'k', timestamp: time, url: page, mime: 'text/html', status: String(status) })}\n`;
        response.end(rows.map(line).join(''));
        return;
      }
      const [, time, address] = /^\/coll\/(\d+)id_\/(.*)$/.exec(request.url ?? '') ?? [];
      const record = records.find((each) => each.url === address && each.time === time);
      const location = `${origin}/coll/20200301000000id_/${record?.location}`;
      if (record === undefined) response.writeHead(404).end('<!DOCTYPE html>');
      else response.writeHead(record.status, record.location === undefined ? {} : { location }).end(record.body);
    };
    const archive = { ...options().archive, wayback: `${origin}/coll/` };
    const fetcher = new SourceFetcher(new WaybackSource(Date.UTC(2020, 0, 1), options({ archive })), {
      maxBodyBytes: 1_000_000,
    });
    const [page, moved, absent] = [await fetcher.fetch(PAGE), await fetcher.fetch(MOVED), await fetcher.fetch(OTHER)];
    await fetcher.close();
    expect(page).toMatchObject({ kind: 'fetched', capture: { archive: `${origin}/coll`, at: Date.UTC(2020, 2, 1) } });
    expect(moved).toMatchObject({ kind: 'redirected', status: 301, target: PAGE });
    expect(absent).toMatchObject({ kind: 'failed', reason: 'not-archived' });
    // The other place is asked for once.
    expect(asked.filter(({ url }) => url.startsWith('/coll/cdx/search'))).toHaveLength(1);
  });

  it('skips a page that the archive lacks, or fetches it live', async () => {
    answer = (request, response) => {
      if (request.url?.startsWith('/live') === true)
        response.writeHead(200, { 'content-type': 'text/html' }).end('<title>live</title>');
      else wayback([])(request, response);
    };
    const url = `${origin}/live` as CanonicalUrl;
    const alone = new SourceFetcher(new WaybackSource(0, options()), { maxBodyBytes: 1_000 });
    const live = new HttpFetcher({ ...network, allowPrivate: true });
    const both = new SourceFetcher(new WaybackSource(0, options()), { maxBodyBytes: 1_000, live });

    const skipped = await alone.fetch(url);
    const fetched = await both.fetch(url);
    await Promise.all([alone.close(), both.close()]);

    expect(skipped).toMatchObject({ kind: 'failed', retry: 'never', status: 404, reason: 'not-archived' });
    expect(fetched).toMatchObject({ kind: 'fetched', status: 200 });
    expect(fetched).not.toHaveProperty('capture');
  });

  it('asks one request at a time, at the minimum distance, and waits as long as the service asks', async () => {
    let busy = 1;
    answer = (request, response) => {
      if (busy-- > 0) response.writeHead(429, { 'retry-after': '40' }).end();
      else wayback(records)(request, response);
    };
    const slept: number[] = [];
    let clock = 0;
    const sleep = async (ms: number): Promise<void> => {
      slept.push(ms);
      clock += ms;
    };
    const source = new WaybackSource(0, options({ delayMs: 1_000, sleep, now: () => clock }));

    const found = await Promise.all([source.find(PAGE), source.find(PAGE)]);
    await source.close();

    expect(found.map(({ kind }) => kind)).toEqual(['page', 'page']);
    expect(slept).toEqual([40_000, 1_000, 1_000, 1_000]);
  });

  it('asks nothing more once the crawl ends', async () => {
    answer = wayback(records);
    let isWanted = true;
    const source = new WaybackSource(0, options({ isWanted: () => isWanted }));
    const fetcher = new SourceFetcher(source, { maxBodyBytes: 1_000_000 });
    const waiting = [PAGE, PAGE, PAGE].map((url) => fetcher.fetch(url));
    isWanted = false;
    const outcomes = await Promise.all(waiting);
    await fetcher.close();
    expect(outcomes.map((outcome) => outcome.kind === 'failed' && outcome.reason)).toEqual([
      'not-now',
      'not-now',
      'not-now',
    ]);
    expect(asked).toEqual([]);
  });

  it.each([
    [
      'an error',
      (_: IncomingMessage, response: ServerResponse) => response.writeHead(503, { 'retry-after': '0' }).end(),
      /503/,
    ],
    [
      'a web page',
      (_: IncomingMessage, response: ServerResponse) => response.end('<html>hello</html>'),
      /not a list of captures/,
    ],
  ])('reports %s of the service as a failure that may pass', async (_, answered, detail) => {
    answer = answered;
    const fetcher = new SourceFetcher(new WaybackSource(0, options()), { maxBodyBytes: 1_000 });
    const outcome = await fetcher.fetch(PAGE);
    await fetcher.close();
    expect(outcome).toMatchObject({ kind: 'failed', retry: 'later', detail: expect.stringMatching(detail) });
  });
});

describe('commoncrawl@ID', () => {
  const page = {
    url: PAGE as string,
    body: '<title>crawled</title>',
    warcHeaders: { 'WARC-Date': '2024-03-02T01:00:00Z' },
  };
  const member = gzipSync(warcRecord(page));
  const file = Buffer.concat([
    gzipSync(warcRecord({ url: 'https://other.example/', body: 'x' })),
    member,
    Buffer.from('rest'),
  ]);
  const offset = file.length - member.length - 4;

  function commonCrawl(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', origin);
    if (url.pathname === '/CC-MAIN-2024-10-index') {
      if (url.searchParams.get('url') !== PAGE)
        return void response.writeHead(404).end('{"message": "No Captures found"}');
      const capture = {
        url: PAGE,
        timestamp: '20240302010000',
        status: '200',
        mime: 'text/html',
        filename: 'crawl/a.warc.gz',
        offset: String(offset),
        length: String(member.length),
      };
      return void response.end(
        `${JSON.stringify({ ...capture, status: '503', timestamp: '20240401000000' })}\n${JSON.stringify(capture)}\n`,
      );
    }
    const [, from = 0, to = 0] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    response
      .writeHead(206, { 'content-type': 'application/octet-stream' })
      .end(file.subarray(Number(from), Number(to) + 1));
  }

  it('requests the bytes of one record, and reads it', async () => {
    answer = commonCrawl;
    const fetcher = new SourceFetcher(new CommonCrawlSource('CC-MAIN-2024-10', options()), { maxBodyBytes: 1_000_000 });

    const outcome = await fetcher.fetch(PAGE);
    const absent = await fetcher.fetch(MOVED);
    await fetcher.close();

    expect(outcome).toMatchObject({
      kind: 'fetched',
      capture: { archive: `${origin}/data`, at: Date.UTC(2024, 2, 2, 1) },
    });
    expect(Buffer.from((outcome as { readonly body: Uint8Array }).body).toString()).toBe(page.body);
    expect(asked.find(({ url }) => url === '/data/crawl/a.warc.gz')?.range).toBe(
      `bytes=${offset}-${offset + member.length - 1}`,
    );
    expect(absent).toMatchObject({ kind: 'failed', reason: 'not-archived' });
  });

  it('reports bytes that are not a record', async () => {
    answer = (request, response) =>
      request.url?.startsWith('/data') === true
        ? response.writeHead(206).end(Buffer.alloc(member.length))
        : commonCrawl(request, response);
    const source = new CommonCrawlSource('CC-MAIN-2024-10', options());
    const found = await source.find(PAGE);
    await source.close();
    expect(found).toMatchObject({ kind: 'failed', detail: expect.stringContaining('no WARC record') });
  });
});
