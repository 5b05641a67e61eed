import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BingoError } from '../core/index.ts';
import type { OpenWorkspace } from '../workbench/index.ts';
import { localServer } from './local-server.ts';

const LOOPBACK = '127.0.0.1';

export interface ServerOptions {
  readonly workspaces: readonly OpenWorkspace[];
  /** 0: any free port. */
  readonly port: number;
  /** Receives errors that callers do not see. */
  readonly onError?: (error: unknown) => void;
}

export interface RunningServer {
  readonly url: string;
  /** Ends connections. The workspaces stay open. */
  close(): Promise<void>;
}

/**
 * Serves workspaces on loopback: pages for people, the API for programs.
 * @throws BingoError `CANNOT_LISTEN`
 */
export async function startServer({ workspaces, port, onError = () => {} }: ServerOptions): Promise<RunningServer> {
  const [{ getRequestListener }, { createApp }, { guarded }, { ServedWorkspaces }] = await Promise.all([
    import('@hono/node-server'),
    import('./app.ts'),
    import('./guard.ts'),
    import('./served.ts'),
  ]);
  const app = createApp({ workspaces: new ServedWorkspaces(workspaces), onError });
  const server = localServer(guarded(getRequestListener(app.fetch, { overrideGlobalObjects: false })));
  await listen(server, port);
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://${LOOPBACK}:${own}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE';
      const message = taken ? `Port ${port} is in use.` : `Port ${port} cannot be opened: ${cause.message}`;
      reject(new BingoError({ code: 'CANNOT_LISTEN', message, hint: 'Name another with --port, or none.', cause }));
    });
    server.listen(port, LOOPBACK, resolve);
  });
}
