import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { canonicalize, DEFAULTS, type FetchOutcome } from '../../src/core/index.ts';
import { Resolver } from '../../src/fetch/dns/resolver.ts';
import { HttpFetcher, type KnownVersion, type NetworkSettings } from '../../src/fetch/index.ts';
import type { Recording } from '../../src/warc/index.ts';
import { startTinyDns } from '../support/tiny-dns.ts';
import { type Handler, startTinyWeb, type TinyWeb, tinyPage } from '../support/tiny-web.ts';

let web: TinyWeb;
let fetcher: HttpFetcher;
const open: HttpFetcher[] = [];

beforeAll(async () => {
  web = await startTinyWeb();
  fetcher = new HttpFetcher(settings());
});

afterEach(() => Promise.all(open.splice(0).map((each) => each.close())));

afterAll(async () => {
  await fetcher.close();
  await web.close();
});

function settings(changes: Partial<NetworkSettings> = {}): NetworkSettings {
  return { ...DEFAULTS.network, dnsServers: [web.dnsServer], dnsTimeoutMs: 2000, allowPrivate: true, ...changes };
}

function fetcherWith(changes: Partial<NetworkSettings>, now?: () => number): HttpFetcher {
  const made = new HttpFetcher(settings(changes), now === undefined ? {} : { now, steadyNow: now });
  open.push(made);
  return made;
}

/** Fetches `host/path` of the test web. */
function get(place: string, by: HttpFetcher = fetcher, known?: KnownVersion): Promise<FetchOutcome> {
  const slash = place.indexOf('/');
  return by.fetch(canonicalize(`${web.origin(place.slice(0, slash))}${place.slice(slash)}`)!, known);
}

/** A header of raw UTF-8, as Node.js writes it. */
const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

const textOf = (outcome: FetchOutcome): string =>
  outcome.kind === 'fetched' ? Buffer.from(outcome.body).toString('utf8') : outcome.kind;

describe('a page', () => {
  it('is returned with its headers, its URL and a transferable body', async () => {
    const outcome = await get('site.test/robots-tagged');
    expect(outcome).toMatchObject({
      kind: 'fetched',
      status: 200,
      address: '127.0.0.1',
      headers: {
        contentType: 'text/html',
        charset: 'utf-8',
        xRobotsTag: 'noindex\nnofollow',
        contentLanguage: 'de',
        etag: '',
      },
    });
    expect(textOf(outcome)).toBe(tinyPage('tagged'));
    if (outcome.kind === 'fetched') expect(outcome.body.buffer.byteLength).toBe(outcome.body.byteLength);
  });

  it('is requested with the name of the crawler and a contact', async () => {
    const polite = fetcherWith({ contact: 'https://example.org/bot' });
    await get('named.test/', polite);
    expect(web.headers.at(-1)).toMatchObject({
      host: `named.test:${web.port}`,
      'user-agent': 'bingo-crawler/0.1 (+https://example.org/bot)',
      'accept-encoding': expect.stringContaining('gzip, deflate, br'),
    });
  });

  it.each(['gzip', 'x-gzip', 'deflate', 'raw-deflate', 'br', 'zstd', 'gzip-twice', 'gzip-not', 'unknown-coding'])(
    'is unpacked: %s',
    async (path) => {
      expect(textOf(await get(`site.test/${path}`))).toBe(tinyPage('compression').repeat(10));
    },
  );

  it('is marked truncated if its compressed data are cut, and keeps the readable part', async () => {
    const outcome = await get('site.test/gzip-cut');
    const detail = /^the body broke off after \d+ bytes: its compressed data is incomplete$/;
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'truncated', retry: 'later', status: 200 });
    expect(outcome).toMatchObject({ detail: expect.stringMatching(detail), part: { status: 206 } });
    expect(textOf(outcome.kind === 'failed' ? outcome.part! : outcome)).toContain('<h1>compression</h1>');
  });

  it('is unpacked if its compression is undeclared, or applied twice', async () => {
    const text = tinyPage('packed');
    const packed = gzipSync(text);
    const answers: Readonly<Record<string, readonly [Record<string, string>, Buffer]>> = {
      '/unsaid': [{ 'content-type': 'text/html' }, packed],
      '/identity': [{ 'content-type': 'text/plain', 'content-encoding': 'identity' }, packed],
      '/twice': [{ 'content-type': 'text/html', 'content-encoding': 'gzip' }, gzipSync(packed)],
      '/half': [{ 'content-type': 'text/html' }, packed.subarray(0, -20)],
      '/file': [{ 'content-type': 'application/gzip' }, packed],
      '/bomb': [{ 'content-type': 'text/html' }, gzipSync(Buffer.alloc(1_000_000))],
    };
    web.handle('unsaid.test', (request, response) => {
      const [headers, body] = answers[request.url!]!;
      response.writeHead(200, headers).end(body);
    });
    const own = fetcherWith({ robots: false, maxBodyBytes: 100_000 });
    for (const path of ['unsaid', 'identity', 'twice'])
      expect(textOf(await get(`unsaid.test/${path}`, own))).toBe(text);
    expect(await get('unsaid.test/half', own)).toMatchObject({ reason: 'truncated', part: { status: 206 } });
    for (const path of ['file', 'bomb']) {
      const body = new Uint8Array(answers[`/${path}`]![1]);
      expect(await get(`unsaid.test/${path}`, own)).toMatchObject({ kind: 'fetched', body });
    }
  });

  it('is limited in size by its media type', async () => {
    const body = Buffer.alloc(5_000, 'a ');
    web.handle('sized.test', (request, response) => {
      const type =
        request.url === '/page'
          ? 'text/html; charset=utf-8'
          : request.url === '/text'
            ? 'text/plain'
            : 'application/pdf';
      response.writeHead(200, { 'content-type': type }).end(body);
    });
    const own = fetcherWith({
      robots: false,
      maxBodyBytes: 4_000,
      maxBytesByType: ['text/*=1000', 'text/plain=6000', 'application/pdf=20000'],
    });
    expect(await get('sized.test/page', own)).toMatchObject({
      kind: 'refused',
      reason: 'size',
      detail: expect.stringContaining('1000 bytes'),
    });
    expect(await get('sized.test/text', own)).toMatchObject({ kind: 'fetched' });
    expect(await get('sized.test/paper', own)).toMatchObject({ kind: 'fetched' });
    const plain = fetcherWith({ robots: false, maxBodyBytes: 4_000 });
    expect(await get('sized.test/paper', plain)).toMatchObject({ kind: 'refused', reason: 'size' });
  });

  it('fails permanently if its compressed data are damaged', async () => {
    expect(await get('site.test/gzip-damaged')).toMatchObject({ kind: 'failed', retry: 'never', reason: 'protocol' });
  });

  it('is requested again if its server answers 304 to a request without a version', async () => {
    web.handle('cache.test', (request, response) => {
      response.writeHead(request.url === '/robots.txt' ? 404 : 304).end();
    });
    expect(await get('cache.test/')).toMatchObject({ kind: 'failed', retry: 'later', status: 304 });
    expect(await get('cache.test/', fetcher, { etag: '"1"' })).toMatchObject({ kind: 'unchanged' });
  });

  it('is not downloaded again if it is unchanged', async () => {
    const first = await get('site.test/versioned');
    if (first.kind !== 'fetched') throw new Error(first.kind);
    const { etag, lastModified } = first.headers;
    expect(await get('site.test/versioned', fetcher, { etag })).toMatchObject({ kind: 'unchanged' });
    expect(await get('site.test/versioned', fetcher, { lastModified })).toMatchObject({ kind: 'unchanged' });
    expect(await get('site.test/versioned', fetcher, { etag: '"old"', lastModified: '' })).toMatchObject({
      kind: 'fetched',
    });
  });

  it('may have another URL if it is unchanged', async () => {
    web.handle('renamed.test', (request, response) => {
      const headers = { etag: 'W/"2"', 'last-modified': 'Sat, 01 Jan 2000 00:00:00 GMT' };
      response.writeHead(request.url === '/robots.txt' ? 404 : 304, headers).end();
    });
    expect(await get('renamed.test/', fetcher, { etag: 'W/"1"' })).toMatchObject({
      kind: 'unchanged',
      etag: 'W/"2"',
      lastModified: 'Sat, 01 Jan 2000 00:00:00 GMT',
    });
  });

  it('is requested without a condition if its server rejects the condition', async () => {
    web.handle('strict.test', (request, response) => {
      response.writeHead(request.headers['if-none-match'] === undefined ? 200 : 412).end(tinyPage('strict'));
    });
    const known = { etag: '"v1"', lastModified: '' };
    const own = fetcherWith({ robots: false });
    let begun = 0;
    const outcome = await own.fetch(canonicalize(`${web.origin('strict.test')}/page`)!, known, () => begun++);
    expect(outcome).toMatchObject({ kind: 'fetched', status: 200 });
    // Pauses between requests are counted from the last one.
    expect(begun).toBe(2);
  });

  it('is requested without its version if that is a wildcard', async () => {
    const before = web.headers.length;
    await get('any.test/page', fetcher, { etag: '*' });
    expect(web.headers.slice(before).map((headers) => headers['if-none-match'])).toEqual([undefined, undefined]);
  });

  it('is returned with the Link headers of its server, however many headers it has', async () => {
    web.handle('linked.test', (_request, response) => {
      response.writeHead(200, ['Link', '</s.css>; rel=preload', 'Link', '</ä>; rel="canonical"'].map(latin1)).end('ok');
    });
    expect(await get('linked.test/', fetcherWith({ robots: false }))).toMatchObject({
      headers: { link: '</s.css>; rel=preload, </ä>; rel="canonical"' },
    });
  });

  it('may lack a media type, or have a vague one and a clear file extension', async () => {
    expect(await get('site.test/untyped')).toMatchObject({ kind: 'fetched', headers: { contentType: '' } });
    expect(await get('site.test/file.pdf')).toMatchObject({ kind: 'fetched' });
  });
});

