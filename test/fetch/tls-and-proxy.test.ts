import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import {
  constants,
  createSecureServer,
  type Http2ServerRequest,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { canonicalize, DEFAULTS, type FetchOutcome } from '../../src/core/index.ts';
import { HttpFetcher, type NetworkSettings } from '../../src/fetch/index.ts';
import { selfSigned } from '../../src/lab/serve/self-signed.ts';
import { startTinyWeb, type TinyWeb, tinyPage } from '../support/tiny-web.ts';

const HOUR = 3_600_000;
/** Node 22.19 and later; without it the tests that need a trusted certificate are skipped. */
const canTrust = typeof tls.setDefaultCACertificates === 'function';
let web: TinyWeb;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  web = await startTinyWeb();
});
afterEach(() => Promise.all(open.splice(0).map((thing) => thing.close())));
afterAll(() => web.close());

function fetcherWith(changes: Partial<NetworkSettings>): HttpFetcher {
  const made = new HttpFetcher({ ...DEFAULTS.network, dnsServers: [web.dnsServer], allowPrivate: true, ...changes });
  open.push(made);
  return made;
}

const fetchUrl = (by: HttpFetcher, url: string): Promise<FetchOutcome> => by.fetch(canonicalize(url)!);

/** The common part of HTTP/1.1 and HTTP/2 responses. */
interface Answering {
  writeHead(
    status: number,
    headers?: Record<string, string | string[]>,
  ): { write(body: string): boolean; end(body?: unknown): unknown };
}

interface SecureSite {
  readonly port: number;
  /** `1.1` or `2.0`, one per request. */
  readonly versions: readonly string[];
  readonly certificate: string;
}

/** An HTTPS host; `old` hosts speak only HTTP/1.1, the others HTTP/2 too. */
async function secureSite(
  names: readonly string[],
  options: { now?: number; old?: boolean } = {},
): Promise<SecureSite> {
  const { key, cert } = selfSigned(names, options.now);
  const versions: string[] = [];
  const answer = (request: IncomingMessage | Http2ServerRequest, response: Answering): void => {
    versions.push(request.httpVersion);
    const html = { 'content-type': 'text/html' };
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    if (request.url === '/large') return void response.writeHead(200, html).end(Buffer.alloc(300_000));
    if (request.url === '/tagged') {
      const tags = ['googlebot: noindex', 'noindex', 'otherbot: nofollow, noarchive'];
      return void response.writeHead(200, { ...html, 'x-robots-tag': tags }).end(tinyPage('tagged'));
    }
    if (request.url === '/drip') return void response.writeHead(200, html).write('.');
    response.writeHead(200, html).end(tinyPage(`secure ${request.url}`));
  };
  const server = options.old
    ? createHttpsServer({ key, cert }, answer)
    : createSecureServer({ key, cert, allowHTTP1: true }, answer);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  server.on('sessionError', () => {});
  const port = await opened(server, sockets);
  return { port, versions, certificate: cert };
}

