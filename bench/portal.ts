/**
 * `npm run bench:portal`: how long a portal takes to make from a SQLite store, how large it is, and how long a search in
 * its page takes in a browser, where Chromium is installed. Each portal is made by a process of its own, whose memory is reported.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import { DEFAULTS } from '../src/core/index.ts';
import { writePortal } from '../src/postprocess/index.ts';
import { openStore, type Store } from '../src/store/index.ts';
import { CHROMIUM, openBrowser } from '../test/support/chromium.ts';
import { fileSizes, PORTAL_ASK, portalQueries } from './portal-searches.ts';
import { PageRecords, TREE } from './records.ts';
import { machine, median, table } from './table.ts';

const HELP = `npm run bench:portal -- [options]

  --pages a,b   pages of the portals (default 5000,50000)
`;
/** Records in the queue at the most, as in a crawl. */
const MAX_BACKLOG = 1_000;

const flags = readFlags({
  pages: { type: 'string', default: '5000,50000' },
  help: { type: 'boolean', default: false },
  // Of the process that makes one.
  workspace: { type: 'string' },
  into: { type: 'string' },
});

if (flags.help) process.stdout.write(HELP);
else if (flags.workspace !== undefined && flags.into !== undefined) await make(flags.workspace, flags.into);
else await main();

async function main(): Promise<void> {
  const records = new PageRecords();
  const place = mkdtempSync(join(tmpdir(), 'bingo-bench-portal-'));
  const rows: string[][] = [];
  const { batch, flushMs } = DEFAULTS.store;
  const store = await openStore({ url: 'sqlite', workspace: place, batch, flushMs });
  try {
    let stored = 0;
    for (const goal of flags.pages.split(',').map(Number)) {
      await fill(store, records, { from: stored + 1, to: goal });
      stored = goal;
      rows.push(await measure(place, { pages: goal, folder: join(place, `site-${goal}`), stems: records.stems }));
    }
  } finally {
    await store.close();
    rmSync(place, { recursive: true, force: true });
  }
  const head = [
    'pages',
    'made in, s',
    'CPU, s',
    'memory, MB',
    'files',
    'MB',
    'largest, KB',
    'first search, ms',
    'read for it, KB',
  ];
  process.stdout.write(`${machine()}\n\n${table(head, rows)}\n`);
}

async function fill(store: Store, records: PageRecords, { from, to }: { from: number; to: number }): Promise<void> {
  let wake = (): void => {};
  store.onStored(() => wake());
  for (let sequence = from; sequence <= to; sequence++) {
    const record = records.record(sequence);
    store.append({ ...record, assignment: { ...record.assignment, others: false } });
    if (store.backlog >= MAX_BACKLOG)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  await store.flush();
}

interface Portal {
  readonly pages: number;
  readonly folder: string;
  readonly stems: readonly string[];
}

/** What making a portal took. */
interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Of the whole process, at its peak. */
  readonly megabytes: number;
}

async function make(workspace: string, folder: string): Promise<void> {
  const { batch, flushMs } = DEFAULTS.store;
  const store = await openStore({ url: 'sqlite', workspace, batch, flushMs, readOnly: true });
  const begin = performance.now();
  await writePortal(store, { tree: TREE, title: 'Made up' }, folder);
  const seconds = (performance.now() - begin) / 1000;
  await store.close();
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cost: Cost = { seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1000 };
  process.stdout.write(JSON.stringify(cost));
}

async function measure(workspace: string, { pages, folder, stems }: Portal): Promise<string[]> {
  mkdirSync(folder);
  const args = [import.meta.filename, '--workspace', workspace, '--into', folder];
  const cost = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Cost;
  const costs = [cost.seconds.toFixed(1), cost.cpuSeconds.toFixed(1), cost.megabytes.toFixed(0)];
  const sizes = fileSizes(folder);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const [total, largest] = [bytes / 1e6, Math.max(...sizes) / 1e3].map((x) => x.toFixed(0));
  return [`${pages}`, ...costs, `${sizes.length}`, total!, largest!, ...(await searches(folder, stems))];
}

/** Medians of searches for a frequent and a rarer word, each in a page newly opened from the disk. */
async function searches(folder: string, stems: readonly string[]): Promise<string[]> {
  if (CHROMIUM === undefined) return ['no Chromium', '–'];
  const browser = await openBrowser(CHROMIUM);
  const [times, loaded]: [number[], number[]] = [[], []];
  for (const query of portalQueries(stems)) {
    const page = await browser.open(`file://${folder}/search.html`);
    times.push(await page.evaluate<number>(`(${PORTAL_ASK})(${JSON.stringify(query)})`));
    const files = await page.evaluate<string[]>(`[...document.querySelectorAll('head > script')].map((s) => s.src)`);
    loaded.push(files.reduce((sum, file) => sum + statSync(new URL(file)).size, 0));
  }
  await browser.close();
  return [median(times).toFixed(0), (median(loaded) / 1e3).toFixed(0)];
}
