import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bindError } from '../serve/bind-error.ts';
import { type DnsServer, serveDns } from '../serve/dns-server.ts';
import type { ParkAnswer } from './park-site.ts';
import type { TrapPark } from './trap-park.ts';

const LOOPBACK = '127.0.0.1';
/** Time between two bytes of a slow body, in ms. */
const DRIP_MS = 100;
const ENDLESS = Buffer.from(`<p>${'and so on and on for ever, about hives and honey and bees, '.repeat(1000)}</p>\n`);

/** One request to a park. */
export interface ParkVisit {
  /** Without the port of the server. */
  readonly url: string;
  /** True if the response was a page that a crawler can read. */
  readonly served: boolean;
}

/** A running server of a trap park. */
export interface ParkServer {
  readonly port: number;
  readonly dnsPort: number | undefined;
  /** Requests so far, without robots.txt. */
  readonly visits: readonly ParkVisit[];
  close(): Promise<void>;
}

export interface ServeParkOptions {
  readonly park: TrapPark;
  /** 0 = any free port. */
  readonly port: number;
  /** Port of a name server for the park, over UDP and TCP. 0 = any free port. */
  readonly dnsPort?: number;
}

/**
 * Serves a park on loopback: as a forward proxy (absolute-form GET), and by `Host` header under names that its name
 * server resolves. Links contain no port; a crawler that needs one uses the proxy.
 * @throws BingoError `CANNOT_LISTEN`
 */
export async function servePark({ park, port, dnsPort }: ServeParkOptions): Promise<ParkServer> {
  const visits: ParkVisit[] = [];
  const counts = new Map<string, number>();
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const url = askedUrl(request);
    if (url.pathname === '/robots.txt') {
      response.writeHead(404, { 'content-type': 'text/plain', 'content-length': 0 }).end();
      return;
    }
    const nth = counts.get(url.hostname) ?? 0;
    counts.set(url.hostname, nth + 1);
    url.port = '';
    const answer = park.answer(url.href, nth);
    visits.push({ url: url.href, served: answer.status === 200 && answer.manner === 'plain' });
    send(answer, response);
  });
  await listen(server, port);
  let dns: DnsServer | undefined;
  try {
    if (dnsPort !== undefined)
      dns = await serveDns((name) => (park.hasHost(name) ? LOOPBACK : undefined), LOOPBACK, dnsPort);
  } catch (error) {
    server.close();
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    dnsPort: dns?.port,
    visits,
    close: async () => {
      server.closeAllConnections();
      await Promise.all([dns?.close(), new Promise<void>((resolve) => server.close(() => resolve()))]);
    },
  };
}

function askedUrl(request: IncomingMessage): URL {
  const target = request.url ?? '/';
  const text = target.startsWith('/') ? `http://${request.headers.host ?? 'outside.invalid'}${target}` : target;
  return URL.parse(text) ?? new URL('http://outside.invalid/');
}

function send({ status, headers, body, manner }: ParkAnswer, response: ServerResponse): void {
  if (manner === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (manner === 'plain') {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
    return;
  }
  response.writeHead(status, headers);
  response.on('error', () => {});
  if (manner === 'drip') drip(response, body);
  else if (manner === 'endless') pour(response);
  else response.write(body, () => response.socket?.destroy());
}

/** Sends the start of a page, then single bytes at intervals. */
function drip(response: ServerResponse, body: string): void {
  response.write(body.slice(0, 200));
  const timer = setInterval(() => response.write('.'), DRIP_MS);
  response.on('close', () => clearInterval(timer));
}

/** Sends data as fast as the client reads it. */
function pour(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write(ENDLESS));
  };
  response.on('drain', more);
  more();
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(bindError(error, LOOPBACK, port, 'HTTP')));
    server.listen(port, LOOPBACK, () => resolve());
  });
}