describe('TLS', () => {
  it('starts a request once it is connected, however long that takes', async () => {
    const { key, cert } = selfSigned(['slow.test'], Date.now());
    const SNICallback = (_name: string, done: (error: null) => void): void => void setTimeout(done, 300, null);
    const server = createHttpsServer({ key, cert, SNICallback }, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(tinyPage('slow'));
    });
    const port = await opened(server, new Set());
    const own = fetcherWith({ insecureTls: true, robots: false });
    const url = canonicalize(`https://slow.test:${port}/`)!;
    const began = performance.now();
    let begunAt = 0;
    const outcome = await own.fetch(url, undefined, () => {
      begunAt = performance.now();
    });
    expect(outcome.kind).toBe('fetched');
    expect(begunAt - began).toBeGreaterThan(290);
  });

  it('is rejected permanently if the certificate is not trusted', async () => {
    const { port } = await secureSite(['secure.test']);
    const outcome = await fetchUrl(fetcherWith({}), `https://secure.test:${port}/`);
    expect(outcome).toMatchObject({
      kind: 'failed',
      retry: 'never',
      reason: 'tls',
      detail: 'self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT; network.insecureTls is false)',
    });
  });

  it('accepts any certificate if the settings say so', async () => {
    const { port } = await secureSite(['elsewhere.test']);
    const own = fetcherWith({ insecureTls: true });
    expect(await fetchUrl(own, `https://secure.test:${port}/`)).toMatchObject({
      kind: 'fetched',
      address: '127.0.0.1',
    });
  });

  it.skipIf(!canTrust)('verifies the name although it dials the address', async () => {
    const { port, certificate } = await secureSite(['*.secure.test']);
    await trusting(certificate, async () => {
      const own = fetcherWith({});
      expect(await fetchUrl(own, `https://www.secure.test:${port}/`)).toMatchObject({ kind: 'fetched' });
      expect(await fetchUrl(own, `https://other.test:${port}/`)).toMatchObject({ kind: 'failed', reason: 'tls' });
    });
  });

  it.skipIf(!canTrust)('rejects an expired certificate', async () => {
    const { port, certificate } = await secureSite(['secure.test'], { now: Date.now() - 1000 * HOUR });
    await trusting(certificate, async () => {
      const outcome = await fetchUrl(fetcherWith({}), `https://secure.test:${port}/`);
      expect(outcome).toMatchObject({ kind: 'failed', reason: 'tls', detail: expect.stringContaining('EXPIRED') });
    });
  });

  it('fails if the server does not support it', async () => {
    const outcome = await fetchUrl(fetcherWith({}), `https://site.test:${web.port}/`);
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'tls', retry: 'never' });
    expect(outcome.kind === 'failed' && outcome.detail).toMatch(
      /^the port does not use TLS: [a-z ]+ \(ERR_SSL_[A-Z_]+\)$/,
    );
  });

  it('fails if the server supports only old versions, and reports that', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const server = createHttpsServer({ ...selfSigned(['old.test'], Date.now()), ...old });
    const port = await opened(server, new Set());
    const outcome = await fetchUrl(fetcherWith({ insecureTls: true }), `https://old.test:${port}/`);
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'tls', detail: expect.stringContaining('1.2 or newer') });
  });
});

describe('HTTP/2', () => {
  it.each([false, true])('reports the addressee of each robots directive, like HTTP/1.1 (old: %s)', async (old) => {
    const { port } = await secureSite(['secure.test'], { old });
    const own = fetcherWith({ insecureTls: true });
    const xRobotsTag = 'googlebot: noindex\nnoindex\notherbot: nofollow, noarchive';
    expect(await fetchUrl(own, `https://secure.test:${port}/tagged`)).toMatchObject({ headers: { xRobotsTag } });
  });

  it('is used if the server offers it, and HTTP/1.1 otherwise', async () => {
    const both = await secureSite(['secure.test']);
    const old = await secureSite(['secure.test'], { old: true });
    const own = fetcherWith({ insecureTls: true });
    expect(await fetchUrl(own, `https://secure.test:${both.port}/`)).toMatchObject({ kind: 'fetched' });
    expect(await fetchUrl(own, `https://secure.test:${old.port}/`)).toMatchObject({ kind: 'fetched' });
    expect([both.versions, old.versions]).toEqual([
      ['2.0', '2.0'],
      ['1.1', '1.1'],
    ]);
  });

  it('falls back to HTTP/1.1 if the server that offers it asks for that', async () => {
    const versions: string[] = [];
    const server = createSecureServer({ ...selfSigned(['secure.test']), allowHTTP1: true }, (request, response) => {
      versions.push(`${request.httpVersion.slice(0, 1)} ${request.url}`);
      if (request.httpVersion === '2.0') request.stream.close(constants.NGHTTP2_HTTP_1_1_REQUIRED);
      else response.writeHead(200, { 'content-type': 'text/html' }).end(tinyPage('old'));
    });
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
    const port = await opened(server, sockets);
    const own = fetcherWith({ insecureTls: true, robots: false });
    for (const path of ['a', 'b'])
      expect(await fetchUrl(own, `https://secure.test:${port}/${path}`)).toMatchObject({ kind: 'fetched' });
    expect(versions).toEqual(['2 /a', '1 /a', '1 /b']);
  });

  it('obeys the same limits', async () => {
    const { port } = await secureSite(['secure.test']);
    const own = fetcherWith({ insecureTls: true, maxBodyBytes: 100_000, totalTimeoutMs: 1500 });
    const [large, drip, page] = await Promise.all(
      ['large', 'drip', 'page'].map((path) => fetchUrl(own, `https://secure.test:${port}/${path}`)),
    );
    expect(large).toMatchObject({ kind: 'refused', reason: 'size' });
    expect(drip).toMatchObject({ kind: 'failed', reason: 'timeout', retry: 'later' });
    expect(page).toMatchObject({ kind: 'fetched' });
    expect(await fetchUrl(own, `https://secure.test:${port}/after`)).toMatchObject({ kind: 'fetched' });
  });
});

