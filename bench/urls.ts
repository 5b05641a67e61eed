/**
 * `npm run bench:urls`: what ten million addresses take, in memory and on disk. First the addresses that are finished, as
 * the crawl keeps them; then their numbers, as the writer of the store keeps them; then as many links offered to the
 * frontier, and taken, the best first. Each part has a process of its own, whose greatest memory is reported.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags, readNumber } from '../scripts/script-flags.ts';
import { type CanonicalUrl, DEFAULTS, hostOf, type TopicId } from '../src/core/index.ts';
import { Frontier, HostClocks } from '../src/crawl/index.ts';
import { SeenUrls } from '../src/engine/state/seen-urls.ts';
import { hash32, seededRandom } from '../src/kit/index.ts';
import { openSqliteWriter } from '../src/store/sqlite/connection.ts';
import { prepareSqlite } from '../src/store/sqlite/database.ts';
import { SqliteSink } from '../src/store/sqlite/sink.ts';
import { UrlNumbers } from '../src/store/write/url-ids.ts';
import { GeneratedWeb } from './generated-web.ts';
import { bytesWritten, machine, table } from './table.ts';

const HELP = `Usage: npm run bench:urls -- [options]
  --urls A,B,…   addresses (default 1000000,10000000)
  --topics N     topics whose links the frontier has (default 12)
`;
/** Links of a batch of a hundred pages. */
const BATCH = 3_000;
/** Share of links whose address was met before. */
const KNOWN = 0.3;
/** Links offered for each that is taken, as of a page. */
const OFFERED = 30;

/** Memory is kept as `bin/bingo.js` keeps it for a crawl. */
const LEAN = ['--max-semi-space-size=4', '--min-semi-space-size=4', '--heap-growing-percent=70', '--memory-saver-mode'];
const C_HEAPS = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '524288', MALLOC_TRIM_THRESHOLD_: '524288' };

/** What a part took, in order of its columns. */
interface Part {
  readonly columns: readonly string[];
  readonly measure: (web: GeneratedWeb, urls: number) => string[] | Promise<string[]>;
}

const PARTS: Readonly<Record<string, Part>> = {
  'nothing, for comparison': { columns: ['µs to make an address'], measure: made },
  finished: { columns: ['µs to add', 'µs to ask'], measure: seen },
  numbered: { columns: ['µs per link', 'written per new address, bytes', 'on disk, bytes'], measure: numbered },
  'offered to the frontier': { columns: ['µs to offer', 'µs to take', 'waiting at the end'], measure: offered },
};

const flags = readFlags({
  urls: { type: 'string', default: '1000000,10000000' },
  topics: { type: 'string', default: '12' },
  help: { type: 'boolean', default: false },
  /** Of a measured process. */
  part: { type: 'string' },
});

if (flags.help) process.stdout.write(HELP);
else if (flags.part !== undefined) await step(flags.part, Number(flags.urls));
else main();

function main(): void {
  const rows: string[][] = [];
  for (const text of flags.urls.split(',')) {
    const urls = readNumber('urls', text, 1);
    for (const part of Object.keys(PARTS)) {
      const args = [import.meta.filename, '--part', part, '--urls', String(urls), '--topics', flags.topics];
      const env = { ...process.env, ...C_HEAPS };
      const row = JSON.parse(execFileSync(process.execPath, [...LEAN, ...args], { encoding: 'utf8', env })) as string[];
      rows.push([urls.toLocaleString('en'), part, ...row]);
      process.stderr.write(`${rows.at(-1)!.join(' | ')}\n`);
    }
  }
  const head = ['addresses', 'part', 'greatest memory, MB', 'figures'];
  process.stdout.write(`${machine()}; µs of CPU time\n\n${table(head, rows)}\n`);
}

async function step(name: string, urls: number): Promise<void> {
  const { columns, measure } = PARTS[name]!;
  const web = new GeneratedWeb({ port: 80, pages: 2 ** 31, hosts: 5_000, topics: 1, seed: 1 });
  const values = await measure(web, urls);
  const peakMb = process.resourceUsage().maxRSS / 1000;
  const figures = columns.map((column, i) => `${column}: ${values[i]}`).join('; ');
  process.stdout.write(JSON.stringify([peakMb.toFixed(0), figures]));
}

