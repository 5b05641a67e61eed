import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';

/** A browser sends the head of a request at once. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
const CHECK_MS = 1_000;
/** Maximum number of connections that wait for a request. Browsers keep six per page. */
const MAX_WAITING = 128;

/**
 * Creates a server for this machine. Connections without a request never keep others out: the oldest of too many is
 * closed, and each after ten seconds.
 */
export function localServer(answer: RequestListener): Server {
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: CHECK_MS },
    answer,
  );
  const waiting = new Set<Socket>();
  const wait = (socket: Socket): void => {
    waiting.add(socket);
    if (waiting.size <= MAX_WAITING) return;
    const [oldest] = waiting;
    oldest?.destroy();
  };
  server.on('connection', (socket) => {
    socket.once('close', () => waiting.delete(socket));
    wait(socket);
  });
  server.on('request', ({ socket }, response) => {
    waiting.delete(socket);
    response.once('close', () => {
      if (!socket.destroyed) wait(socket);
    });
  });
  return server;
}
