/**
 * `npm run bench:clusters`: whether the subtopics of a label come apart. Analyses the pages of sibling labels of a frozen
 * web, clusters them without the labels, and measures how far the clusters agree with them. With a server of vectors, also
 * clusters by these, and by terms and vectors together.
 */
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import { type CanonicalUrl, DEFAULTS, type TermCounts } from '../src/core/index.ts';
import { analyzerSettings } from '../src/engine/index.ts';
import { hash53 } from '../src/kit/index.ts';
import { bootstrapMean, FrozenWeb, isLabelled, type Labels, mean, readLabels, WebAnalyst } from '../src/lab/index.ts';
import { adjustedRandIndex, clusterPages, comparedBag } from '../src/postprocess/index.ts';
import { machine, table } from './table.ts';

const HELP = `npm run bench:clusters -- [options]

  --webs DIR      folder with NAME.warc.gz and NAME.labels.tsv (default ../shared/webs)
  --siblings A,B  sets of labels by rule, from these webs (default: a fixed list, from wikispeedia)
  --embeddings U  server of vectors, as learn.embeddings: adds clusters by vectors
  --json          one JSON object a set of labels on stdout
`;

const WEB = 'wikispeedia';

/** Sets by rule: labels with one parent, greatest first, so many at a time. Bounds of the sets per web and of the pages per label. */
const SIBLINGS = 4;
const MOST_SETS = 6;
const LEAST_PAGES = 25;
const MOST_PAGES = 60;