function made(web: GeneratedWeb, urls: number): string[] {
  return [(cpuMicroseconds(() => each(web, urls, () => {})) / urls).toFixed(2)];
}

/** Fills the table of finished addresses; asks for as many that are not finished, as for the links of pages. */
function seen(web: GeneratedWeb, urls: number): string[] {
  const table = new SeenUrls();
  const making = cpuMicroseconds(() => each(web, urls, () => {}));
  const adding = cpuMicroseconds(() => each(web, urls, (url, n) => table.add(url, n)));
  let found = 0;
  const asking = cpuMicroseconds(() =>
    each(web, urls, (url) => {
      if (table.has(`${url}?`)) found++;
    }),
  );
  if (found > 0 || table.size !== urls) throw new Error(`Expected ${urls} addresses, got ${table.size}`);
  return [((adding - making) / urls).toFixed(2), ((asking - making) / urls).toFixed(2)];
}

/**
 * Offers links to a frontier with the limits of a crawl, and takes one for every {@link OFFERED}. Checks that the best
 * link that may be taken is taken.
 */
function offered(web: GeneratedWeb, urls: number): string[] {
  const topics = Array.from({ length: Number(flags.topics) }, (_, i) => `topic ${i + 1}` as TopicId);
  const hosts = new HostClocks({ ...DEFAULTS.network, delayMs: 0, perHost: 1e9, perDomain: 1e9, maxTries: 3 });
  const { incomingQueue, outgoingQueue } = DEFAULTS.crawl;
  const ports = { hosts, resolve: () => {}, isResolved: () => true, onGone: () => {} };
  const frontier = new Frontier({ incomingQueue, outgoingQueue }, ports);
  let [taken, taking] = [0, 0];
  const making = cpuMicroseconds(() => each(web, urls, (url) => hostOf(url as CanonicalUrl) && hash32(url)));
  const all = cpuMicroseconds(() =>
    each(web, urls, (text, n) => {
      const url = text as CanonicalUrl;
      const entry = { url, host: hostOf(url), priority: hash32(text) / 2 ** 32, topic: topics[n % topics.length]! };
      frontier.offer({ ...entry, via: 'link', from: '', depth: 1, tunnelDepth: 0, tries: 0, redirects: [] });
      if (n % OFFERED !== 0) return;
      taking += cpuMicroseconds(() => {
        const best = frontier.take(0);
        if (best !== undefined) {
          taken++;
          hosts.release(best.host, 0, 'ok');
        }
      });
    }),
  );
  return [
    ...[((all - making - taking) / urls).toFixed(2), (taking / taken).toFixed(1)],
    frontier.size.toLocaleString('en'),
  ];
}

function each(web: GeneratedWeb, urls: number, visit: (url: string, n: number) => void): void {
  for (let n = 1; n <= urls; n++) visit(web.urlOf(n), n);
}

function cpuMicroseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Numbers addresses as the writer does, some of them met before. */
async function numbered(web: GeneratedWeb, urls: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-bench-urls-'));
  try {
    const file = join(folder, 'store.db');
    await prepareSqlite(file);
    const db = openSqliteWriter(file, undefined);
    const sink = new SqliteSink(db, 0);
    const numbers = new UrlNumbers(sink);
    const random = seededRandom(1);
    const written = bytesWritten();
    let cpu = 0;
    let links = 0;
    for (let next = 1; next <= urls; ) {
      const batch = new Set<string>();
      while (batch.size < BATCH) batch.add(web.urlOf(random() < KNOWN ? Math.ceil(random() * next) : next++));
      links += batch.size;
      const before = process.cpuUsage();
      await sink.begin();
      await numbers.of(batch);
      await sink.commit();
      const { user, system } = process.cpuUsage(before);
      cpu += user + system;
    }
    await sink.close();
    const bytes = bytesWritten() - written;
    const perUrl = [bytes, statSync(file).size].map((size) => (size / urls).toFixed(0));
    return [(cpu / links).toFixed(1), ...perUrl];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
