/**
 * `npm run bench:crawl`: what a page costs, for the bare loop, Bingo and Crawlee, in one run on one served web.
 * With `--growth`: whether a page costs more the longer a crawl has lasted.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readFlags } from '../scripts/script-flags.ts';
import { CONTENDERS, type Contender, type CrawlSize } from './contenders.ts';
import { measureGrowth } from './growth.ts';
import { type CrawlRun, runCrawler } from './run.ts';
import { type Server, startServer } from './server.ts';
import { machine, median, table } from './table.ts';
import { turnsTable } from './turns.ts';
import type { WebChoice } from './web-server.ts';

const HELP = `npm run bench:crawl -- [options]

  --web frozen|generated   default: the frozen web in ../shared/webs if it is there, else the generated one
  --pages N                pages each crawler fetches (default 4000; with --growth 50000)
  --runs N                 runs of each crawler, medians are shown (default 3)
  --only a,b               of ${CONTENDERS.map(({ key }) => key).join(', ')}
                           (default: all but storing, indexing and crawlee-memory)
  --concurrency N          requests at a time (default 20)
  --latency MS             time before each answer (default 0)
  --spaces a,b             feature spaces of Bingo (default terms)
  --topics N, --hosts N    of the generated web (default 5 and 300; with --growth 13 topics, 12 of them crawled for)
  --links N                of each page of the generated web (default 30)
  --growth                 Bingo alone on the generated web: cost of a page by thousands of pages (--only focused: as shipped)
  --bingo FILE             bin/bingo.js of another version, to compare (default: this one's)
  --turns                  count how long main threads compute at a stretch, in CPU time
  --cpu-prof DIR           write CPU profiles of Bingo's threads
  --json                   one JSON object on stdout
`;

const FROZEN = fileURLToPath(new URL('../../shared/webs/wikispeedia.warc.gz', import.meta.url));
const TASKS = fileURLToPath(new URL('../../shared/webs/tasks.json', import.meta.url));
const GENERATED_PAGES = 1_000_000;

const flags = readFlags({
  web: { type: 'string' },
  pages: { type: 'string' },
  runs: { type: 'string', default: '3' },
  only: { type: 'string' },
  concurrency: { type: 'string', default: '20' },
  latency: { type: 'string', default: '0' },
  spaces: { type: 'string', default: 'terms' },
  topics: { type: 'string' },
  hosts: { type: 'string', default: '300' },
  links: { type: 'string', default: '30' },
  growth: { type: 'boolean', default: false },
  bingo: { type: 'string', default: fileURLToPath(new URL('../bin/bingo.js', import.meta.url)) },
  turns: { type: 'boolean', default: false },
  'cpu-prof': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const server = await startServer({ web: chooseWeb(), latencyMs: Number(flags.latency) });
  try {
    await (flags.growth ? growth(server) : compare(server));
  } finally {
    server.close();
  }
}

function chooseWeb(): WebChoice {
  const kind = flags.web ?? (existsSync(FROZEN) && !flags.growth ? 'frozen' : 'generated');
  if (kind === 'frozen') return { kind: 'frozen', path: FROZEN, tasksPath: TASKS, task: 'wikispeedia/biology-tree' };
  const topics = Number(flags.topics ?? (flags.growth ? 13 : 5));
  const { hosts, links } = flags;
  return { kind: 'generated', pages: GENERATED_PAGES, hosts: Number(hosts), topics, seed: 1, links: Number(links) };
}

function order(defaultPages: number): CrawlSize {
  return {
    pages: Number(flags.pages ?? defaultPages),
    concurrency: Number(flags.concurrency),
    spaces: flags.spaces.split(','),
    bingo: flags.bingo,
  };
}

async function compare(server: Server): Promise<void> {
  const only = (flags.only ?? 'bare,bingo,links,focused,crawlee').split(',');
  const contenders = CONTENDERS.filter(({ key }) => only.includes(key));
  const runs: CrawlRun[] = [];
  for (let round = 0; round < Number(flags.runs); round++) {
    // Every round begins with another crawler: what a warm cache or a busy neighbour gives or takes is shared out.
    for (let i = 0; i < contenders.length; i++) {
      const contender = contenders[(i + round) % contenders.length]!;
      note(`round ${round + 1}: ${contender.title}`);
      const nodeFlags = flags['cpu-prof'] === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${flags['cpu-prof']}`];
      runs.push(await runCrawler(contender, { server, order: order(4_000), nodeFlags, turns: flags.turns }));
    }
  }
  const rows = contenders.map((contender) => summarize(contender, runs));
  if (flags.json)
    process.stdout.write(`${JSON.stringify({ machine: machine(), web: server.start.name, rows, runs })}\n`);
  else process.stdout.write(report(server, rows) + (flags.turns ? `\n${turnsTable(contenders, runs)}\n` : ''));
}

interface Row {
  readonly title: string;
  readonly key: string;
  readonly pages: number;
  readonly pageKb: number;
  readonly pagesPerSecond: number;
  /** CPU seconds for 1,000 pages. */
  readonly cpu: number;
  readonly peakMb: number;
  /** Written to files and sockets per page, in KB. */
  readonly writtenKb: number;
  /** CPU seconds that serving 1,000 pages took, apart. */
  readonly serverCpu: number;
}

