/**
 * A process of its own that serves one web on loopback, with its name server. Its parent sends a message and is
 * told what was served so far; the CPU that serving costs is thus apart from what a crawler spends.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveDns } from '../src/lab/index.ts';
import { ServedFrozenWeb } from './frozen.ts';
import { GeneratedWeb } from './generated-web.ts';
import type { CrawlStart, Web } from './web.ts';

export type WebChoice =
  | { readonly kind: 'frozen'; readonly path: string; readonly tasksPath: string; readonly task: string }
  | {
      readonly kind: 'generated';
      readonly pages: number;
      readonly hosts: number;
      readonly topics: number;
      readonly seed: number;
      readonly links: number;
      readonly domain?: string;
    };

export interface ServeOptions {
  readonly web: WebChoice;
  /** Time before each answer, in ms. */
  readonly latencyMs: number;
}

/** What was served since the process began. */
export interface ServedCounts {
  readonly pages: number;
  /** Requests answered 404, robots.txt not counted. */
  readonly missing: number;
  readonly robots: number;
  readonly bytes: number;
  readonly connections: number;
  /** CPU of the server, in seconds. */
  readonly cpu: number;
}

export type ServerMessage =
  | { readonly kind: 'ready'; readonly port: number; readonly dnsPort: number; readonly start: CrawlStart }
  | { readonly kind: 'served'; readonly served: ServedCounts };

const ROBOTS = Buffer.from('User-agent: *\nDisallow: /private/\n');
const LOOPBACK = '127.0.0.1';
const KEEP_ALIVE_MS = 60_000;

const options: ServeOptions = JSON.parse(process.argv[2] ?? '');
let web: Web;
const counts = { pages: 0, missing: 0, robots: 0, bytes: 0, connections: 0 };

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  if (options.latencyMs === 0) answer(request, response);
  else setTimeout(answer, options.latencyMs, request, response);
});
server.on('connection', () => counts.connections++);
server.listen(0, LOOPBACK, async () => {
  const { port } = server.address() as AddressInfo;
  web = await open(port);
  const names = await serveDns((name) => (name.endsWith('.test') ? LOOPBACK : undefined), LOOPBACK, 0);
  process.send?.({ kind: 'ready', port, dnsPort: names.port, start: web.start } satisfies ServerMessage);
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const served = { ...counts, cpu: (user + system) / 1e6 };
  process.send?.({ kind: 'served', served } satisfies ServerMessage);
});
process.on('disconnect', () => process.exit(0));

function open(port: number): Promise<Web> | Web {
  return options.web.kind === 'frozen'
    ? ServedFrozenWeb.open({ ...options.web, port })
    : new GeneratedWeb({ ...options.web, port });
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '/';
  if (path === '/robots.txt') {
    counts.robots++;
    send(response, 200, 'text/plain', ROBOTS);
    return;
  }
  const host = (request.headers.host ?? '').replace(/:\d+$/, '');
  const body = web.page(host, path);
  if (body === undefined) {
    counts.missing++;
    send(response, 404, 'text/plain', Buffer.from('Not found\n'));
    return;
  }
  counts.pages++;
  counts.bytes += body.length;
  send(response, 200, 'text/html; charset=utf-8', body);
}

function send(response: ServerResponse, status: number, type: string, body: Buffer): void {
  response.writeHead(status, { 'content-type': type, 'content-length': body.length });
  response.end(body);
}
