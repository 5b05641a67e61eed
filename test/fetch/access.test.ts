import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CanonicalUrl, DEFAULTS } from '../../src/core/index.ts';
import {
  type Credentials,
  HttpFetcher,
  type NetworkSettings,
  parseAccess,
  parseCookiesTxt,
} from '../../src/fetch/index.ts';
import { selfSigned } from '../../src/lab/serve/self-signed.ts';
import type { Recording } from '../../src/warc/index.ts';

const NOW = Date.UTC(2026, 0, 1);
const open: { close(): unknown }[] = [];
let server: Server;
let port: number;
let received: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    received.push({ url: request.url ?? '', headers: request.headers });
    response
      .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'session=renewed-secret' })
      .end('<title>t</title>');
  });
  port = await listening(server);
});
afterEach(async () => {
  received = [];
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function listening(made: Server | NetServer): Promise<number> {
  await new Promise<void>((done) => made.listen(0, '127.0.0.1', done));
  return (made.address() as AddressInfo).port;
}

function fetcherWith(
  settings: Partial<NetworkSettings>,
  credentials?: Credentials,
  recordings: Recording[] = [],
): HttpFetcher {
  const network = { ...DEFAULTS.network, allowPrivate: true, robots: false, ...settings };
  const record = async (recording: Recording): Promise<void> => void recordings.push(recording);
  const recorder = { record, recordRendered: async () => {} };
  const made = new HttpFetcher(network, { recorder, ...(credentials && { credentials }) });
  open.push(made);
  return made;
}

const line = (...fields: readonly string[]): string => fields.join('\t');

describe('cookies.txt', () => {
  it('gives the cookies that have not expired', () => {
    const text = [
      '# Netscape HTTP Cookie File',
      line('.example.org', 'TRUE', '/', 'TRUE', '1893456000', 'a', '1'),
      line('#HttpOnly_example.org', 'FALSE', '/in', 'FALSE', '0', 'b', ''),
      line('old.example.org', 'FALSE', '/', 'FALSE', '1000000000', 'c', '3'),
      '',
    ].join('\r\n');
    const cookies = parseCookiesTxt(text, 'cookies.txt', NOW);
    expect(
      cookies.map(({ key, value, domain, hostOnly, secure, path }) => [key, value, domain, hostOnly, secure, path]),
    ).toEqual([
      ['a', '1', 'example.org', false, true, '/'],
      ['b', '', 'example.org', true, false, '/in'],
    ]);
  });

  it.each([
    ['example.org TRUE / TRUE 0 a secret-value', /line 2: Expected 7 fields/],
    [line('exa mple', 'TRUE', '/', 'TRUE', '0', 'a', 'secret-value'), /line 2: Expected a host name/],
    [line('example.org', 'yes', '/', 'TRUE', '0', 'a', 'secret-value'), /TRUE or FALSE in the second/],
    [line('example.org', 'TRUE', 'x', 'TRUE', '0', 'a', 'secret-value'), /a path that begins with/],
    [line('example.org', 'TRUE', '/', '1', '0', 'a', 'secret-value'), /TRUE or FALSE in the fourth/],
    [line('example.org', 'TRUE', '/', 'TRUE', 'soon', 'a', 'secret-value'), /a time in seconds/],
    [line('example.org', 'TRUE', '/', 'TRUE', '0', 'a', 'secret-value;\u0001'), /cannot be sent/],
  ])('names the line of %j, and not its content', (text, message) => {
    const read = (): unknown => parseCookiesTxt(`# head\n${text}`, 'cookies.txt', NOW);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/secret-value/);
  });
});

describe('an access file', () => {
  it('gives fields per host, over https unless it says http', () => {
    expect(
      parseAccess('# mine\nexample.org basic me:pa:ss\nhttp://127.0.0.1:8080 header X-Key: k 1\n', 'access'),
    ).toEqual([
      {
        origin: 'https://example.org',
        name: 'authorization',
        value: `Basic ${Buffer.from('me:pa:ss').toString('base64')}`,
      },
      { origin: 'http://127.0.0.1:8080', name: 'x-key', value: 'k 1' },
    ]);
  });

  it.each([
    ['example.org digest me:secret-value', /line 1: Expected HOST basic/],
    ['example.org/path basic me:secret-value', /Expected a host name/],
    ['example.org basic secret-value', /Expected USER:PASSWORD/],
    ['example.org header secret-value', /Expected NAME: VALUE/],
    ['example.org header Host: secret-value', /cannot be set here/],
    ['ftp://example.org basic me:secret-value', /Expected a host name/],
  ])('names the line of %j, and not its content', (text, message) => {
    const read = (): unknown => parseAccess(text, 'access');
    expect(read).toThrow(message);
    expect(read).not.toThrow(/secret-value/);
  });
});

describe('credentials of the user', () => {
  it('are sent to their host alone, and never recorded', async () => {
    const credentials = {
      cookies: parseCookiesTxt(
        line('127.0.0.1', 'FALSE', '/in', 'FALSE', '0', 'login', 'secret-cookie'),
        'c',
        Date.now(),
      ),
      access: parseAccess(
        `http://127.0.0.1:${port} basic me:secret-password\nhttp://127.0.0.1:${port} header X-Key: secret-key`,
        'a',
      ),
    };
    const recordings: Recording[] = [];
    const fetcher = fetcherWith({}, credentials, recordings);
    const other = createServer((request, response) => {
      received.push({ url: `other${request.url}`, headers: request.headers });
      response.writeHead(200, { 'content-type': 'text/html' }).end('x');
    });
    const elsewhere = await listening(other);
    open.push({ close: () => other.close() });

    for (const url of [
      `http://127.0.0.1:${port}/in/a`,
      `http://127.0.0.1:${port}/out`,
      `http://127.0.0.1:${elsewhere}/x`,
    ])
      expect(await fetcher.fetch(url as CanonicalUrl)).toMatchObject({ kind: 'fetched' });

    expect(
      received.map(({ url, headers }) => [url, headers.cookie, headers['x-key'], headers.authorization !== undefined]),
    ).toEqual([
      ['/in/a', 'login=secret-cookie', 'secret-key', true],
      ['/out', undefined, 'secret-key', true],
      ['other/x', 'session=renewed-secret', undefined, false],
    ]);
    expect(recordings).toHaveLength(3);
    expect(JSON.stringify(recordings)).not.toMatch(/secret|authorization|x-key|cookie/i);
  });
});

interface Socks {
  readonly url: string;
  readonly asked: readonly string[];
}

/** A SOCKS5 proxy that leads every name to this machine; refuses hosts that begin with "no". */
async function startSocks(password?: string): Promise<Socks> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createNetServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let step = 0;
    socket.on('data', (data: Buffer) => {
      if (step === 0) {
        step = password === undefined ? 2 : 1;
        socket.write(Buffer.from([5, password === undefined ? 0 : 2]));
      } else if (step === 1) {
        const user = data[1] ?? 0;
        const given = data.subarray(3 + user).toString();
        step = given === password ? 2 : 9;
        socket.write(Buffer.from([1, given === password ? 0 : 1]));
      } else if (step === 2) {
        step = 3;
        const isName = data[3] === 3;
        const length = data[4] ?? 0;
        const host = isName ? data.subarray(5, 5 + length).toString() : data.subarray(4, 8).join('.');
        const to = data.readUInt16BE(data.length - 2);
        asked.push(`${host}:${to}`);
        if (host.startsWith('no')) return void socket.write(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0]));
        const far = connect(to, '127.0.0.1', () => {
          socket.removeAllListeners('data');
          socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
          socket.pipe(far).pipe(socket);
        });
        far.on('error', () => socket.destroy());
      }
    });
  });
  const at = await listening(proxy);
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  });
  return { url: `socks5://${password === undefined ? '' : 'me:right@'}127.0.0.1:${at}`, asked };
}

