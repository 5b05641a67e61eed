import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../../src/server/index.ts';
import { answerOf, INJECTION, type Served, serveMade } from './support/served.ts';

let served: Served;
let api: string;
beforeAll(async () => {
  served = await serveMade();
  api = `/api/v1/workspaces/${served.name}`;
});
afterAll(() => served.close());

interface Raw {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends any headers, which fetch would not. */
async function send(path: string, headers: OutgoingHttpHeaders, method = 'GET', body = ''): Promise<Raw> {
  return await new Promise((resolve, reject) => {
    const asked = request(`${served.origin}/`, { path, method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: text }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const JSON_BODY = { 'content-type': 'application/json' };

describe('a web page of another origin', () => {
  test.each(['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:80', '0x7f.1', '192.168.1.2'])(
    'cannot rebind a name to the server: Host %j',
    async (host) => {
      for (const path of ['/', `${api}/search?q=recovery`, '/mcp'])
        expect(await send(path, { host })).toMatchObject({ status: 421 });
      const { body } = await send(`${api}/search?q=recovery`, { host });
      expect(body).not.toContain('b.example');
    },
  );

  test.each(['https://evil.example', 'null', 'http://127.0.0.1:1', 'http://localhost'])(
    'cannot change anything: Origin %s',
    async (origin) => {
      const body = '{"good":["https://b.example/"]}';
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded'])
        expect(await send(`${api}/marks`, { origin, 'content-type': type }, 'POST', body)).toMatchObject({
          status: 403,
        });
      expect(await send('/mcp', { origin, ...JSON_BODY }, 'POST', '{}')).toMatchObject({ status: 403 });
      const preflight = await send(`${api}/marks`, { origin, 'access-control-request-method': 'POST' }, 'OPTIONS');
      expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    },
  );

  test('cannot use the API by an image or a form', async () => {
    for (const site of ['cross-site', 'same-site'])
      expect(await send(`${api}/clusters`, { 'sec-fetch-site': site })).toMatchObject({ status: 403 });
    expect(await send(`${api}/topics`, { 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 200 });
    const plain = await send(`${api}/marks`, { 'content-type': 'text/plain' }, 'POST', '{}');
    expect(plain).toMatchObject({ status: 415 });
  });

  test('may read answers if it is named', async () => {
    const server = await startServer({ workspaces: [served.workspace], port: 0, origins: ['https://app.example'] });
    try {
      const url = `${server.url}api/v1/workspaces`;
      const named = await answerOf(url, { headers: { origin: 'https://app.example' } });
      expect([named.status, named.headers.get('access-control-allow-origin')]).toEqual([200, 'https://app.example']);
      expect((await answerOf(url, { headers: { origin: 'https://other.example' } })).status).toBe(403);
      const asked = { method: 'OPTIONS', headers: { origin: 'https://app.example' } };
      expect(await answerOf(url, asked)).toMatchObject({ status: 204, text: '' });
    } finally {
      await server.close();
    }
  });
});

describe('a stranger', () => {
  test.each([
    '/../bingo.yaml',
    '/..%2fbingo.yaml',
    '/w/..%2f..%2fetc/passwd',
    '/api/v1/workspaces/..%2f..%2f/status',
    '/api/v1/workspaces/%00/status',
    '/api/v1/openapi.json/../../../store.db',
    '//etc/passwd',
    '/%',
  ])('reads no file: %s', async (path) => {
    const { status, body } = await send(path, {});
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body).not.toMatch(/topics:|root:/);
  });

  test('cannot send a body without end', async () => {
    expect(await send(`${api}/marks`, { ...JSON_BODY, 'content-length': 1e9 }, 'POST').catch(() => 413)).toSatisfy(
      (answer: Raw | 413) => answer === 413 || answer.status === 413,
    );
    const socket = await dial();
    const answered = once(socket, 'data');
    socket.write(`POST ${api}/marks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`);
    socket.write('Transfer-Encoding: chunked\r\n\r\n');
    const piece = `10000\r\n${'['.repeat(0x10000)}\r\n`;
    for (let i = 0; i < 40 && !socket.destroyed; i++) socket.write(piece);
    expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test('cannot hand over files beyond the limit, nor large bodies elsewhere', async () => {
    const big = { ...JSON_BODY, 'content-length': 25 * 2 ** 20 };
    for (const path of ['/api/v1/workspaces', '/api/v1/lists', `${api}/pages`])
      expect(await send(path, big, 'POST').catch(() => 413)).toSatisfy(
        (answer: Raw | 413) => answer === 413 || answer.status === 413,
      );
    const text = 'x'.repeat(2 ** 21);
    expect(await send('/api/v1/lists', JSON_BODY, 'POST', JSON.stringify({ name: 'a.txt', text }))).toMatchObject({
      status: 400,
    });
    expect(await send('/api/v1/lists/../workspaces/x/marks', JSON_BODY, 'POST', text)).toMatchObject({ status: 413 });
  });

  test('cannot exhaust the stack or the parser with a small body', async () => {
    const deep = `{"good":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(await send(`${api}/marks`, JSON_BODY, 'POST', deep)).toMatchObject({ status: 400 });
    const many = JSON.stringify({ good: Array.from({ length: 100_000 }, () => 'a') });
    expect(await send(`${api}/marks`, JSON_BODY, 'POST', many)).toMatchObject({ status: 400 });
    const polluted = await send(`${api}/marks`, JSON_BODY, 'POST', '{"__proto__":{"preview":true},"constructor":1}');
    expect(polluted).toMatchObject({ status: 400 });
    expect(({} as { preview?: boolean }).preview).toBeUndefined();
  });

  test('cannot keep others out by connections that send slowly', async () => {
    const slow: Socket[] = [];
    for (let i = 0; i < 300; i++) {
      const socket = await dial();
      socket.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10000\r\n');
      if (i % 2 === 0) socket.write('\r\n{');
      slow.push(socket);
    }
    expect((await served.get('/healthz')).status).toBe(200);
    expect((await served.ask('/search?q=recovery')).json.matches).toBe(3);
    for (const socket of slow) socket.destroy();
  });

  test('is refused when too many requests wait', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => served.ask('/clusters?topic=databases').then(({ status }) => status)),
    );
    expect(new Set(answers)).toContain(503);
    expect((await served.ask('/status')).status).toBe(200);
  });
});

describe('text of a page', () => {
  test('stays text in answers of every kind', async () => {
    const page = await served.get('/?q=recoveries');
    expect(page.text).not.toContain('<script');
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    const { headers, json } = await served.ask('/page?url=c.example');
    expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      'application/json',
      'nosniff',
    ]);
    expect(json.title).toBe(INJECTION);
  });
});

describe('with --host', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer({ workspaces: [served.workspace], port: 0, hosts: ['127.0.0.1', 'search.example'] });
  });
  afterAll(() => server.close());

  const status = async (path: string, token?: string, init: RequestInit = {}): Promise<number> => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await answerOf(server.url + path, { ...init, headers: { ...init.headers, ...headers } })).status;
  };
  const marks = { method: 'POST', headers: JSON_BODY, body: '{"good":[],"preview":true}' };

  test('demands a token for everything except health checks', async () => {
    const paths = ['', 'search.json?q=recovery', `${api.slice(1)}/topics`, 'mcp', 'metrics', 'api/v1/openapi.json'];
    for (const path of paths) {
      expect([path, await status(path)]).toEqual([path, 401]);
      expect([path, await status(path, 'bingo-read-wrong')]).toEqual([path, 401]);
    }
    expect(await status('healthz')).toBe(200);
  });

  test('gives each token its scope', async () => {
    const { read, judge, steer } = server.tokens!;
    expect(await status(`${api.slice(1)}/topics`, read)).toBe(200);
    expect(await status(`${api.slice(1)}/marks`, read, marks)).toBe(403);
    expect(await status(`${api.slice(1)}/marks`, judge, marks)).not.toBe(403);
    const crawl = { method: 'POST', headers: JSON_BODY, body: '{"kind":"stop"}' };
    expect(await status(`${api.slice(1)}/crawl/steer`, judge, crawl)).toBe(403);
    expect(await status(`${api.slice(1)}/crawl/steer`, steer, crawl)).toBe(404);
  });

  test('accepts the token as a password of a browser', async () => {
    const basic = Buffer.from(`me:${server.tokens!.read}`).toString('base64');
    expect((await answerOf(server.url, { headers: { authorization: `Basic ${basic}` } })).status).toBe(200);
  });

  test('stores hashes only, for the owner alone, and prints tokens once', async () => {
    const file = join(served.workspace.dir, 'server-tokens.json');
    const text = readFileSync(file, 'utf8');
    for (const token of Object.values(server.tokens!)) expect(text).not.toContain(token);
    expect(statSync(file).mode & 0o077).toBe(0);
    const again = await startServer({ workspaces: [served.workspace], port: 0, hosts: ['127.0.0.1'] });
    expect(again.tokens).toBeUndefined();
    const authorization = `Bearer ${server.tokens!.read}`;
    expect((await answerOf(again.url, { headers: { authorization } })).status).toBe(200);
    await again.close();
  });

  test('refuses a host without a name, and an origin that browsers never send', async () => {
    const workspaces = [served.workspace];
    const started = (options: object): Promise<unknown> => startServer({ workspaces, port: 0, ...options });
    await expect(started({ hosts: [''] })).rejects.toThrow('A host has no name.');
    await expect(started({ origins: ['app.example.org'] })).rejects.toThrow('is not the origin of web pages');
    await expect(started({ hosts: ['192.0.2.1'] })).rejects.toThrow('Cannot listen on 192.0.2.1');
  });

  test('answers to addresses and to names that were named', async () => {
    const { port } = new URL(server.url);
    const code = (host: string): Promise<number | undefined> =>
      new Promise((resolve) => {
        const asked = request({ host: '127.0.0.1', port, path: '/healthz', headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        asked.end();
      });
    const hosts = ['search.example', '10.0.0.7:80', '[::1]', 'evil.example'];
    expect(await Promise.all(hosts.map(code))).toEqual([200, 200, 200, 421]);
  });
});

async function dial(): Promise<Socket> {
  const socket = connect(Number(new URL(served.origin).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}
