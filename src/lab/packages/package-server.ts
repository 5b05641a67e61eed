import { hash } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bindError } from '../serve/bind-error.ts';
import { type DnsServer, serveDns } from '../serve/dns-server.ts';
import { answerLater, answerNow, NO_PAGE } from './later-web.ts';
import { searchPackages } from './package-search.ts';
import { hostOfPackage, type PackageWeb } from './package-web.ts';

const LOOPBACK = '127.0.0.1';

/** A running {@link PackageWeb}: HTTP and its name server, both on loopback. */
export interface PackageWebServer {
  readonly port: number;
  /** For `network.dnsServers`. */
  readonly dnsServer: string;
  /** Address of a package's page. */
  url(name: string, path?: string): string;
  close(): Promise<void>;
}

export interface PackageServing {
  /** HTTP port. Default: 0, a free one. */
  readonly port?: number;
  /** If true, serves the web as if some time had passed, see `answerLater`. Default: false. */
  readonly later?: boolean;
}

/**
 * Serves a package web by its host names, as a proxy (absolute-form GET) and, under its own address, as a search
 * service compatible with SearXNG. Pages have versions (ETag), so that a recheck can ask whether one has changed.
 * @throws BingoError `CANNOT_LISTEN`
 */
export async function servePackageWeb(web: PackageWeb, serving: PackageServing = {}): Promise<PackageWebServer> {
  const { port: wanted = 0, later = false } = serving;
  const answer = later ? answerLater : answerNow;
  const hosts = new Set(web.packages.map(({ name }) => hostOfPackage(name)));
  const server = createServer((request, response) => {
    const { port: own } = server.address() as AddressInfo;
    const url = URL.parse(request.url ?? '/', `http://${request.headers.host ?? LOOPBACK}`);
    if (url?.hostname === LOOPBACK || url?.hostname === 'localhost') return answerSearch(web, url, response);
    // Behind a proxy, addresses need no port, and links have none.
    const port = request.url?.startsWith('/') ? own : Number(url?.port || 80);
    const { status, html, location } = url === null ? NO_PAGE : answer(web, url.hostname, url.pathname, port);
    const etag = html === undefined ? {} : { etag: `"${hash('sha256', html, 'hex').slice(0, 16)}"` };
    if (html !== undefined && request.headers['if-none-match'] === etag.etag) {
      response.writeHead(304, etag).end();
      return;
    }
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...etag, ...(location && { location }) });
    response.end(html ?? '<!doctype html><title>Not found</title><p>There is no such page.');
  });
  await listen(server, wanted);
  const { port } = server.address() as AddressInfo;
  let dns: DnsServer;
  try {
    dns = await serveDns((name) => (hosts.has(name) ? LOOPBACK : undefined), LOOPBACK, 0);
  } catch (error) {
    server.close();
    throw error;
  }
  return {
    port,
    dnsServer: `${LOOPBACK}:${dns.port}`,
    url: (name, path = '/') => `http://${hostOfPackage(name)}:${port}${path}`,
    close: async () => {
      server.closeAllConnections();
      await Promise.all([dns.close(), new Promise<void>((resolve) => server.close(() => resolve()))]);
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(bindError(error, LOOPBACK, port, 'HTTP')));
    server.listen(port, LOOPBACK, () => resolve());
  });
}

/** `/search?q=…&format=json`; pages have their addresses behind the proxy. */
function answerSearch(web: PackageWeb, url: URL, response: ServerResponse): void {
  if (url.pathname !== '/search' || url.searchParams.get('format') !== 'json') {
    response.writeHead(url.pathname === '/search' ? 403 : 404, { 'content-type': 'text/plain' });
    response.end('Ask for /search?q=words&format=json\n');
    return;
  }
  const answer = searchPackages(web.packages, url.searchParams.get('q') ?? '', (found) => {
    const readme = [...found.files.keys()].find((path) => path.startsWith('/readme'));
    return web.url(found.name, readme);
  });
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
}
