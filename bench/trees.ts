/**
 * `npm run bench:trees`: how well the classifiers of a topic tree of two levels put pages into its subtopics, from few examples, from as many
 * for each subtopic or not. Trains on examples drawn from a labelled frozen web and judges all its other labelled pages. The same
 * subtopics side by side, without topics above them, are the comparison.
 */
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import {
  type CanonicalUrl,
  DEFAULTS,
  type DocumentFeatures,
  ROOT,
  type TopicId,
  type TopicTree,
  topicTree,
} from '../src/core/index.ts';
import { analyzerSettings } from '../src/engine/index.ts';
import { type Random, seededRandom } from '../src/kit/index.ts';
import {
  type ClassifierQuality,
  classifierQuality,
  FrozenWeb,
  isLabelled,
  type Labels,
  mean,
  readLabels,
  WebAnalyst,
} from '../src/lab/index.ts';
import type { TrainingPage } from '../src/learn/index.ts';
import { classify, prepareClassifier, trainTopicModels } from '../src/meta/index.ts';
import { machine, table } from './table.ts';

const HELP = `npm run bench:trees -- [options]

  --webs DIR      folder with wikispeedia.warc.gz and wikispeedia.labels.tsv (default ../shared/webs)
  --draws N       draws of examples, means are shown (default 12)
`;

/** Topics, their subtopics, and the labels of these. */
const TREE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nature: {
    birds: 'Science/Biology/Birds',
    mammals: 'Science/Biology/Mammals',
    plants: 'Science/Biology/Plants',
    fish: 'Science/Biology/Insects_Reptiles_and_Fish',
  },
  science: { physics: 'Science/Physics', chemistry: 'Science/Chemistry' },
  technology: {
    railways: 'Design_and_Technology/Railway_transport',
    engineering: 'Design_and_Technology/Engineering',
    architecture: 'Design_and_Technology/Architecture',
  },
  people: { writers: 'People/Writers_and_critics', performers: 'People/Performers_and_composers' },
};
const OTHERS = 50;

/** Examples of a subtopic: of the one that a draw favours, of any other. */
type Numbers = (isFavoured: boolean, random: Random) => number;
const CASES: readonly (readonly [string, Numbers])[] = [
  ['1 each', () => 1],
  ['3 each', () => 3],
  ['10 each', () => 10],
  ['20 of one, 3 of each other', (isFavoured) => (isFavoured ? 20 : 3)],
  ['1 to 12', (_, random) => 1 + Math.floor(12 * random())],
];

interface Leaf {
  readonly topic: string;
  readonly name: string;
  readonly label: string;
}

interface KnownWeb {
  readonly features: ReadonlyMap<CanonicalUrl, DocumentFeatures>;
  /** Of pages with features alone. */
  readonly labels: Labels;
}

interface Draw {
  readonly examples: ReadonlyMap<Leaf, readonly CanonicalUrl[]>;
  readonly others: readonly CanonicalUrl[];
}

/** Means over draws and over what is judged. */
interface Figures {
  readonly leaves: ClassifierQuality;
  readonly topics: ClassifierQuality;
}

const LEAVES: readonly Leaf[] = Object.entries(TREE).flatMap(([topic, subtopics]) =>
  Object.entries(subtopics).map(([name, label]) => ({ topic, name, label })),
);