/** What pages are clustered by. */
const WAYS = ['terms', 'vectors', 'both'] as const;
type Way = (typeof WAYS)[number];

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
  siblings: { type: 'string', default: '' },
  embeddings: { type: 'string', default: '' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

const ways: readonly Way[] = flags.embeddings === '' ? ['terms'] : WAYS;

if (flags.help) process.stdout.write(HELP);
else await main();

type Bags = Readonly<Record<Way, TermCounts | undefined>>;

interface Page {
  readonly url: CanonicalUrl;
  readonly label: string;
}

interface Agreement {
  /** Adjusted Rand index if the number is given, and if the impurity chooses it. */
  readonly given: number;
  readonly chosen: number;
  readonly clusters: number;
  readonly ms: number;
}

interface Row {
  readonly labels: readonly string[];
  readonly pages: number;
  readonly by: Readonly<Partial<Record<Way, Agreement>>>;
}

async function main(): Promise<void> {
  const rows: Row[] = [];
  const webs = flags.siblings === '' ? [WEB] : flags.siblings.split(',');
  for (const web of webs) {
    const labels = await readLabels(join(flags.webs, `${web}.labels.tsv`));
    const sets =
      flags.siblings === ''
        ? SETS.map(([parent, names]) => names.map((name) => `${parent}/${name}`))
        : siblings(labels);
    const own = sets.map((set) => pagesOf(set, labels));
    const bags = await readBags(web, new Set(own.flatMap((pages) => pages.map(({ url }) => url))));
    for (const [i, set] of sets.entries()) rows.push(await measure(set, own[i]!, bags));
  }
  if (flags.json) for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
  else process.stdout.write(`${machine()}\n\n${report(rows)}\n`);
}

/** Returns sets of labels with one parent. */
function siblings(labels: Labels): readonly (readonly string[])[] {
  const sizes = new Map<string, number>();
  for (const paths of labels.values()) {
    const above = paths.flatMap((path) => path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/')));
    for (const label of new Set(above)) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  }
  const large = [...sizes].filter(([, pages]) => pages >= LEAST_PAGES).sort(([, a], [, b]) => b - a);
  const families = Map.groupBy(large, ([label]) => label.split('/').slice(0, -1).join('/'));
  return [...families.values()]
    .flatMap((family) =>
      Array.from({ length: Math.floor(family.length / SIBLINGS) }, (_, i) =>
        family.slice(i * SIBLINGS, (i + 1) * SIBLINGS).map(([label]) => label),
      ),
    )
    .slice(0, MOST_SETS);
}

/** Returns the pages with one of the labels, without those with two. By rule, those with the lowest hashes of each label. */
function pagesOf(set: readonly string[], labels: Labels): readonly Page[] {
  const pages = [...labels].flatMap(([url, paths]) => {
    const found = set.filter((label) => paths.some((path) => isLabelled(path, [label])));
    return found.length === 1 ? [{ url, label: found[0]! }] : [];
  });
  if (flags.siblings === '') return pages;
  const drawn = pages.toSorted((a, b) => hash53(a.url) - hash53(b.url));
  return [...Map.groupBy(drawn, ({ label }) => label).values()].flatMap((group) => group.slice(0, MOST_PAGES));
}

async function readBags(name: string, urls: ReadonlySet<CanonicalUrl>): Promise<ReadonlyMap<string, Bags>> {
  const web = await FrozenWeb.open(join(flags.webs, `${name}.warc.gz`));
  const learn = { ...DEFAULTS.learn, spaces: ['terms', 'meaning'] as const, embeddings: flags.embeddings };
  const analyst = new WebAnalyst(web, analyzerSettings({ ...DEFAULTS, learn }));
  const bags = new Map<string, Bags>();
  let without = 0;
  for (const url of urls) {
    const analysis = await analyst.analysisOf(url);
    if (analysis?.kind !== 'analyzed') continue;
    const { terms, meaning } = analysis.document.features;
    if ((meaning?.features ?? '') === '') without++;
    bags.set(url, { terms, vectors: meaning, both: comparedBag({ terms, meaning }) });
  }
  await analyst.close();
  web.close();
  if (flags.embeddings !== '') process.stderr.write(`${name}: ${without} of ${bags.size} pages without a vector\n`);
  return bags;
}

async function measure(
  labels: readonly string[],
  pages: readonly Page[],
  known: ReadonlyMap<string, Bags>,
): Promise<Row> {
  const own = pages.flatMap(({ url, label }) => {
    const bags = known.get(url);
    return bags === undefined ? [] : [{ bags, label }];
  });
  const agreement = async (way: Way, options: { readonly clusters?: number }) => {
    const found = await clusterPages(
      own.map(({ bags }) => bags[way]),
      options,
    );
    const members = found.placements.map((placement) => placement?.cluster ?? -1);
    const truth = own.map((page) => page.label);
    return { index: adjustedRandIndex(members, truth), clusters: found.clusters.length };
  };
  const by: Partial<Record<Way, Agreement>> = {};
  for (const way of ways) {
    const given = await agreement(way, { clusters: labels.length });
    const start = performance.now();
    const chosen = await agreement(way, {});
    const ms = performance.now() - start;
    by[way] = { given: given.index, chosen: chosen.index, clusters: chosen.clusters, ms };
  }
  return { labels, pages: own.length, by };
}

function report(rows: readonly Row[]): string {
  const groups = rows.filter((row) => row.labels.length > 1);
  const name = (label: string): string => label.split('/').at(-1)!.replaceAll('_', ' ');
  const tables = ways.map((way) => {
    const index = (kind: 'given' | 'chosen'): string => mean(groups.map((row) => row.by[way]![kind])).toFixed(2);
    const lines = rows.map(({ labels, pages, by }) => {
      const { given, chosen, clusters, ms } = by[way]!;
      const [first, second] = labels.length > 1 ? [given.toFixed(2), chosen.toFixed(2)] : ['', ''];
      const found = `${clusters} of ${labels.length}`;
      return [labels.map(name).join(', '), String(pages), first, found, second, (ms / 1000).toFixed(1)];
    });
    return table(
      [`labels, clusters by ${way}`, 'pages', 'ARI, number given', 'clusters chosen', 'ARI, number chosen', 's'],
      [...lines, ['mean of sets of labels', '', index('given'), '', index('chosen'), '']],
    );
  });
  const gains = ways.slice(1).flatMap((way) =>
    (['given', 'chosen'] as const).map((kind) => {
      const { mean, low, high } = bootstrapMean(groups.map(({ by }) => by[way]![kind] - by.terms![kind]));
      const [gain, from, to] = [mean, low, high].map((value) => value.toFixed(3));
      return `${way} less terms, number ${kind}: ${gain} (95 % interval of ${groups.length} sets ${from} to ${to})`;
    }),
  );
  return [...tables, ...(gains.length === 0 ? [] : [gains.join('\n')])].join('\n\n');
}
