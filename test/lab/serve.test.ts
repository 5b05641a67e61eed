import { promises as dnsPromises } from 'node:dns';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import dns from 'dns-packet';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { canonicalize, DEFAULTS } from '../../src/core/index.ts';
import { HttpFetcher } from '../../src/fetch/index.ts';
import {
  drawFault,
  type FrozenServer,
  FrozenWeb,
  labServe,
  NO_FAULTS,
  type ServeOptions,
  serveFrozenWeb,
} from '../../src/lab/index.ts';
import { gzippedWarc } from './support/warc-writer.ts';

let dir = '';
let web: FrozenWeb;
const path = (): string => join(dir, 'tiny.warc.gz');
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-serve-'));
  const archive = gzippedWarc([
    {
      url: 'http://a.test/',
      body: 'page a',
      headers: { ETag: '"x"', 'Transfer-Encoding': 'chunked', Connection: 'close' },
    },
    { url: 'http://b.test/p?q=1', body: 'page b' },
    { url: 'http://b.test/old', status: 301, headers: { Location: '/p?q=1' } },
    { url: 'http://b.test/moved', status: 301, headers: { Location: '/中文/é' } },
    { url: 'http://b.test/robots.txt', body: 'User-agent: *' },
    { url: 'https://s.test/', body: 'secure' },
    { url: 'http://a.test/cut', body: 'half a pa', warcHeaders: { 'WARC-Truncated': 'disconnect' } },
    { url: 'http://a.test/long', body: 'all that an archive keeps', warcHeaders: { 'WARC-Truncated': 'length' } },
    {
      url: 'http://a.test/film',
      headers: { 'Content-Length': '9000000' },
      warcHeaders: { 'WARC-Truncated': 'length' },
    },
    { url: 'http://b.test/odd', headers: { 'Bad Name': 'x', 'X-Title': 'snow ☃' }, body: 'odd' },
  ]);
  writeFileSync(path(), archive);
  web = await FrozenWeb.open(path());
});
const servers: FrozenServer[] = [];
const agents: Agent[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function serve(options: Partial<ServeOptions> = {}): Promise<FrozenServer> {
  const server = await serveFrozenWeb({ web, port: 0, ...options });
  servers.push(server);
  return server;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function ask(port: number, target: string, options: RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, path: target, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    req.on('error', reject);
    req.end();
  });
}

describe('a served frozen web', () => {
  test('answers absolute-form requests like a forward proxy', async () => {
    const { port } = await serve();

    expect(await ask(port, 'http://a.test/')).toMatchObject({ status: 200, body: 'page a' });
    expect(await ask(port, 'http://b.test/p?q=1')).toMatchObject({ status: 200, body: 'page b' });
  });

  test('answers by Host header, with or without its port', async () => {
    const { port } = await serve();

    for (const host of ['b.test', `b.test:${port}`, 'B.TEST'])
      expect(await ask(port, '/p?q=1', { headers: { host } })).toMatchObject({ status: 200, body: 'page b' });
  });

  test('sends recorded headers, except those of the old connection or its coding', async () => {
    const { port } = await serve();

    const { headers } = await ask(port, 'http://a.test/');

    expect(headers).toMatchObject({ etag: '"x"', 'content-length': '6', 'content-type': 'text/html; charset=utf-8' });
    expect([headers['transfer-encoding'], headers.connection]).toEqual([undefined, 'keep-alive']);
  });

  test('sends headers in raw UTF-8 byte for byte', async () => {
    const { port } = await serve();

    const { headers } = await ask(port, 'http://b.test/moved');

    expect(Buffer.from(headers.location ?? '', 'latin1').toString()).toBe('/中文/é');
  });

  test('leaves out headers that cannot be sent, and still sends the page', async () => {
    const { port } = await serve();

    expect(await ask(port, 'http://b.test/odd')).toMatchObject({ status: 200, body: 'odd' });
  });

  test('redirects, HEAD, missing pages, missing robots.txt and other methods', async () => {
    const { port } = await serve();

    expect(await ask(port, 'http://b.test/old')).toMatchObject({ status: 301, headers: { location: '/p?q=1' } });
    expect(await ask(port, 'http://a.test/', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    expect((await ask(port, 'http://a.test/none')).status).toBe(404);
    expect((await ask(port, 'http://a.test/robots.txt')).status).toBe(404);
    expect((await ask(port, 'http://b.test/robots.txt')).body).toBe('User-agent: *');
    expect((await ask(port, 'http://a.test/', { method: 'POST' })).status).toBe(405);
  });

  test('finds a page recorded over https by an http request', async () => {
    const { port } = await serve();

    expect((await ask(port, 'http://s.test/')).body).toBe('secure');
  });

  test('repeats an answer that was interrupted, but not one truncated for its length', async () => {
    const fetcher = new HttpFetcher({
      ...DEFAULTS.network,
      ...{ allowPrivate: true, robots: false, proxy: `http://127.0.0.1:${(await serve()).port}` },
    });
    const fetch = (path: string) => fetcher.fetch(canonicalize(`http://a.test/${path}`)!);

    expect(await fetch('cut')).toMatchObject({ kind: 'failed', reason: 'truncated' });
    expect(await fetch('film')).toMatchObject({ kind: 'refused', detail: 'the body has more than 8388608 bytes' });
    expect(await fetch('long')).toMatchObject({ kind: 'fetched', status: 200 });
    await fetcher.close();
  });

  test('serves many requests on one connection', async () => {
    const { port } = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(agent);
    const ports = new Set<number | undefined>();
    agent.on('free', (socket: { localPort?: number }) => ports.add(socket.localPort));

    for (let i = 0; i < 5; i++) await ask(port, 'http://a.test/', { agent });

    expect(ports.size).toBe(1);
  });

  test('serves pages recorded over https through a tunnel', async () => {
    const { port } = await serve();
    const proxy = `http://127.0.0.1:${port}`;
    const fetcher = new HttpFetcher({ ...DEFAULTS.network, proxy, insecureTls: true, allowPrivate: true });

    const outcome = await fetcher.fetch(canonicalize('https://s.test/')!);
    await fetcher.close();

    expect(outcome).toMatchObject({ kind: 'fetched', body: new Uint8Array(Buffer.from('secure')) });
  });

  test('opens no tunnel to a host outside of the archive', async () => {
    const { port } = await serve();
    const proxy = `http://127.0.0.1:${port}`;
    const fetcher = new HttpFetcher({ ...DEFAULTS.network, proxy, insecureTls: true, allowPrivate: true });

    const outcome = await fetcher.fetch(canonicalize('https://elsewhere.test/')!);
    await fetcher.close();

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'http', retry: 'never', status: 404 });
  });

  test('reports a port in use with a remedy', async () => {
    const { port } = await serve();

    await expect(serve({ port })).rejects.toMatchObject({
      code: 'CANNOT_LISTEN',
      hint: expect.stringContaining('another port'),
    });
  });
});

