import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { withoutPort } from '../../core/index.ts';
import type { FrozenWeb } from '../web/frozen-web.ts';
import { bindError } from './bind-error.ts';
import { type DnsServer, serveDns } from './dns-server.ts';
import { type FaultSettings, NO_FAULTS } from './faults.ts';
import { Replay } from './replay.ts';
import { selfSigned } from './self-signed.ts';

export interface ServeOptions {
  readonly web: FrozenWeb;
  /** 0 = any free port. */
  readonly port: number;
  /** Address of the proxy and the name server. Default: 127.0.0.1. */
  readonly host?: string;
  /** Answer names of the web's hosts here too, over UDP and TCP. 0 = any free port. */
  readonly dnsPort?: number;
  /** Give each host of the web a loopback address of its own, 127.1.x.y, on the same port. */
  readonly bindHosts?: boolean;
  readonly faults?: FaultSettings;
}

/** A frozen web being served. */
export interface FrozenServer {
  readonly host: string;
  readonly port: number;
  readonly dnsPort: number | undefined;
  /** Address of each host name of the web, as the name server tells it. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Requests answered, or left unanswered on purpose, so far. */
  readonly requests: number;
  /** Rejects when the archive can no longer be read; else it stays open. */
  readonly failure: Promise<never>;
  close(): Promise<void>;
}

/**
 * Replays a frozen web over HTTP: as a forward proxy (absolute-form GET) and by `Host` header, so that it works both
 * behind `--proxy` and under names that resolve here. Pages come as they were recorded, freed of content coding.
 * Pages recorded over https come through a tunnel (CONNECT) too, under a certificate that vouches for itself; to hosts
 * that the archive does not hold there is none.
 * @throws BingoError `CANNOT_LISTEN`
 */
export async function serveFrozenWeb(options: ServeOptions): Promise<FrozenServer> {
  const { web, host = '127.0.0.1', bindHosts = false, dnsPort } = options;
  const failure = Promise.withResolvers<never>();
  // Who does not wait for it is answered 500, and that is all.
  failure.promise.catch(() => {});
  const handler = new Replay(web, options.faults ?? NO_FAULTS, failure.reject);
  const servers: Server[] = [];
  let dns: DnsServer | undefined;
  const close = async (): Promise<void> => {
    await Promise.all([...servers.map(closeServer), dns?.close()]);
  };
  const addresses = addressesOf(web, bindHosts ? undefined : host);
  try {
    const first = await listen(handler, addresses, host, options.port);
    servers.push(first);
    const { port } = first.address() as AddressInfo;
    if (bindHosts)
      for (const address of addresses.values()) servers.push(await listen(handler, addresses, address, port));
    if (dnsPort !== undefined) dns = await serveDns((name) => addresses.get(name), host, dnsPort);
    return {
      host,
      port,
      dnsPort: dns?.port,
      addresses,
      get requests() {
        return handler.requests;
      },
      failure: failure.promise,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Names of the web's hosts with their addresses: all the same one, or each its own out of 127.1.0.0/16. */
function addressesOf(web: FrozenWeb, shared: string | undefined): ReadonlyMap<string, string> {
  const names = [...new Set(web.hosts().map((host) => withoutPort(host)))];
  const common = shared === '0.0.0.0' || shared?.includes(':') ? '127.0.0.1' : shared;
  return new Map(names.map((name, i) => [name, common ?? `127.1.${((i + 1) >> 8) & 255}.${(i + 1) & 255}`]));
}

async function listen(
  handler: Replay,
  names: ReadonlyMap<string, string>,
  host: string,
  port: number,
): Promise<Server> {
  let secure: SecureServer | undefined;
  /** The end of every tunnel: it never listens itself. Its key is made with the first tunnel. */
  const tunnels = (): SecureServer => {
    secure ??= createSecureServer(
      { ...selfSigned(['bingo lab serve']), keepAliveTimeout: KEEP_ALIVE_MS },
      (request, response) => handler.handle(request, response, 'https'),
    );
    return secure;
  };
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) =>
    handler.handle(request, response),
  );
  server.on('connect', ({ url = '' }, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    if (!names.has(withoutPort(url))) {
      socket.end('HTTP/1.1 404 Not in the archive\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    tunnels().emit('connection', socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(bindError(error, host, port, 'HTTP')));
    server.listen(port, host, BACKLOG, resolve);
  });
  return server;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

const KEEP_ALIVE_MS = 60_000;
const BACKLOG = 1024;