describe('a redirect', () => {
  it.each([
    ['moved', 'http://site.test:PORT/a', 301, true],
    ['found', 'http://other.test/x?y=1', 302, false],
    ['chain1', 'http://site.test:PORT/chain2', 307, false],
    ['chain2', 'http://site.test:PORT/chain1', 308, true],
  ])('is handed back, not followed: /%s', async (path, target, status, permanent) => {
    const wanted = target.replace('PORT', String(web.port));
    expect(await get(`site.test/${path}`)).toMatchObject({ kind: 'redirected', target: wanted, status, permanent });
  });

  it('reports the delay that its server asks for before the crawler follows it', async () => {
    web.handle('patient.test', (_, response) => {
      response.writeHead(302, { location: '/there', 'retry-after': '7' }).end();
    });
    expect(await get('patient.test/', fetcherWith({ robots: false }))).toMatchObject({ retryAfterMs: 7000 });
    expect(await get('site.test/found')).not.toHaveProperty('retryAfterMs');
  });

  it('in raw UTF-8 is understood', async () => {
    expect(await get('broken.test/to-umlaut')).toMatchObject({ target: `http://broken.test:${web.port}/%C3%A4` });
  });

  it.each(['self', 'self-tracked'])('to itself ends the page, which is requested once: /%s', async (path) => {
    const before = web.requests.length;
    expect(await get(`site.test/${path}`, fetcherWith({ robots: false }))).toMatchObject({
      kind: 'failed',
      retry: 'never',
      reason: 'too-many-redirects',
    });
    expect(web.requests.slice(before)).toEqual([`site.test/${path}`]);
  });

  it('to itself with a cookie is followed once, with the cookie', async () => {
    expect(textOf(await get('site.test/cookie-wall', fetcherWith({})))).toBe(tinyPage('behind the wall'));
  });

  it('to another scheme is rejected', async () => {
    expect(await get('site.test/to-file')).toMatchObject({
      kind: 'refused',
      reason: 'scheme',
      detail: 'redirect to file:///etc/passwd, which is not a web address',
    });
  });
});

