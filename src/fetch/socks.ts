import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { decodeCredential } from '../core/index.ts';
import { DialError } from './connector.ts';
import { SilentProxyError } from './fetch-error.ts';
import { makeConnector, socksClient } from './undici-parts.ts';

/** Options of {@link socksConnector}. */
export interface SocksOptions {
  /** `socks5://user:password@host:port`. The proxy resolves all names. */
  readonly proxy: URL;
  readonly insecureTls: boolean;
  readonly connectTimeoutMs: number;
  readonly allowH2?: boolean;
  /** Called for each connection through the proxy. */
  readonly onConnection: (origin: string, socket: Socket) => void;
}

const PORT = 1080;
/** The proxy answered: it is this host that cannot be reached. */
const REPLY = /^UND_ERR_SOCKS5_REPLY_\d/;

/** Returns a connector for undici that dials through a SOCKS5 proxy (RFC 1928, RFC 1929). */
export function socksConnector(options: SocksOptions): buildConnector.connector {
  const { connectTimeoutMs: timeout, insecureTls, allowH2 = true } = options;
  const secure = makeConnector({ timeout, rejectUnauthorized: !insecureTls, allowH2 });
  return (target, callback) => {
    tunnel(options, target).then(
      (socket) => {
        options.onConnection(`${target.protocol}//${target.host}`, socket);
        if (target.protocol !== 'https:') return callback(null, socket);
        secure({ ...target, httpSocket: socket }, callback);
      },
      (error: Error) => callback(new DialError(error), null),
    );
  };
}

async function tunnel({ proxy, connectTimeoutMs }: SocksOptions, target: buildConnector.Options): Promise<Socket> {
  const socket = await dial(proxy, connectTimeoutMs);
  const login =
    proxy.username === ''
      ? {}
      : { username: decodeCredential(proxy.username), password: decodeCredential(proxy.password) };
  const client = socksClient(socket, login);
  const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
  const timer = setTimeout(() => client.onError(late()), connectTimeoutMs);
  try {
    await new Promise<void>((connected, failed) => {
      client.once('error', (error: Error) => failed(blamed(error)));
      client.once('close', () => failed(new SilentProxyError(new Error('it closed the connection'))));
      client.once('authenticated', () => client.connect(target.hostname.replace(/^\[|\]$/g, ''), port));
      client.once('connected', () => connected());
      client.handshake();
    });
    // Its later errors are reported by the socket itself.
    client.on('error', () => {});
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function dial(proxy: URL, timeout: number): Promise<Socket> {
  const hostname = proxy.hostname.replace(/^\[|\]$/g, '');
  const connector = makeConnector({ timeout, allowH2: false });
  const target = { protocol: 'http:', hostname, host: proxy.host, port: proxy.port || String(PORT) };
  return new Promise((resolve, reject) => {
    connector(target, (error, socket) => (error ? reject(new SilentProxyError(error)) : resolve(socket as Socket)));
  });
}

function late(): Error {
  return Object.assign(new Error('no answer of the SOCKS proxy in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
}

/** Converts an error of the protocol: only a refused target is the fault of the host. */
function blamed(error: NodeJS.ErrnoException): Error {
  if (!REPLY.test(error.code ?? '')) return new SilentProxyError(error);
  return Object.assign(new Error(error.message, { cause: error }), { code: 'ECONNREFUSED' });
}
