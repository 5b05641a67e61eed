/**
 * `npm run bench:ranking`: which ranking of search results is best. Crawls frozen webs into stores, asks each for topic
 * names and page titles, and judges the answers by the labels: nDCG@10 of single measures and of weighted sums. Weights are
 * chosen on one half of the queries and reported on the other. Also judges the pages like a page: by a search for its title,
 * and by `--like`. With a server of vectors, also hybrid search: BM25 and the likeness of vectors, by reciprocal ranks; and
 * `--like` as if the pages had been stored with vectors, by several weights, compared on the tasks held out.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import {
  type CanonicalUrl,
  canonicalize,
  DEFAULTS,
  RANK_MEASURES,
  type RankMeasure,
  type TopicTree,
} from '../src/core/index.ts';
import { leadOf, meaningFeatures } from '../src/engine/analysis/meaning.ts';
import { AnalysisPool, analyzerSettings, Crawl, ModelTrainer } from '../src/engine/index.ts';
import { ModelServer } from '../src/fetch/index.ts';
import { hash53, seededRandom } from '../src/kit/index.ts';
import {
  ArchiveFetcher,
  bootstrapMean,
  FrozenWeb,
  isLabelled,
  type Labels,
  mean,
  readLabels,
  readTasks,
  type Task,
  taskConfig,
  taskTree,
} from '../src/lab/index.ts';
import {
  foldDuplicates,
  RANK_WEIGHTS,
  type RankWeights,
  rank,
  readQuery,
  voteWords,
} from '../src/postprocess/index.ts';
import { openStore, type SearchHit, type Store } from '../src/store/index.ts';
import { type LikenessStore, likenessOf, likest, VECTOR_CANDIDATES } from '../src/workbench/search/likeness.ts';
import {
  readSearch,
  type SearchOptions,
  searchContext,
  searchPages,
  VECTOR_WEIGHTS,
} from '../src/workbench/search/local-search.ts';
import { machine, table } from './table.ts';

const HELP = `npm run bench:ranking -- [options]

  --webs DIR    folder with tasks.json, NAME.warc.gz and NAME.labels.tsv (default ../shared/webs)
  --only a,b    only tasks whose name begins so
  --titles N    titles asked for a task (default 40)
  --embeddings U  server of vectors, as learn.embeddings: adds rankings by the likeness of query and page
  --keep DIR    leave the stores there, and use those that are there already
  --json        one JSON object on stdout
`;

const TOP = 10;
/** Candidates by each measure, as many as `bingo search` takes. */
const CANDIDATES = 100;
/** Gain of the page whose title was asked for, and of another one with its label. */
const ITSELF = 3;
const SAME_LABEL = 1;

const BY_TITLE = 'a search for its title';
const BY_TERMS = '--like';
/** Orders of the best by terms, if pages have vectors. */
const VECTOR_SUMS: readonly RankWeights[] = [
  VECTOR_WEIGHTS,
  { cosine: 1 },
  { cosine: 0.8, relevance: 0.2 },
  { bm25: 0.6, cosine: 0.2, relevance: 0.2 },
  { bm25: 0.2, cosine: 0.6, relevance: 0.2 },
];
/** Constant of reciprocal ranks (Cormack, Clarke & Büttcher 2009). */
const RANK_OFFSET = 60;
/** Sums that a person might try first. */
const SUMS: readonly RankWeights[] = [
  { cosine: 0.6, authority: 0.4 },
  { cosine: 0.5, confidence: 0.5 },
  { bm25: 0.5, confidence: 0.5 },
  { cosine: 0.5, confidence: 0.3, authority: 0.2 },
  { bm25: 0.8, votes: 0.2 },
  { bm25: 0.8, relevance: 0.2 },
];

