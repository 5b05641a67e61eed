import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { localServer } from '../../src/server/local-server.ts';

const open: { close(): void }[] = [];

afterEach(() => {
  for (const thing of open.splice(0)) thing.close();
});

test('answers at once beside 900 connections that send nothing or half a request', async () => {
  const server = localServer((_, response) => response.end('here'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => void server.close().closeAllConnections() });
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  for (let i = 0; i < 900; i++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    open.push({ close: () => socket.destroy() });
    sockets.push(socket);
    await once(socket, 'connect');
    if (i % 2 === 0) socket.write('GET / HTTP/1.1\r\nHost: 127.0');
  }
  const answer = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2_000) });
  expect(await answer.text()).toBe('here');
  await expect.poll(() => sockets.filter((socket) => !socket.closed).length).toBeLessThan(200);
});