const flags = readFlags({
  webs: { type: 'string', default: new URL('../../shared/webs', import.meta.url).pathname },
  draws: { type: 'string', default: '12' },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const web = await readWeb();
  const rows = CASES.map(([title, numbers]) => {
    const draws = Array.from({ length: Number(flags.draws) }, (_, i) => drawFrom(web, numbers, seededRandom(i + 1)));
    const nested = averaged(draws.map((draw) => judge(web, draw, true)));
    const flat = averaged(draws.map((draw) => judge(web, draw, false)));
    return [title, ...cells(nested.leaves), ...cells(nested.topics).slice(2), ...cells(flat.leaves).slice(2)];
  });
  const head = ['examples', 'precision', 'recall', 'F1', 'F1 of topics', 'F1 side by side'];
  process.stdout.write(`${machine()}\n\n${table(head, rows)}\n`);
}

async function readWeb(): Promise<KnownWeb> {
  const frozen = await FrozenWeb.open(join(flags.webs, 'wikispeedia.warc.gz'));
  const analyst = new WebAnalyst(frozen, analyzerSettings(DEFAULTS));
  const all = await readLabels(join(flags.webs, 'wikispeedia.labels.tsv'));
  const features = new Map<CanonicalUrl, DocumentFeatures>();
  for (const url of frozen.urls()) {
    const analysis = await analyst.analysisOf(url);
    if (analysis?.kind === 'analyzed' && all.has(url)) features.set(url, analysis.document.features);
  }
  await analyst.close();
  frozen.close();
  return { features, labels: new Map([...all].filter(([url]) => features.has(url))) };
}

/** @param random its draws decide alone, so that versions are compared on the same examples */
function drawFrom({ labels }: KnownWeb, numbers: Numbers, random: Random): Draw {
  const left = new Set(
    [...labels.keys()]
      .sort()
      .map((url) => [random(), url] as const)
      .sort(([a], [b]) => a - b)
      .map(([, url]) => url),
  );
  const take = (count: number, isWanted: (paths: readonly string[]) => boolean): CanonicalUrl[] => {
    const taken = [...left].filter((url) => isWanted(labels.get(url)!)).slice(0, count);
    for (const url of taken) left.delete(url);
    return taken;
  };
  const favoured = LEAVES[Math.floor(LEAVES.length * random())];
  const examples = new Map(
    LEAVES.map((leaf) => [leaf, take(numbers(leaf === favoured, random), (paths) => isOn(paths, leaf))]),
  );
  return { examples, others: take(OTHERS, (paths) => !LEAVES.some((leaf) => isOn(paths, leaf))) };
}

function isOn(paths: readonly string[], { label }: Leaf): boolean {
  return paths.some((path) => isLabelled(path, [label]));
}

/** Trains on a draw and judges every page that is not in it; mean over subtopics, mean over topics. */
function judge({ features, labels }: KnownWeb, { examples, others }: Draw, isNested: boolean): Figures {
  const page = (url: CanonicalUrl, topic: TopicId, isOthers: boolean): TrainingPage => ({
    ...{ key: url, topic, others: isOthers, origin: isOthers ? 'others' : 'user', features: features.get(url)! },
  });
  const idOf = ({ topic, name }: Leaf): TopicId => (isNested ? `${topic}/${name}` : name) as TopicId;
  const pages = [
    ...[...examples].flatMap(([leaf, urls]) => urls.map((url) => page(url, idOf(leaf), false))),
    ...others.map((url) => page(url, ROOT, true)),
  ];
  const { learn } = DEFAULTS;
  const trained = { tree: treeOf(isNested), pages, background: [], config: learn, model: 1, random: seededRandom(1) };
  const classifier = prepareClassifier(trainTopicModels(trained).models);
  const given = new Set<string>(pages.map(({ key }) => key));
  const judged = [...labels]
    .filter(([url]) => !given.has(url))
    .map(([url, paths]) => {
      const verdict = classify(classifier, features.get(url)!, learn.metaHarvesting);
      const score = Math.max(...verdict.scores.map(({ calibrated }) => calibrated));
      return { paths, score, leaf: verdict.others ? undefined : LEAVES.find((leaf) => idOf(leaf) === verdict.topic) };
    });
  const quality = (isTrue: (leaf: Leaf) => boolean): ClassifierQuality =>
    classifierQuality(
      judged.map(({ paths, score, leaf }) => ({
        truth: LEAVES.some((one) => isTrue(one) && isOn(paths, one)) ? ['it'] : [],
        verdict: leaf !== undefined && isTrue(leaf) ? 'it' : null,
        score,
      })),
    );
  return {
    leaves: meanOf(LEAVES.map((own) => quality((leaf) => leaf === own))),
    topics: meanOf(Object.keys(TREE).map((topic) => quality((leaf) => leaf.topic === topic))),
  };
}

function treeOf(isNested: boolean): TopicTree {
  const specs = Object.entries(TREE).map(([name, subtopics]) => ({
    ...{ name, good: false, topics: Object.keys(subtopics).map((subtopic) => ({ name: subtopic })) },
  }));
  return topicTree(isNested ? specs : specs.flatMap(({ topics }) => topics), []);
}

function averaged(figures: readonly Figures[]): Figures {
  return { leaves: meanOf(figures.map(({ leaves }) => leaves)), topics: meanOf(figures.map(({ topics }) => topics)) };
}

/** One that accepts nothing has no precision: it is left out of that mean alone. */
function meanOf(qualities: readonly ClassifierQuality[]): ClassifierQuality {
  const over = (figure: keyof ClassifierQuality): number =>
    mean(qualities.map((quality) => quality[figure]).filter((value) => !Number.isNaN(value)));
  return {
    ...{ precision: over('precision'), recall: over('recall'), f1: over('f1') },
    averagePrecision: over('averagePrecision'),
  };
}

function cells({ precision, recall, f1 }: ClassifierQuality): string[] {
  return [precision, recall, f1].map((figure) => figure.toFixed(3).replace(/^0/, ''));
}
