/** The server: workspaces over HTTP and for agents. Its libraries are loaded on start. */
import type { Readable, Writable } from 'node:stream';
import type { ServerOptions } from './start-server.ts';

export { isOwnName } from './host-check.ts';
export { localServer } from './local-server.ts';
export {
  logPortalSearch,
  MAX_LOG_BYTES,
  type PortalSearch,
  portalSearchIn,
  reporting,
  SEARCH_PAGE,
} from './portal-log.ts';
export { SITE_HEADERS, siteFile } from './site-files.ts';
export { type RunningServer, type ServerOptions, startServer } from './start-server.ts';

/**
 * Serves workspaces to one agent over its pipes, by the Model Context Protocol. Returns a function that ends the
 * connection.
 */
export async function serveMcp(
  { workspaces, onError }: Pick<ServerOptions, 'workspaces' | 'onError'>,
  pipes: { readonly input: Readable; readonly output: Writable },
): Promise<() => Promise<void>> {
  const [{ serveMcpOverPipes }, { ServedWorkspaces }, { SCOPES }] = await Promise.all([
    import('./mcp/serve-stdio.ts'),
    import('./served.ts'),
    import('./api/operation.ts'),
  ]);
  const parts = { workspaces: new ServedWorkspaces(workspaces), scopes: SCOPES, onError: onError ?? (() => {}) };
  return serveMcpOverPipes(parts, pipes);
}
