import diagnostics from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Config, registeredDomain, topicTree } from '../../src/core/index.ts';
import { analyzerSettings, Crawl, ModelTrainer, PageAnalyzer } from '../../src/engine/index.ts';
import { HttpFetcher } from '../../src/fetch/index.ts';
import { MemoryJournal } from '../../src/lab/index.ts';
import { startTinyWeb, type TinyWeb } from '../support/tiny-web.ts';
import { exactConfig } from './support/paper-web.ts';

const HOSTS = ['a.one.test', 'b.one.test', 'c.one.test', 'a.two.test', 'b.two.test', 'three.test', 'calm.test'];
const PAGES = 8;
const CRAWL_DELAY_MS = 600;
const ROBOTS_MS = 250;
/** Share of a pause that must be there. One that began before robots.txt was there would have less. */
const SEEN_SHARE = 0.8;

/** Requests of pages: how many were under way, measured at the server, and when they left, whatever the crawl thinks of it. */
class Load {
  readonly most = new Map<string, number>();
  /** The server shares the crawl's thread and sees a request late where that has much to do: undici tells when one is written. */
  readonly starts = new Map<string, number[]>();
  readonly #now = new Map<string, number>();

  begin(host: string, response: ServerResponse): void {
    const keys = [`host ${host}`, `domain ${registeredDomain(host)}`, 'address'];
    for (const key of keys) this.#change(key, 1);
    response.on('close', () => {
      for (const key of keys) this.#change(key, -1);
    });
  }

  /** @param head - of a request, with which it leaves */
  leave(head: string): void {
    const [, path, host = ''] = /^GET (\S+) HTTP\/1\.1\r\nhost: ([^:\r]+)/.exec(head) ?? [];
    if (path !== '/robots.txt') this.starts.set(host, [...(this.starts.get(host) ?? []), performance.now()]);
  }

  worst(kind: string): number {
    return Math.max(...[...this.most].filter(([key]) => key.startsWith(kind)).map(([, count]) => count));
  }

  /** Least time between two requests to a host. */
  leastGap(host: string): number {
    const starts = this.starts.get(host) ?? [];
    return Math.min(...starts.slice(1).map((start, i) => start - starts[i]!));
  }

  #change(key: string, by: number): void {
    const count = (this.#now.get(key) ?? 0) + by;
    this.#now.set(key, count);
    this.most.set(key, Math.max(this.most.get(key) ?? 0, count));
  }
}

let web: TinyWeb;
let load: Load;

beforeAll(async () => {
  web = await startTinyWeb();
  for (const host of HOSTS)
    web.handle(host, (request, response) => {
      if (request.url === '/robots.txt') {
        // Slow, so that a second request would come before its wishes are known.
        const body = host === 'calm.test' ? `User-agent: *\nCrawl-delay: ${CRAWL_DELAY_MS / 1000}\n` : '';
        setTimeout(() => response.end(body), ROBOTS_MS);
        return;
      }
      load.begin(host, response);
      setTimeout(() => {
        response.setHeader('content-type', 'text/html');
        response.end(pageOf(host, request.url ?? '/'));
      }, 60);
    });
});
afterAll(() => web.close());

function pageOf(host: string, path: string): string {
  const all = HOSTS.flatMap((other) =>
    Array.from({ length: other === 'calm.test' ? 4 : PAGES }, (_, i) => `${web.origin(other)}/${i}`),
  );
  const words = `railway engine track ${host.replaceAll('.', ' ')} ${path.slice(1)} `.repeat(5);
  return `<title>${host} ${path}</title><p>${words}</p>${all.map((url) => `<a href="${url}">rail</a>`).join(' ')}`;
}

/** Crawls all hosts with far more connections allowed in all than to each of them. */
async function crawlUnderLoad(limits: {
  perHost: number;
  perDomain: number;
  perAddress: number;
  delayMs?: number;
}): Promise<Load> {
  load = new Load();
  const config = exactConfig({
    crawl: { budget: 50, learn: 0, ordering: 'breadth-first' },
    network: { concurrency: 40, delayMs: 0, allowPrivate: true, dnsServers: [web.dnsServer], ...limits },
    learn: { maxArchetypes: 0 },
  });
  const onLeave = (message: unknown): void => load.leave((message as { headers: string }).headers);
  diagnostics.subscribe('undici:client:sendHeaders', onLeave);
  expect(await fetchedFrom('three.test', config)).toBeGreaterThan(40);
  diagnostics.unsubscribe('undici:client:sendHeaders', onLeave);
  return load;
}

/** Crawls from one host on; the number of pages that came. */
async function fetchedFrom(host: string, config: Config): Promise<number> {
  const url = (name: string, path: string) => ({ kind: 'url' as const, url: `${web.origin(name)}${path}` });
  const tree = topicTree([{ name: 'rail', examples: [url(host, '/0')] }], [url('site.test', '/a')]);
  const fetcher = new HttpFetcher(config.network);
  const analyzer = new PageAnalyzer(analyzerSettings(config));
  const trainer = new ModelTrainer({ tree, learn: config.learn, seed: 1 });
  const crawl = new Crawl({ tree, config, fetcher, analyzer, trainer, journal: new MemoryJournal() });
  const { fetchedNow } = await crawl.run();
  await Promise.all([fetcher.close(), analyzer.close()]);
  return fetchedNow;
}

test('limits requests per host and per domain under load, measured at the server', async () => {
  const seen = await crawlUnderLoad({ perHost: 2, perDomain: 3, perAddress: 0 });

  // Both limits are reached, so that the load was there; neither is passed.
  expect([seen.worst('host'), seen.worst('domain')]).toEqual([2, 3]);
  expect(seen.worst('address')).toBeGreaterThan(3);
  // Between two requests lies the delay that robots.txt asks for, the first two included.
  expect(seen.starts.get('calm.test')!.length).toBeGreaterThan(2);
  expect(seen.leastGap('calm.test')).toBeGreaterThan(CRAWL_DELAY_MS * SEEN_SHARE);
});

test('limits requests per IP address under load, whatever its names', async () => {
  const seen = await crawlUnderLoad({ perHost: 2, perDomain: 3, perAddress: 4 });

  expect(seen.worst('address')).toBe(4);
});

test('keeps the delay between two requests to a host, however long the first waited', async () => {
  const delayMs = 600;
  const seen = await crawlUnderLoad({ perHost: 2, perDomain: 3, perAddress: 3, delayMs });

  const gaps = HOSTS.map((host) => seen.leastGap(host));
  expect(Math.min(...gaps)).toBeGreaterThan(delayMs * SEEN_SHARE);
});

test('follows a redirect no sooner than its server asks', async () => {
  const starts: number[] = [];
  web.handle('later.test', (request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    starts.push(performance.now());
    if (request.url === '/0') response.writeHead(302, { location: '/1', 'retry-after': '1' }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf('later.test', '/1').replace(/<a .*/, ''));
  });
  const network = { allowPrivate: true, dnsServers: [web.dnsServer], delayMs: 0 };
  await fetchedFrom('later.test', exactConfig({ crawl: { budget: 3, learn: 0 }, network }));

  expect(starts).toHaveLength(2);
  expect(starts[1]! - starts[0]!).toBeGreaterThan(990);
});