describe('an HTTP/2 server that gives up', () => {
  const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_FRAME_SIZE_ERROR } = constants;
  const { NGHTTP2_NO_ERROR } = constants;
  it.each<[string, (stream: ServerHttp2Stream) => void, string, string]>([
    ['a stream, by an error of its own', (stream) => stream.close(NGHTTP2_INTERNAL_ERROR), 'later', 'reset'],
    ['a stream, without a word', (stream) => stream.close(NGHTTP2_CANCEL), 'later', 'reset'],
    ['a stream, since too many ask', (stream) => stream.close(NGHTTP2_ENHANCE_YOUR_CALM), 'later', 'reset'],
    ['a stream, as its headers are too long', (stream) => stream.close(NGHTTP2_FRAME_SIZE_ERROR), 'never', 'protocol'],
    ['the connection, and says so', (stream) => stream.session?.goaway(NGHTTP2_ENHANCE_YOUR_CALM), 'later', 'reset'],
    ['the connection, without a word', (stream) => stream.session?.destroy(), 'later', 'reset'],
  ])('%s', async (_, giveUp, retry, reason) => {
    const { port } = await troubledSite(giveUp);
    const own = fetcherWith({ insecureTls: true, robots: false });
    expect(await fetchUrl(own, `https://secure.test:${port}/page`)).toMatchObject({ kind: 'failed', retry, reason });
    expect(await fetchUrl(own, `https://secure.test:${port}/fine`)).toMatchObject({ kind: 'fetched' });
  });

  it.each([
    ['by an error of its own', NGHTTP2_INTERNAL_ERROR],
    ['without a word', NGHTTP2_CANCEL],
    ['as if there were none', NGHTTP2_NO_ERROR],
  ])('within a page, %s, has given no whole page', async (_, code) => {
    const port = await brokenSite(code);
    const outcome = await fetchUrl(
      fetcherWith({ insecureTls: true, robots: false }),
      `https://secure.test:${port}/page`,
    );
    expect(outcome).toMatchObject({
      ...{ kind: 'failed', retry: 'later', reason: 'truncated' },
      part: { status: 206, headers: { etag: '' } },
    });
  });

  it.each([
    ['by an error of its own', NGHTTP2_INTERNAL_ERROR],
    ['as if there were none', NGHTTP2_NO_ERROR],
  ])('when all that it announced has come, %s, has given the page', async (_, code) => {
    const length = [0x0f, 0x0d, 2, ...Buffer.from(String(HALF.length))];
    const port = await brokenSite(code, [...PAGE_HEAD, ...length]);
    const own = fetcherWith({ insecureTls: true, robots: false });
    expect(await fetchUrl(own, `https://secure.test:${port}/page`)).toMatchObject({ kind: 'fetched', status: 200 });
  });

  it.each([
    ['the end in its last data', [() => frame(DATA, 1, HALF, END_STREAM)]],
    ['the end without data', [() => frame(DATA, 1, HALF), () => frame(DATA, 1, [], END_STREAM)]],
    ['trailers', [() => frame(DATA, 1, HALF), () => frame(HEADERS, 1, [0, 1, 120, 1, 121], END_STREAM)]],
  ])('after its whole answer has given the page: %s', async (_, frames) => {
    const port = await frameSite((socket) => {
      const whole = [frame(HEADERS, 1, PAGE_HEAD), ...frames.map((make) => make())];
      socket.write(Buffer.concat([...whole, frame(RST_STREAM, 1, [0, 0, 0, NGHTTP2_NO_ERROR])]));
    });
    const own = fetcherWith({ insecureTls: true, robots: false });
    expect(await fetchUrl(own, `https://secure.test:${port}/page`)).toMatchObject({ kind: 'fetched', status: 200 });
  });

  it('because of a field of HTTP/1.1 is asked over HTTP/1.1', async () => {
    const upgrade = [0, 7, ...Buffer.from('upgrade'), 2, ...Buffer.from('h2')];
    const port = await frameSite((socket) => {
      socket.write(Buffer.concat([frame(HEADERS, 1, [...PAGE_HEAD, ...upgrade]), frame(DATA, 1, HALF, END_STREAM)]));
    });
    const own = fetcherWith({ insecureTls: true, robots: false });
    const page = await fetchUrl(own, `https://secure.test:${port}/page`);
    expect(page).toMatchObject({ kind: 'fetched', status: 200 });
    expect(page.kind === 'fetched' && Buffer.from(page.body).toString()).toBe('<p>Over HTTP/1.1');
  });
});

