import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { topicTree } from '../../src/core/index.ts';
import { analyzerSettings, Crawl, type CrawlSummary, ModelTrainer, PageAnalyzer } from '../../src/engine/index.ts';
import { HttpFetcher } from '../../src/fetch/index.ts';
import { MemoryJournal } from '../../src/lab/index.ts';
import { startTinyDns, type TinyDns } from '../support/tiny-dns.ts';
import { exactConfig, type Overrides } from './support/paper-web.ts';

interface Request {
  readonly at: number;
  readonly host: string;
  readonly path: string;
  readonly address: string;
}

let dns: TinyDns;
let servers: Server[] = [];
let requests: Request[];
let port: number;

beforeEach(async () => {
  requests = [];
  servers = [];
  dns = await startTinyDns({ '*': { kind: 'addresses', v4: ['127.0.0.1'] } });
});
afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await dns.close();
});

/** Answers at an address of this machine; all addresses share one port. */
async function listen(address: string, answer: RequestListener): Promise<void> {
  const server = createServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    requests.push({ at: performance.now(), host, path: request.url ?? '', address });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(servers.length === 0 ? 0 : port, address, resolve));
  port = (server.address() as AddressInfo).port;
  servers.push(server);
}

/** Every page has its own words, so that none is a copy, and links to all hosts. */
const pages =
  (hosts: readonly string[]): RequestListener =>
  ({ url, headers: { host } }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    const own = Array.from({ length: 40 }, (_, i) => `word${(host + (url ?? '')).length * 7 + i}${host?.[i % 5]}`);
    const links = hosts.flatMap((name) => [0, 1, 2].map((i) => `<a href="http://${name}:${port}/${i}">rail</a>`));
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${host}${url}</title><p>railway engine track ${host} ${own.join(' ')}</p>${links.join(' ')}`);
  };

async function crawl(overrides: Overrides): Promise<CrawlSummary> {
  const url = (name: string) => ({ kind: 'url' as const, url: `http://${name}:${port}/0` });
  const config = exactConfig({
    ...overrides,
    crawl: { budget: 10_000, learn: 0, ordering: 'breadth-first', ...overrides.crawl },
    network: {
      ...{ concurrency: 20, delayMs: 250, allowPrivate: true, dnsServers: [dns.address] },
      ...overrides.network,
    },
    learn: { maxArchetypes: 0 },
    traps: { enabled: false },
  });
  const tree = topicTree([{ name: 'rail', examples: [url('start.example')] }], [url('other.example')]);
  const fetcher = new HttpFetcher(config.network, {
    onSend: (sent) => made.sent(sent),
    isWanted: () => made.mayAsk,
    reserve: (other) => made.reserve(other),
    objectionTo: (other) => made.objectionTo(other),
  });
  const analyzer = new PageAnalyzer(analyzerSettings(config));
  const trainer = new ModelTrainer({ tree, learn: config.learn, seed: 1 });
  const made = new Crawl({ tree, config, fetcher, analyzer, trainer, journal: new MemoryJournal() });
  const summary = await made.run();
  await Promise.all([fetcher.close(), analyzer.close()]);
  return summary;
}

/** Most requests within any second. */
function worstSecond(of: readonly Request[]): number {
  return Math.max(...of.map(({ at }) => of.filter((other) => other.at >= at && other.at < at + 1000).length));
}

test('a domain gets ten requests per second, robots.txt included, whatever its hosts', async () => {
  const hosts = Array.from({ length: 150 }, (_, i) => `s${i}.farm.example`);
  await listen('127.0.0.1', pages(hosts));
  await crawl({ crawl: { timeMs: 4_000 } });
  const farm = requests.filter(({ host }) => host.endsWith('.farm.example'));
  expect(farm.length).toBeGreaterThan(20);
  // A job sends its robots.txt and its page at once; the next ones wait the longer.
  expect(worstSecond(farm)).toBeLessThanOrEqual(13);
});

test('an IP address gets twenty requests per second, however many domains it serves', async () => {
  const hosts = Array.from({ length: 150 }, (_, i) => `farm${i}.example`);
  await listen('127.0.0.1', pages(hosts));
  await crawl({ crawl: { timeMs: 4_000 } });
  expect(requests.length).toBeGreaterThan(40);
  expect(worstSecond(requests)).toBeLessThanOrEqual(25);
});

test('a delay of 0 sets no rate limit', async () => {
  const hosts = Array.from({ length: 40 }, (_, i) => `s${i}.farm.example`);
  await listen('127.0.0.1', pages(hosts));
  await crawl({ crawl: { budget: 100 }, network: { delayMs: 0 } });
  expect(worstSecond(requests)).toBeGreaterThan(50);
});

test('sixty names on a slow address do not delay fast sites elsewhere', async () => {
  const slow = Array.from({ length: 60 }, (_, i) => `slow${i}.example`);
  const fast = Array.from({ length: 20 }, (_, i) => `fast${i}.example`);
  for (const name of slow) dns.set(name, { kind: 'addresses', v4: ['127.0.0.2'] });
  await listen('127.0.0.1', pages([...slow, ...fast]));
  await listen('127.0.0.2', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    const timer = setInterval(() => response.write(' '.repeat(100)), 100);
    response.on('close', () => clearInterval(timer));
  });
  await crawl({ crawl: { timeMs: 6_000 }, network: { delayMs: 20, totalTimeoutMs: 7_000 } });
  const served = requests.filter(({ host, path }) => host.startsWith('fast') && path !== '/robots.txt');
  expect(served).toHaveLength(60);
  expect(requests.filter(({ address }) => address === '127.0.0.2').length).toBeGreaterThan(5);
});

test('names that move to a full address while they wait release their slots', async () => {
  const slow = Array.from({ length: 40 }, (_, i) => `moving${i}.example`);
  const fast = Array.from({ length: 20 }, (_, i) => `fast${i}.example`);
  const moved = { kind: 'changing', v4: [['127.0.0.1'], ['127.0.0.2']], ttl: 0 } as const;
  for (const name of slow) dns.set(name, moved);
  await listen('127.0.0.1', pages([...slow, ...fast]));
  await listen('127.0.0.2', () => {});
  // Every name is asked for again at every request.
  await crawl({ crawl: { timeMs: 5_000 }, network: { delayMs: 20, dnsTtlMaxMs: 1, totalTimeoutMs: 6_000 } });
  const served = requests.filter(({ host, path }) => host.startsWith('fast') && path !== '/robots.txt');
  expect(served).toHaveLength(60);
});

test('requests no page after the time limit, however late its robots.txt arrives', async () => {
  const slow = Array.from({ length: 10 }, (_, i) => `slow${i}.example`);
  const answer = pages(slow);
  await listen('127.0.0.1', (request, response) => {
    const isSlow = request.headers.host?.startsWith('slow') === true && request.url === '/robots.txt';
    setTimeout(() => answer(request, response), isSlow ? 4_000 : 0);
  });
  const begun = performance.now();
  const { reason } = await crawl({ crawl: { timeMs: 2_000 }, network: { delayMs: 0 } });
  expect(reason).toBe('time');
  expect(performance.now() - begun).toBeLessThan(3_500);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(requests.filter(({ host, path }) => host.startsWith('slow') && path !== '/robots.txt')).toEqual([]);
  expect(requests.filter(({ at }) => at > begun + 2_500)).toEqual([]);
}, 20_000);
