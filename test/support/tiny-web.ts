import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { startTinyDns, type TinyDns } from './tiny-dns.ts';

/**
 * A web on loopback: all hosts share one port of 127.0.0.1, and a name server of its own knows every `*.test` name.
 * URLs therefore carry the port, and fetching needs `dnsServers: [web.dnsServer]` and `allowPrivate: true`.
 *
 * | host             | what it is                                                                              |
 * |------------------|-----------------------------------------------------------------------------------------|
 * | `site.test`      | a dozen linked pages, redirects, oddities of single pages (see `SITE`), a robots.txt    |
 * | `slow.test`      | every answer after 300 ms; a whole drip of 1 byte each 50 ms at `/drip`                 |
 * | `silent.test`    | accepts the connection and the request, and never answers                               |
 * | `trap.test`      | a calendar without end                                                                  |
 * | `large.test`     | 200 MB at `/page`, streamed; `/declared` says so in its headers                         |
 * | `broken.test`    | resets, wrong lengths, no HTTP at all                                                   |
 * | `down.test`      | 503 for everything, robots.txt too                                                      |
 * | others `*.test`  | one page at `/`, no robots.txt                                                          |
 *
 * The name server also knows `gone.test` (NXDOMAIN), `noanswer.test` (silent), `empty.test` (no address), `servfail.test`, `alias.test` (CNAME of
 * site.test), `private.test` (10.0.0.1), `metadata.test` (169.254.169.254) and `mixed.test` (a public and a private
 * address).
 */
export interface TinyWeb {
  /** `http://host:port` */
  origin(host: string): string;
  readonly port: number;
  /** `127.0.0.1:port` */
  readonly dnsServer: string;
  readonly dns: TinyDns;
  /** Every request, as `host/path`, in order; robots.txt included. */
  readonly requests: readonly string[];
  /** The headers of each request, in the same order. */
  readonly headers: readonly IncomingMessage['headers'][];
  /** Connections open now. */
  readonly connections: ReadonlySet<Socket>;
  /** Answers for a host instead of the default; returns true if it did. */
  handle(host: string, handler: Handler): void;
  close(): Promise<void>;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export async function startTinyWeb(): Promise<TinyWeb> {
  const requests: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const connections = new Set<Socket>();
  const own = new Map<string, Handler>();
  const server: Server = createServer({ keepAliveTimeout: 10_000 }, (request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    requests.push(`${host}${request.url}`);
    headers.push(request.headers);
    response.on('error', () => {});
    const handler = own.get(host) ?? HOSTS[host] ?? plainHost;
    handler(request, response);
  });
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const dns = await startTinyDns({
    '*': { kind: 'addresses', v4: ['127.0.0.1'] },
    'gone.test': { kind: 'error', code: 'NXDOMAIN' },
    'noanswer.test': { kind: 'silent' },
    'empty.test': { kind: 'addresses' },
    'servfail.test': { kind: 'error', code: 'SERVFAIL' },
    'alias.test': { kind: 'cname', to: 'site.test' },
    'private.test': { kind: 'addresses', v4: ['10.0.0.1'] },
    'metadata.test': { kind: 'addresses', v4: ['169.254.169.254'] },
    'mixed.test': { kind: 'addresses', v4: ['93.184.215.14', '127.0.0.1'] },
  });
  return {
    origin: (host) => `http://${host}:${port}`,
    port,
    dnsServer: dns.address,
    dns,
    requests,
    headers,
    connections,
    handle: (host, handler) => void own.set(host, handler),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of connections) socket.destroy();
      await Promise.all([closed, dns.close()]);
    },
  };
}

/** A page with links; enough text to be analysed. */
export function tinyPage(title: string, links: readonly string[] = []): string {
  const list = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('\n');
  return `<!doctype html><html lang="en"><head><title>${title}</title></head>
<body><h1>${title}</h1><p>This page of the tiny web is about ${title}.</p><ul>${list}</ul></body></html>`;
}

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const MIB = 1024 * 1024;
const LARGE_BYTES = 200 * MIB;

type Page = Handler | string;

const ROBOTS = `User-agent: *
Disallow: /private
Allow: /private/open
Crawl-delay: 2
Sitemap: http://site.test/sitemap.xml
`;

