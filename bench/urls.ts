/**
 * `npm run bench:urls`: what ten million addresses take, in memory and on disk. First the addresses that are finished, as
 * the crawl keeps them; then their numbers, as the writer of the store keeps them.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags, readNumber } from '../scripts/script-flags.ts';
import { SeenUrls } from '../src/engine/state/seen-urls.ts';
import { seededRandom } from '../src/kit/index.ts';
import { openSqliteWriter } from '../src/store/sqlite/connection.ts';
import { prepareSqlite } from '../src/store/sqlite/database.ts';
import { SqliteSink } from '../src/store/sqlite/sink.ts';
import { UrlNumbers } from '../src/store/write/url-ids.ts';
import { GeneratedWeb } from './generated-web.ts';
import { bytesWritten, machine, table } from './table.ts';

const HELP = `Usage: npm run bench:urls -- [options]
  --urls A,B,…   addresses (default 1000000,10000000)
`;
/** Links of a batch of a hundred pages. */
const BATCH = 3_000;
/** Share of links whose address was met before. */
const KNOWN = 0.3;

const flags = readFlags({
  urls: { type: 'string', default: '1000000,10000000' },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const web = new GeneratedWeb({ port: 80, pages: 2 ** 31, hosts: 5_000, topics: 1, seed: 1 });
  const rows: string[][] = [];
  for (const text of flags.urls.split(',')) {
    const urls = readNumber('urls', text, 1);
    rows.push([urls.toLocaleString('en'), ...seen(web, urls), ...(await numbered(web, urls))]);
    process.stderr.write(`${rows.at(-1)!.join(' | ')}\n`);
  }
  const head = [
    ...['addresses', 'finished, MB', 'µs to add', 'µs to ask'],
    ...['numbered, MB', 'µs per link', 'written per new address, bytes', 'on disk, bytes'],
  ];
  process.stdout.write(`${machine()}; µs of CPU time\n\n${table(head, rows)}\n`);
}

/** Fills the table of finished addresses; asks for as many that are not finished, as for the links of pages. */
function seen(web: GeneratedWeb, urls: number): string[] {
  const before = process.memoryUsage().arrayBuffers;
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
  const mb = (process.memoryUsage().arrayBuffers - before) / 1e6;
  return [mb.toFixed(0), ((adding - making) / urls).toFixed(2), ((asking - making) / urls).toFixed(2)];
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
    const [memory, written] = [process.memoryUsage().arrayBuffers, bytesWritten()];
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
    const mb = (process.memoryUsage().arrayBuffers - memory) / 1e6;
    await sink.close();
    const bytes = bytesWritten() - written;
    const perUrl = [bytes, statSync(file).size].map((size) => (size / urls).toFixed(0));
    return [mb.toFixed(0), (cpu / links).toFixed(1), ...perUrl];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
