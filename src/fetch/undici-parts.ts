import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Dispatcher, ProxyAgent } from 'undici';

type Undici = typeof import('undici');

/**
 * The parts of undici that send requests. Its main module loads everything, including `fetch`, WebSockets, caches and
 * test mocks:
 * 13 MB that no crawl uses. The version is pinned, so these paths are stable.
 */
const load = createRequire(import.meta.url);

export const Agent: Undici['Agent'] = load('undici/lib/dispatcher/agent.js');
export const Pool: Undici['Pool'] = load('undici/lib/dispatcher/pool.js');
export const makeConnector: Undici['buildConnector'] = load('undici/lib/core/connect.js');
export const errors: Undici['errors'] = load('undici/lib/core/errors.js');

/** The part of undici's client for SOCKS5 that we need. Its agent would print a warning. */
interface SocksClient extends EventEmitter {
  handshake(): void;
  connect(host: string, port: number): void;
  onError(error: Error): void;
}

type Socks = {
  readonly Socks5Client: new (socket: Socket, login: { username?: string; password?: string }) => SocksClient;
};

/** Starts the conversation with a SOCKS5 proxy. */
export function socksClient(socket: Socket, login: { username?: string; password?: string }): SocksClient {
  const { Socks5Client } = load('undici/lib/core/socks5-client.js') as Socks;
  return new Socks5Client(socket, login);
}

/** Tunnels need more of undici. */
export function proxyAgent(options: ProxyAgent.Options): Dispatcher {
  const undici: Undici = load('undici');
  return new undici.ProxyAgent(options);
}
