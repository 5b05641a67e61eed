/**
 * `npm run bench:alike-tasks`: makes a task file of crawls that begin with two examples that are much alike. Labels say which pages are
 * the topic's, as they do where tasks are drawn; the crawl sees none. What it writes is for `bingo lab run`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import { type CanonicalUrl, DEFAULTS, type TermCounts } from '../src/core/index.ts';
import { analyzerSettings } from '../src/engine/index.ts';
import { FrozenWeb, isLabelled, readLabels, readTasks, renderTasks, type Task, WebAnalyst } from '../src/lab/index.ts';
import { corpusOf, dot, rarity, vectorize } from '../src/learn/index.ts';

const HELP = `npm run bench:alike-tasks -- --out FILE [options]

  --out FILE      task file to write
  --webs DIR      folder with NAME.warc.gz and NAME.labels.tsv (default ../shared/webs)
  --tasks FILE    task file (default tasks.json in that folder)

Of each plain task of one topic two, each with two pages of the topic that are most alike, copies aside, for examples; the crawl
starts there and where the task does.
`;

/** Pages with fewer terms are left out: they are alike because they are short. */
const LEAST_TERMS = 50;
/** Pages that are more alike than this are copies. */
const COPIES = 0.95;
const PAIRS = 2;

type Terms = ReadonlyMap<CanonicalUrl, TermCounts>;

const flags = readFlags({
  out: { type: 'string', default: '' },
  webs: { type: 'string', default: new URL('../../shared/webs', import.meta.url).pathname },
  tasks: { type: 'string' },
  help: { type: 'boolean', default: false },
});

if (flags.help || flags.out === '') process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const tasks = await readTasks(flags.tasks ?? join(flags.webs, 'tasks.json'));
  const plain = tasks.filter(({ kind, topics }) => kind === 'plain' && topics.length === 1);
  const made: Task[] = [];
  for (const [web, own] of Map.groupBy(plain, (task) => task.web)) made.push(...(await alikeTasks(web, own)));
  writeFileSync(flags.out, renderTasks(made));
  process.stdout.write(`Written: ${made.length} tasks to ${flags.out}\n`);
}

async function alikeTasks(name: string, tasks: readonly Task[]): Promise<Task[]> {
  const web = await FrozenWeb.open(join(flags.webs, `${name}.warc.gz`));
  const analyst = new WebAnalyst(web, analyzerSettings(DEFAULTS));
  const labels = await readLabels(join(flags.webs, `${name}.labels.tsv`));
  const termsOf = async (urls: readonly CanonicalUrl[]): Promise<Terms> => {
    const terms = new Map<CanonicalUrl, TermCounts>();
    for (const url of urls) {
      const analysis = await analyst.analysisOf(url);
      if (analysis?.kind === 'analyzed' && analysis.document.features.terms !== undefined)
        terms.set(url, analysis.document.features.terms);
    }
    return terms;
  };
  const made: Task[] = [];
  for (const task of tasks) {
    const [topic] = task.topics;
    const urls = [...labels].flatMap(([url, own]) => (own.some((l) => isLabelled(l, topic!.labels)) ? [url] : []));
    const long = [...(await termsOf(urls))].filter(([, { counts }]) => counts.length >= LEAST_TERMS);
    const pairs = alikePairs(new Map(long), await termsOf(task.others));
    for (const [i, examples] of pairs.entries()) made.push(withPair(task, examples, i + 1));
  }
  await analyst.close();
  web.close();
  return made;
}

/** The pages that are most alike, no page twice; OTHERS show which words are common. */
function alikePairs(pages: Terms, others: Terms): CanonicalUrl[][] {
  const urls = [...pages.keys()];
  const corpus = corpusOf([...pages.values(), ...others.values()]);
  const idf = rarity(corpus.bags.slice(urls.length), corpus.names.length);
  const vectors = corpus.bags.slice(0, urls.length).map((bag) => vectorize(bag, idf));
  const all = urls.flatMap((_, a) => {
    const dense = new Float64Array(corpus.names.length);
    vectors[a]!.indices.forEach((id, k) => {
      dense[id] = vectors[a]!.values[k]!;
    });
    return urls.slice(0, a).map((_, b) => ({ a, b, cosine: dot(vectors[b]!, dense) }));
  });
  const used = new Set<number>();
  const pairs: CanonicalUrl[][] = [];
  for (const { a, b, cosine } of all.sort((x, y) => y.cosine - x.cosine)) {
    if (cosine >= COPIES || used.has(a) || used.has(b) || pairs.length === PAIRS) continue;
    used.add(a).add(b);
    pairs.push([urls[a]!, urls[b]!]);
  }
  return pairs;
}

function withPair(task: Task, examples: readonly CanonicalUrl[], n: number): Task {
  const topics = task.topics.map((topic) => ({ ...topic, examples }));
  const seeds = [...new Set([...examples, ...task.seeds])];
  const id = `${task.id}-alike-${n}`;
  return { ...task, id, topics, seeds, reachable: undefined, scored: undefined, oracleArea: undefined };
}