/** Pages of site.test by path; a string is the body of an HTML page. */
const SITE: Readonly<Record<string, Page>> = {
  '/robots.txt': (_, response) => answer(response, 200, { 'content-type': 'text/plain' }, ROBOTS),
  '/': tinyPage('the front page', ['/a', '/b', '/c', '/moved', '/private/x', '/missing', 'http://other.test/']),
  '/a': tinyPage('apples', ['/b', '/']),
  '/b': tinyPage('bees', ['/c', '/d']),
  '/c': tinyPage('cats', ['/e', '/chain1']),
  '/d': tinyPage('dogs', ['/a']),
  '/e': tinyPage('eels'),
  '/private/x': tinyPage('secrets'),
  '/private/open': tinyPage('an open secret'),
  '/moved': redirect(301, '/a'),
  '/found': redirect(302, 'http://other.test/x?y=1#z'),
  '/chain1': redirect(307, '/chain2'),
  '/chain2': redirect(308, '/chain1'),
  '/self': redirect(302, '/self'),
  '/self-tracked': redirect(302, '/self-tracked?utm_source=x#top'),
  '/to-file': redirect(302, 'file:///etc/passwd'),
  '/to-private': redirect(302, 'http://10.0.0.1/'),
  '/cookie-wall': cookieWall,
  '/multiple': (_, response) => answer(response, 300, HTML, tinyPage('choices')),
  '/forbidden': status(403),
  '/gone': status(410),
  '/teapot': status(418),
  '/unavailable': status(503, { 'retry-after': '120' }),
  '/throttled': status(429, {
    date: 'Wed, 21 Oct 2065 07:27:00 GMT',
    'retry-after': 'Wed, 21 Oct 2065 07:28:00 GMT',
  }),
  '/error': status(500),
  '/timeout': status(408),
  '/empty': status(204),
  '/versioned': versioned,
  '/image': (_, response) => answer(response, 200, { 'content-type': 'image/png' }, Buffer.alloc(3 * MIB)),
  '/small-image': (_, response) => answer(response, 200, { 'content-type': 'image/png' }, Buffer.alloc(300)),
  '/untyped': (_, response) => answer(response, 200, {}, tinyPage('no type')),
  '/file.pdf': (_, response) => answer(response, 200, { 'content-type': 'application/octet-stream' }, '%PDF-1.4'),
  '/file.exe': (_, response) => answer(response, 200, { 'content-type': 'application/octet-stream' }, 'MZ'),
  '/gzip': encoded('gzip', gzipSync),
  '/x-gzip': encoded('x-gzip', gzipSync),
  '/deflate': encoded('deflate', deflateSync),
  '/raw-deflate': encoded('deflate', deflateRawSync),
  '/br': encoded('br', brotliCompressSync),
  '/zstd': encoded('zstd', zstdCompressSync),
  '/gzip-twice': encoded('gzip, gzip', (body) => gzipSync(gzipSync(body))),
  '/gzip-not': encoded('gzip', (body) => body),
  '/gzip-cut': encoded('gzip', (body) => gzipSync(body).subarray(0, -12)),
  '/gzip-damaged': encoded('gzip', (body) => Buffer.concat([gzipSync(body).subarray(0, 12), Buffer.alloc(80, 255)])),
  '/unknown-coding': encoded('utf-8', (body) => body),
  '/bomb': (_, response) => answer(response, 200, { ...HTML, 'content-encoding': 'gzip' }, bomb()),
  '/robots-tagged': (_, response) =>
    answer(
      response,
      200,
      { ...HTML, 'x-robots-tag': ['noindex', 'nofollow'], 'content-language': 'de' },
      tinyPage('tagged'),
    ),
};

const HOSTS: Readonly<Record<string, Handler>> = {
  'site.test': (request, response) => page(SITE[pathOf(request)] ?? status(404), request, response),
  'slow.test': (request, response) => {
    if (pathOf(request) === '/drip') return drip(response);
    setTimeout(() => plainHost(request, response), 300).unref();
  },
  'silent.test': () => {},
  'trap.test': (request, response) => {
    const day = Number(/\d+/.exec(pathOf(request))?.[0] ?? 0);
    answer(response, 200, HTML, tinyPage(`day ${day}`, [`/calendar/${day + 1}`, `/calendar/${day + 2}?sid=${day}`]));
  },
  'large.test': (request, response) => {
    if (pathOf(request) === '/robots.txt') return answer(response, 404, {}, '');
    const declared = pathOf(request) === '/declared' ? { 'content-length': String(LARGE_BYTES) } : {};
    response.writeHead(200, { ...HTML, ...declared });
    pour(response, LARGE_BYTES);
  },
  'broken.test': broken,
  'down.test': (_, response) => answer(response, 503, { 'retry-after': '30' }, ''),
};