describe('an error status', () => {
  it('of a redirect without a target is reported', async () => {
    web.handle('nowhere.test', (request, response) => {
      response.writeHead(request.url === '/robots.txt' ? 404 : 302).end();
    });
    expect(await get('nowhere.test/')).toMatchObject({
      kind: 'failed',
      status: 302,
      detail: 'HTTP status 302, a redirect without a target',
    });
  });

  it.each([300, 403, 404, 410, 418])('is final: %i', async (status) => {
    const paths: Record<number, string> = {
      300: 'multiple',
      403: 'forbidden',
      404: 'missing',
      410: 'gone',
      418: 'teapot',
    };
    expect(await get(`site.test/${paths[status]}`)).toMatchObject({
      kind: 'failed',
      retry: 'never',
      reason: 'http',
      status,
    });
  });

  it.each([408, 500])('is temporary: %i', async (status) => {
    const outcome = await get(`site.test/${status === 408 ? 'timeout' : 'error'}`);
    expect(outcome).toMatchObject({ kind: 'failed', retry: 'later', reason: 'http', status });
    expect(outcome).not.toHaveProperty('retryAfterMs');
  });

  it.each([404, 503])('is not a redirect, whatever Location it has: %i', async (status) => {
    web.handle('signpost.test', (request, response) => {
      const location = request.url === '/mail' ? 'mailto:me@site.test' : '/elsewhere';
      response.writeHead(status, { location }).end();
    });
    const own = fetcherWith({ robots: false });
    for (const path of ['', 'mail'])
      expect(await get(`signpost.test/${path}`, own)).toMatchObject({ kind: 'failed', reason: 'http', status });
  });

  it('reports when to retry, in seconds or as a date', async () => {
    expect(await get('site.test/unavailable')).toMatchObject({ retry: 'later', status: 503, retryAfterMs: 120_000 });
    expect(await get('site.test/throttled')).toMatchObject({ retry: 'later', status: 429, retryAfterMs: 60_000 });
  });

  it.each([
    ['30', { retry: 'later', retryAfterMs: 30_000 }],
    ['0', { retry: 'never' }],
    ['', { retry: 'never' }],
  ])('forbids a page for good, unless it tells when to come back: %j', async (after, wanted) => {
    web.handle('limited.test', (_, response) => {
      response.writeHead(403, after === '' ? {} : { 'retry-after': after }).end();
    });
    const outcome = await get('limited.test/', fetcherWith({ robots: false }));
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'http', status: 403, ...wanted });
  });

  it('computes the time to retry by the server clock, or by ours if it has none', async () => {
    const retryAfter = 'Wed, 21 Oct 2026 08:00:00 GMT';
    web.handle('clockless.test', (request, response) => {
      response.sendDate = request.url === '/dated';
      response.writeHead(503, {
        'retry-after': retryAfter,
        ...(response.sendDate && { date: 'Wed, 21 Oct 2026 07:59:00 GMT' }),
      });
      response.end();
    });
    const wrong = fetcherWith({ robots: false }, () => Date.parse(retryAfter) - 5000);
    expect(await get('clockless.test/dated', wrong)).toMatchObject({ retryAfterMs: 60_000 });
    expect(await get('clockless.test/', wrong)).toMatchObject({ retryAfterMs: 5000 });
  });
});

describe('a reachability check of a server', () => {
  const url = (host: string) => canonicalize(`${web.origin(host)}/page`)!;

  it('requests its robots.txt, whatever that says', async () => {
    expect(await fetcher.isReachable(url('down.test'))).toBe(true);
    expect(await fetcher.isReachable(url('site.test'))).toBe(true);
    expect(await fetcher.isReachable(url('gone.test'))).toBe(false);
    expect(web.requests).not.toContain('site.test/page');
  });
});

describe('a check whether a name exists', () => {
  it('asks the name server again, despite the cache', async () => {
    const dns = await startTinyDns({ 'a.test': { kind: 'addresses', v4: ['127.0.0.1'] } });
    const asking = fetcherWith({ dnsServers: [dns.address] });
    expect(await asking.resolve(`a.test:${web.port}`)).toBe(true);
    dns.set('a.test', { kind: 'error', code: 'NXDOMAIN' });
    expect(await asking.isNamed(`a.test:${web.port}`)).toBe(false);
    expect(await asking.resolve(`a.test:${web.port}`)).toBe(true);
    await dns.close();
  });

  it('asks no server for an IP address, or behind a proxy', async () => {
    expect(await fetcher.isNamed('127.0.0.1:80')).toBeUndefined();
    expect(await fetcher.isNamed('[::1]:80')).toBeUndefined();
    expect(await fetcherWith({ proxy: 'http://127.0.0.1:9' }).isNamed('a.test')).toBeUndefined();
  });
});

describe('if the network is back', () => {
  it('requests missing names and failed robots.txt files again', async () => {
    const dns = await startTinyDns({});
    const lost = fetcherWith({ dnsServers: [dns.address] });
    expect(await get('back.test/', lost)).toMatchObject({ kind: 'failed', reason: 'dns', retry: 'never' });
    dns.set('back.test', { kind: 'addresses', v4: ['127.0.0.1'] });
    lost.forget(false);
    expect(await get('back.test/', lost)).toMatchObject({ kind: 'fetched' });
    await dns.close();
  });

  it('requests a robots.txt again if a captive portal answered for the host', async () => {
    const login: Handler = (_, response) => void response.end('<html>Log in!</html>');
    web.handle('guarded.test', login);
    expect(await get('guarded.test/private', fetcher)).toMatchObject({ kind: 'fetched' });
    web.handle('guarded.test', (_, response) => void response.end('User-agent: *\nDisallow: /private'));
    fetcher.forget(false);
    expect(await get('guarded.test/private', fetcher)).toMatchObject({ kind: 'fetched' });
    fetcher.forget(true);
    expect(await get('guarded.test/private', fetcher)).toMatchObject({ kind: 'refused', reason: 'robots' });
  });
});

describe('if the system clock is set', () => {
  const DAY = 86_400_000;

  /** Counts queries for an address and for robots.txt while the two clocks of the machine diverge. */
  async function asked(host: string, change: (clocks: { wall: number; steady: number }) => void): Promise<number[]> {
    const clocks = { wall: Date.parse('2026-11-22T00:00:00Z'), steady: 0 };
    const ports = { now: () => clocks.wall, steadyNow: () => clocks.steady };
    const patient = new HttpFetcher(settings(), ports);
    open.push(patient);
    await get(`${host}/1`, patient);
    change(clocks);
    await get(`${host}/2`, patient);
    const names = web.dns.questions.filter((question) => question === `A ${host}`).length;
    return [names, web.requests.filter((request) => request === `${host}/robots.txt`).length];
  }

  it('back, names and robots.txt expire after their real time', async () => {
    expect(await asked('back-young.test', (clocks) => (clocks.wall -= 300 * DAY))).toEqual([1, 1]);
    const old = (clocks: { wall: number; steady: number }): void => {
      clocks.wall -= 300 * DAY;
      clocks.steady += DAY + 1000;
    };
    expect(await asked('back-old.test', old)).toEqual([2, 2]);
  });

  it('ahead, or the machine slept for a day, they are requested again', async () => {
    expect(await asked('slept.test', (clocks) => (clocks.wall += DAY + 2000))).toEqual([2, 2]);
  });
});