/** The head of a page of the static table (RFC 7541 §6): `:status: 200`, `content-type: text/html`. */
const PAGE_HEAD = [0x88, 0x0f, 0x10, 9, ...Buffer.from('text/html')];
const HALF = [...Buffer.from('<p>The first half')];

/** An HTTP/2 host that breaks off each response midway. */
function brokenSite(code: number, head: readonly number[] = PAGE_HEAD): Promise<number> {
  return frameSite((socket) => {
    socket.write(Buffer.concat([frame(HEADERS, 1, head), frame(DATA, 1, HALF)]));
    setTimeout(() => socket.write(frame(RST_STREAM, 1, [0, 0, 0, code])), 20);
  });
}

/** An HTTP/2 host that writes raw frames: the Node.js server would correct the intended errors. */
function frameSite(answer: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const ALPNProtocols = ['h2', 'http/1.1'];
  const server = tls.createServer({ ...selfSigned(['secure.test']), ALPNProtocols }, (socket) => {
    sockets.add(socket.on('error', () => {}));
    if (socket.alpnProtocol === 'h2') socket.write(frame(SETTINGS, 0, []));
    socket.once('data', () => {
      if (socket.alpnProtocol === 'h2') answer(socket);
      else socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Over HTTP/1.1');
    });
  });
  return opened(server, sockets);
}

const [DATA, HEADERS, RST_STREAM, SETTINGS] = [0, 1, 3, 4];
const END_HEADERS = 4;
const END_STREAM = 1;

/** Builds a short frame (RFC 9113 §4.1). */
function frame(type: number, stream: number, payload: readonly number[], more = 0): Buffer {
  const flags = type === HEADERS ? END_HEADERS : 0;
  return Buffer.from([0, 0, payload.length, type, flags | more, 0, 0, 0, stream, ...payload]);
}

/** An HTTP/2 host that answers at `/fine` and fails elsewhere. */
async function troubledSite(giveUp: (stream: ServerHttp2Stream) => void): Promise<{ readonly port: number }> {
  const sessions = new Set<ServerHttp2Session>();
  const server = createSecureServer(selfSigned(['secure.test']));
  server.on('session', (session) => sessions.add(session.on('error', () => {})));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    if (headers[':path'] !== '/fine') return giveUp(stream);
    stream.respond({ ':status': 200, 'content-type': 'text/html' });
    stream.end(tinyPage('fine'));
  });
  const port = await opened(server, sessions);
  return { port };
}

