/**
 * `npm run bench:spread`: what a page of a spread crawl costs with one and with more processes, beside a crawl in one
 * process, on a generated web; and how long a shard of a killed process waits for another one.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endMisused, readFlags, readNumber } from '../scripts/script-flags.ts';
import { finish, type Running, readUsages, startBingo } from './bingo-process.ts';
import { writeWorkspace } from './bingo-workspace.ts';
import { temporaryDatabase } from './mysql-database.ts';
import { cpuOf, databaseServers } from './process-cpu.ts';
import { type Server, startServer } from './server.ts';
import { machine, table } from './table.ts';
import { measureTakeovers, takeoverTable } from './takeover.ts';

const HELP = `npm run bench:spread -- [options]

  --pages N        pages after learning, all processes together (default 8000)
  --learn N        pages before the crawl is spread (default 500)
  --shards N       default 8
  --workers A,B    numbers of processes (default 1,2,4,8); 0: one process, not spread, which always runs first
  --hosts N        sites of the web (default 400)
  --server URL     mysql://user:password@host:port/ instead of SQLite; it must run on this machine
  --bingo FILE     bin/bingo.js of another version, to compare (default: this one's)
  --cpu-prof DIR   write CPU profiles of all processes
  --takeover       kill workers instead, and measure until others continue their shards; needs --server and unshare.
                   --learn is the number of pages of each shard, --workers one number (default 4)
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
  kills: { type: 'string', default: '3' },
  between: { type: 'string', default: '300' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
else if (flags.takeover) await takeovers();
else await main();

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

async function main(): Promise<void> {
  const hosts = readNumber('hosts', flags.hosts, 1);
  const workers = (flags.workers ?? '1,2,4,8').split(',').map((text) => readNumber('workers', text, 0));
  const web = { kind: 'generated', pages: WEB_PAGES, hosts, topics: 5, seed: 1, links: 30 } as const;
  const server = await startServer({ web, latencyMs: 0 });
  const runs: SpreadRun[] = [];
  try {
    for (const count of [0, ...workers.filter((count) => count > 0)]) {
      process.stderr.write(count === 0 ? 'one process, not spread\n' : `spread, ${count} processes\n`);
      runs.push(await crawl(server, count));
    }
  } finally {
    server.close();
  }
  if (flags.json) process.stdout.write(`${JSON.stringify({ machine: machine(), runs })}\n`);
  else process.stdout.write(report(runs));
}

async function takeovers(): Promise<void> {
  if (flags.server === '') endMisused('--takeover needs --server');
  const measured = await measureTakeovers({
    ...{ bingo: flags.bingo, server: flags.server },
    pages: readNumber('learn', flags.learn, 1),
    shards: readNumber('shards', flags.shards, 1),
    workers: readNumber('workers', flags.workers ?? '4', 2),
    kills: readNumber('kills', flags.kills, 1),
    between: readNumber('between', flags.between, 1),
    note: (text) => process.stderr.write(`${text}\n`),
  });
  if (flags.json) process.stdout.write(`${JSON.stringify({ machine: machine(), takeovers: measured })}\n`);
  else
    process.stdout.write(
      `${machine()}, ${flags.shards} shards of ${flags.learn} pages\n\n${takeoverTable(measured)}\n`,
    );
}

async function crawl(server: Server, workers: number): Promise<SpreadRun> {
  const root = mkdtempSync(join(tmpdir(), 'bingo-bench-'));
  const folder = join(root, 'workspace');
  const database = flags.server === '' ? undefined : await temporaryDatabase(flags.server);
  const shards = readNumber('shards', flags.shards, 1);
  const learn = readNumber('learn', flags.learn, 1);
  const budget = learn + readNumber('pages', flags.pages, 1);
  const start = (words: readonly string[], kind: string): Running => {
    const profiles = kind === 'crawling' ? flags['cpu-prof'] : undefined;
    return startBingo(words, { bingo: flags.bingo, root, kind, profiles });
  };
  const ownServerCpu = (): number | undefined => (database === undefined ? undefined : cpuOf(databaseServers()));
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
    const before = { served: await server.served(), cpu: ownServerCpu() };
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
      serverCpu: before.cpu === undefined ? undefined : ((ownServerCpu()! - before.cpu) / pages) * 1000,
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
  return `${machine()}, ${flags.shards} shards\n\n${table(head, rows)}\n`;
}
