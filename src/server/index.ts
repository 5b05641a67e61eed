/** The server: workspaces over HTTP and for agents. Its libraries are loaded on start. */

export { isOwnName } from './host-check.ts';
export { localServer } from './local-server.ts';
export { type RunningServer, type ServerOptions, startServer } from './start-server.ts';
