import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { canonicalize, DEFAULTS } from '../../src/core/index.ts';
import { byTurns, dialFirst } from '../../src/fetch/happy-eyeballs.ts';
import { HttpFetcher } from '../../src/fetch/index.ts';
import { startTinyDns } from '../support/tiny-dns.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

async function serverAt(host: string): Promise<Server> {
  const answer = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<p>here';
  const server = createServer((socket) => void socket.on('error', () => {}).end(answer)).listen(0, host);
  await once(server, 'listening');
  open.push(server);
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const errorOf = (code: string): Error => Object.assign(new Error(code), { code });

/** A connection to a running server. */
async function connection(): Promise<Socket> {
  const socket = connect(portOf(await serverAt('127.0.0.1')), '127.0.0.1');
  await once(socket, 'connect');
  open.push({ close: () => socket.destroy() });
  return socket;
}

describe('the addresses of a host', () => {
  it('are dialled alternately by family, the first address first', () => {
    expect(byTurns(['a', 'b', '::1', '::2'])).toEqual(['a', '::1', 'b', '::2']);
    expect(byTurns(['a', '::1', '::2', '::3'])).toEqual(['a', '::1', '::2', '::3']);
    expect(byTurns(['::1', 'a', 'b'])).toEqual(['::1', 'a', 'b']);
    expect(byTurns(['a', 'b'])).toEqual(['a', 'b']);
  });

  it('reach the server if IPv4 is dead and IPv6 works', async () => {
    const port = portOf(await serverAt('::1'));
    const four = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
    const dns = await startTinyDns({ 'six.test': { kind: 'addresses', v4: four, v6: ['::1'] } });
    const network = { ...DEFAULTS.network, dnsServers: [dns.address], allowPrivate: true, robots: false };
    const fetcher = new HttpFetcher(network);
    open.push(dns, fetcher);
    const outcome = await fetcher.fetch(canonicalize(`http://six.test:${port}/`)!);
    expect(outcome).toMatchObject({ kind: 'fetched', address: '::1' });
  });

  it('are each checked, IPv6 included', async () => {
    const dns = await startTinyDns({ 'mixed.test': { kind: 'addresses', v4: ['192.0.2.1'], v6: ['fd00::1'] } });
    const fetcher = new HttpFetcher({ ...DEFAULTS.network, dnsServers: [dns.address], robots: false });
    open.push(dns, fetcher);
    const outcome = await fetcher.fetch(canonicalize('http://mixed.test/')!);
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'private-address' });
  });
});

describe('dialling', () => {
  it('dials the next address while the first is silent, and uses the first to answer', async () => {
    const socket = await connection();
    const late = await connection();
    const answers: Record<string, Promise<Socket>> = {
      silent: new Promise((resolve) => setTimeout(resolve, 150, late)),
      quick: Promise.resolve(socket),
    };
    const dialled = await dialFirst(['silent', 'quick'], (address) => answers[address]!, 20);
    expect(dialled).toEqual({ socket, address: 'quick' });
    await expect.poll(() => late.destroyed).toBe(true);
    expect(socket.destroyed).toBe(false);
  });

  it('still uses a slow first address if the others fail', async () => {
    const socket = await connection();
    const slow = new Promise<Socket>((resolve) => setTimeout(resolve, 100, socket));
    const dial = (address: string): Promise<Socket> =>
      address === 'slow' ? slow : Promise.reject(errorOf('ENETUNREACH'));
    expect(await dialFirst(['slow', 'x', 'y'], dial, 10)).toEqual({ socket, address: 'slow' });
  });

  it('dials no further address after a connection, also if that one fails then', async () => {
    const socket = await connection();
    const dialled: string[] = [];
    const slow = new Promise<Socket>((_, reject) => setTimeout(reject, 60, errorOf('ECONNREFUSED')));
    const dial = (address: string): Promise<Socket> => {
      dialled.push(address);
      return address === 'slow' ? slow : Promise.resolve(socket);
    };
    expect(await dialFirst(['slow', 'quick', 'spare'], dial, 20)).toEqual({ socket, address: 'quick' });
    await expect(slow).rejects.toThrow();
    expect(dialled).toEqual(['slow', 'quick']);
  });

  it('leave no connection open after a cancelled attempt', async () => {
    const late = await connection();
    const answers: Record<string, Promise<Socket>> = {
      untrusted: new Promise((_, reject) => setTimeout(reject, 40, errorOf('CERT_HAS_EXPIRED'))),
      late: new Promise((resolve) => setTimeout(resolve, 80, late)),
    };
    const dialled = dialFirst(['untrusted', 'late'], (address) => answers[address]!, 10);
    await expect(dialled).rejects.toMatchObject({ code: 'CERT_HAS_EXPIRED' });
    await expect.poll(() => late.destroyed).toBe(true);
  });

  it.each([
    [['CERT_HAS_EXPIRED'], 'CERT_HAS_EXPIRED'],
    [['ECONNREFUSED', 'ETIMEDOUT'], 'ECONNREFUSED'],
    [['ECONNREFUSED', 'ENETUNREACH'], 'ECONNREFUSED'],
    [['ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'], 'UND_ERR_CONNECT_TIMEOUT'],
    [['EAFNOSUPPORT', 'ENETUNREACH'], 'EAFNOSUPPORT'],
    [['CERT_HAS_EXPIRED', 'ECONNREFUSED'], 'CERT_HAS_EXPIRED'],
  ])('of addresses that fail with %j says %s', async (codes, told) => {
    const dial = (code: string): Promise<Socket> => Promise.reject(errorOf(code));
    await expect(dialFirst(codes, dial, 1_000)).rejects.toMatchObject({ code: told });
  });
});
