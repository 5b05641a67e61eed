import type { Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { BingoError, UsageError } from '../core/index.ts';
import type { OpenWorkspace, Scout } from '../workbench/index.ts';
import type { Tokens } from './access.ts';
import { localServer } from './local-server.ts';
import type { MakeWorkspace } from './served.ts';

const LOOPBACK = '127.0.0.1';

export interface ServerOptions {
  readonly workspaces: readonly OpenWorkspace[];
  /** 0: any free port. */
  readonly port: number;
  /**
   * Address to listen on, then further names that clients use. Every request then needs a token. Default: loopback,
   * without a token.
   */
  readonly hosts?: readonly string[];
  /** Origins of web pages that may send requests, such as `https://app.example.org`. */
  readonly origins?: readonly string[];
  /** Makes a workspace that a user of the studio wants. Default: the server makes none. */
  readonly make?: MakeWorkspace | undefined;
  /** Looks at pages before there is a workspace. Default: with default settings. */
  readonly scout?: Scout | undefined;
  /** Receives errors that callers do not see. */
  readonly onError?: (error: unknown) => void;
}

export interface RunningServer {
  readonly url: string;
  /** Tokens that were made now; they are not shown again. */
  readonly tokens: Tokens | undefined;
  /** Ends connections, crawls and reviews; everything is stored. The workspaces stay open. */
  close(): Promise<void>;
}

/**
 * Serves workspaces: pages for people, the API for programs, MCP for agents.
 * @throws UsageError for a host without a name, or an origin that is not one
 * @throws BingoError `CANNOT_LISTEN`
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { workspaces, port, hosts = [], origins = [], onError = () => {} } = options;
  const [{ getRequestListener }, { createApp }, { guarded }, { ServedWorkspaces }, { OPEN_ACCESS, tokenAccess }] =
    await Promise.all([
      import('@hono/node-server'),
      import('./app.ts'),
      import('./guard.ts'),
      import('./served.ts'),
      import('./access.ts'),
    ]);
  const isAnyEmpty = hosts.some((host) => host.trim() === '');
  if (isAnyEmpty) throw new UsageError('A host has no name.', 'Name an address of this machine, or 0.0.0.0 for all.');
  const served = new ServedWorkspaces(workspaces, options.make, options.scout);
  const [first] = workspaces;
  const isOpen = hosts.length === 0 || first === undefined;
  const { access, tokens } = isOpen ? { access: OPEN_ACCESS, tokens: undefined } : tokenAccess(first.dir);
  const known = origins.map(originOf);
  const app = createApp({ workspaces: served, access, origins: known, onError });
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const names = hosts.map((host) => host.toLowerCase());
  const server = localServer(guarded(answer, { hosts: names, origins: known }));
  const [host = LOOPBACK] = hosts;
  await listen(server, port, host);
  const { port: own } = server.address() as AddressInfo;
  const shown = host === '0.0.0.0' || host === '::' ? LOOPBACK : isIPv6(host) ? `[${host}]` : host;
  return {
    url: `http://${shown}:${own}/`,
    tokens,
    close: async () => {
      const ended = new Promise<void>((closed) => server.close(() => closed()));
      await Promise.all(served.all.map((one) => one.close()));
      server.closeAllConnections();
      await ended;
    },
  };
}

/** Returns an origin as browsers send it. */
function originOf(text: string): string {
  const { origin = 'null' } = URL.parse(text) ?? {};
  if (origin !== 'null') return origin;
  throw new UsageError(`"${text}" is not the origin of web pages.`, 'Write one such as https://app.example.org.');
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE';
      const message = taken ? `Port ${port} is in use.` : `Cannot listen on ${host}, port ${port}: ${cause.message}`;
      const isForeign = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(cause.code ?? '');
      const hint = isForeign
        ? 'The first --host is an address of this machine, or 0.0.0.0 for all. Name other names after it.'
        : 'Name another with --port, or none.';
      reject(new BingoError({ code: 'CANNOT_LISTEN', message, hint, cause }));
    });
    server.listen(port, host, resolve);
  });
}