describe('limits', () => {
  it('cuts 200 MB at the limit, declared or not', async () => {
    for (const path of ['page', 'declared']) {
      const before = process.memoryUsage().rss;
      expect(await get(`large.test/${path}`)).toMatchObject({ kind: 'refused', reason: 'size' });
      expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    }
  });

  it('does not unpack a bomb beyond the limit', async () => {
    const outcome = await get('site.test/bomb');
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'size', detail: expect.stringContaining('unpack') });
  });

  it('does not wait for an unneeded body, however slowly it arrives', async () => {
    web.handle('radio.test', (request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/here' });
      else response.writeHead(200, { 'content-type': 'audio/mpeg' });
      response.write('a first note');
    });
    const started = performance.now();
    const patient = fetcherWith({ minBytesPerSecond: 0, robots: false });
    expect(await get('radio.test/live', patient)).toMatchObject({ kind: 'refused', reason: 'type' });
    expect(await get('radio.test/moved', patient)).toMatchObject({ kind: 'redirected', status: 302 });
    expect(performance.now() - started).toBeLessThan(DEFAULTS.network.totalTimeoutMs / 2);
  });

  it('rejects a useless media type without its body, and reuses the connection if small', async () => {
    const own = fetcherWith({});
    await get('site.test/a', own);
    const before = web.connections.size;
    expect(await get('site.test/small-image', own)).toMatchObject({
      kind: 'refused',
      reason: 'type',
      detail: 'media type image/png',
    });
    expect(web.connections.size).toBe(before);
    expect(await get('site.test/image', own)).toMatchObject({ kind: 'refused', reason: 'type' });
    expect(await get('site.test/file.exe', own)).toMatchObject({ kind: 'refused', reason: 'type' });
  });

  it('a silent host times out, for its headers and for its body', async () => {
    const hasty = fetcherWith({ totalTimeoutMs: 150, robots: false });
    const started = performance.now();
    expect(await get('silent.test/', hasty)).toMatchObject({ kind: 'failed', retry: 'later', reason: 'timeout' });
    expect(await get('slow.test/drip', hasty)).toMatchObject({ kind: 'failed', retry: 'later', reason: 'timeout' });
    const patient = fetcherWith({ headersTimeoutMs: 150, robots: false });
    expect(await get('silent.test/', patient)).toMatchObject({
      ...{ kind: 'failed', retry: 'later', reason: 'timeout' },
      detail: expect.stringContaining('no answer began'),
    });
    expect(performance.now() - started).toBeLessThan(DEFAULTS.network.headersTimeoutMs);
  });

  it('stops a very slow body long before the total timeout, unless it is allowed', async () => {
    const strict = fetcherWith({ totalTimeoutMs: 6_000, minBytesPerSecond: 100, robots: false });
    expect(await get('slow.test/drip', strict)).toMatchObject({
      ...{ kind: 'failed', retry: 'later', reason: 'timeout' },
      detail: expect.stringContaining('less than 100 bytes per second for 1000 ms'),
    });
    const lenient = fetcherWith({ totalTimeoutMs: 2_500, minBytesPerSecond: 5, robots: false });
    expect(await get('slow.test/drip', lenient)).toMatchObject({
      detail: expect.stringContaining('no complete answer after 2500 ms'),
    });
  });

  it('a cancelled request holds no connection', async () => {
    const held: Socket[] = [];
    web.handle('stuck.test', (request) => void held.push(request.socket));
    const hasty = fetcherWith({ totalTimeoutMs: 150, robots: false });
    expect(await get('stuck.test/', hasty)).toMatchObject({ kind: 'failed', reason: 'timeout' });
    await expect.poll(() => held.map((socket) => socket.destroyed)).toEqual([true]);
  });

  it('a request cancelled before it has a connection is not sent', async () => {
    const named = Promise.withResolvers<readonly string[]>();
    const resolver = new Resolver({ ...settings(), dnsServers: [] }, { lookup: () => named.promise });
    const hasty = new HttpFetcher(settings({ totalTimeoutMs: 1000, perAddress: 0, robots: false }), { resolver });
    open.push(hasty);
    const before = web.requests.length;
    expect(await get('late.test/first', hasty)).toMatchObject({ kind: 'failed', reason: 'timeout' });
    named.resolve(['127.0.0.1']);
    for (const path of ['second', 'third'])
      expect(await get(`late.test/${path}`, hasty)).toMatchObject({ kind: 'fetched' });
    expect(web.requests.slice(before)).toEqual(['late.test/second', 'late.test/third']);
  });

  it.each(['declared', 'undeclared'])(
    'a page at the limit is complete, and one byte more is too much: %s',
    async (how) => {
      const bytes = 200_000;
      web.handle('long.test', (request, response) => {
        const body = Buffer.alloc(bytes + Number(request.url?.slice(1)), 'a');
        response.writeHead(200, how === 'declared' ? { 'content-length': body.length } : {}).end(body);
      });
      const own = fetcherWith({ maxBodyBytes: bytes, robots: false });
      expect(textOf(await get('long.test/0', own))).toBe('a'.repeat(bytes));
      expect(await get('long.test/1', own)).toMatchObject({ kind: 'refused', reason: 'size' });
    },
  );

  it('a host that accepts no connection times out', async () => {
    const { port, close } = await deafPort();
    const hasty = fetcherWith({ connectTimeoutMs: 200, robots: false });
    expect(await hasty.fetch(canonicalize(`http://127.0.0.1:${port}/`)!)).toMatchObject({
      kind: 'failed',
      reason: 'timeout',
      retry: 'later',
    });
    await close();
  });
});

