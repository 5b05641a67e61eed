/**
 * `npm run bench:million`: how long each command takes in a large workspace. Grows one workspace from size to size, with
 * pages made from a frozen web, and runs the same commands at each size, each in a process of its own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endMisused, readFlags, readNumber } from '../scripts/script-flags.ts';
import { openStore } from '../src/store/index.ts';
import { loadForReading, openWorkspace, placeOf, StoreFollower } from '../src/workbench/index.ts';
import { CHUNK, growWorkspace, prepareFolder } from './filled-workspace.ts';
import { FrozenRecords, readFrozenTask } from './frozen-records.ts';
import { PageMaker } from './page-maker.ts';
import { bytesWritten, machine, table } from './table.ts';
import type { Usage } from './usage.ts';

const HELP = `Usage: npm run bench:million -- [options]
  --pages A,B,…   sizes of the workspace (default 10000,30000,100000,1000000); links depend on the greatest one
  --only A,B      only commands whose name contains one of these
  --minutes N     growing stops after so many minutes, and the size reached is measured (default 600)
  --web FILE      frozen web (default ../shared/webs/wikispeedia.warc.gz)
  --tasks FILE    its tasks (default: tasks.json beside it)
  --task ID       default wikispeedia/biology-tree
  --dir DIR       keeps the workspace there, and uses it again (default: a temporary folder)
  --limit S       a command that takes longer is stopped, in seconds (default 900)
  --json          one JSON object on stdout

Needs about 40 KB of disk per page. Run npm run build first: the commands are those of bin/bingo.js.
`;

const WEBS = fileURLToPath(new URL('../../shared/webs/', import.meta.url));
const BINGO = fileURLToPath(new URL('../bin/bingo.js', import.meta.url));
const PROBE = new URL('./probe.js', import.meta.url).href;
/** Store, log, checkpoints, and what the commands write. */
const DISK_BYTES = 40_000;
const NOTE_MS = 30_000;
const STORES = ['store.db', 'store.db-wal'];

const flags = readFlags({
  pages: { type: 'string', default: '10000,30000,100000,1000000' },
  only: { type: 'string', default: '' },
  minutes: { type: 'string', default: '600' },
  web: { type: 'string', default: join(WEBS, 'wikispeedia.warc.gz') },
  tasks: { type: 'string', default: '' },
  task: { type: 'string', default: 'wikispeedia/biology-tree' },
  dir: { type: 'string', default: '' },
  limit: { type: 'string', default: '900' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  /** Of a measured process. */
  step: { type: 'string' },
});

if (flags.help) process.stdout.write(HELP);
else if (flags.step === 'grow') await growStep(flags.dir);
else if (flags.step !== undefined) await step(flags.step, flags.dir);
else await main();

interface Growth {
  readonly pages: number;
  /** Pages added to the size before, what that took, and what was written for each. */
  readonly added: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly writtenKb: number;
  readonly storedKb: number;
  readonly urls: number;
}

interface Figures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
  /** What went wrong, if anything. */
  readonly failure: string;
}

/** A command to measure. */
interface Command {
  readonly name: string;
  /** Arguments of bingo, or the step of this program. */
  readonly args: readonly string[] | { readonly step: string };
}

/** A page in the middle of those that every size has, and the same one for all of them. */
function commandsFor(dir: string, url: string, pages: number): readonly Command[] {
  const out = (name: string): string => join(dir, 'out', name);
  const crawl = ['crawl', dir, '--budget', String(Math.max(1, pages - 1))];
  return [
    { name: 'crawl (open, rate all pages)', args: crawl },
    { name: 'crawl (open, nothing left to do)', args: crawl },
    { name: 'status', args: ['status', dir] },
    { name: 'dashboard, first screen', args: { step: 'first-screen' } },
    { name: 'why URL', args: ['why', dir, url] },
    { name: 'classify FILE', args: ['classify', dir, out('page.html')] },
    { name: 'search, first', args: ['search', dir, 'birds of prey'] },
    { name: 'search, warm', args: { step: 'search' } },
    { name: 'search --like URL', args: ['search', dir, '--like', url] },
    { name: 'mark --preview', args: ['mark', dir, '--bad', url, '--preview'] },
    { name: 'review --proposals', args: ['review', dir, '--proposals'] },
    { name: 'distill', args: ['distill', dir, 'birds'] },
    { name: 'reclassify', args: ['reclassify', dir] },
    ...['census', 'harvest_by_minute', 'sites_by_density', 'one_link_away', 'cited_across_topics'].map((view) => ({
      name: `sql: ${view}`,
      args: ['sql', dir, `select * from ${view} limit 10`],
    })),
    { name: 'export csv', args: ['export', dir, '--out', out('pages.csv')] },
    { name: 'export gexf, accepted', args: ['export', dir, '--relevant', '--out', out('links.gexf')] },
    {
      name: 'export jsonl with texts, accepted',
      args: ['export', dir, '--relevant', '--text', '--out', out('p.jsonl')],
    },
    { name: 'portal, new', args: ['portal', dir, out('site')] },
    { name: 'portal, again', args: ['portal', dir, out('site')] },
  ];
}