/** Lets a server listen until the test ends; its connections end with it. */
async function opened(server: NetServer, connections: Iterable<{ destroy(): void }>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({
    close: () => {
      for (const connection of connections) connection.destroy();
      server.close();
    },
  });
  return (server.address() as AddressInfo).port;
}

interface Proxy {
  readonly url: string;
  readonly asked: readonly string[];
  readonly headers: readonly IncomingMessage['headers'][];
}

/** A forward proxy that maps every name to the test web. */
async function startProxy(): Promise<Proxy> {
  const asked: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const sockets = new Set<Socket>();
  const server: Server = createHttpServer((request, response) => {
    asked.push(request.url ?? '');
    headers.push(request.headers);
    if (request.url?.endsWith('/robots.txt')) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(tinyPage(request.url ?? ''));
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    const far = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    for (const end of [far, socket]) end.on('error', () => {});
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  const port = await opened(server, sockets);
  return { url: `http://127.0.0.1:${port}`, asked, headers };
}

describe('a proxy', () => {
  it('receives plain HTTP in absolute form and resolves the names itself', async () => {
    const proxy = await startProxy();
    const own = fetcherWith({ proxy: proxy.url, allowPrivate: false });
    const questions = web.dns.questions.length;
    expect(await own.resolve('unknown.example')).toBe(true);
    expect(await fetchUrl(own, 'http://unknown.example/a?b=1')).toMatchObject({ kind: 'fetched', address: '' });
    expect(proxy.asked).toEqual(['http://unknown.example/robots.txt', 'http://unknown.example/a?b=1']);
    expect(proxy.headers[1]).toMatchObject({ host: 'unknown.example', 'user-agent': 'bingo-crawler/0.1' });
    expect(proxy.headers[1]).not.toHaveProperty('proxy-authorization');
    expect(web.dns.questions).toHaveLength(questions);
  });

  it('receives the credentials in its URL', async () => {
    const proxy = await startProxy();
    const own = fetcherWith({ proxy: proxy.url.replace('//', '//me:p%40ss@'), robots: false });
    await fetchUrl(own, 'http://unknown.example/');
    expect(proxy.headers[0]).toMatchObject({ 'proxy-authorization': `Basic ${btoa('me:p@ss')}` });
  });

  it('is blamed itself if it is unreachable, and no host is, over HTTPS too', async () => {
    const own = fetcherWith({ proxy: 'http://127.0.0.1:1', robots: false });
    for (const url of ['http://unknown.example/', 'https://unknown.example/'])
      expect(await fetchUrl(own, url)).toMatchObject({
        kind: 'failed',
        reason: 'connect',
        retry: 'later',
        detail: expect.stringContaining('the proxy does not answer: '),
      });
  });

  it('opens a tunnel for HTTPS, whose certificate is still verified', async () => {
    const proxy = await startProxy();
    const { port } = await secureSite(['secure.example']);
    const lax = fetcherWith({ proxy: proxy.url, insecureTls: true, robots: false });
    expect(await fetchUrl(lax, `https://secure.example:${port}/`)).toMatchObject({ kind: 'fetched' });
    expect(proxy.asked).toEqual([`CONNECT secure.example:${port}`]);
    const strict = fetcherWith({ proxy: proxy.url, robots: false });
    expect(await fetchUrl(strict, `https://secure.example:${port}/`)).toMatchObject({ kind: 'failed', reason: 'tls' });
  });

  it.each(['http://10.0.0.1/', 'http://[::1]/', 'http://2130706433/', 'http://localhost/', 'https://169.254.169.254/'])(
    'is never asked for what is private by its very name: %s',
    async (url) => {
      const proxy = await startProxy();
      const own = fetcherWith({ proxy: proxy.url, allowPrivate: false });
      expect(await fetchUrl(own, url)).toMatchObject({ kind: 'refused', reason: 'private-address' });
      expect(proxy.asked).toEqual([]);
    },
  );

  it('that is missing counts as a failed connection', async () => {
    const own = fetcherWith({ proxy: 'http://127.0.0.1:9', robots: false });
    expect(await fetchUrl(own, 'http://unknown.example/')).toMatchObject({
      kind: 'failed',
      reason: 'connect',
      retry: 'later',
    });
    expect(await fetchUrl(own, 'https://unknown.example/')).toMatchObject({
      kind: 'failed',
      reason: 'connect',
      retry: 'later',
    });
  });

  it.each([
    [407, 'later', 'HTTP status 407 (the proxy asks for a user name and password)'],
    [403, 'never', 'HTTP status 403, from the proxy'],
    [502, 'later', 'HTTP status 502, from the proxy'],
  ])('that refuses its service says so, for robots.txt and for pages: %i', async (status, retry, detail) => {
    const url = await startRefusingProxy(status);
    const http = await fetchUrl(fetcherWith({ proxy: url, robots: false }), 'http://unknown.example/');
    expect(http).toMatchObject({ kind: 'failed', reason: 'http', retry, status });
    const https = await fetchUrl(fetcherWith({ proxy: url, robots: false }), 'https://unknown.example/');
    expect(https).toMatchObject({ kind: 'failed', reason: 'http', retry, status, detail });
  });

  it.each([
    ['says nothing', '', 'connected, but no tunnel in time (network.totalTimeoutMs)', { connectTimeoutMs: 1000 }],
    ['is none', 'SSH-2.0-OpenSSH_9\r\n', 'Response does not match the HTTP/1.1 protocol', {}],
  ])('that %s when a tunnel is wanted is blamed itself, and no host', async (_, said, detail, changes) => {
    const sockets = new Set<Socket>();
    const server = createNetServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      socket.once('data', () => socket.write(said));
    });
    const proxy = `http://127.0.0.1:${await opened(server, sockets)}`;
    const own = fetcherWith({ proxy, robots: false, ...changes });
    expect(await fetchUrl(own, 'https://unknown.example/')).toMatchObject({
      ...{ kind: 'failed', reason: 'connect', retry: 'later' },
      detail: expect.stringContaining(`the proxy does not answer: ${detail}`),
    });
  });

  it('that closes the connection without a response is a temporary error', async () => {
    const sockets = new Set<Socket>();
    const server = createHttpServer((request) => void request.socket.destroy());
    server.on('connect', (_, socket: Socket) => void socket.destroy());
    const own = fetcherWith({ proxy: `http://127.0.0.1:${await opened(server, sockets)}`, robots: false });
    for (const url of ['http://unknown.example/', 'https://unknown.example/'])
      expect(await fetchUrl(own, url)).toMatchObject({ kind: 'failed', reason: 'reset', retry: 'later' });
  });

  it('that asks for a password leaves robots.txt undecided', async () => {
    const own = fetcherWith({ proxy: await startRefusingProxy(407) });
    const detail = 'robots.txt: HTTP status 407 (the proxy asks for a user name and password)';
    for (const url of ['http://unknown.example/', 'https://unknown.example/'])
      expect(await fetchUrl(own, url)).toMatchObject({ kind: 'failed', retry: 'later', detail });
  });

  it.each(['http', 'https'])('with an unresolvable name is a temporary error: %s', async (scheme) => {
    const own = fetcherWith({ proxy: 'http://no-proxy.invalid:3128', robots: false });
    const outcome = await fetchUrl(own, `${scheme}://unknown.example/`);
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'dns', retry: 'later' });
  });
});

/** A proxy that rejects every request. */
async function startRefusingProxy(status: number): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createHttpServer((_, response) => void response.writeHead(status).end());
  server.on('connect', (_, socket: Socket) => void socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`));
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  return `http://127.0.0.1:${await opened(server, sockets)}`;
}

/** Trusts a certificate while the test runs. */
async function trusting(certificate: string, test: () => Promise<void>): Promise<void> {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, certificate]);
  try {
    await test();
  } finally {
    tls.setDefaultCACertificates(before);
  }
}