describe('a broken server', () => {
  it.each([
    ['reset', 'reset', 'later'],
    ['short', 'truncated', 'later'],
    ['no-http', 'protocol', 'never'],
    ['chunks', 'protocol', 'never'],
    ['headers', 'protocol', 'never'],
  ])('gives a failure, never an exception: /%s', async (path, reason, retry) => {
    expect(await get(`broken.test/${path}`)).toMatchObject({ kind: 'failed', reason, retry });
  });

  it.each([
    ['long', 'too '],
    ['old', '<p>until the end</p>'],
    ['early', 'ok'],
  ])('gives what it has: /%s', async (path, body) => {
    expect(textOf(await get(`broken.test/${path}`))).toBe(body);
  });

  it('that breaks off returns the received part of a text, without a version', async () => {
    const web404 = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n';
    const head = 'HTTP/1.1 200 OK\r\netag: "1"\r\ncontent-type:';
    const answers: Readonly<Record<string, string>> = {
      '/length': `${head} text/html\r\ncontent-length: 99\r\n\r\n<p>the beginning`,
      '/chunked': `${head} text/html\r\ntransfer-encoding: chunked\r\n\r\n10\r\n<p>the beginning\r\n`,
      '/garbled': `${head} text/html\r\ntransfer-encoding: chunked\r\n\r\n10\r\n<p>the beginning\r\nzz\r\n`,
      '/pdf': `${head} application/pdf\r\ncontent-length: 99\r\n\r\n%PDF-1.7 and so on`,
    };
    web.handle('breaking.test', (request) => void request.socket.end(answers[request.url ?? ''] ?? web404));
    for (const path of ['length', 'chunked', 'garbled']) {
      const outcome = await get(`breaking.test/${path}`);
      expect(outcome).toMatchObject({ kind: 'failed', reason: 'truncated', retry: 'later', status: 200 });
      const part = outcome.kind === 'failed' ? outcome.part : undefined;
      expect(part).toMatchObject({ kind: 'fetched', status: 206, headers: { etag: '' } });
      expect(Buffer.from(part!.body).toString()).toBe('<p>the beginning');
    }
    const pdf = await get('breaking.test/pdf');
    expect(pdf).toMatchObject({ kind: 'failed', reason: 'truncated', retry: 'later' });
    expect(pdf).not.toHaveProperty('part');
  });

  it('that sends less than declared, and waits, returns the received part', async () => {
    web.handle('waiting.test', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': 99 }).write('<p>all of it');
    });
    const outcome = await get('waiting.test/', fetcherWith({ totalTimeoutMs: 1000, robots: false }));
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'timeout', retry: 'later', status: 0 });
    const part = outcome.kind === 'failed' ? outcome.part : undefined;
    expect(part).toMatchObject({ kind: 'fetched', status: 206 });
    expect(Buffer.from(part!.body).toString()).toBe('<p>all of it');
  });

  it('without its declared body counts by its headers, if no page was expected', async () => {
    const answers: Readonly<Record<string, string>> = {
      '/moved': 'HTTP/1.1 301 Moved\r\nlocation: /here\r\ncontent-length: 99\r\n\r\n',
      '/gone': 'HTTP/1.1 404 Not Found\r\ncontent-length: 99\r\n\r\n<p>not',
      '/busy': 'HTTP/1.1 503 Busy\r\nretry-after: 7\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      '/image': 'HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 99\r\n\r\n',
    };
    const web404 = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n';
    web.handle('bodiless.test', (request) => void request.socket.end(answers[request.url ?? ''] ?? web404));
    const moved = { kind: 'redirected', target: `${web.origin('bodiless.test')}/here`, permanent: true };
    expect(await get('bodiless.test/moved')).toMatchObject(moved);
    expect(await get('bodiless.test/gone')).toMatchObject({ kind: 'failed', retry: 'never', status: 404 });
    expect(await get('bodiless.test/busy')).toMatchObject({ kind: 'failed', status: 503, retryAfterMs: 7000 });
    expect(await get('bodiless.test/image')).toMatchObject({ kind: 'refused', reason: 'type' });
    web.handle('dripping.test', (request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/here', 'content-length': 99 }).flushHeaders();
      else response.writeHead(404).end();
    });
    const hasty = fetcherWith({ totalTimeoutMs: 900 });
    expect(await get('dripping.test/moved', hasty)).toMatchObject({ kind: 'redirected', permanent: false });
  });

  it('that sends a whole page as 206 returns it whole, and a real part without a version', async () => {
    web.handle('parted.test', (request, response) => {
      const range = request.url === '/whole' ? 'bytes 0-9/10' : 'bytes 0-9/20';
      response.writeHead(206, { 'content-range': range, etag: '"1"', 'content-type': 'text/html' }).end('<p>0123456');
    });
    const own = fetcherWith({ robots: false });
    expect(await get('parted.test/whole', own)).toMatchObject({ status: 200, headers: { etag: '"1"' } });
    expect(await get('parted.test/part', own)).toMatchObject({ status: 206, headers: { etag: '' } });
  });

  it('that breaks off within undecodable data returns nothing', async () => {
    web.handle('packed-part.test', (request) => {
      request.socket.end('HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-length: 99\r\n\r\nno brotli at all');
    });
    const outcome = await get('packed-part.test/', fetcherWith({ robots: false }));
    expect(outcome).toMatchObject({ kind: 'failed', retry: 'later', reason: 'reset' });
    expect(outcome).not.toHaveProperty('part');
  });

  it('that changes protocols without a request fails', async () => {
    expect(await get('broken.test/upgrade')).toMatchObject({ kind: 'failed' });
  });

  it('that closes a kept connection at its next use is asked again', async () => {
    let dropped = false;
    web.handle('moody.test', (request, response) => {
      if (request.url === '/again' && !dropped) {
        dropped = true;
        request.socket.destroy();
      } else response.end(tinyPage('moods'));
    });
    const own = fetcherWith({ robots: false });
    await get('moody.test/first', own);
    expect(await get('moody.test/again', own)).toMatchObject({ kind: 'fetched' });
  });

  it('without a listening port fails to connect', async () => {
    const url = canonicalize(`http://127.0.0.1:${await closedPort()}/`)!;
    const outcome = await fetcherWith({ robots: false }).fetch(url);
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'connect', retry: 'later' });
  });
});

