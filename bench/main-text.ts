/**
 * `npm run bench:main-text`: what leaving navigation, banners and footers out of the text is worth to a classifier. Pages of frozen
 * webs, which have none, are judged as they are and dressed in the furniture of a web site: a menu and a footer of its host, a cookie
 * banner, and a column of links to other pages that differs from page to page. With `--node-docs` the pages of the Node.js manual, which
 * come with a long menu of their own, are judged as well.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import { analyze } from '../src/analyze/index.ts';
import {
  type CanonicalUrl,
  canonicalize,
  DEFAULTS,
  type DocumentFeatures,
  hostOf,
  ROOT,
  type TopicId,
  topicTree,
} from '../src/core/index.ts';
import { hash32, seededRandom } from '../src/kit/index.ts';
import {
  ArchiveFetcher,
  type ClassifierQuality,
  classifierQuality,
  FrozenWeb,
  isLabelled,
  type Judgement,
  mean,
  readLabels,
  readTasks,
  type Task,
  taskTree,
} from '../src/lab/index.ts';
import type { TrainingPage } from '../src/learn/index.ts';
import { classify, prepareClassifier, trainTopicModels } from '../src/meta/index.ts';
import { machine, table } from './table.ts';
import { HTML_HEADERS } from './web.ts';

const HELP = `npm run bench:main-text -- [options]

  --webs DIR       folder with NAME.warc.gz and NAME.labels.tsv (default ../shared/webs)
  --every N        judge every N-th labelled page (default 5)
  --node-docs DIR  HTML pages of the Node.js manual (default /usr/share/doc/nodejs/api)
`;

const flags = readFlags({
  webs: { type: 'string', default: new URL('../../shared/webs', import.meta.url).pathname },
  every: { type: 'string', default: '5' },
  'node-docs': { type: 'string', default: '/usr/share/doc/nodejs/api' },
  help: { type: 'boolean', default: false },
});
/** How the furniture is marked: by elements, by class names, or not at all. */
const DRESSES = ['none', 'elements', 'class names', 'unmarked'] as const;
type Dress = (typeof DRESSES)[number];

interface RawPage {
  readonly url: CanonicalUrl;
  readonly html: string;
  readonly title: string;
}

interface Row {
  readonly pages: string;
  readonly dress: string;
  readonly whole: ClassifierQuality;
  readonly main: ClassifierQuality;
  /** Share of the characters that the main text leaves out. */
  readonly left: number;
}

async function main(): Promise<void> {
  const tasks = (await readTasks(join(flags.webs, 'tasks.json'))).filter(({ kind }) => kind === 'plain');
  const rows: Row[] = [];
  for (const name of new Set(tasks.map(({ web }) => web))) rows.push(...(await measureWeb(name, tasks)));
  if (existsSync(join(flags['node-docs'], 'http.html'))) rows.push(measureManual(flags['node-docs']));
  const figures = ({ f1, averagePrecision }: ClassifierQuality): string[] => [figure(f1), figure(averagePrecision)];
  const head = ['pages', 'furniture', 'left out', 'F1 whole', 'AP whole', 'F1 main', 'AP main'];
  const lines = rows.map(({ pages, dress, left, whole, main }) => [
    pages,
    dress,
    `${(100 * left).toFixed(0)} %`,
    ...figures(whole),
    ...figures(main),
  ]);
  process.stdout.write(`${machine()}\n\n${table(head, lines)}\n`);
}

