/**
 * `npm run bench:clusters`: whether the subtopics of a label come apart. Analyses the pages of sibling labels of a frozen
 * web, clusters them without the labels, and measures how far the clusters agree with them.
 */
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import { DEFAULTS, type TermCounts } from '../src/core/index.ts';
import { analyzerSettings } from '../src/engine/index.ts';
import { FrozenWeb, isLabelled, mean, readLabels, WebAnalyst } from '../src/lab/index.ts';
import { adjustedRandIndex, clusterPages } from '../src/postprocess/index.ts';
import { machine, table } from './table.ts';

const HELP = `npm run bench:clusters -- [options]

  --webs DIR   folder with NAME.warc.gz and NAME.labels.tsv (default ../shared/webs)
  --json       one JSON object a set of labels on stdout
`;

const WEB = 'wikispeedia';

/** Sibling labels, named by their parent. The last two are one label each: the best number of clusters is 1. */
const SETS: readonly (readonly [parent: string, labels: readonly string[]])[] = [
  ['Science/Biology', ['Birds', 'Mammals', 'Plants']],
  ['Science/Biology', ['Birds', 'Mammals', 'Plants', 'Dinosaurs', 'Health_and_medicine', 'Insects_Reptiles_and_Fish']],
  ['Science', ['Chemistry/Chemical_elements', 'Physics/Space_Astronomy', 'Biology/Birds']],
  ['Design_and_Technology', ['Railway_transport', 'Engineering', 'Architecture']],
  ['Everyday_life', ['Food_and_agriculture', 'Television', 'Films']],
  ['People', ['Writers_and_critics', 'Political_People', 'Sports_and_games_people', 'Performers_and_composers']],
  ['Geography', ['Geology_and_geophysics', 'Climate_and_the_Weather', 'Storms', 'Natural_Disasters']],
  ['Science/Biology', ['Birds']],
  ['Science/Chemistry', ['Chemical_elements']],
];

const flags = readFlags({
  webs: { type: 'string', default: new URL('../../shared/webs', import.meta.url).pathname },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
else await main();

interface Page {
  readonly bag: TermCounts | undefined;
  readonly labels: readonly string[];
}

interface Row {
  readonly labels: readonly string[];
  readonly pages: number;
  /** Agreement when the number is given, and when the impurity chooses it. */
  readonly given: number;
  readonly chosen: number;
  readonly clusters: number;
  readonly ms: number;
}

async function main(): Promise<void> {
  const pages = await readPages();
  const rows: Row[] = [];
  for (const [parent, names] of SETS) {
    const labels = names.map((name) => `${parent}/${name}`);
    rows.push(await measure(labels, pages));
  }
  if (flags.json) for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
  else process.stdout.write(`${machine()}\n\n${report(rows)}\n`);
}

async function readPages(): Promise<readonly Page[]> {
  const wanted = SETS.flatMap(([parent, names]) => names.map((name) => `${parent}/${name}`));
  const web = await FrozenWeb.open(join(flags.webs, `${WEB}.warc.gz`));
  const analyst = new WebAnalyst(web, analyzerSettings(DEFAULTS));
  const pages: Page[] = [];
  for (const [url, labels] of await readLabels(join(flags.webs, `${WEB}.labels.tsv`))) {
    if (!labels.some((label) => isLabelled(label, wanted))) continue;
    const analysis = await analyst.analysisOf(url);
    if (analysis?.kind === 'analyzed') pages.push({ bag: analysis.document.features.terms, labels });
  }
  await analyst.close();
  web.close();
  return pages;
}

/** Pages with two of the labels belong to no group of their own: left out. */
async function measure(labels: readonly string[], pages: readonly Page[]): Promise<Row> {
  const own = pages.flatMap(({ bag, labels: paths }) => {
    const found = labels.filter((label) => paths.some((path) => isLabelled(path, [label])));
    return found.length === 1 ? [{ bag, label: found[0]! }] : [];
  });
  const agreement = async (clusters?: number): Promise<{ readonly index: number; readonly clusters: number }> => {
    const found = await clusterPages(
      own.map((page) => page.bag),
      clusters === undefined ? {} : { clusters },
    );
    const members = found.placements.map((placement) => placement?.cluster ?? -1);
    return {
      index: adjustedRandIndex(
        members,
        own.map((page) => page.label),
      ),
      clusters: found.clusters.length,
    };
  };
  const given = await agreement(labels.length);
  const start = performance.now();
  const chosen = await agreement();
  const ms = performance.now() - start;
  return { labels, pages: own.length, given: given.index, chosen: chosen.index, clusters: chosen.clusters, ms };
}

function report(rows: readonly Row[]): string {
  const groups = rows.filter((row) => row.labels.length > 1);
  const name = (label: string): string => label.split('/').at(-1)!.replaceAll('_', ' ');
  return table(
    ['labels', 'pages', 'ARI, number given', 'clusters chosen', 'ARI, number chosen', 's'],
    [
      ...rows.map((row) => [
        row.labels.map(name).join(', '),
        String(row.pages),
        row.labels.length > 1 ? row.given.toFixed(2) : '',
        `${row.clusters} of ${row.labels.length}`,
        row.labels.length > 1 ? row.chosen.toFixed(2) : '',
        (row.ms / 1000).toFixed(1),
      ]),
      [
        'mean of sets of labels',
        '',
        mean(groups.map((row) => row.given)).toFixed(2),
        '',
        mean(groups.map((row) => row.chosen)).toFixed(2),
        '',
      ],
    ],
  );
}
