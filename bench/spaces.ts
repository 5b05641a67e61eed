/**
 * `npm run bench:spaces`: how well classifiers in each feature space, and several together under each decision rule, know a
 * topic from a few examples. Trains on the examples and OTHERS of the tasks and judges every labelled page of their frozen
 * webs that was not given. Anchors and neighbours are those of the whole web, as after a crawl that saw all of it. The last
 * rows have fewer examples, and OTHERS taken from the other webs, as the pages are that come with Bingo.
 */
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import {
  baseSpaces,
  type CanonicalUrl,
  DEFAULTS,
  type DocumentFeatures,
  META_RULES,
  type MetaRule,
  ROOT,
  type SpaceName,
  spaceParts,
  type TopicId,
} from '../src/core/index.ts';
import { analyzerSettings, Surroundings, surroundedFeatures, UNLIMITED } from '../src/engine/index.ts';
import { seededRandom } from '../src/kit/index.ts';
import {
  type ClassifierQuality,
  classifierQuality,
  FrozenWeb,
  isLabelled,
  type Judgement,
  type Labels,
  mean,
  readLabels,
  readTasks,
  type Task,
  taskTree,
  WebAnalyst,
} from '../src/lab/index.ts';
import type { TrainingPage } from '../src/learn/index.ts';
import { classify, prepareClassifier, trainTopicModels } from '../src/meta/index.ts';
import { machine, table } from './table.ts';

const HELP = `npm run bench:spaces -- [options]

  --webs DIR      folder with NAME.warc.gz and NAME.labels.tsv (default ../shared/webs)
  --tasks FILE    task file (default tasks.json in that folder)
  --every N       judge every N-th labelled page only (default 1)
  --only TEXT     only tasks whose id holds TEXT
  --alone A,B     only these spaces, each alone; also joined ones such as terms+lead+form
  --embeddings U  server of vectors for the space "meaning", as learn.embeddings
  --json          one JSON object a row on stdout
`;

/** Spaces whose classifier stands alone. */
const ALONE: readonly SpaceName[] = [
  'terms',
  'pairs',
  'anchors',
  'neighbours',
  'lead',
  'form',
  'terms+lead',
  'terms+lead+form',
  'terms+pairs',
  'terms+anchors',
  'terms+neighbours',
  'anchors+neighbours',
  'terms+pairs+anchors',
  'terms+anchors+neighbours',
  'terms+pairs+anchors+neighbours',
];

/** Several classifiers that vote. */
const TOGETHER: readonly (readonly SpaceName[])[] = [
  ['terms', 'pairs'],
  ['terms', 'anchors'],
  ['terms', 'terms+anchors'],
  ['terms', 'pairs', 'anchors'],
  ['terms', 'terms+anchors', 'terms+neighbours'],
  ['terms', 'pairs', 'anchors', 'neighbours'],
];

/** Numbers of features, in terms alone. */
const FEATURES = [200, 500, 1_000, 2_000, 'auto'] as const;

/** Cold starts, in terms alone: examples a topic, and whether OTHERS come from elsewhere. */
const COLD = [
  [1, false],
  [2, false],
  [3, false],
  [1, true],
  [2, true],
  [3, true],
] as const;
/** OTHERS taken from each of the other webs. */
const STRANGERS = 25;

interface Case {
  readonly name: string;
  readonly rule: string;
  readonly learn: Partial<typeof DEFAULTS.learn>;
  readonly rules: readonly MetaRule[];
  /** Examples a topic; all where it is left out. */
  readonly examples?: number;
  /** OTHERS are pages of other webs. */
  readonly strange?: boolean;
}

interface Row {
  readonly web: string;
  readonly task: string;
  readonly spaces: string;
  readonly rule: string;
  readonly quality: ClassifierQuality;
}