describe('robots.txt', () => {
  it('rejects a page and names the rule', async () => {
    expect(await get('site.test/private/x')).toMatchObject({
      kind: 'refused',
      reason: 'robots',
      detail: 'robots.txt line 2: Disallow: /private',
    });
    expect(web.requests).not.toContain('site.test/private/x');
    expect(await get('site.test/private/open')).toMatchObject({ kind: 'fetched' });
  });

  it('is requested once per host, before its first page', async () => {
    await Promise.all(['/1', '/2', '/3'].map((path) => get(`once.test${path}`)));
    const asked = web.requests.filter((request) => request.startsWith('once.test'));
    expect(asked[0]).toBe('once.test/robots.txt');
    expect(asked).toHaveLength(4);
  });

  it('reports the crawl delay and the sitemaps of a host', async () => {
    await get('site.test/a');
    expect(fetcher.crawlDelayMs(`site.test:${web.port}`)).toBe(2000);
    expect(fetcher.crawlDelayMs('never-seen.test')).toBe(0);
    expect(fetcher.sitemaps(`site.test:${web.port}`)).toEqual(['http://site.test/sitemap.xml']);
  });

  it('with a 5xx status defers every page', async () => {
    expect(
      await get(
        'down.test/page',
        fetcherWith({}, () => 1000),
      ),
    ).toMatchObject({
      kind: 'failed',
      retry: 'later',
      reason: 'http',
      status: 503,
      retryAfterMs: 30_000,
      detail: 'robots.txt: HTTP status 503',
    });
    expect(web.requests).not.toContain('down.test/page');
  });

  it('is followed through five redirects, also to another host, and then counts as missing', async () => {
    for (let i = 1; i <= 5; i++) {
      const target = `${web.origin(i < 5 ? `hop${i + 1}.test` : 'site.test')}/robots.txt`;
      web.handle(`hop${i}.test`, (_, response) => void response.writeHead(302, { location: target }).end());
    }
    web.handle('round.test', (request, response) => {
      if (request.url === '/robots.txt') response.writeHead(302, { location: '/robots.txt' });
      response.end(tinyPage('round'));
    });
    expect(await get('hop1.test/private/x')).toMatchObject({ kind: 'refused', reason: 'robots' });
    expect(await get('round.test/private/x')).toMatchObject({ kind: 'fetched' });
    expect(web.requests.filter((path) => path === 'round.test/robots.txt')).toHaveLength(1);
  });

  it('is requested once if many hosts redirect to the same file', async () => {
    const target = `${web.origin('shared.test')}/robots.txt`;
    web.handle('shared.test', (request, response) => {
      response.end(request.url === '/robots.txt' ? 'User-agent: *\nDisallow: /a\n' : tinyPage('shared'));
    });
    const hosts = ['one.shared.test', 'two.shared.test', 'shared.test', 'three.shared.test'];
    const send: Handler = (_, response) => void response.writeHead(301, { location: target }).end();
    for (const host of hosts) if (host !== 'shared.test') web.handle(host, send);
    const own = fetcherWith({});
    for (const host of hosts) expect(await get(`${host}/a`, own)).toMatchObject({ kind: 'refused', reason: 'robots' });
    expect(await get('shared.test/b', own)).toMatchObject({ kind: 'fetched' });
    expect(web.requests.filter((path) => path === 'shared.test/robots.txt')).toHaveLength(1);
  });

  it('that leads to another host waits for its turn there, and is requested once', async () => {
    const turns: string[] = [];
    const reserve = (url: string): number => (turns.push(url) === 1 ? 60 : 0);
    const own = new HttpFetcher(settings(), { reserve });
    open.push(own);
    const home = `${web.origin('platform.test')}/home`;
    for (const host of ['blog1.test', 'blog2.test', 'blog3.test'])
      web.handle(host, (request, response) => {
        if (request.url !== '/robots.txt') return void response.end(tinyPage('page'));
        response.writeHead(302, { location: home }).end();
      });
    const begun = performance.now();
    expect(await get('blog1.test/a', own)).toMatchObject({ kind: 'fetched' });
    expect(performance.now() - begun).toBeGreaterThan(50);
    for (const host of ['blog2.test', 'blog3.test'])
      expect(await get(`${host}/a`, own)).toMatchObject({ kind: 'fetched' });
    expect(turns).toEqual([home]);
    expect(web.requests.filter((path) => path === 'platform.test/home')).toHaveLength(1);
  });

  it('behind a cookie wall is read', async () => {
    web.handle('walled-robots.test', (request, response) => {
      const wall = { location: request.url ?? '/', 'set-cookie': 'seen=yes' };
      if (request.headers.cookie !== 'seen=yes') response.writeHead(302, wall).end();
      else response.end(request.url === '/robots.txt' ? 'User-agent: *\nDisallow: /a\n' : tinyPage('page'));
    });
    expect(await get('walled-robots.test/a')).toMatchObject({ kind: 'refused', reason: 'robots' });
    expect(await get('walled-robots.test/b')).toMatchObject({ kind: 'fetched' });
  });

  it.each([
    ['gone', 'http://gone.test/robots.txt', 'the name gone.test does not exist'],
    ['private', 'http://169.254.169.254/robots.txt', 'a metadata service'],
  ])('to a host without an answer postpones every page: %s', async (host, target, why) => {
    web.handle(`to-${host}.test`, (_, response) => void response.writeHead(302, { location: target }).end());
    const held = await get(`to-${host}.test/a`);
    expect(held).toMatchObject({ kind: 'failed', retry: 'later', retryAfterMs: expect.any(Number) });
    const detail = held.kind === 'failed' ? held.detail : '';
    expect(detail).toContain(`robots.txt: it redirects to ${target}: `);
    expect(detail).toContain(why);
  });

  it.each([
    [
      'a person',
      { kind: 'refused', reason: 'locked-host', detail: 'shut.test is locked' },
      { kind: 'refused', reason: 'locked-host', detail: 'robots.txt redirects to ROBOTS: shut.test is locked' },
    ],
    [
      'its trouble',
      { kind: 'failed', retry: 'later', reason: 'connect', status: 0, retryAfterMs: 90_000, detail: 'shut.test rests' },
      {
        ...{ kind: 'failed', retry: 'later', reason: 'connect', retryAfterMs: 90_000 },
        detail: 'robots.txt: it redirects to ROBOTS: shut.test rests',
      },
    ],
  ] as const)('that leads to a host left alone because of %s is not asked for there', async (_, objection, outcome) => {
    const target = `${web.origin('shut.test')}/robots.txt`;
    web.handle('to-shut.test', (request, response) => {
      const location = request.url === '/robots.txt' ? '/r' : target;
      response.writeHead(302, { location }).end();
    });
    const asked: string[] = [];
    const objectionTo = (url: string) => {
      asked.push(url);
      return objection;
    };
    const own = new HttpFetcher(settings(), { objectionTo, now: () => 1000, steadyNow: () => 1000 });
    open.push(own);
    const detail = outcome.detail.replace('ROBOTS', target);
    expect(await get('to-shut.test/a', own)).toMatchObject({ ...outcome, detail });
    // No robots.txt is requested for its own host.
    expect(asked).toEqual([target]);
    expect(web.requests.filter((path) => path.startsWith('shut.test'))).toEqual([]);
  });

  it('defers every page if it is damaged', async () => {
    web.handle('damaged-robots.test', (request, response) => {
      if (request.url !== '/robots.txt') return void response.end(tinyPage('page'));
      response.writeHead(200, { 'content-encoding': 'br' }).end('User-agent: *\nDisallow: /a\n');
    });
    const held = { kind: 'failed', retry: 'later', reason: 'protocol', retryAfterMs: expect.any(Number) };
    expect(await get('damaged-robots.test/b')).toMatchObject({
      ...held,
      detail: expect.stringMatching(/^robots.txt: br:/),
    });
  });

  it.each([
    [206, 'bytes 0-19/900', 'failed'],
    [206, 'bytes 0-26/27', 'refused'],
    [304, '', 'failed'],
  ])('of which nothing whole came holds back every page for now: %i %s', async (status, range, kind) => {
    web.handle('part-robots.test', (request, response) => {
      if (request.url !== '/robots.txt') return void response.end(tinyPage('page'));
      response.writeHead(status, { 'content-range': range }).end('User-agent: *\nDisallow: /a\n');
    });
    const outcome = await get('part-robots.test/a', fetcherWith({}));
    expect(outcome).toMatchObject({ kind, detail: expect.stringContaining('robots.txt') });
    if (kind === 'failed') expect(outcome).toMatchObject({ retry: 'later', reason: 'http', status });
  });

  it.each(['gzip', 'br', 'zstd', 'deflate'])('defers every page if it is compressed in part: %s', async (coding) => {
    const rules = `${Array.from({ length: 900 }, (_, i) => `# ${i * 7919}\n`).join('')}User-agent: *\nDisallow: /a\n`;
    const pack = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync, deflate: deflateSync }[coding]!;
    web.handle('half-packed.test', (_, response) => {
      const packed = pack(rules);
      response.writeHead(200, { 'content-encoding': coding }).end(packed.subarray(0, packed.length / 2));
    });
    const held = await get('half-packed.test/a', fetcherWith({}));
    expect(held).toMatchObject({ kind: 'failed', retry: 'later', reason: 'protocol' });
  });

  it('with undeclared compression is read', async () => {
    const packed = gzipSync('User-agent: *\nDisallow: /a\n');
    web.handle('packed-robots.test', (request, response) => {
      response.end(request.url === '/robots.txt' ? packed : tinyPage('page'));
    });
    expect(await get('packed-robots.test/a')).toMatchObject({ kind: 'refused', reason: 'robots' });
  });

  it('is read up to its limit, and later rules do not count', async () => {
    const filler = '# filler\n'.repeat(10_000);
    web.handle(
      'long-robots.test',
      (request, response) =>
        void response.end(
          request.url === '/robots.txt' ? `User-agent: *\nDisallow: /a\n${filler}Disallow: /b\n` : tinyPage('page'),
        ),
    );
    const own = fetcherWith({ robotsMaxBytes: 20_000 });
    expect(await get('long-robots.test/a', own)).toMatchObject({ kind: 'refused' });
    expect(await get('long-robots.test/b', own)).toMatchObject({ kind: 'fetched' });
  });

  it('is read up to the last whole line, since a cut line would forbid too much', async () => {
    const rules = 'User-agent: *\nDisallow: /a\n';
    web.handle('half-robots.test', (request, response) => {
      response.end(request.url === '/robots.txt' ? `${rules}Disallow: /b\n` : tinyPage('page'));
    });
    const own = fetcherWith({ robotsMaxBytes: `${rules}Disallow: /`.length });
    expect(await get('half-robots.test/a', own)).toMatchObject({ kind: 'refused' });
    expect(await get('half-robots.test/c', own)).toMatchObject({ kind: 'fetched' });
    const all = fetcherWith({ robotsMaxBytes: `${rules}Disallow: /b`.length });
    expect(await get('half-robots.test/b', all)).toMatchObject({ kind: 'refused' });
    expect(await get('half-robots.test/c', all)).toMatchObject({ kind: 'fetched' });
  });

  it('that breaks off is recorded up to there', async () => {
    web.handle('cut-robots.test', (request) => {
      request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nUser-agent: *');
    });
    const recorded: Recording[] = [];
    const record = async (each: Recording): Promise<void> => void recorded.push(each);
    const recorder = { record, recordRendered: async () => {} };
    const own = new HttpFetcher(settings(), { recorder });
    open.push(own);
    expect(await get('cut-robots.test/a', own)).toMatchObject({ kind: 'failed', retry: 'later' });
    expect(recorded).toMatchObject([{ url: `${web.origin('cut-robots.test')}/robots.txt`, isBrokenOff: true }]);
  });

  it('is ignored if the settings say so', async () => {
    expect(await get('site.test/private/x', fetcherWith({ robots: false }))).toMatchObject({ kind: 'fetched' });
  });
});