const flags = readFlags({
  webs: { type: 'string', default: new URL('../../shared/webs', import.meta.url).pathname },
  only: { type: 'string' },
  titles: { type: 'string', default: '40' },
  embeddings: { type: 'string', default: '' },
  keep: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

const vectors = new Map<string, Promise<readonly number[]>>();
const server = flags.embeddings === '' ? undefined : new ModelServer(flags.embeddings, { network: DEFAULTS.network });

if (flags.help) process.stdout.write(HELP);
else await main();

/** Precision at 10 by the name of each way to find pages like a page. */
type Neighbours = ReadonlyMap<string, number>;

/** A query with its answer: candidates with what each is worth. */
interface Judged {
  readonly kind: 'topic' | 'title';
  readonly web: string;
  readonly task: string;
  /** Weights may be chosen on it; otherwise it is for the report. */
  readonly chooses: boolean;
  readonly hits: readonly (SearchHit & { readonly gain: number })[];
  /** Gains of the best possible answer. */
  readonly ideal: number;
  /** Pages by the likeness of their vectors and the query's, best first; empty without a server of vectors. */
  readonly alike: readonly { readonly sequence: number; readonly gain: number }[];
  /** Of the first ten pages like the one whose title was asked for, the share with its label. */
  readonly neighbours?: Neighbours;
}

async function main(): Promise<void> {
  const folder = flags.keep ?? mkdtempSync(join(tmpdir(), 'bingo-bench-ranking-'));
  try {
    const only = flags.only?.split(',');
    const tasks = (await readTasks(join(flags.webs, 'tasks.json'))).filter(
      ({ id }) => only === undefined || only.some((start) => id.startsWith(start)),
    );
    const judged: Judged[] = [];
    for (const task of tasks) judged.push(...(await judgeTask(task, folder)));
    report(judged, tasks.length);
  } finally {
    await server?.close();
    if (flags.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function judgeTask(task: Task, folder: string): Promise<readonly Judged[]> {
  const workspace = join(folder, task.id.replace('/', '-'));
  if (!existsSync(join(workspace, 'done'))) await crawl(task, workspace);
  const labels = await readLabels(join(flags.webs, `${task.web}.labels.tsv`));
  const store = await openStore({ ...DEFAULTS.store, workspace, readOnly: true });
  try {
    const pages = await labelledPages(store, labels);
    const judged: Judged[] = [];
    for (const query of queriesOf(task, pages)) judged.push(await judge(store, query, { task, pages }));
    return judged.filter(({ ideal }) => ideal > 0);
  } finally {
    await store.close();
  }
}

/** Crawls a task as `bingo lab run` does, into a store. The labels are not read. */
async function crawl(task: Task, workspace: string): Promise<void> {
  const began = performance.now();
  rmSync(workspace, { recursive: true, force: true });
  mkdirSync(workspace, { recursive: true });
  const config = taskConfig(task, 'learned', { seed: 1, settings: {} });
  const tree = taskTree(task);
  const web = await FrozenWeb.open(join(flags.webs, `${task.web}.warc.gz`));
  const store = await openStore({ ...DEFAULTS.store, workspace });
  const analyzer = new AnalysisPool(analyzerSettings(config), 1);
  const trainer = new ModelTrainer({ tree, learn: config.learn, seed: config.crawl.seed });
  await store.saveTopics(tree);
  const parts = { tree, config, fetcher: new ArchiveFetcher(web), analyzer, trainer, journal: store };
  await new Crawl({ ...parts, onEvent: () => {} }).run();
  await store.close();
  await analyzer.close();
  web.close();
  mkdirSync(join(workspace, 'done'));
  process.stderr.write(`${task.id}: crawled in ${((performance.now() - began) / 1000).toFixed(0)} s\n`);
}

interface LabelledPage {
  readonly sequence: number;
  readonly url: string;
  readonly title: string;
  readonly labels: readonly string[];
  /** Of unit length; empty without a server of vectors. */
  readonly vector: readonly number[];
}

/** Judged pages of the crawl, by sequence. */
async function labelledPages(store: Store, labels: Labels): Promise<ReadonlyMap<number, LabelledPage>> {
  const pages = new Map<number, LabelledPage>();
  for await (const { sequence, title, url, finalUrl } of store.exportPages()) {
    const found = labels.get(finalUrl as CanonicalUrl) ?? labels.get(canonicalize(url)!);
    if (found === undefined) continue;
    const text = server && (await store.texts([sequence])).get(sequence);
    const vector = text === undefined ? [] : await vectorOf(leadOf(title, text));
    pages.set(sequence, { sequence, url, title, labels: found, vector });
  }
  return pages;
}

/** Returns the vector of a text, of unit length. */
function vectorOf(text: string): Promise<readonly number[]> {
  const known = vectors.get(text) ?? asked(text);
  vectors.set(text, known);
  return known;
}

async function asked(input: string): Promise<readonly number[]> {
  const reply = await server!.post('/embeddings', { input, encoding_format: 'float' });
  if (reply.kind === 'failed') throw new Error(reply.why);
  const vector = (reply.value as { readonly data: readonly [{ readonly embedding: readonly number[] }] }).data[0]
    .embedding;
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

interface Question {
  readonly kind: Judged['kind'];
  readonly text: string;
  /** Pages with one of these labels are what is wanted. */
  readonly labels: readonly string[];
  /** The page whose title it is. */
  readonly page?: number;
}

/** The names of the topic's labels, and titles of pages on topic, drawn by chance. */
function queriesOf(task: Task, pages: ReadonlyMap<number, LabelledPage>): readonly Question[] {
  const wanted = task.topics.flatMap((topic) => topic.labels);
  const names = wanted.map(
    (label): Question => ({ kind: 'topic', text: label.split('/').at(-1)!.replaceAll('_', ' '), labels: [label] }),
  );
  const random = seededRandom(hash53(task.id));
  const onTopic = [...pages.values()].filter((page) => page.labels.some((label) => isLabelled(label, wanted)));
  const drawn = onTopic
    .map((page) => [random(), page] as const)
    .sort(([a], [b]) => a - b)
    .slice(0, Number(flags.titles));
  const titles = drawn.map(([, { title, labels, sequence }]): Question => {
    const own = wanted.filter((label) => labels.some((path) => isLabelled(path, [label])));
    return { kind: 'title', text: title, labels: own, page: sequence };
  });
  return [...names, ...titles].filter(({ text }) => readQuery(text).any.length > 0);
}

async function judge(
  store: Store,
  question: Question,
  { task, pages }: { readonly task: Task; readonly pages: ReadonlyMap<number, LabelledPage> },
): Promise<Judged> {
  const query = readQuery(question.text.replaceAll('"', ' ').replaceAll('-', ' '));
  const { any } = query;
  const { hits } = await store.search({ any, by: RANK_MEASURES, limit: CANDIDATES, votes: voteWords(query) });
  const gain = (sequence: number): number => {
    if (sequence === question.page) return ITSELF;
    return pages.get(sequence)?.labels.some((label) => isLabelled(label, question.labels)) ? SAME_LABEL : 0;
  };
  // A page without a judgement is neither right nor wrong: it is removed from the answer.
  const known = hits.filter(({ sequence }) => pages.has(sequence)).map((hit) => ({ ...hit, gain: gain(hit.sequence) }));
  const own = server && (await vectorOf(question.text));
  const likeness = [...pages.values()].map(({ sequence, vector }) => ({
    sequence,
    size: own ? product(own, vector) : 0,
  }));
  const alike = likeness
    .sort((a, b) => b.size - a.size)
    .slice(0, own === undefined ? 0 : CANDIDATES)
    .map(({ sequence }) => ({ sequence, gain: gain(sequence) }));
  const page = question.page === undefined ? undefined : pages.get(question.page);
  const neighbours = page && (await neighboursOf(store, page, { pages, gain, tree: taskTree(task) }));
  const best = [...pages.keys()].map(gain).sort((a, b) => b - a);
  const chooses = hash53(`${task.id} ${question.text}`) % 2 === 0;
  return {
    kind: question.kind,
    ...{ web: task.web, task: task.id, chooses },
    hits: known,
    alike,
    ideal: discounted(best),
    ...(neighbours && { neighbours }),
  };
}

/** Finds the pages like a page in each way. Pages without a judgement are removed. */
async function neighboursOf(
  store: Store,
  page: LabelledPage,
  { pages, gain, tree }: NeighboursContext,
): Promise<Neighbours> {
  const precision = (found: readonly { readonly sequence: number }[]): number => {
    const known = found.filter(({ sequence }) => sequence !== page.sequence && pages.has(sequence));
    return shareOf(known.map(({ sequence }) => gain(sequence)));
  };
  const searched = async (words: string, options: SearchOptions): Promise<number> => {
    const context = await searchContext(store, words, { tree, limit: CANDIDATES, like: options.like });
    return precision((await searchPages(store, readSearch(words, options, context))).results);
  };
  const found = new Map([
    [BY_TITLE, await searched(page.title.replaceAll('"', ' ').replaceAll('-', ' '), {})],
    [BY_TERMS, await searched('', { like: page.url })],
    [`${BY_TERMS} with --rank bm25`, await searched('', { like: page.url, rank: 'bm25' })],
  ]);
  if (page.vector.length === 0) return found;
  const likely = [...pages.values()].map((other) => ({ ...other, likeness: product(page.vector, other.vector) }));
  found.set('likeness of vectors', precision(likely.sort((a, b) => b.likeness - a.likeness)));
  const meant = withVectors(store, pages);
  const like = await likenessOf(meant, page.url);
  const { hits } = await store.search({ any: like.terms, by: ['bm25'], limit: VECTOR_CANDIDATES });
  const best = await likest(meant, hits, like);
  for (const weights of VECTOR_SUMS)
    found.set(`${BY_TERMS} with vectors, ${nameOf(weights)}`, precision(foldDuplicates(rank(best.found, weights))));
  return found;
}

/** What `--like` reads, as it would be if the pages had been stored with their vectors. */
function withVectors(store: Store, pages: ReadonlyMap<number, LabelledPage>): LikenessStore {
  const documents: Store['documents'] = async (sequences) => {
    const found = await store.documents(sequences);
    return new Map(
      [...found].map(([sequence, document]) => {
        const vector = pages.get(sequence)?.vector ?? [];
        const meaning = vector.length > 0 ? { meaning: meaningFeatures(vector) } : {};
        return [sequence, { ...document, features: { ...document.features, ...meaning } }];
      }),
    );
  };
  return {
    documents,
    pageOf: (url) => store.pageOf(url),
    words: (sequences) => store.words(sequences),
    documentFrequencies: (stems) => store.documentFrequencies(stems),
  };
}

interface NeighboursContext {
  readonly pages: ReadonlyMap<number, LabelledPage>;
  readonly gain: (sequence: number) => number;
  readonly tree: TopicTree;
}

/** Share of the first ten that is right. */
function shareOf(gains: readonly number[]): number {
  return gains.slice(0, TOP).filter((gain) => gain > 0).length / TOP;
}

/** Discounted cumulated gain of the first ten (Järvelin & Kekäläinen 2002), gains as 2^g − 1. */
function discounted(gains: readonly number[]): number {
  return gains.slice(0, TOP).reduce((sum, gain, i) => sum + (2 ** gain - 1) / Math.log2(i + 2), 0);
}

function nDcg({ hits, ideal }: Judged, weights: RankWeights): number {
  return discounted(rank(hits, weights).map((hit) => hit.gain)) / ideal;
}

/** nDCG@10 of the order by likeness alone. */
function nDcgAlike({ alike, ideal }: Judged): number {
  return discounted(alike.map((page) => page.gain)) / ideal;
}

/** nDCG@10 of both orders together: the sum of 1 / (60 + rank). */
function nDcgFused({ hits, alike, ideal }: Judged, weights: RankWeights): number {
  const sums = new Map<number, { sum: number; readonly gain: number }>();
  for (const order of [rank(hits, weights), alike])
    order.forEach(({ sequence, gain }, i) => {
      const page = sums.get(sequence) ?? { sum: 0, gain };
      page.sum += 1 / (RANK_OFFSET + i + 1);
      sums.set(sequence, page);
    });
  const fused = [...sums.values()].sort((a, b) => b.sum - a.sum);
  return discounted(fused.map((page) => page.gain)) / ideal;
}

interface Row {
  readonly name: string;
  readonly chosen: number;
  readonly topic: number;
  readonly title: number;
  readonly webs: Readonly<Record<string, number>>;
  readonly all: number;
}

function report(judged: readonly Judged[], tasks: number): void {
  const choosing = judged.filter((query) => query.chooses);
  const held = judged.filter((query) => !query.chooses);
  const webs = [...new Set(judged.map(({ web }) => web))];
  const score = (queries: readonly Judged[], weights: RankWeights): number =>
    mean(queries.map((query) => nDcg(query, weights)));
  const rowOf = (name: string, measure: (query: Judged) => number): Row => {
    const of = (queries: readonly Judged[]): number => mean(queries.map(measure));
    return {
      ...{ name, chosen: of(choosing), all: of(held) },
      topic: of(held.filter(({ kind }) => kind === 'topic')),
      title: of(held.filter(({ kind }) => kind === 'title')),
      webs: Object.fromEntries(webs.map((web) => [web, of(held.filter((query) => query.web === web))])),
    };
  };
  const row = (name: string, weights: RankWeights): Row => rowOf(name, (query) => nDcg(query, weights));
  const rows = [
    ...RANK_MEASURES.map((measure) => row(measure, { [measure]: 1 })),
    ...SUMS.map((weights) => row(nameOf(weights), weights)),
    row(`default: ${nameOf(RANK_WEIGHTS)}`, RANK_WEIGHTS),
  ];
  const best = grid()
    .map((weights) => ({ weights, score: score(choosing, weights) }))
    .sort((a, b) => b.score - a.score);
  rows.push(row(`best of ${best.length}: ${nameOf(best[0]!.weights)}`, best[0]!.weights));
  const gain = bootstrapMean(held.map((query) => nDcg(query, RANK_WEIGHTS) - nDcg(query, { bm25: 1 })));
  const fused = (query: Judged): number => nDcgFused(query, RANK_WEIGHTS);
  const hybrid = bootstrapMean(held.map((query) => fused(query) - nDcg(query, RANK_WEIGHTS)));
  const similar = similarPages(judged);
  if (server !== undefined)
    rows.push(
      rowOf('likeness of vectors', nDcgAlike),
      rowOf('bm25 and likeness, reciprocal ranks', (query) => nDcgFused(query, { bm25: 1 })),
      rowOf('default and likeness, reciprocal ranks', fused),
    );
  const facts = { machine: machine(), tasks, queries: { choosing: choosing.length, held: held.length } };
  if (flags.json) process.stdout.write(`${JSON.stringify({ ...facts, gain, hybrid, similar, rows })}\n`);
  else {
    const { choosing: first, held: second } = facts.queries;
    const lines = [
      `${facts.machine}; ${tasks} tasks, ${first} queries to choose on, ${second} held out`,
      '',
      tableOf(rows, webs),
      '',
      `Default less bm25 alone, held out: ${interval(gain)}`,
      ...(server === undefined ? [] : [`Default and likeness less default, held out: ${interval(hybrid)}`]),
      '',
      `Pages like a page, precision at 10, mean of tasks; ${similar.held} tasks held out:`,
      table(
        ['way', 'chosen on', 'held out', 'all', 'all, less a search for its title', 'held out, less --like'],
        similar.ways.map(({ name, chosen, held, all, lessTitle, lessTerms }) => [
          name,
          ...[chosen, held, all].map(figure),
          ...[lessTitle, lessTerms].map(interval),
        ]),
      ),
      '',
      'Best on the first half:',
      ...best.slice(0, 10).map(({ weights, score }) => `  ${figure(score)} ${nameOf(weights)}`),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}

/** Compares ways to find pages like a page by the means of tasks. Half of the tasks are held out. */
function similarPages(judged: readonly Judged[]) {
  const means = [...Map.groupBy(judged, ({ task }) => task)].flatMap(([task, queries]) => {
    const known = queries.flatMap(({ neighbours }) => neighbours ?? []);
    if (known.length === 0) return [];
    const by = (way: string): number => mean(known.map((one) => one.get(way) ?? Number.NaN));
    return [{ chooses: hash53(task) % 2 === 0, by, names: [...known[0]!.keys()] }];
  });
  const held = means.filter(({ chooses }) => !chooses);
  const choosing = means.filter(({ chooses }) => chooses);
  const ways = (means[0]?.names ?? []).map((name) => {
    const of = (tasks: typeof means): number => mean(tasks.map(({ by }) => by(name)));
    const less = (tasks: typeof means, other: string) => bootstrapMean(tasks.map(({ by }) => by(name) - by(other)));
    const figures = { chosen: of(choosing), held: of(held), all: of(means) };
    return { name, ...figures, lessTitle: less(means, BY_TITLE), lessTerms: less(held, BY_TERMS) };
  });
  return { held: held.length, ways };
}

/** Text by cosine or BM25, and tenths of it given to what else is known of a page, and to authority or votes. */
function grid(): readonly RankWeights[] {
  const found: RankWeights[] = [];
  for (const text of ['cosine', 'bm25'] as const)
    for (let opinion = 0; opinion <= 6; opinion++)
      for (let links = 0; links <= 4 && opinion + links < 10; links++)
        for (const measure of ['confidence', 'relevance'] as const)
          for (const vote of ['authority', 'votes'] as const) {
            if (opinion === 0 && measure === 'relevance') continue;
            if (links === 0 && vote === 'votes') continue;
            found.push({
              [text]: (10 - opinion - links) / 10,
              ...(opinion > 0 ? { [measure]: opinion / 10 } : {}),
              ...(links > 0 ? { [vote]: links / 10 } : {}),
            });
          }
  return found;
}

function nameOf(weights: RankWeights): string {
  return (Object.entries(weights) as [RankMeasure, number][]).map(([name, weight]) => `${name}=${weight}`).join(',');
}

function tableOf(rows: readonly Row[], webs: readonly string[]): string {
  const head = ['ranking', 'topic names', 'titles', ...webs, 'all held out', 'half chosen on'];
  return table(
    head,
    rows.map((row) => [
      row.name,
      ...[row.topic, row.title, ...webs.map((web) => row.webs[web]!), row.all, row.chosen].map(figure),
    ]),
  );
}

function interval({ mean, low, high }: ReturnType<typeof bootstrapMean>): string {
  return `${figure(mean)} (95 % interval ${figure(low)} to ${figure(high)})`;
}

function figure(x: number): string {
  return x.toFixed(3).replace(/^0/, '');
}