function summarize({ key, title }: Contender, runs: readonly CrawlRun[]): Row {
  const own = runs.filter((run) => run.contender === key);
  const of = (value: (run: CrawlRun) => number): number => median(own.map(value));
  return {
    key,
    title,
    pages: of(({ served }) => served.pages),
    pageKb: of(({ served }) => served.bytes / served.pages / 1000),
    pagesPerSecond: of(({ served, seconds }) => served.pages / seconds),
    cpu: of(({ served, cpu }) => (cpu / served.pages) * 1000),
    peakMb: of(({ peakMb }) => peakMb),
    writtenKb: of(({ served, writtenMb }) => (writtenMb * 1000) / served.pages),
    serverCpu: of(({ served }) => (served.cpu / served.pages) * 1000),
  };
}

function report(server: Server, rows: readonly Row[]): string {
  const bare = rows.find(({ key }) => key === 'bare')?.cpu;
  const crawlee = rows.find(({ key }) => key === 'crawlee')?.cpu;
  const ratio = (cpu: number, other: number | undefined): string =>
    other === undefined ? '' : (cpu / other).toFixed(2);
  const cells = rows.map((row) => [
    row.title,
    String(row.pages),
    row.pageKb.toFixed(1),
    row.pagesPerSecond.toFixed(0),
    row.cpu.toFixed(2),
    ratio(row.cpu, bare),
    ratio(row.cpu, crawlee),
    row.peakMb.toFixed(0),
    row.writtenKb.toFixed(0),
    row.serverCpu.toFixed(2),
  ]);
  const head = [
    ...['crawler', 'pages', 'KB/page', 'pages/s', 'CPU s/1000', '÷ bare', '÷ Crawlee', 'peak MB'],
    ...['written KB/page', 'server CPU'],
  ];
  const web = `Web: ${server.start.name}; ${flags.concurrency} requests at a time, ${flags.latency} ms before each answer; `;
  return `${web}medians of ${flags.runs} runs.\n${machine()}\n\n${table(head, cells)}\n`;
}

async function growth(server: Server): Promise<void> {
  const bingo = CONTENDERS.find(({ key }) => key === (flags.only ?? 'bingo'));
  if (bingo === undefined) throw new Error(`Expected one crawler of --only, got ${flags.only}`);
  const result = await measureGrowth(bingo, { server, order: order(50_000), note });
  process.stdout.write(
    flags.json ? `${JSON.stringify({ machine: machine(), ...result })}\n` : `${machine()}\n\n${result.text}\n`,
  );
}

function note(text: string): void {
  if (process.stderr.isTTY || !flags.json) process.stderr.write(`${text}\n`);
}
