import { createServer, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { canonicalize, DEFAULTS, type FetchOutcome } from '../../src/core/index.ts';
import { HttpFetcher } from '../../src/fetch/index.ts';
import { selfSigned } from '../../src/lab/serve/self-signed.ts';

const MIB = 1024 * 1024;
/** Bytes in transit when a connection closes, and bytes that arrive until the next check. */
const ON_THE_WAY = 40 * MIB;
const LIMIT = MIB;

let open: { close(): unknown }[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  for (const each of open) await each.close();
  open = [];
});

/** Writes one text forever, up to 64 MB/s: how much passes until a look at the sockets must not depend on the machine. */
function endlessly(socket: Socket, piece: string): void {
  const block = piece.repeat(Math.ceil(65_536 / piece.length));
  const more = (): void => {
    if (!socket.destroyed && socket.write(block, 'latin1')) setTimeout(more, 1);
    else socket.once('drain', () => setTimeout(more, 1));
  };
  more();
}

async function flood(begin: string, piece: string): Promise<{ readonly port: number; readonly sent: () => number }> {
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => {
      socket.write(begin, 'latin1');
      endlessly(socket, piece);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  const { port } = server.address() as { port: number };
  return { port, sent: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0) };
}

function fetcher(more: Partial<typeof DEFAULTS.network> = {}): HttpFetcher {
  const own = new HttpFetcher({
    ...{ ...DEFAULTS.network, allowPrivate: true, robots: false, maxBodyBytes: LIMIT, totalTimeoutMs: 8_000 },
    ...more,
  });
  open.push(own);
  return own;
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
const PAGE = 'x'.repeat(100);

describe('a server that sends without end', () => {
  it.each([
    ['a reason phrase', 'HTTP/1.1 200 ', 'O'],
    ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
    ['a field', `${OK}X: `, 'y'],
    ['fields', OK, 'X: y\r\n'],
    ['an extension of a chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n64;x=`, 'y'],
    ['extensions of small chunks', `${OK}Transfer-Encoding: chunked\r\n\r\n`, `1;${'x'.repeat(2_000)}\r\na\r\n`],
    ['trailers', `${OK}Transfer-Encoding: chunked\r\n\r\n64\r\n${PAGE}\r\n0\r\n`, 'X: y\r\n'],
    ['empty lines', '', '\r\n'],
    ['a body', `${OK}\r\n`, 'z'],
  ])('%s is cut off near the limit of a page', async (_what, begin, piece) => {
    const { port, sent } = await flood(begin, piece);
    const begun = performance.now();
    const outcome = await fetcher().fetch(canonicalize(`http://127.0.0.1:${port}/`)!);
    expect(outcome.kind).not.toBe('fetched');
    expect(performance.now() - begun).toBeLessThan(4_000);
    expect(sent()).toBeLessThan(ON_THE_WAY);
  });

  it('has its connection closed after its response', async () => {
    const { port, sent } = await flood(`${OK}Content-Length: 100\r\n\r\n${PAGE}`, 'HTTP/1.1 200 OK\r\nX: y\r\n');
    const outcome = await fetcher().fetch(canonicalize(`http://127.0.0.1:${port}/`)!);
    expect(outcome.kind).toBe('fetched');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect([...sockets].every((socket) => socket.destroyed)).toBe(true);
    expect(sent()).toBeLessThan(ON_THE_WAY);
  });

  it('through a proxy is cut off, too', async () => {
    const { port, sent } = await flood('HTTP/1.1 200 ', 'O');
    const own = fetcher({ proxy: `http://127.0.0.1:${port}` });
    expect((await own.fetch(canonicalize('http://example.org/')!)).kind).toBe('failed');
    expect(sent()).toBeLessThan(ON_THE_WAY);
    expect((await own.fetch(canonicalize('https://example.org/')!)).kind).toBe('failed');
    expect(sent()).toBeLessThan(2 * ON_THE_WAY);
  });
});

/** Builds an HTTP/2 frame (RFC 9113 §4.1). */
function frame(type: number, stream: number, payload: readonly number[], flags = 0): string {
  const { length } = payload;
  return String.fromCharCode(0, length >> 8, length & 255, type, flags, 0, 0, 0, stream, ...payload);
}

describe('an HTTP/2 server that sends without end', () => {
  const [HEADERS, SETTINGS, UNKNOWN] = [1, 4, 0xfa];
  const STATUS_200 = 0x88;
  /** A useless content type: the response is rejected at its headers. */
  const PICTURE = [STATUS_200, 0x0f, 0x10, 9, ...Buffer.from('image/png')];
  const END_HEADERS = 4;

  it.each([
    ['before its answer', '', 'failed'],
    ['after its answer was refused', frame(HEADERS, 1, PICTURE, END_HEADERS), 'refused'],
  ])('%s has its connection closed', async (_what, answer, kind) => {
    const server = tls.createServer({ ...selfSigned(['x.test']), ALPNProtocols: ['h2'] }, (socket) => {
      sockets.add(socket.on('error', () => {}));
      socket.write(frame(SETTINGS, 0, []), 'latin1');
      socket.once('data', () => {
        socket.write(answer, 'latin1');
        endlessly(socket, frame(UNKNOWN, 0, new Array<number>(1_000).fill(7)));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(server);
    const { port } = server.address() as { port: number };
    const outcome = await fetcher({ insecureTls: true }).fetch(canonicalize(`https://127.0.0.1:${port}/`)!);
    expect(outcome.kind).toBe(kind);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect([...sockets].every((socket) => socket.destroyed)).toBe(true);
    expect([...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0)).toBeLessThan(2 * ON_THE_WAY);
  });
});

describe('an honest server', () => {
  it('may send many pages near the limit over one connection', async () => {
    const body = 'z'.repeat(LIMIT - 1);
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      socket.on('data', () => socket.write(`${OK}Content-Length: ${body.length}\r\n\r\n${body}`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(server);
    const { port } = server.address() as { port: number };
    const own = fetcher();
    const kinds: FetchOutcome['kind'][] = [];
    for (let i = 0; i < 20; i++) kinds.push((await own.fetch(canonicalize(`http://127.0.0.1:${port}/${i}`)!)).kind);
    expect(new Set(kinds)).toEqual(new Set(['fetched']));
    expect(sockets.size).toBeLessThanOrEqual(2);
  });
});