const flags = readFlags({
  webs: { type: 'string', default: new URL('../../shared/webs', import.meta.url).pathname },
  tasks: { type: 'string' },
  every: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  alone: { type: 'string', default: '' },
  embeddings: { type: 'string', default: '' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const all = await readTasks(flags.tasks ?? join(flags.webs, 'tasks.json'));
  const tasks = all.filter((task) => task.id.includes(flags.only));
  const rows: Row[] = [];
  for (const web of new Set(tasks.map((task) => task.web))) {
    const own = tasks.filter((candidate) => candidate.web === web);
    const known = await readWeb(web, [...new Set(all.map((task) => task.web))], own);
    for (const task of own) {
      const start = performance.now();
      rows.push(...cases().flatMap((one) => measure(task, known, one)));
      process.stderr.write(`${task.id} ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
    }
  }
  if (flags.json) for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
  else process.stdout.write(`${machine()}\n\n${report(rows)}\n`);
}

function cases(): Case[] {
  const wanted = flags.alone.split(',').filter((name) => name !== '');
  const named = wanted.filter((name): name is SpaceName => spaceParts(name) !== undefined);
  const alone = (wanted.length === 0 ? ALONE : named).map(
    (space): Case => ({ name: space, rule: 'alone', learn: { spaces: [space] }, rules: ['best'] }),
  );
  if (wanted.length > 0) return alone;
  const together = TOGETHER.map(
    (spaces): Case => ({ name: spaces.join(', '), rule: '', learn: { spaces }, rules: META_RULES }),
  );
  const sizes = FEATURES.map(
    (features): Case => ({
      name: `terms, ${features} features`,
      rule: 'alone',
      learn: { spaces: ['terms'], features },
      rules: ['best'],
    }),
  );
  const cold = COLD.map(
    ([examples, strange]): Case => ({
      name: `terms, ${examples} example${examples === 1 ? '' : 's'}, OTHERS of ${strange ? 'other webs' : 'the web'}`,
      rule: 'alone',
      learn: { spaces: ['terms'] },
      rules: ['best'],
      examples,
      strange,
    }),
  );
  return [...alone, ...together, ...sizes, ...cold];
}

interface KnownWeb {
  readonly features: ReadonlyMap<CanonicalUrl, DocumentFeatures>;
  readonly labels: Labels;
  /** Pages of other webs. */
  readonly strangers: readonly DocumentFeatures[];
}

/**
 * Analyses the pages of a web in the spaces that are wanted; then each gets the anchors and neighbours that the others
 * give it. If no space needs other pages, only the pages that are judged or given are analysed.
 */
async function readWeb(name: string, all: readonly string[], tasks: readonly Task[]): Promise<KnownWeb> {
  const web = await FrozenWeb.open(join(flags.webs, `${name}.warc.gz`));
  const spaces = baseSpaces(cases().flatMap((one) => one.learn.spaces ?? []));
  const learn = { ...DEFAULTS.learn, spaces, embeddings: flags.embeddings };
  const labels = await readLabels(join(flags.webs, `${name}.labels.tsv`));
  const given = tasks.flatMap((task) => [...task.topics.flatMap(({ examples }) => examples), ...task.others]);
  const judged = [...labels.keys()].filter((_, i) => i % Number(flags.every) === 0);
  const isAround = spaces.some((space) => space === 'anchors' || space === 'neighbours');
  const wanted = isAround ? undefined : new Set<string>([...given, ...judged]);
  const analyst = new WebAnalyst(web, analyzerSettings({ ...DEFAULTS, learn }));
  const surroundings = new Surroundings(spaces, { limits: UNLIMITED });
  const own = new Map<CanonicalUrl, { readonly features: DocumentFeatures; readonly links: string }>();
  for (const finalUrl of web.urls()) {
    if (wanted?.has(finalUrl) === false) continue;
    const analysis = await analyst.analysisOf(finalUrl);
    if (analysis?.kind !== 'analyzed') continue;
    const { document } = analysis;
    surroundings.note({ sequence: own.size + 1, finalUrl, document });
    own.set(finalUrl, { features: document.features, links: document.links.urls });
  }
  await analyst.close();
  web.close();
  const features = new Map(
    [...own].map(([url, page]) => {
      const context = surroundings.of([url], page.links);
      return [url, surroundedFeatures(page.features, context, spaces)] as const;
    }),
  );
  const strangers: DocumentFeatures[] = [];
  for (const other of flags.alone === '' ? all.filter((web) => web !== name) : [])
    strangers.push(...(await somePages(other)));
  return { features, strangers, labels };
}

/** Pages spread evenly over a web. */
async function somePages(name: string): Promise<DocumentFeatures[]> {
  const web = await FrozenWeb.open(join(flags.webs, `${name}.warc.gz`));
  const analyst = new WebAnalyst(web, analyzerSettings(DEFAULTS));
  const urls = [...web.urls()];
  const pages: DocumentFeatures[] = [];
  for (let at = 0; at < urls.length && pages.length < STRANGERS; at += Math.ceil(urls.length / STRANGERS / 1.5)) {
    const analysis = await analyst.analysisOf(urls[at]!);
    if (analysis?.kind === 'analyzed') pages.push(analysis.document.features);
  }
  await analyst.close();
  web.close();
  return pages;
}

/** Trains one case and judges the labelled pages under each of its rules. */
function measure(task: Task, web: KnownWeb, one: Case): Row[] {
  const { features, labels } = web;
  const { name, rule, learn, rules } = one;
  const config = { ...DEFAULTS.learn, ...learn };
  const pages = trainingPages(task, web, one);
  const tree = taskTree(task);
  const { models } = trainTopicModels({ tree, pages, background: [], config, model: 1, random: seededRandom(1) });
  const classifier = prepareClassifier(models);
  // The same pages are judged, however few examples there are.
  const given = new Set<string>([...task.topics.flatMap((topic) => topic.examples), ...task.others]);
  const judged = [...labels].filter(
    ([url], i) => i % Number(flags.every) === 0 && features.has(url) && !given.has(url),
  );
  return rules.map((meta) => {
    const judgements = judged.map(([url, paths]): Judgement => {
      const { others, topic, scores } = classify(classifier, features.get(url)!, meta);
      const truth = task.topics.filter((one) => paths.some((path) => isLabelled(path, one.labels)));
      const score = Math.max(...scores.map((one) => one.calibrated));
      return { truth: truth.map((one) => one.name), verdict: others ? null : topic, score };
    });
    const quality = classifierQuality(judgements);
    return { web: task.web, task: task.id, spaces: name, rule: rule === '' ? meta : rule, quality };
  });
}

function trainingPages(task: Task, { features, strangers }: KnownWeb, { examples, strange }: Case): TrainingPage[] {
  const page = (url: CanonicalUrl, topic: TopicId, others: boolean): TrainingPage[] => {
    const known = features.get(url);
    const origin = others ? 'others' : 'user';
    return known === undefined ? [] : [{ key: url, topic, others, origin, features: known }];
  };
  const own = task.topics.flatMap((topic) =>
    topic.examples.slice(0, examples).flatMap((url) => page(url, topic.name as TopicId, false)),
  );
  const foreign = strangers.map(
    (known, i): TrainingPage => ({
      key: `stranger ${i}`,
      topic: ROOT,
      others: true,
      origin: 'others',
      features: known,
    }),
  );
  return [...own, ...(strange === true ? foreign : task.others.flatMap((url) => page(url, ROOT, true)))];
}

function report(rows: readonly Row[]): string {
  const webs = [...new Set(rows.map((row) => row.web))];
  const head = ['spaces', 'rule', 'precision', 'recall', 'F1', 'AP', ...webs.map((web) => `F1, AP ${web}`)];
  const lines = [...Map.groupBy(rows, (row) => `${row.spaces}|${row.rule}`).values()].map((group) => {
    const { spaces, rule } = group[0]!;
    const byWeb = webs.map((web) => {
      const own = group.filter((row) => row.web === web);
      return `${average(own, 'f1')} ${average(own, 'averagePrecision')}`;
    });
    const over = (['precision', 'recall', 'f1', 'averagePrecision'] as const).map((figure) => average(group, figure));
    return [spaces, rule, ...over, ...byWeb];
  });
  return table(head, lines);
}

function average(rows: readonly Row[], figure: keyof ClassifierQuality): string {
  // A classifier that accepts nothing has no precision: it is left out of that mean alone.
  const known = rows.map((row) => row.quality[figure]).filter((value) => !Number.isNaN(value));
  return known.length === 0 ? '–' : mean(known).toFixed(3).replace(/^0/, '');
}