async function measureWeb(name: string, all: readonly Task[]): Promise<Row[]> {
  const tasks = all.filter(({ web }) => web === name);
  const labels = await readLabels(join(flags.webs, `${name}.labels.tsv`));
  const given = new Set<string>(
    tasks.flatMap((task) => [...task.topics.flatMap(({ examples }) => examples), ...task.others]),
  );
  const wanted = new Set([...given, ...[...labels.keys()].filter((_, i) => i % Number(flags.every) === 0)]);
  const fetcher = new ArchiveFetcher(await FrozenWeb.open(join(flags.webs, `${name}.warc.gz`)));
  const pages: RawPage[] = [];
  for (const url of wanted) {
    const page = await fetcher.fetch(canonicalize(url)!);
    if (page.kind !== 'fetched') continue;
    const html = Buffer.from(page.body).toString('utf8');
    pages.push({ url: page.url, html, title: /<title>([^<]*)/.exec(html)?.[1] ?? '' });
  }
  return DRESSES.map((dress): Row => {
    const dressed = pages.map((page) => ({ url: page.url, html: dressUp(page, pages, dress) }));
    const [whole, main] = [featuresOf(dressed, false), featuresOf(dressed, true)];
    const quality = (features: Features): ClassifierQuality =>
      means(
        tasks.map((task) =>
          judgeTask(
            task,
            features.bags,
            [...labels].filter(([url]) => features.bags.has(url)),
          ),
        ),
      );
    const left = 1 - main.chars / whole.chars;
    process.stderr.write(`${name} ${dress}\n`);
    return { pages: `${name}, ${tasks.length} tasks`, dress, whole: quality(whole), main: quality(main), left };
  });
}

interface Features {
  readonly bags: ReadonlyMap<string, DocumentFeatures>;
  readonly chars: number;
}

function featuresOf(
  pages: readonly { readonly url: CanonicalUrl; readonly html: string }[],
  mainText: boolean,
): Features {
  const options = { ...DEFAULTS.analyze, ...DEFAULTS.crawl, spaces: ['terms'] as const, mainText };
  const bags = new Map<string, DocumentFeatures>();
  let chars = 0;
  for (const { url, html } of pages) {
    const document = analyze({ url, headers: HTML_HEADERS, body: Buffer.from(html) }, options);
    if ('reason' in document) continue;
    bags.set(url, document.features);
    chars += document.text.length;
  }
  return { bags, chars };
}

function judgeTask(
  task: Task,
  bags: Features['bags'],
  labelled: readonly (readonly [CanonicalUrl, readonly string[]])[],
): ClassifierQuality {
  const given = new Set<string>([...task.topics.flatMap(({ examples }) => examples), ...task.others]);
  const training = [
    ...task.topics.flatMap(({ name, examples }) =>
      examples.flatMap((url) => trainingPage(url, name as TopicId, false, bags)),
    ),
    ...task.others.flatMap((url) => trainingPage(url, ROOT, true, bags)),
  ];
  const classifier = classifierOf(taskTree(task), training);
  const judgements = labelled
    .filter(([url]) => !given.has(url))
    .map(([url, paths]): Judgement => {
      const truth = task.topics
        .filter((topic) => paths.some((path) => isLabelled(path, topic.labels)))
        .map(({ name }) => name);
      return judge(classifier, bags.get(url)!, truth);
    });
  return classifierQuality(judgements);
}

function trainingPage(url: string, topic: TopicId, others: boolean, bags: Features['bags']): TrainingPage[] {
  const features = bags.get(canonicalize(url) ?? url);
  return features === undefined ? [] : [{ key: url, topic, others, origin: others ? 'others' : 'user', features }];
}

function classifierOf(
  tree: ReturnType<typeof topicTree>,
  pages: readonly TrainingPage[],
): ReturnType<typeof prepareClassifier> {
  const { models } = trainTopicModels({
    tree,
    pages,
    background: [],
    config: DEFAULTS.learn,
    model: 1,
    random: seededRandom(1),
  });
  return prepareClassifier(models);
}

function judge(
  classifier: ReturnType<typeof prepareClassifier>,
  features: DocumentFeatures,
  truth: Judgement['truth'],
): Judgement {
  const { others, topic, scores } = classify(classifier, features, 'weighted');
  return { truth, verdict: others ? null : topic, score: Math.max(...scores.map(({ calibrated }) => calibrated)) };
}

const BANNERS = [
  'We value your privacy. We and our partners use cookies and similar technologies to store and access information, to measure audiences and to personalise content and advertisements. Accept all, reject all, manage preferences.',
  'This web site uses cookies to ensure that you get the best experience. By continuing to browse you agree to our cookie policy and our terms of use. Got it, learn more.',
];
const FOOTER =
  'About us, contact, imprint, privacy policy, terms of service, accessibility, careers, press, newsletter, follow us. Copyright, all rights reserved. Reproduction without permission is prohibited.';

