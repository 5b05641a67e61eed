/**
 * `npm run bench:adapt`: what bingo adapt gains over five simulated days (Pant, Bradshaw and Menczer 2003, §4). A frozen
 * web is served on this machine. The community's queries are titles of pages of one subject, which drifts from day to
 * day. Three systems answer the same queries: the first collection for ever; one that a plain crawl makes again each
 * night; one that adapts each night to the queries of the day. Labels score the answers and never reach the crawler.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import { isStopWord, stemsIn } from '../src/analyze/index.ts';
import { type CanonicalUrl, canonicalize } from '../src/core/index.ts';
import { seededRandom } from '../src/kit/index.ts';
import {
  FrozenWeb,
  isLabelled,
  type Labels,
  NO_FAULTS,
  readLabels,
  readTasks,
  serveFrozenWeb,
} from '../src/lab/index.ts';
import { createWorkspace, type Workspace } from '../src/workbench/library.ts';
import { machine, table } from './table.ts';

const HELP = `npm run bench:adapt -- [options]

  --webs DIR      folder with tasks.json, NAME.warc.gz and NAME.labels.tsv (default ../shared/webs)
  --pages N       pages of a collection, at most (default 200)
  --queries N     queries a day (default 30)
  --days N        days (default 5)
  --seed N        seed of the queries (default 1)
`;

/** Subjects of the community, by day: most queries are of the day's subject, some of the next one. */
const SUBJECTS = [
  'Science/Biology/Mammals',
  'Science/Biology/Birds',
  'Science/Biology/Insects_Reptiles_and_Fish',
  'Science/Biology/Dinosaurs',
  'Geography/Geology_and_geophysics',
  'Science/Chemistry/Chemical_elements',
];
/** Share of queries on the subject of the next day. */
const NEXT = 0.4;
const WEB = 'wikispeedia';
/** The topic of the workspace: the community's subject on the first day. */
const TASK = `${WEB}/mammals`;
const TOP = 10;
const HEAD = ['day', 'system', 'P@10', 'mean cosine', 'pages', 'new pages', 'fetched that night'];

