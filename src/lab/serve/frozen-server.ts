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
  /** Port of a name server for the web's hosts, over UDP and TCP. 0 = any free port. */
  readonly dnsPort?: number;
  /** If true, gives each host its own loopback address, 127.1.x.y, on the same port. */
  readonly bindHosts?: boolean;
  readonly faults?: FaultSettings;
}

/** A running server of a frozen web. */
export interface FrozenServer {
  readonly host: string;
  readonly port: number;
  readonly dnsPort: number | undefined;
  /** Address of each host name, as resolved by the name server. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Requests so far, answered or deliberately unanswered. */
  readonly requests: number;
  /** Rejects if the archive becomes unreadable; else stays pending. */
  readonly failure: Promise<never>;
  close(): Promise<void>;
}

/**
 * Replays a frozen web over HTTP: as a forward proxy (absolute-form GET) and by `Host` header, so that it works both
 * behind `--proxy` and under names that resolve here. Pages are served as recorded, without content coding. Pages
 * recorded over https are also served through a tunnel (CONNECT) with a self-signed certificate; there are no tunnels
 * to hosts missing from the archive.
 * @throws BingoError `CANNOT_LISTEN`
 */
export async function serveFrozenWeb(options: ServeOptions): Promise<FrozenServer> {
  const { web, host = '127.0.0.1', bindHosts = false, dnsPort } = options;
  const failure = Promise.withResolvers<never>();
  // If the caller does not wait for the failure, requests are just answered with 500.
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

/** Returns the address of each host name: one for all, or one per host from 127.1.0.0/16. */
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
  /** Terminates all tunnels without listening on a port. Its key is made with the first tunnel. */
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