/** The same menu and footer for all pages of a host, another column of links for each. */
function dressUp({ url, html }: RawPage, pages: readonly RawPage[], dress: Dress): string {
  if (dress === 'none') return html;
  const list = (seed: string, n: number): string => {
    const random = seededRandom(hash32(seed));
    const items = Array.from({ length: n }, () => pages[Math.floor(random() * pages.length)]!);
    return `<ul>${items.map((page) => `<li><a href="${page.url}">${page.title}</a></li>`).join('')}</ul>`;
  };
  const host = hostOf(url);
  const wrap = (name: 'nav' | 'aside' | 'footer' | 'banner', inner: string): string => {
    if (dress === 'elements')
      return name === 'banner' ? `<div role="dialog">${inner}</div>` : `<${name}>${inner}</${name}>`;
    const className = { nav: 'main-nav', aside: 'sidebar', footer: 'site-footer', banner: 'cookie-banner' }[name];
    return dress === 'class names' ? `<div class="${className}">${inner}</div>` : `<div>${inner}</div>`;
  };
  const before = wrap('banner', `<p>${BANNERS[hash32(host) % 2]}</p>`) + wrap('nav', list(host, 40));
  const after = wrap('aside', `<p>Popular now</p>${list(url, 15)}`) + wrap('footer', `<p>${FOOTER}</p>`);
  return html.replace('<body>', () => `<body>${before}`).replace('</body>', () => `${after}</body>`);
}

/** Chapters of the manual about the network, three of them as examples. */
const NETWORK = ['http', 'net', 'dns', 'https', 'http2', 'dgram', 'tls', 'url', 'querystring', 'webstreams'];
const EXAMPLES = 3;
const OTHERS = ['path', 'v8', 'readline', 'assert', 'zlib', 'os', 'test', 'esm'];
/** All chapters in one, and lists of chapters. */
const NO_CHAPTER = ['all', 'index', 'documentation', 'synopsis'];

function measureManual(folder: string): Row {
  const names = readdirSync(folder)
    .flatMap((file) => (file.endsWith('.html') ? [file.slice(0, -5)] : []))
    .filter((name) => !NO_CHAPTER.includes(name));
  const at = (name: string): CanonicalUrl => canonicalize(`http://manual.test/${name}.html`)!;
  const pages = names.map((name) => ({ url: at(name), html: readFileSync(join(folder, `${name}.html`), 'utf8') }));
  const topic = 'network' as TopicId;
  const tree = topicTree(
    [{ name: topic, examples: [{ kind: 'url', url: at('http') }] }],
    [{ kind: 'url', url: at('path') }],
  );
  const given = [...NETWORK.slice(0, EXAMPLES), ...OTHERS];
  const [whole, main] = [featuresOf(pages, false), featuresOf(pages, true)];
  const quality = ({ bags }: Features): ClassifierQuality => {
    const training = given.flatMap((name) =>
      trainingPage(at(name), OTHERS.includes(name) ? ROOT : topic, OTHERS.includes(name), bags),
    );
    const classifier = classifierOf(tree, training);
    const judged = names.filter((name) => !given.includes(name) && bags.has(at(name)));
    return classifierQuality(
      judged.map((name) => judge(classifier, bags.get(at(name))!, NETWORK.includes(name) ? [topic] : [])),
    );
  };
  return {
    pages: `Node.js manual, ${names.length} chapters`,
    dress: 'its own',
    whole: quality(whole),
    main: quality(main),
    left: 1 - main.chars / whole.chars,
  };
}

function means(all: readonly ClassifierQuality[]): ClassifierQuality {
  const of = (key: keyof ClassifierQuality): number => mean(all.map((one) => (Number.isNaN(one[key]) ? 0 : one[key])));
  return { precision: of('precision'), recall: of('recall'), f1: of('f1'), averagePrecision: of('averagePrecision') };
}

function figure(value: number): string {
  return value.toFixed(3).replace(/^0/, '');
}

if (flags.help) process.stdout.write(HELP);
else await main();
