import { once } from 'node:events';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { SocketTable } from '../../src/fetch/socket-table.ts';

/** Maximum number of open sockets. */
const MOST = 400;

function origin(i: number): string {
  return `https://host-${i}.test`;
}

/** Connections, each to its own host, numbered from `first`. */
function connected(table: SocketTable, first: number, count: number): readonly Socket[] {
  return Array.from({ length: count }, (_, i) => {
    const socket = new Socket();
    table.add(origin(first + i), '192.0.2.1', socket);
    return socket;
  });
}

function closed(sockets: readonly Socket[]): readonly number[] {
  return sockets.flatMap((socket, i) => (socket.destroyed ? [i] : []));
}

async function close(sockets: readonly Socket[]): Promise<void> {
  await Promise.all(sockets.map((socket) => once(socket.destroy(), 'close')));
}

test('one socket too many closes those of the longest idle host', () => {
  const table = new SocketTable();
  const sockets = connected(table, 0, MOST);
  expect(closed(sockets)).toEqual([]);
  table.use(origin(0));
  table.release(origin(0));
  const more = connected(table, MOST, 1);
  expect([closed(sockets), closed(more)]).toEqual([[1], []]);
});

test('keeps used sockets open, however many there are', () => {
  const table = new SocketTable();
  const sockets = connected(table, 0, MOST);
  for (let i = 0; i < MOST; i++) if (i !== 7) table.use(origin(i));
  connected(table, MOST, 1);
  expect(closed(sockets)).toEqual([7]);
  connected(table, MOST + 1, 1);
  expect(closed(sockets)).toEqual([7]);
});

test('counts only open sockets: sockets closed by servers leave room for others', async () => {
  const table = new SocketTable();
  const sockets = connected(table, 0, MOST);
  await close(sockets.slice(0, 100));
  connected(table, MOST, 100);
  expect(closed(sockets.slice(100))).toEqual([]);
  connected(table, MOST + 100, 1);
  expect(closed(sockets.slice(100))).toEqual([0]);
});

test('counts sockets that were closed to make room once', async () => {
  const table = new SocketTable();
  const sockets = connected(table, 0, MOST);
  const more = connected(table, MOST, 1);
  await once(sockets[0]!, 'close');
  const last = connected(table, MOST + 1, 1);
  expect([closed(sockets), closed(more), closed(last)]).toEqual([[0, 1], [], []]);
});

test('a host is connected while one of its sockets is open', async () => {
  const table = new SocketTable();
  table.use(origin(0));
  expect([table.isOpen(origin(0)), table.address(origin(0))]).toEqual([false, '']);
  const sockets = [...connected(table, 0, 1), ...connected(table, 0, 1)];
  await close(sockets.slice(0, 1));
  expect([table.isOpen(origin(0)), table.address(origin(0))]).toEqual([true, '192.0.2.1']);
  await close(sockets.slice(1));
  expect(table.isOpen(origin(0))).toBe(false);
});

test('forgets a host if its sockets are closed and no request is running', async () => {
  const table = new SocketTable();
  table.use(origin(0));
  await close(connected(table, 0, 1));
  expect(table.address(origin(0))).toBe('192.0.2.1');
  table.release(origin(0));
  expect(table.address(origin(0))).toBe('');
});

test('closes all sockets at the end', () => {
  const table = new SocketTable();
  const sockets = [...connected(table, 0, 2), ...connected(table, 0, 1)];
  table.close();
  expect(closed(sockets)).toEqual([0, 1, 2]);
});