async function main(): Promise<void> {
  const sizes = flags.pages.split(',').map((text) => readNumber('pages', text, 1));
  const limitMs = readNumber('limit', flags.limit, 1) * 1000;
  const deadline = performance.now() + readNumber('minutes', flags.minutes) * 60_000;
  if (!existsSync(flags.web)) endMisused(`No frozen web at ${flags.web}`);
  if (!existsSync(BINGO)) endMisused('npm run build comes first');
  const dir = flags.dir === '' ? mkdtempSync(join(tmpdir(), 'bingo-bench-million-')) : flags.dir;
  const growths: Growth[] = [];
  const figures = new Map<string, Figures[]>();
  mkdirSync(dir, { recursive: true });
  try {
    requireDisk(dir, Math.max(...sizes));
    for (const size of sizes) {
      const { url, ...growth } = await grow(dir, { size, largest: Math.max(...sizes), deadline });
      growths.push(growth);
      mkdirSync(join(dir, 'out'), { recursive: true });
      writeFileSync(
        join(dir, 'out', 'page.html'),
        '<title>Owls</title><p>Owls are birds of prey that hunt at night.</p>',
      );
      for (const command of commandsFor(dir, url, growth.pages)) {
        if (!isWanted(command.name)) continue;
        const measured = await measure(dir, command, limitMs);
        note(`${growth.pages} pages: ${command.name}: ${cell(measured)}`);
        figures.set(command.name, [...(figures.get(command.name) ?? []), measured]);
      }
      rmSync(join(dir, 'out'), { recursive: true, force: true });
      if (performance.now() > deadline) break;
    }
  } finally {
    if (flags.dir === '') rmSync(dir, { recursive: true, force: true });
  }
  const commands = Object.fromEntries(figures);
  if (flags.json) process.stdout.write(`${JSON.stringify({ machine: machine(), growths, commands })}\n`);
  else process.stdout.write(`${machine()}\n\n${growthTable(growths)}\n\n${commandTable(growths, figures)}\n`);
}

function isWanted(name: string): boolean {
  return flags.only.split(',').some((part) => name.includes(part));
}

function requireDisk(dir: string, pages: number): void {
  const { bavail, bsize } = statfsSync(dir);
  const wanted = pages * DISK_BYTES - storeBytes(dir);
  const free = bavail * bsize;
  note(`disk: ${gigabytes(wanted)} needed, ${gigabytes(free)} free`);
  if (free < wanted) endMisused(`${dir} has ${gigabytes(free)} of free disk, ${gigabytes(wanted)} are needed`);
}

function gigabytes(bytes: number): string {
  return `${(Math.max(0, bytes) / 1e9).toFixed(1)} GB`;
}

function storeBytes(dir: string): number {
  const files = STORES.map((name) => join(dir, name)).filter((file) => existsSync(file));
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

interface Growing {
  readonly size: number;
  readonly largest: number;
  readonly deadline: number;
}

/** In a process of its own, so that the memory of measured processes does not begin with this one's. */
async function grow(dir: string, { size, largest, deadline }: Growing): Promise<Growth & { readonly url: string }> {
  const minutes = Math.max(0, deadline - performance.now()) / 60_000;
  const own = ['--step', 'grow', '--dir', dir, '--pages', `${size},${largest}`, '--minutes', String(minutes)];
  const web = ['--web', flags.web, '--tasks', flags.tasks, '--task', flags.task];
  const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, ...own, ...web], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`Growing the workspace ended with exit code ${code}`);
  return JSON.parse(output);
}

