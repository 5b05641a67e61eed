import { basename, resolve } from 'node:path';
import { count, percent, safeJson } from '../../kit/index.ts';
import {
  BEST_COMPARED,
  type ComparedCrawl,
  type Comparison,
  compareCrawls,
  comparisonChart,
  crawlFacts,
  type Distances,
  quoted,
  type Shared,
  TOP_HOSTS,
  table,
  withStore,
  writeNamedFile,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';

const RIGHT = { align: 'right' as const };

export const compare: Command = {
  name: 'compare',
  summary: 'Compare crawls: what each finds of the other, and how far the best pages are from the seeds.',
  positionals: ['[DIR]', '[DIRS]...'],
  takesList: true,
  flags: {
    svg: { value: 'FILE', help: 'Write coverage and overlap over time, and the distances, as SVG.' },
    json: { help: 'One JSON object on stdout, with all curves.' },
  },
  examples: [
    ['bingo compare bikes bikes2', 'Two crawls of one topic from different seeds.'],
    ['bingo compare bikes bikes2 --svg compared.svg', 'With coverage and overlap over time as a picture.'],
    ['bingo compare bikes', 'Only the distances of its best authorities.'],
  ],
  notes: [
    'Pages are the same if their final addresses are. Training pages do not count. "Best" are the ' +
      `${BEST_COMPARED} relevant pages of highest relevance; hosts of authorities are those of the best ${TOP_HOSTS}. ` +
      'The shortest distance is the fewest links from a seed over all links of stored pages; the way taken is that of the crawl.',
  ],
  run: runCompare,
};

async function runCompare(args: Args, io: Io): Promise<number> {
  const dirs = args.positionals;
  const crawls: ComparedCrawl[] = [];
  for (const [i, dir] of dirs.entries()) {
    if (dirs.length > 1) io.err(`Reading ${dir}…\n`);
    const facts = await withStore(dir, io, (store, workspace) => crawlFacts(store, workspace));
    crawls.push({ ...facts, name: nameOf(dirs, i) });
  }
  const found = compareCrawls(crawls);
  const svg = args.value('svg');
  if (svg !== undefined) await writeNamedFile(svg, [comparisonChart(found)]);
  if (args.has('json')) await io.out(`${safeJson(found)}\n`);
  else await io.out(`${describe(found, io.columns()).join('\n')}\n`);
  for (const [i, { pages }] of crawls.entries())
    if (pages.length === 0) io.err(`${dirs[i]} has no crawled page. Next: bingo crawl ${quoted(dirs[i]!)}\n`);
  if (dirs.length === 1) io.err(`Next: bingo compare ${quoted(dirs[0]!)} OTHER-DIR\n`);
  return EXIT.done;
}

/** The folder's name; the path as typed if two folders have the same name. */
function nameOf(dirs: readonly string[], i: number): string {
  const names = dirs.map((dir) => basename(resolve(dir)));
  return names.filter((name) => name === names[i]).length > 1 ? dirs[i]! : names[i]!;
}

function describe(found: Comparison, width: number): string[] {
  const crawls = found.crawls.map(({ name, pages, relevant, hosts }) => [
    name,
    ...[pages, relevant, hosts].map((n) => count(n)),
  ]);
  const heads = ['pages', 'relevant', 'hosts'].map((title) => ({ title, ...RIGHT }));
  return [
    ...table([{ title: 'crawl' }, ...heads], crawls, width),
    ...(found.coverage.length === 0 ? [] : ['', ...coverageLines(found, width), '', ...overlapLines(found, width)]),
    ...found.distances.flatMap((distances) => ['', ...distanceLines(distances, width)]),
  ];
}

function coverageLines({ coverage }: Comparison, width: number): string[] {
  const rows = coverage.map(({ by, of, found, overTime, share }) => [
    ...[by, of, count(found)],
    ...[0.25, 0.5].map((part) => percent(overTime[Math.round(part * (overTime.length - 1))]?.[1] ?? 0)),
    percent(share),
  ]);
  const numbers = ['pages', 'at 25 %', 'at 50 %', 'at the end'].map((title) => ({ title, ...RIGHT }));
  return table([{ title: 'crawl' }, { title: 'finds relevant pages of' }, ...numbers], rows, width);
}

function overlapLines({ overlaps }: Comparison, width: number): string[] {
  const share = ({ common, ofA, ofB }: Shared): string => `${count(common)} (${percent(ofA)}, ${percent(ofB)})`;
  const rows = overlaps.map(({ a, b, urls, hosts, best, authorityHosts }) => [
    `${a}, ${b}`,
    ...[urls, hosts, best, authorityHosts].map(share),
  ]);
  const heads = ['pages', 'hosts', 'best pages', 'hosts of authorities'].map((title) => ({ title, ...RIGHT }));
  return table([{ title: 'in common' }, ...heads], rows, width);
}

function distanceLines({ crawl, shortest, taken }: Distances, width: number): string[] {
  if (taken.length === 0) return [`${crawl}: no authorities yet; a training round of bingo crawl finds them.`];
  const rows = taken.map((pages, i) => [`${i}`, count(shortest[i] ?? 0), count(pages)]);
  const heads = [`links from a seed, ${crawl}`, 'shortest distance', 'way taken'].map((title) => ({ title, ...RIGHT }));
  return table(heads, rows, width);
}