describe('a SOCKS5 proxy', () => {
  it('resolves names and carries http and https', async () => {
    const { key, cert } = selfSigned(['pages.example']);
    const secure = createHttpsServer({ key, cert }, (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>s</title>'),
    );
    const securePort = await listening(secure);
    open.push({ close: () => secure.close() });
    const { url, asked } = await startSocks();
    const fetcher = fetcherWith({ proxy: url, insecureTls: true, allowPrivate: false });

    const plain = await fetcher.fetch(`http://pages.example:${port}/a` as CanonicalUrl);
    const again = await fetcher.fetch(`http://pages.example:${port}/b` as CanonicalUrl);
    const tls = await fetcher.fetch(`https://pages.example:${securePort}/` as CanonicalUrl);

    expect([plain.kind, again.kind, tls.kind]).toEqual(['fetched', 'fetched', 'fetched']);
    expect([...new Set(asked)]).toEqual([`pages.example:${port}`, `pages.example:${securePort}`]);
    expect(received[0]?.headers.host).toBe(`pages.example:${port}`);
  });

  it('receives user name and password', async () => {
    const { url } = await startSocks('right');
    expect(await fetcherWith({ proxy: url }).fetch(`http://a.example:${port}/` as CanonicalUrl)).toMatchObject({
      kind: 'fetched',
    });
  });

  it('that rejects the password is to blame, and no host', async () => {
    const { url } = await startSocks('other');
    expect(await fetcherWith({ proxy: url }).fetch(`http://a.example:${port}/` as CanonicalUrl)).toMatchObject({
      ...{
        kind: 'failed',
        retry: 'later',
        reason: 'connect',
        detail: expect.stringContaining('the proxy does not answer: Authentication failed'),
      },
    });
  });

  it('that cannot reach a host leaves the blame to the host', async () => {
    const { url } = await startSocks();
    const outcome = await fetcherWith({ proxy: url }).fetch(`http://no.example:${port}/` as CanonicalUrl);
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: 'connect',
      detail: 'SOCKS5 connection failed: Connection refused',
    });
  });

  it('that is missing is to blame, and private addresses are still refused', async () => {
    const gone = fetcherWith({ proxy: 'socks5://127.0.0.1:9', allowPrivate: false });
    expect(await gone.fetch('http://a.example/' as CanonicalUrl)).toMatchObject({
      reason: 'connect',
      detail: expect.stringContaining('the proxy does not answer'),
    });
    expect(await gone.fetch('http://10.0.0.1/' as CanonicalUrl)).toMatchObject({
      kind: 'refused',
      reason: 'private-address',
    });
  });
});

describe('an HTTPS proxy', () => {
  it('is asked over TLS', async () => {
    const { key, cert } = selfSigned(['127.0.0.1']);
    const asked: string[] = [];
    const proxy = createHttpsServer({ key, cert }, (request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>p</title>');
    });
    const at = await listening(proxy);
    open.push({
      close: () => {
        proxy.closeAllConnections();
        proxy.close();
      },
    });

    const trusting = fetcherWith({ proxy: `https://127.0.0.1:${at}`, insecureTls: true });
    expect(await trusting.fetch('http://a.example/x' as CanonicalUrl)).toMatchObject({ kind: 'fetched' });
    expect(asked).toEqual(['http://a.example/x']);
    const careful = fetcherWith({ proxy: `https://127.0.0.1:${at}` });
    expect(await careful.fetch('http://a.example/x' as CanonicalUrl)).toMatchObject({ kind: 'failed', reason: 'tls' });
  });
});