function plainHost(request: IncomingMessage, response: ServerResponse): void {
  const path = pathOf(request);
  if (path === '/robots.txt') return answer(response, 404, {}, '');
  answer(response, 200, HTML, tinyPage(`${request.headers.host}${path}`, ['http://site.test/']));
}

function page(found: Page, request: IncomingMessage, response: ServerResponse): void {
  if (typeof found === 'string') answer(response, 200, HTML, found);
  else found(request, response);
}

function answer(
  response: ServerResponse,
  code: number,
  headers: Readonly<Record<string, string | string[]>>,
  body: string | Buffer,
): void {
  const length = code === 204 ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  response.writeHead(code, { ...length, ...headers });
  response.end(body);
}

function status(code: number, headers: Readonly<Record<string, string>> = {}): Handler {
  return (_, response) =>
    answer(response, code, { ...HTML, ...headers }, code === 204 ? '' : tinyPage(`status ${code}`));
}

function redirect(code: number, location: string): Handler {
  return (_, response) => answer(response, code, { location }, 'moved');
}

function encoded(coding: string, encode: (body: Buffer) => Buffer): Handler {
  const body = encode(Buffer.from(tinyPage('compression').repeat(10)));
  return (_, response) => answer(response, 200, { ...HTML, 'content-encoding': coding }, body);
}

function versioned(request: IncomingMessage, response: ServerResponse): void {
  const version = { etag: '"v1"', 'last-modified': 'Wed, 01 Jan 2025 00:00:00 GMT' };
  const { 'if-none-match': etag, 'if-modified-since': since } = request.headers;
  const same = etag === version.etag || since === version['last-modified'];
  answer(response, same ? 304 : 200, { ...HTML, ...version }, same ? '' : tinyPage('a version'));
}

function cookieWall(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.cookie?.includes('seen=yes')) return answer(response, 200, HTML, tinyPage('behind the wall'));
  answer(response, 302, { location: '/cookie-wall', 'set-cookie': 'seen=yes; Path=/' }, '');
}

/** 64 MB of zeros, compressed to 64 KB. */
function bomb(): Buffer {
  return gzipSync(Buffer.alloc(64 * MIB), { level: 9 });
}

function pour(response: ServerResponse, bytes: number): void {
  const chunk = Buffer.alloc(64 * 1024, '<p>words and words and words</p>\n');
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}

function drip(response: ServerResponse): void {
  response.writeHead(200, HTML);
  const timer = setInterval(() => response.write('.'), 50);
  response.on('close', () => clearInterval(timer));
}

function broken(request: IncomingMessage, response: ServerResponse): void {
  const raw = (text: string): void => void request.socket.end(text);
  const path = pathOf(request);
  if (path === '/reset') return void request.socket.destroy();
  if (path === '/to-umlaut') return raw('HTTP/1.1 302 Found\r\nlocation: /ä\r\ncontent-length: 0\r\n\r\n');
  if (path === '/short')
    return raw('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 1000\r\n\r\ntoo short');
  if (path === '/long') return raw('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\ntoo long');
  if (path === '/no-http') return raw('220 mail.test ESMTP\r\n');
  if (path === '/chunks') return raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nbad\r\n');
  if (path === '/old') return raw('HTTP/1.0 200 OK\r\ncontent-type: text/html\r\n\r\n<p>until the end</p>');
  if (path === '/headers') return raw(`HTTP/1.1 200 OK\r\n${`x-a: ${'a'.repeat(1000)}\r\n`.repeat(100)}\r\nbody`);
  if (path === '/upgrade') return raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
  if (path === '/early')
    return raw('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
  plainHost(request, response);
}

function pathOf(request: IncomingMessage): string {
  // Behind a proxy the request line holds a whole URL.
  return (request.url ?? '/').replace(/^http:\/\/[^/]+/, '').replace(/\?.*$/, '');
}