describe('names', () => {
  it.each([
    ['gone.test', 'never', 'does not exist', {}],
    ['empty.test', 'never', 'has no address', {}],
    ['servfail.test', 'later', 'no name server answers', {}],
    ['noanswer.test', 'later', 'no name server answers', { dnsTimeoutMs: 20 }],
  ])('%s cannot be resolved: %s', async (host, retry, detail, changes) => {
    const own = fetcherWith(changes);
    expect(await get(`${host}/`, own)).toMatchObject({
      kind: 'failed',
      reason: 'dns',
      retry,
      detail: expect.stringContaining(detail),
    });
  });

  it('are resolved ahead of time', async () => {
    const own = fetcherWith({});
    expect(await own.resolve(`ahead.test:${web.port}`)).toBe(true);
    expect(await own.resolve('gone.test')).toBe(false);
    const questions = web.dns.questions.length;
    await get('ahead.test/', own);
    expect(web.dns.questions).toHaveLength(questions);
  });

  it('are looked up, IP addresses are not', async () => {
    const own = fetcherWith({});
    const questions = web.dns.questions.length;
    expect(await own.resolve(`127.0.0.1:${web.port}`)).toBe(true);
    expect(await own.resolve(`[::1]:${web.port}`)).toBe(true);
    expect(await own.fetch(canonicalize(`http://127.0.0.1:${web.port}/`)!)).toMatchObject({ address: '127.0.0.1' });
    expect(web.dns.questions).toHaveLength(questions);
  });

  it('may be aliases', async () => {
    expect(await get('alias.test/')).toMatchObject({ kind: 'fetched', address: '127.0.0.1' });
  });
});