const flags = readFlags({
  webs: { type: 'string', default: new URL('../../shared/webs', import.meta.url).pathname },
  pages: { type: 'string', default: '200' },
  queries: { type: 'string', default: '30' },
  days: { type: 'string', default: '5' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
});

interface Asked {
  readonly query: string;
  readonly subject: string;
}

/** One system on one day. */
interface Figures {
  readonly precision: number;
  readonly cosine: number;
  readonly size: number;
  readonly fresh: number;
  readonly requests: number;
}

if (flags.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-bench-adapt-'));
  const web = await FrozenWeb.open(join(flags.webs, `${WEB}.warc.gz`));
  const labels = await readLabels(join(flags.webs, `${WEB}.labels.tsv`));
  const server = await serveFrozenWeb({ web, port: 0, faults: NO_FAULTS });
  const pages = Number(flags.pages);
  try {
    const open = (name: string): Promise<Workspace> => workspaceAt(join(folder, name), server.port);
    const plain = await open('plain');
    await plain.crawl({ only: 'harvest', ordering: 'breadth-first', budget: pages }).summary;
    const adapted = await open('adapted');
    await adapted.crawl({ only: 'harvest', ordering: 'breadth-first', budget: pages }).summary;
    const days = drawn(labels);
    const rows: string[][] = [];
    let known = { recrawl: await urlsOf(plain), adapt: await urlsOf(adapted) };
    let recrawled = plain;
    let cost = { recrawl: 0, adapt: 0 };
    for (const [day, asked] of days.entries()) {
      const first = await scored(plain, asked, labels);
      const again = await scored(recrawled, asked, labels);
      const own = await scored(adapted, asked, labels);
      const [freshAgain, freshOwn] = [await fresh(recrawled, known.recrawl), await fresh(adapted, known.adapt)];
      rows.push(
        ...[
          row(day, 'no adaptation', { ...first, fresh: 0, requests: 0 }),
          row(day, 'plain recrawl', { ...again, fresh: freshAgain, requests: cost.recrawl }),
          row(day, 'adapt', { ...own, fresh: freshOwn, requests: cost.adapt }),
        ],
      );
      known = { recrawl: await urlsOf(recrawled), adapt: await urlsOf(adapted) };
      process.stderr.write(`day ${day + 1} of ${days.length}\n`);
      if (day === days.length - 1) break;
      recrawled = await open(`recrawl-${day}`);
      await recrawled.crawl({ budget: pages }).summary;
      const made = await adapted.adapt({ queries: asked.map(({ query }) => query), pages, iterations: 2 });
      cost = { recrawl: await fetched(recrawled), adapt: made.pages };
    }
    process.stdout.write(`${machine()}\n\n${table(HEAD, rows)}\n`);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function row(day: number, system: string, { precision, cosine, size, fresh, requests }: Figures): string[] {
  const figures = [precision.toFixed(3), cosine.toFixed(4), size, fresh, requests].map(String);
  return [String(day + 1), system, ...figures];
}

async function workspaceAt(dir: string, port: number): Promise<Workspace> {
  const tasks = await readTasks(join(flags.webs, 'tasks.json'));
  const task = tasks.find(({ id }) => id === TASK)!;
  const topics = task.topics.map(({ name, examples }) => ({ name, examples: [...examples] }));
  const settings = { 'network.proxy': `http://127.0.0.1:${port}`, 'network.delayMs': 0, 'crawl.sitemaps': false };
  return await createWorkspace(dir, { topics, others: task.others, settings });
}

/** Draws the queries of each day: titles of labelled pages, as they are in their addresses. */
function drawn(labels: Labels): readonly (readonly Asked[])[] {
  const random = seededRandom(Number(flags.seed));
  const bySubject = SUBJECTS.map((subject) =>
    [...labels].filter(([, paths]) => paths.some((path) => isLabelled(path, [subject]))).map(([url]) => url),
  );
  const draw = (subject: number): Asked => {
    const of = bySubject[subject]!;
    return { query: titleOf(of[Math.floor(random() * of.length)]!), subject: SUBJECTS[subject]! };
  };
  return Array.from({ length: Math.min(SUBJECTS.length - 1, Number(flags.days)) }, (_, day) =>
    Array.from({ length: Number(flags.queries) }, () => draw(random() < NEXT ? day + 1 : day)),
  );
}

function titleOf(url: CanonicalUrl): string {
  const [name = ''] = decodeURIComponent(new URL(url).pathname).split('/').slice(-1);
  return name
    .replace(/\.htm$/, '')
    .replaceAll(/[_()]/g, ' ')
    .trim();
}

async function scored(
  workspace: Workspace,
  asked: readonly Asked[],
  labels: Labels,
): Promise<Pick<Figures, 'precision' | 'cosine' | 'size'>> {
  let sum = 0;
  for (const { query, subject } of asked) {
    const { results } = await workspace.search(query, { limit: TOP }).catch(() => ({ results: [] }));
    sum += results.filter(({ url }) => isOf(url, subject, labels)).length / TOP;
  }
  const { cosine, size } = await likeness(workspace, asked);
  return { precision: sum / asked.length, cosine, size };
}

function isOf(url: string, subject: string, labels: Labels): boolean {
  const paths = labels.get(canonicalize(url) ?? ('' as CanonicalUrl)) ?? [];
  return paths.some((path) => isLabelled(path, [subject]));
}

/** Mean cosine of the pages of a collection and the joined queries of a day, by tf·idf. */
async function likeness(workspace: Workspace, asked: readonly Asked[]): Promise<{ cosine: number; size: number }> {
  const bags: ReadonlyMap<string, number>[] = [];
  for await (const { text = '', title, role } of workspace.pages({ text: true }))
    if (role === 'crawled') bags.push(bagOf(`${title} ${text}`));
  const frequency = new Map<string, number>();
  for (const bag of bags) for (const stem of bag.keys()) frequency.set(stem, (frequency.get(stem) ?? 0) + 1);
  const weigh = (bag: ReadonlyMap<string, number>): Map<string, number> =>
    new Map([...bag].map(([stem, n]) => [stem, n * Math.log(1 + bags.length / (frequency.get(stem) ?? 1))]));
  const query = weigh(bagOf(asked.map((one) => one.query).join(' ')));
  const sum = bags.reduce((total, bag) => total + cosine(weigh(bag), query), 0);
  return { cosine: sum / Math.max(1, bags.length), size: bags.length };
}

function bagOf(text: string): Map<string, number> {
  const bag = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) {
    const [stem = word] = isStopWord(word) ? [''] : stemsIn(word, []);
    if (stem !== '') bag.set(stem, (bag.get(stem) ?? 0) + 1);
  }
  return bag;
}

function cosine(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0;
  for (const [stem, weight] of b) common += weight * (a.get(stem) ?? 0);
  const length = (bag: ReadonlyMap<string, number>): number =>
    Math.sqrt([...bag.values()].reduce((s, w) => s + w * w, 0));
  return common === 0 ? 0 : common / (length(a) * length(b));
}

async function urlsOf(workspace: Workspace): Promise<ReadonlySet<string>> {
  const urls = new Set<string>();
  for await (const { url, role } of workspace.pages()) if (role === 'crawled') urls.add(url);
  return urls;
}

async function fresh(workspace: Workspace, known: ReadonlySet<string>): Promise<number> {
  return [...(await urlsOf(workspace))].filter((url) => !known.has(url)).length;
}

async function fetched(workspace: Workspace): Promise<number> {
  return (await workspace.status()).pages;
}
