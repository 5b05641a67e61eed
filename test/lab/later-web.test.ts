import { get } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { buildPackageWeb, hostOfPackage, type PackageWebServer, servePackageWeb } from '../../src/lab/index.ts';

const web = buildPackageWeb([join(import.meta.dirname, '../../node_modules')], []);
const hosts = web.packages.filter(({ files }) => files.has('/readme.html')).map(({ name }) => hostOfPackage(name));

let server: PackageWebServer;
afterEach(() => server.close());

interface Reply {
  readonly status: number;
  readonly etag: string;
  readonly location: string;
}

/** Sends a request as to a proxy. */
function ask(host: string, path: string, etag = ''): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = { host, ...(etag && { 'if-none-match': etag }) };
    get({ host: '127.0.0.1', port: server.port, path: `http://${host}${path}`, headers }, (response) => {
      response.resume();
      const { etag: own = '', location = '' } = response.headers;
      response.on('end', () => resolve({ status: response.statusCode ?? 0, etag: own, location }));
    }).on('error', reject);
  });
}

describe('a package web at a later time', () => {
  test('has mostly unchanged pages, some changed, moved or gone, the same ones each time', async () => {
    server = await servePackageWeb(web);
    const known = new Map<string, string>();
    for (const host of hosts) known.set(host, (await ask(host, '/readme.html')).etag);
    expect((await ask(hosts[0]!, '/readme.html', known.get(hosts[0]!))).status).toBe(304);
    expect((await ask(hosts[0]!, '/news.html')).status).toBe(404);
    await server.close();
    server = await servePackageWeb(web, { later: true });
    const replies = new Map<number, string[]>();
    for (const host of hosts) {
      const { status } = await ask(host, '/readme.html', known.get(host));
      replies.set(status, [...(replies.get(status) ?? []), host]);
    }
    expect([...replies.keys()].sort()).toEqual([200, 301, 304, 410]);
    expect(replies.get(304)!.length).toBeGreaterThan(hosts.length / 2);
    const [changed, moved] = [replies.get(200)![0]!, replies.get(301)![0]!];
    expect((await ask(changed, '/news.html')).status).toBe(200);
    const { location } = await ask(moved, '/readme.html');
    expect((await ask(moved, location)).status).toBe(200);
  });
});
