/**
 * `npm run bench:spread`: what a page of a spread crawl costs with one and with more processes, beside a crawl in one
 * process, on a generated web; and what the exchange of links costs a server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFlags, readNumber } from '../scripts/script-flags.ts';
import { writeWorkspace } from './bingo-workspace.ts';
import { type TemporaryDatabase, temporaryDatabase } from './mysql-database.ts';
import { type Server, startServer } from './server.ts';
import { machine, table } from './table.ts';
import type { Usage } from './usage.ts';

const HELP = `npm run bench:spread -- [options]

  --pages N        pages after learning, all processes together (default 8000)
  --learn N        pages before the crawl is spread (default 500)
  --shards N       default 8
  --workers A,B    numbers of processes (default 1,2,4,8); 0: one process, not spread, which always runs first
  --hosts N        sites of the web (default 400)
  --server URL     mysql://user:password@host:port/ instead of SQLite; it must run on this machine
  --bingo FILE     bin/bingo.js of another version, to compare (default: this one's)
  --cpu-prof DIR   write CPU profiles of all processes
  --json           one JSON object on stdout

Runs of the same pages: CPU time is that of all threads of all processes, the web's own process apart.
`;

const WEB_PAGES = 1_000_000;
const PROBE = new URL('./probe.js', import.meta.url).href;
/** Requests at a time of all processes together. */
const CONCURRENCY = 32;
const TICKS_PER_SECOND = 100;

const flags = readFlags({
  pages: { type: 'string', default: '8000' },
  learn: { type: 'string', default: '500' },
  shards: { type: 'string', default: '8' },
  workers: { type: 'string', default: '1,2,4,8' },
  hosts: { type: 'string', default: '400' },
  server: { type: 'string', default: '' },
  bingo: { type: 'string', default: fileURLToPath(new URL('../bin/bingo.js', import.meta.url)) },
  'cpu-prof': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
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
  const workers = flags.workers.split(',').map((text) => readNumber('workers', text, 0));
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

async function crawl(server: Server, workers: number): Promise<SpreadRun> {
  const root = mkdtempSync(join(tmpdir(), 'bingo-bench-'));
  const folder = join(root, 'workspace');
  const database = flags.server === '' ? undefined : await temporaryDatabase(flags.server);
  const shards = readNumber('shards', flags.shards, 1);
  const learn = readNumber('learn', flags.learn, 1);
  const budget = learn + readNumber('pages', flags.pages, 1);
  try {
    mkdirSync(folder);
    writeWorkspace(folder, {
      ...{ start: server.start, names: server.names, pages: learn, concurrency: CONCURRENCY },
      ...{ mode: 'focused', spaces: ['terms'] },
      ...(database && { store: database.url }),
    });
    await finish(run(root, ['crawl', folder, '--budget', String(learn)], 'learning'));
    if (workers > 0) await finish(run(root, ['spread', folder, '--shards', String(shards)], 'spreading'));
    const words = [workers > 0 ? 'work' : 'crawl', folder, '--budget', String(budget)];
    const before = { served: await server.served(), cpu: serverCpu(database) };
    const began = performance.now();
    const children = Array.from({ length: Math.max(1, workers) }, () => run(root, words, 'crawling'));
    await Promise.all(children.map(finish));
    const seconds = (performance.now() - began) / 1000;
    const pages = (await server.served()).pages - before.served.pages;
    if (pages < 0.9 * (budget - learn))
      throw new Error(`${pages} pages of ${budget - learn}: its figures mean nothing`);
    const usages = readUsages(root, 'crawling');
    const used = usages.reduce((sum, { cpu }) => sum + cpu, 0);
    return {
      ...{ workers, pages, seconds, cpu: (used / pages) * 1000 },
      serverCpu: before.cpu === undefined ? undefined : ((serverCpu(database)! - before.cpu) / pages) * 1000,
      peakMb: Math.max(...usages.map(({ peakMb }) => peakMb)),
    };
  } finally {
    if (database !== undefined) for (let shard = 0; shard < shards; shard++) await database.dropBeside(`_s${shard}`);
    await database?.drop();
    rmSync(root, { recursive: true, force: true });
  }
}

interface Running {
  readonly child: ChildProcess;
  readonly errors: string;
  readonly words: readonly string[];
}

/** Starts bingo. What its processes use is noted under `kind`. */
function run(root: string, words: readonly string[], kind: string): Running {
  const errors = join(root, `stderr-${performance.now()}`);
  const output = openSync(errors, 'w');
  const profile = flags['cpu-prof'];
  const isProfiled = profile !== undefined && kind === 'crawling';
  const child = spawn(
    process.execPath,
    [...(isProfiled ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []), flags.bingo, ...words],
    {
      stdio: ['ignore', output, output],
      env: {
        ...process.env,
        NODE_OPTIONS: `--import=${PROBE} --disable-warning=ExperimentalWarning`,
        NODE_ENV: 'production',
        BENCH_USAGE: join(root, `usage-${kind}`),
      },
    },
  );
  closeSync(output);
  return { child, errors, words };
}

async function finish({ child, errors, words }: Running): Promise<void> {
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
  if (code !== 0)
    throw new Error(
      `bingo ${words.join(' ')} ended with exit code ${code}:\n${readFileSync(errors, 'utf8').slice(-2000)}`,
    );
}

function readUsages(root: string, kind: string): readonly Usage[] {
  const lines = readFileSync(join(root, `usage-${kind}`), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** CPU seconds of the database servers of this machine so far. */
function serverCpu(database: TemporaryDatabase | undefined): number | undefined {
  if (database === undefined) return undefined;
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      if (!/\((mariadbd|mysqld)\)/.test(stat)) continue;
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13);
      ticks += Number(user) + Number(system);
    } catch {
      // It has ended.
    }
  }
  return ticks / TICKS_PER_SECOND;
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