describe('its name server', () => {
  const resolver = (port: number): dnsPromises.Resolver => {
    const made = new dnsPromises.Resolver({ tries: 1, timeout: 2000 });
    made.setServers([`127.0.0.1:${port}`]);
    return made;
  };

  test('resolves the hosts of the web, and says that others do not exist', async () => {
    const { dnsPort } = await serve({ dnsPort: 0 });
    const names = resolver(dnsPort ?? 0);

    expect(await names.resolve4('a.test')).toEqual(['127.0.0.1']);
    expect(await names.resolve4('B.Test')).toEqual(['127.0.0.1']);
    await expect(names.resolve4('c.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(names.resolve6('a.test')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  test('answers over TCP too, several queries on one connection', async () => {
    const { dnsPort } = await serve({ dnsPort: 0 });
    const query = (id: number, name: string): Buffer =>
      dns.streamEncode({ type: 'query', id, flags: dns.RECURSION_DESIRED, questions: [{ type: 'A', name }] });

    const replies = await new Promise<Buffer>((resolve) => {
      const chunks: Buffer[] = [];
      const socket = connect(dnsPort ?? 0, '127.0.0.1', () =>
        socket.end(Buffer.concat([query(1, 'a.test'), query(2, 'no.test')])),
      );
      socket.on('data', (data: Buffer) => chunks.push(data));
      socket.on('end', () => resolve(Buffer.concat(chunks)));
    });

    const first = dns.streamDecode(replies);
    const second = dns.streamDecode(replies.subarray(2 + replies.readUInt16BE(0)));
    expect(first).toMatchObject({ id: 1, answers: [{ type: 'A', data: '127.0.0.1' }], flag_rd: true });
    expect(second).toMatchObject({ id: 2, answers: [], rcode: 'NXDOMAIN' });
  });

  test('survives invalid DNS messages', async () => {
    const { dnsPort } = await serve({ dnsPort: 0 });
    await new Promise<void>((resolve) => {
      const socket = connect(dnsPort ?? 0, '127.0.0.1', () => socket.end(Buffer.from([0, 5, 1, 2, 3, 4, 5])));
      socket.resume();
      socket.on('close', () => resolve());
    });

    expect(await resolver(dnsPort ?? 0).resolve4('a.test')).toEqual(['127.0.0.1']);
  });

  test('frees the UDP port if the TCP port is in use', async () => {
    const blocker = createServer();
    const taken = await new Promise<number>((resolve) =>
      blocker.listen(0, '127.0.0.1', () => resolve((blocker.address() as { port: number }).port)),
    );

    await expect(serve({ dnsPort: taken })).rejects.toMatchObject({ code: 'CANNOT_LISTEN' });
    await new Promise((resolve) => blocker.close(resolve));
    expect((await serve({ dnsPort: taken })).dnsPort).toBe(taken);
  });
});

describe('real hosts', () => {
  test.skipIf(process.platform !== 'linux')('each host has its own loopback address on the same port', async () => {
    const { port, addresses } = await serve({ bindHosts: true });

    expect([...addresses]).toEqual([
      ['a.test', '127.1.0.1'],
      ['b.test', '127.1.0.2'],
      ['s.test', '127.1.0.3'],
    ]);
    const answer = await ask(port, '/p?q=1', { host: '127.1.0.2', headers: { host: `b.test:${port}` } });
    expect(answer.body).toBe('page b');
  });
});

describe('faults', () => {
  const settings = { ...NO_FAULTS, errorRate: 0.2, timeoutRate: 0.1, seed: 3 };
  const draws = Array.from({ length: 2000 }, (_, i) => drawFault(settings, `http://a.test/${i}`, 0));

  test('occur at their rates, and depend only on seed, URL and attempt', () => {
    const share = (fault: string): number => draws.filter((drawn) => drawn === fault).length / draws.length;

    expect(share('error')).toBeCloseTo(0.2, 1);
    expect(share('timeout')).toBeCloseTo(0.1, 1);
    expect(draws).toEqual(draws.map((_, i) => drawFault(settings, `http://a.test/${i}`, 0)));
    expect(draws).not.toEqual(draws.map((_, i) => drawFault(settings, `http://a.test/${i}`, 1)));
  });

  test('an error is a 503; the next attempt is drawn again', async () => {
    const seed = Array.from({ length: 50 }, (_, s) => s).find(
      (s) =>
        drawFault({ ...settings, seed: s }, 'http://a.test/', 0) === 'error' &&
        drawFault({ ...settings, seed: s }, 'http://a.test/', 1) === 'none',
    );
    const { port } = await serve({ faults: { ...settings, seed: seed ?? -1 } });

    expect((await ask(port, 'http://a.test/')).status).toBe(503);
    expect((await ask(port, 'http://a.test/')).status).toBe(200);
  });

  test('a timeout is never answered, and does not delay closing the server', async () => {
    const server = await serve({ faults: { ...NO_FAULTS, timeoutRate: 1 } });

    const impatient = new AbortController();
    const asked = ask(server.port, 'http://a.test/', { signal: impatient.signal });
    await expect.poll(() => server.requests).toBe(1);
    setTimeout(() => impatient.abort(), 100);
    await expect(asked).rejects.toThrow();
    await server.close();
  });
});

describe('bingo lab serve', () => {
  test('prints its address, serves until it is stopped, and then prints how much it served', async () => {
    const stop = new AbortController();
    const lines: string[] = [];
    const listening = Promise.withResolvers<number>();
    const out = (text: string): void => {
      lines.push(text);
      const port = /^proxy +http:\/\/127\.0\.0\.1:(\d+)\n$/.exec(text)?.[1];
      if (port !== undefined) listening.resolve(Number(port));
    };
    const served = labServe({ file: path(), port: 0, dnsPort: 0 }, { out, err: out, signal: stop.signal });

    expect((await ask(await listening.promise, 'http://a.test/')).body).toBe('page a');
    stop.abort();

    expect(await served).toBe(0);
    expect(lines.join('')).toMatch(/^tiny: 10 pages on 3 hosts.*\ndns +127\.0\.0\.1:\d+\n1 request answered\.\n$/s);
  });

  test.skipIf(process.platform !== 'linux')('says where links lead if hosts are served elsewhere', async () => {
    const lines: string[] = [];
    const put = (text: string): void => void lines.push(text);
    const stop = AbortSignal.abort();
    expect(await labServe({ file: path(), port: 0, bindHosts: true }, { out: put, err: put, signal: stop })).toBe(0);
    expect(lines.join('')).toMatch(/^host +http:\/\/b\.test:\d+\/ +127\.1\.0\.2$/m);
    expect(lines.join('')).toMatch(/lead to port 80, which does not answer\. .* serve with --port 80\.$/m);
  });

  test('prints its addresses as one JSON object if asked', async () => {
    const lines: string[] = [];
    const io = { out: (text: string): void => void lines.push(text), err: () => {}, signal: AbortSignal.abort() };
    await labServe({ file: path(), port: 0, dnsPort: 0, json: true }, io);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { proxy: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), dns: expect.stringMatching(/^127\.0\.0\.1:\d+$/) },
    ]);
  });

  test('ends if the file changes while it runs, and says so', async () => {
    const changed = join(dir, 'changed.warc.gz');
    writeFileSync(changed, readFileSync(path()));
    const port = Promise.withResolvers<number>();
    const out = (text: string): void => port.resolve(Number(/:(\d+)\n$/.exec(text)?.[1]));
    const served = labServe({ file: changed }, { out, err: () => {}, signal: new AbortController().signal });
    const ended = expect(served).rejects.toMatchObject({ code: 'WARC_CHANGED' });
    const at = await port.promise;
    writeFileSync(changed, 'gone');

    expect(await ask(at, 'http://a.test/').catch(() => ({ status: 0 }))).not.toMatchObject({ status: 200 });
    await ended;
  });

  test('rejects invalid rates', async () => {
    const io = { out: () => {}, err: () => {}, signal: AbortSignal.abort() };

    await expect(labServe({ file: path(), port: 0, faults: { errorRate: 2 } }, io)).rejects.toThrow(
      /error rate in \[0,1\], got 2/,
    );
  });
});