/** Grows the workspace and prints {@link Growth}. */
async function growStep(dir: string): Promise<void> {
  const [size, largest] = flags.pages.split(',').map(Number) as [number, number];
  let deadline = performance.now() + Number(flags.minutes) * 60_000;
  // Ends growing with a checkpoint.
  process.once('SIGTERM', () => {
    deadline = 0;
  });
  const tasks = flags.tasks || join(flags.web, '..', 'tasks.json');
  const task = readFrozenTask(tasks, flags.task);
  prepareFolder(dir, task);
  const { config } = loadForReading(dir, { env: {} });
  const records = await FrozenRecords.open(flags.web, task, { config, pages: largest });
  const [began, cpu, written] = [performance.now(), process.cpuUsage(), bytesWritten()];
  let said = began;
  let from = 0;
  const maker = new PageMaker({ web: flags.web, tasks, task: flags.task, dir, pages: largest });
  const pages = await growWorkspace(dir, records, {
    pages: size,
    maker,
    onPage: (done) => {
      if (from === 0) from = done;
      const now = performance.now();
      if (now - said > NOTE_MS) {
        said = now;
        const rate = (done - from) / ((now - began) / 1000);
        const left = (size - done) / rate / 60;
        note(`growing: ${done} of ${size} pages, ${rate.toFixed(0)} per second, ${left.toFixed(0)} minutes left`);
      }
      return now < deadline;
    },
  });
  await maker.close();
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const added = from === 0 ? 0 : pages - from + CHUNK;
  const writtenKb = (bytesWritten() - written) / Math.max(1, added) / 1000;
  const store = await openStore({ ...placeOf(loadForReading(dir, { env: {} })), readOnly: true });
  const { knownUrls, pages: stored } = await store.status();
  await store.close();
  const figures = { added, seconds, cpuSeconds: (user + system) / 1e6, writtenKb };
  const growth = { pages: stored, ...figures, storedKb: storeBytes(dir) / stored / 1000, urls: knownUrls };
  process.stdout.write(JSON.stringify({ ...growth, url: records.urlOf(500) }));
}

async function measure(dir: string, { args }: Command, limitMs: number): Promise<Figures> {
  const usageFile = join(dir, 'usage');
  writeFileSync(usageFile, '');
  const own = ['--step', 'step' in args ? args.step : '', '--dir', dir];
  const command = 'step' in args ? [import.meta.filename, ...own] : [BINGO, ...args];
  const began = performance.now();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: limitMs,
    env: { ...process.env, NODE_OPTIONS: `--import=${PROBE}`, NODE_ENV: 'production', BENCH_USAGE: usageFile },
  });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors = `${errors}${text}`.slice(-500);
  });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  const seconds = (performance.now() - began) / 1000;
  const usages = readFileSync(usageFile, 'utf8')
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line): Usage => JSON.parse(line));
  const failure = code === 0 ? '' : code === null ? 'stopped' : errors.trim().split('\n').at(-1)!.slice(0, 120);
  return {
    seconds,
    cpuSeconds: usages.reduce((sum, { cpu }) => sum + cpu, 0),
    peakMb: Math.max(0, ...usages.map(({ peakMb }) => peakMb)),
    failure,
  };
}

/** What a measured process of this program does. */
async function step(name: string, dir: string): Promise<void> {
  if (name === 'first-screen') {
    const store = await openStore({ ...placeOf(loadForReading(dir, { env: {} })), readOnly: true });
    const ignore = (): void => {};
    await new StoreFollower(store).look(Date.now(), ignore, undefined, ignore);
    await store.close();
    return;
  }
  const workspace = await openWorkspace(dir, { env: {} });
  for (const words of ['birds of prey', 'mammals', 'plants', 'water', 'history of war']) await workspace.search(words);
  await workspace.close();
}

function growthTable(growths: readonly Growth[]): string {
  const head = [
    'pages',
    'added',
    'made in, s',
    'CPU s',
    'written per added page, KB',
    'known URLs',
    'stored per page, KB',
  ];
  const rows = growths.map(({ pages, added, urls, seconds, cpuSeconds, writtenKb, storedKb }) => [
    ...[pages.toLocaleString('en'), added.toLocaleString('en'), seconds.toFixed(0), cpuSeconds.toFixed(0)],
    ...[added === 0 ? '–' : writtenKb.toFixed(1), urls.toLocaleString('en'), storedKb.toFixed(1)],
  ]);
  return table(head, rows);
}

/** Wall time / CPU time / memory by size; and by how much the CPU time grows if the pages grow tenfold. */
function commandTable(growths: readonly Growth[], figures: ReadonlyMap<string, readonly Figures[]>): string {
  const head = ['s / CPU s / MB', ...growths.map(({ pages }) => pages.toLocaleString('en')), 'tenfold pages'];
  const rows = [...figures].map(([name, list]) => [name, ...list.map(cell), growthLaw(growths, list)]);
  return table(head, rows);
}

function cell({ seconds, cpuSeconds, peakMb, failure }: Figures): string {
  const failed = failure === '' ? '' : ` (${failure})`;
  return `${seconds.toFixed(1)} / ${cpuSeconds.toFixed(1)} / ${peakMb.toFixed(0)}${failed}`;
}

function growthLaw(growths: readonly Growth[], list: readonly Figures[]): string {
  const [from, to] = [list.at(0), list.at(-1)];
  const tenfold = Math.log10((growths.at(list.length - 1)?.pages ?? 1) / (growths[0]?.pages ?? 1));
  if (from === undefined || to === undefined || tenfold === 0) return '';
  return `× ${((to.cpuSeconds / from.cpuSeconds) ** (1 / tenfold)).toFixed(1)}`;
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