describe('addresses that are not public', () => {
  const strict = () => fetcherWith({ allowPrivate: false });

  it.each([
    ...[
      'http://127.0.0.1/',
      'http://127.1/',
      'http://2130706433/',
      'http://0x7f000001/',
      'http://017700000001/',
      'http://0/',
    ],
    ...['http://127.0.0.1./', 'http://①②⑦.⓪.⓪.①/', 'http://10.0.0.1/', 'http://192.168.1.1/', 'http://100.64.0.1/'],
    ...['http://169.254.169.254/latest/meta-data/', 'http://[::1]/', 'http://[::]/', 'http://[::ffff:127.0.0.1]/'],
    ...['http://[::127.0.0.1]/', 'http://[64:ff9b::7f00:1]/', 'http://[2002:7f00:1::]/', 'http://[2001:0:7f00:1::]/'],
    ...['http://[fe80::1]/', 'http://[fd00::1]/', 'https://127.0.0.1/', 'http://metadata.google.internal/'],
  ])('are refused in every written form: %s', async (url) => {
    expect(await strict().fetch(canonicalize(url)!)).toMatchObject({ kind: 'refused', reason: 'private-address' });
  });

  it.each(['site.test', 'private.test', 'metadata.test', 'alias.test'])(
    'are refused behind a name: %s',
    async (host) => {
      const requests = web.requests.length;
      const outcome = await get(`${host}/`, strict());
      expect(outcome).toMatchObject({
        kind: 'refused',
        reason: 'private-address',
        detail: expect.stringContaining(host),
      });
      expect(web.requests).toHaveLength(requests);
    },
  );

  it('are rejected with the setting for an intranet, except metadata services', async () => {
    const { detail } = (await get('site.test/', strict())) as { detail: string };
    expect(detail).toBe('site.test has the address 127.0.0.1, which is not public (network.allowPrivate is false)');
    const metadata = (await get('metadata.test/', strict())) as { detail: string };
    expect(metadata.detail).toContain('which belongs to a metadata service');
  });

  it('are rejected if one of several addresses is private', async () => {
    expect(await get('mixed.test/', strict())).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining('127.0.0.1'),
    });
  });

  it('are rejected behind the name localhost', async () => {
    const own = fetcherWith({ allowPrivate: false, dnsServers: [] });
    expect(await own.fetch(canonicalize(`http://localhost:${web.port}/`)!)).toMatchObject({
      reason: 'private-address',
    });
  });

  it('are rejected at the end of a redirect', async () => {
    const first = await get('site.test/to-private');
    if (first.kind !== 'redirected') throw new Error(first.kind);
    expect(await strict().fetch(first.target)).toMatchObject({ kind: 'refused', reason: 'private-address' });
  });

  it('are not dialled if a name changes its address after the check', async () => {
    // A second query would lead to an address without a server.
    web.dns.set('rebind.test', { kind: 'changing', v4: [['127.0.0.1'], ['127.0.0.99']], ttl: 0 });
    const own = fetcherWith({ robots: false });
    expect(await get('rebind.test/1', own)).toMatchObject({ kind: 'fetched', address: '127.0.0.1' });
    expect(await get('rebind.test/2', own)).toMatchObject({ kind: 'fetched', address: '127.0.0.1' });
    expect(web.dns.questions.filter((question) => question === 'A rebind.test')).toHaveLength(1);
  });

  it('stay rejected for metadata services also on an intranet', async () => {
    const intranet = fetcherWith({ allowPrivate: true });
    for (const url of ['http://169.254.169.254/', 'http://[::ffff:169.254.169.254]/', 'http://metadata/']) {
      expect(await intranet.fetch(canonicalize(url)!)).toMatchObject({ kind: 'refused', reason: 'private-address' });
    }
    expect(await get('metadata.test/', intranet)).toMatchObject({ kind: 'refused', reason: 'private-address' });
  });
});

describe('ports of other services', () => {
  it.each([
    ['http://site.test:22/', 22],
    ['https://site.test:25/x', 25],
    ['http://[::1]:6667/', 6667],
    ['http://127.0.0.1:10080/', 10080],
  ])('are refused without a request or a DNS query: %s', async (url, port) => {
    const questions = web.dns.questions.length;
    const detail = `port ${port} belongs to a service other than the web; browsers block it`;
    expect(await fetcherWith({}).fetch(canonicalize(url)!)).toMatchObject({ kind: 'refused', reason: 'port', detail });
    expect(web.dns.questions).toHaveLength(questions);
  });

  it('are rejected as the target of a robots.txt redirect', async () => {
    const location = 'http://site.test:25/robots.txt';
    web.handle('to-mail.test', (_, response) => void response.writeHead(302, { location }).end());
    expect(await get('to-mail.test/')).toMatchObject({
      ...{ kind: 'failed', retry: 'later', reason: 'port' },
      detail: expect.stringContaining(`it redirects to ${location}: port 25`),
    });
  });
});

describe('many hosts', () => {
  it('share a bounded number of connections, and none stay open after closing', async () => {
    const own = fetcherWith({ robots: false, concurrency: 20, perAddress: 0 });
    let most = 0;
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < 1200) {
        const outcome = await get(`h${next++}.test/`, own);
        expect(outcome.kind).toBe('fetched');
        most = Math.max(most, web.connections.size);
      }
    };
    await Promise.all(Array.from({ length: 20 }, worker));
    expect(most).toBeGreaterThan(100);
    expect(most).toBeLessThan(500);
    await own.close();
    await expect.poll(() => web.connections.size).toBeLessThan(20);
  });
});

describe('closing', () => {
  it('leaves nothing that keeps the process alive', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const own = fetcherWith({ robots: false });
    for (const path of ['a', 'reset', 'image']) await get(`${path === 'reset' ? 'broken' : 'site'}.test/${path}`, own);
    await own.close();
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('does not wait for a name server', async () => {
    const names = await startTinyDns({ 'unheard.test': { kind: 'silent' } });
    const own = fetcherWith({ dnsServers: [names.address], dnsTimeoutMs: 60_000 });
    const pending = own.resolve('unheard.test');
    await expect.poll(() => names.questions.length).toBeGreaterThan(0);
    await own.close();
    expect(await pending).toBe(false);
    await names.close();
  });

  it('fails the running requests', async () => {
    const own = fetcherWith({ robots: false });
    const pending = get('silent.test/', own);
    await expect.poll(() => web.requests.at(-1)).toBe('silent.test/');
    await own.close();
    expect(await pending).toMatchObject({ kind: 'failed' });
  });
});

/** A port with a full backlog, because its thread sleeps: connections are neither accepted nor rejected. */
async function deafPort(): Promise<{ port: number; close(): Promise<void> }> {
  const code = `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:worker_threads').parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000);
  });`;
  const thread = new Worker(code, { eval: true });
  const [port] = (await once(thread, 'message')) as [number];
  const waiting = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await once(waiting[1]!, 'connect');
  return {
    port,
    close: async () => {
      for (const socket of waiting) socket.destroy();
      await thread.terminate();
    },
  };
}

/** A port without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
