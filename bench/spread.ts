/**
 * `npm run bench:spread`: what a page of a spread crawl costs with one and with more processes, beside a crawl in one
 * process, on a generated web; what the exchange of links costs a server; how long a shard of a killed process waits
 * for another one; and how many pages simulated workers store together.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endMisused, readFlags, readNumber } from '../scripts/script-flags.ts';
import { finish, type Running, readUsages, startBingo } from './bingo-process.ts';
import { writeWorkspace } from './bingo-workspace.ts';
import { exchangeTable, measureExchange } from './exchange.ts';
import { temporaryDatabase } from './mysql-database.ts';
import { databaseServer, type OwnServer } from './own-server.ts';
import { type Server, startServer } from './server.ts';
import { machine, table } from './table.ts';
import { measureTakeovers, takeoverTable } from './takeover.ts';
import { measureThroughput, throughputTable } from './throughput.ts';

const HELP = `npm run bench:spread -- [options]

  --pages N        pages after learning, all processes together (default 8000)
  --learn N        pages before the crawl is spread (default 500)
  --shards N       default 8
  --workers A,B    numbers of processes (default 1,2,4,8); 0: one process, not spread, which always runs first
  --hosts N        sites of the web (default 400)
  --server URL     mysql://user:password@host:port/ instead of SQLite; it must run on this machine.
                   own: a mariadbd that this program starts. Nothing else uses it, so its CPU time is exact
  --bingo FILE     bin/bingo.js of another version, to compare (default: this one's)
  --cpu-prof DIR   write CPU profiles of all processes
  --takeover       kill workers instead, and measure until others continue their shards; needs --server and unshare.
                   --learn is the number of pages of each shard, --workers one number (default 4)
  --exchange       store pages in the databases of shards instead, with and without parcels of links; needs --server
  --batch A,B      of --exchange: pages of a shard in one transaction (default 100,10)
  --throughput     let 1, 2, 4, … simulated workers store pages of a shard each, at the pace of a simulated network;
                   needs --server
  --rate N         of --throughput: pages that a worker fetches per second (default 20)
  --seconds N      of --throughput: how long each number of workers stores pages (default 30)
  --kills N        of --takeover, one after the other (default 3)
  --between N      records between two kills (default 300)
  --json           one JSON object on stdout

Runs of the same pages: CPU time is that of all threads of all processes, the web's own process apart.
`;

const WEB_PAGES = 1_000_000;
/** Requests at a time of all processes together. */
const CONCURRENCY = 32;

const flags = readFlags({
  pages: { type: 'string', default: '8000' },
  learn: { type: 'string', default: '500' },
  shards: { type: 'string', default: '8' },
  workers: { type: 'string' },
  hosts: { type: 'string', default: '400' },
  server: { type: 'string', default: '' },
  bingo: { type: 'string', default: fileURLToPath(new URL('../bin/bingo.js', import.meta.url)) },
  'cpu-prof': { type: 'string' },
  takeover: { type: 'boolean', default: false },
  exchange: { type: 'boolean', default: false },
  batch: { type: 'string', default: '100,10' },
  throughput: { type: 'boolean', default: false },
  rate: { type: 'string', default: '20' },
  seconds: { type: 'string', default: '30' },
  kills: { type: 'string', default: '3' },
  between: { type: 'string', default: '300' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
else if (flags.takeover) await onServer(takeovers);
else if (flags.exchange) await onServer(exchange);
else if (flags.throughput) await onServer(throughput);
else await onServer(crawls);

/** What a crawl cost after it had learned. */
interface SpreadRun {
  /** Number of processes; 0 if the crawl was not spread. */
  readonly workers: number;
  readonly pages: number;
  readonly seconds: number;
  /** CPU seconds for 1,000 pages. */
  readonly cpu: number;
  /** The same of the database server. */
  readonly serverCpu: number | undefined;
  /** Greatest memory of one process, in MB. */
  readonly peakMb: number;
}

/** Measures with the server that `--server` names, if it names one, and prints the result. */
async function onServer(measure: (server: OwnServer | undefined) => Promise<Measured>): Promise<void> {
  const server = flags.server === '' ? undefined : await databaseServer(flags.server);
  try {
    const { figures, text } = await measure(server);
    if (flags.json) process.stdout.write(`${JSON.stringify({ machine: machine(), figures })}\n`);
    else process.stdout.write(`${machine()}, ${flags.shards} shards\n\n${text}\n`);
  } finally {
    server?.close();
  }
}

async function crawls(database: OwnServer | undefined): Promise<Measured> {
  const hosts = readNumber('hosts', flags.hosts, 1);
  const workers = (flags.workers ?? '1,2,4,8').split(',').map((text) => readNumber('workers', text, 0));
  const web = { kind: 'generated', pages: WEB_PAGES, hosts, topics: 5, seed: 1, links: 30 } as const;
  const server = await startServer({ web, latencyMs: 0 });
  const figures: SpreadRun[] = [];
  try {
    for (const count of [0, ...workers.filter((count) => count > 0)]) {
      note(count === 0 ? 'one process, not spread' : `spread, ${count} processes`);
      figures.push(await crawl(server, database, count));
    }
  } finally {
    server.close();
  }
  return { figures, text: report(figures) };
}

interface Measured {
  readonly figures: readonly object[];
  readonly text: string;
}

async function takeovers(server: OwnServer | undefined): Promise<Measured> {
  if (server === undefined) return endMisused('--takeover needs --server');
  const figures = await measureTakeovers({
    ...{ bingo: flags.bingo, server: server.url, note },
    pages: readNumber('learn', flags.learn, 1),
    shards: readNumber('shards', flags.shards, 1),
    workers: readNumber('workers', flags.workers ?? '4', 2),
    kills: readNumber('kills', flags.kills, 1),
    between: readNumber('between', flags.between, 1),
  });
  return { figures, text: takeoverTable(figures) };
}

async function exchange(server: OwnServer | undefined): Promise<Measured> {
  if (server === undefined) return endMisused('--exchange needs --server');
  if (server.cpu() === 0) endMisused(`no process of ${flags.server} on this machine: its CPU time cannot be measured`);
  const figures = await measureExchange({
    ...{ server, note },
    pages: readNumber('pages', flags.pages, 1),
    shards: readNumber('shards', flags.shards, 2),
    batches: flags.batch.split(',').map((text) => readNumber('batch', text, 1)),
  });
  return { figures, text: exchangeTable(figures) };
}

async function throughput(server: OwnServer | undefined): Promise<Measured> {
  if (server === undefined) return endMisused('--throughput needs --server');
  const shards = readNumber('shards', flags.shards, 2);
  const workers = (flags.workers ?? '1,2,4,8').split(',').map((text) => readNumber('workers', text, 1));
  if (Math.max(...workers) > shards) return endMisused(`--workers takes at most ${shards}: each has a shard`);
  const figures = await measureThroughput({
    ...{ server, note, shards, workers },
    rate: readNumber('rate', flags.rate, 1),
    seconds: readNumber('seconds', flags.seconds, 1),
  });
  return { figures, text: throughputTable(figures) };
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function crawl(server: Server, ownServer: OwnServer | undefined, workers: number): Promise<SpreadRun> {
  const root = mkdtempSync(join(tmpdir(), 'bingo-bench-'));
  const folder = join(root, 'workspace');
  const database = ownServer && (await temporaryDatabase(ownServer.url));
  const shards = readNumber('shards', flags.shards, 1);
  const learn = readNumber('learn', flags.learn, 1);
  const budget = learn + readNumber('pages', flags.pages, 1);
  const start = (words: readonly string[], kind: string): Running => {
    const profiles = kind === 'crawling' ? flags['cpu-prof'] : undefined;
    return startBingo(words, { bingo: flags.bingo, root, kind, profiles });
  };
  try {
    mkdirSync(folder);
    writeWorkspace(folder, {
      ...{ start: server.start, names: server.names, pages: learn, concurrency: CONCURRENCY },
      ...{ mode: 'focused', spaces: ['terms'] },
      ...(database && { store: database.url }),
    });
    await finish(start(['crawl', folder, '--budget', String(learn)], 'learning'));
    if (workers > 0) await finish(start(['spread', folder, '--shards', String(shards)], 'spreading'));
    const words = [workers > 0 ? 'work' : 'crawl', folder, '--budget', String(budget)];
    const before = { served: await server.served(), cpu: ownServer?.cpu() };
    const began = performance.now();
    const children = Array.from({ length: Math.max(1, workers) }, () => start(words, 'crawling'));
    await Promise.all(children.map(finish));
    const seconds = (performance.now() - began) / 1000;
    const pages = (await server.served()).pages - before.served.pages;
    if (pages < 0.9 * (budget - learn))
      throw new Error(`${pages} pages of ${budget - learn}: its figures mean nothing`);
    const usages = readUsages(root, 'crawling');
    const used = usages.reduce((sum, { cpu }) => sum + cpu, 0);
    return {
      ...{ workers, pages, seconds, cpu: (used / pages) * 1000 },
      serverCpu: ownServer && ((ownServer.cpu() - before.cpu!) / pages) * 1000,
      peakMb: Math.max(...usages.map(({ peakMb }) => peakMb)),
    };
  } finally {
    if (database !== undefined) for (let shard = 0; shard < shards; shard++) await database.dropBeside(`_s${shard}`);
    await database?.drop();
    rmSync(root, { recursive: true, force: true });
  }
}

function report(runs: readonly SpreadRun[]): string {
  const single = runs.find(({ workers }) => workers === 0)!;
  const first = runs.find(({ workers }) => workers === 1);
  const rows = runs.map(({ workers, pages, seconds, cpu, serverCpu, peakMb }) => [
    workers === 0 ? 'not spread' : String(workers),
    String(pages),
    (pages / seconds).toFixed(0),
    cpu.toFixed(2),
    `${(cpu / single.cpu).toFixed(2)} ×`,
    first === undefined || workers === 0 ? '' : `${(cpu / first.cpu).toFixed(2)} ×`,
    serverCpu?.toFixed(2) ?? '',
    peakMb.toFixed(0),
  ]);
  const head = [
    'processes',
    'pages',
    'pages/s',
    'CPU s/1000',
    'of not spread',
    'of one',
    'server s/1000',
    'greatest MB',
  ];
  return table(head, rows);
}
