/**
 * `npm run bench:sql`: naive Bayes over all stored pages at once against page by page, and distillation in SQL against
 * distillation in process; on SQLite, and on the server that BINGO_TEST_MYSQL names or that runs on this machine.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import {
  type AnalyzedDocument,
  DEFAULTS,
  type Link,
  type PageRecord,
  packLinks,
  ROOT,
  type TopicId,
  topicTree,
} from '../src/core/index.ts';
import { ModelTrainer, type TrainingItem } from '../src/engine/index.ts';
import { distill } from '../src/graph/index.ts';
import { seededRandom } from '../src/kit/index.ts';
import { decodeModels, type SpelledBayes, spellBayes } from '../src/meta/index.ts';
import {
  BulkBayes,
  distillInSql,
  dropKept,
  openScratch,
  openStore,
  type PagePosteriors,
  type Scratch,
} from '../src/store/index.ts';
import { type BaseSetPage, buildBaseSet } from '../test/support/base-set.ts';
import { temporaryDatabase } from './mysql-database.ts';
import { type Answers, PAGE_BY_PAGE } from './page-by-page.ts';
import { PageRecords } from './records.ts';
import { machine, table } from './table.ts';

const HELP = `npm run bench:sql -- [options]

  --documents n   stored pages of 25 KB (default 10000)
  --mysql n       the same for the server at BINGO_TEST_MYSQL (default mysql://root@127.0.0.1:3306/); default 3000
  --json          one JSON object on stdout
`;

/** Two topics with three and two below them: three inner nodes. Made-up pages are about the five. */
const TREE = topicTree(
  [
    { name: 'a', good: false, topics: [{ name: 'topic 1' }, { name: 'topic 2' }, { name: 'topic 3' }] },
    { name: 'b', good: false, topics: [{ name: 'topic 4' }, { name: 'topic 5' }] },
  ],
  [],
);
const LEAVES = ['a/topic 1', 'a/topic 2', 'a/topic 3', 'b/topic 4', 'b/topic 5'].map((id) => id as TopicId);
const EXAMPLES = 20;
/** Pages that the slow ways are measured on. */
const SAMPLE = { SQLite: 500, server: 30 } as const;
/** Links of each page to others of the store. */
const LINKS = 20;
/** Of every page, above the threshold for authorities. */
const RELEVANCE = 0.6;
const MAX_BACKLOG = 1_000;

const flags = readFlags({
  documents: { type: 'string', default: '10000' },
  mysql: { type: 'string', default: '3000' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
else await main();

interface WayRow {
  readonly store: string;
  readonly way: string;
  /** Pages it was measured on. */
  readonly pages: number;
  readonly msPerPage: number;
  /** CPU of our process; a database server's is not in it. */
  readonly cpuMsPerPage: number;
}

interface DistillRow {
  readonly store: string;
  readonly nodes: number;
  readonly links: number;
  readonly iterations: number;
  readonly inProcessMs: number;
  readonly sqlMs: number;
}

interface Result {
  readonly ways: readonly WayRow[];
  readonly distillation: DistillRow;
}

async function main(): Promise<void> {
  const records = new PageRecords();
  const nodes = trainedNodes(records);
  const results = [await onSqlite(records, nodes), await onServer(records, nodes)].filter((r) => r !== undefined);
  if (flags.json) process.stdout.write(`${JSON.stringify({ machine: machine(), results })}\n`);
  else process.stdout.write(`${machine()}\n\n${report(results)}\n`);
}

function trainedNodes(records: PageRecords): readonly SpelledBayes[] {
  const trainer = new ModelTrainer({ tree: TREE, learn: DEFAULTS.learn, seed: 1 });
  const items = Array.from({ length: EXAMPLES * LEAVES.length }, (_, n): TrainingItem => {
    trainer.add(String(n), records.record(n).document.features);
    return { key: String(n), topic: LEAVES[n % LEAVES.length]!, others: false, origin: 'user' };
  });
  return spellBayes(decodeModels(trainer.trainNow({ items, background: [], model: 1 }).blob));
}

interface Place {
  readonly name: string;
  readonly url: string;
  readonly workspace: string;
  readonly documents: number;
  readonly sample: number;
}

async function onSqlite(records: PageRecords, nodes: readonly SpelledBayes[]): Promise<Result> {
  const workspace = mkdtempSync(join(tmpdir(), 'bingo-bench-sql-'));
  try {
    const documents = Number(flags.documents);
    return await measure(
      { name: 'SQLite', url: 'sqlite', workspace, documents, sample: SAMPLE.SQLite },
      records,
      nodes,
    );
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

async function onServer(records: PageRecords, nodes: readonly SpelledBayes[]): Promise<Result | undefined> {
  const server = process.env.BINGO_TEST_MYSQL ?? 'mysql://root@127.0.0.1:3306/';
  const database = await temporaryDatabase(server).catch((error: Error) => {
    process.stderr.write(`MySQL: skipped, no server can be used (BINGO_TEST_MYSQL): ${error.message}\n`);
  });
  if (database === undefined) return undefined;
  try {
    const place = { ...database, workspace: tmpdir(), documents: Number(flags.mysql), sample: SAMPLE.server };
    return await measure(place, records, nodes);
  } finally {
    await database.drop();
  }
}

async function measure(place: Place, records: PageRecords, nodes: readonly SpelledBayes[]): Promise<Result> {
  const links = await fill(place, records);
  const store = await openStore({ ...place, ...DEFAULTS.store, url: place.url, readOnly: true });
  const scratch = await openScratch(place);
  try {
    const row = (way: string, pages: number, { ms, cpuMs }: { ms: number; cpuMs: number }): WayRow => {
      return { store: place.name, way, pages, msPerPage: ms / pages, cpuMsPerPage: cpuMs / pages };
    };
    const ways: WayRow[] = [];
    const fresh = await timed(() => bulk(scratch, nodes, false));
    ways.push(row('bulk, terms read and dropped', place.documents, fresh));
    const expected = new Map(fresh.result.map((answer) => [answer.page, answer.posteriors]));
    const sample = fresh.result.slice(-place.sample).map((answer) => answer.page);
    // The model's and the pages' tables are still there for the ways that go page by page.
    for (const [way, judge] of Object.entries(PAGE_BY_PAGE)) {
      const judged = await timed(() => judge({ scratch, store, nodes, pages: sample }));
      check(way, sample, judged.result, expected);
      ways.push(row(way, sample.length, judged));
    }
    const filled = await timed(() => bulk(scratch, nodes, true));
    ways.push(row('bulk, terms read and kept', place.documents, filled));
    const kept = await timed(() => bulk(scratch, nodes, true));
    check(
      'bulk over kept terms',
      sample,
      kept.result.filter((a) => sample.includes(a.page)).map((a) => a.posteriors),
      expected,
    );
    ways.push(row('bulk over kept terms', place.documents, kept));
    await dropKept(scratch);
    return { ways, distillation: await measureDistillation(place, scratch, links) };
  } finally {
    await scratch.close();
    await store.close();
  }
}

/** Stores pages that link to each other; returns them as link analysis sees them. */
async function fill({ url, workspace, documents }: Place, records: PageRecords): Promise<readonly BaseSetPage[]> {
  const store = await openStore({ ...DEFAULTS.store, url, workspace });
  const random = seededRandom(7);
  const urls = Array.from({ length: documents }, (_, i) => records.record(i + 1).url);
  const pages: BaseSetPage[] = [];
  let wake = (): void => {};
  store.onStored(() => wake());
  for (let sequence = 1; sequence <= documents; sequence++) {
    const record = records.record(sequence);
    // Early pages have more links to them, as on the web.
    const links = Array.from({ length: LINKS }, () => linkTo(urls[Math.floor(documents * random() ** 3)]!));
    store.append(
      withLinks(
        record,
        links.filter(({ url: to }) => to !== record.url),
      ),
    );
    pages.push({ url: record.url, relevance: RELEVANCE, links: links.map((link) => link.url) });
    if (store.backlog >= MAX_BACKLOG) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
  }
  await store.flush();
  await store.close();
  return pages;
}

function linkTo(url: string): Link {
  return { url, anchor: 'a link', context: '', flags: 0, position: 0.5 };
}

/** Of one topic, one page in two accepted: `distill` needs something to start from. */
function withLinks(record: PageRecord, links: readonly Link[]): PageRecord {
  const document: AnalyzedDocument = { ...record.document, links: packLinks(links) };
  const isRelevant = record.sequence % 2 === 0;
  const topic = isRelevant ? LEAVES[0]! : ROOT;
  const assignment = { ...record.assignment, topic, others: !isRelevant, relevance: RELEVANCE, scores: [] };
  return { ...record, document, assignment };
}

async function bulk(
  scratch: Scratch,
  nodes: readonly SpelledBayes[],
  keep: boolean,
): Promise<readonly PagePosteriors[]> {
  const work = new BulkBayes(scratch, nodes, { keep });
  await work.choose();
  await work.fill();
  await work.saveModel();
  for (const n of nodes.keys()) await work.probe(n);
  const answers: PagePosteriors[] = [];
  for await (const answer of work.answers()) answers.push(answer);
  return answers;
}

/** A way with other answers is not worth measuring. */
function check(
  way: string,
  pages: readonly number[],
  answers: Answers,
  expected: ReadonlyMap<number, readonly Float64Array[]>,
): void {
  for (const [i, page] of pages.entries())
    for (const [n, shares] of expected.get(page)!.entries())
      for (const [c, share] of shares.entries())
        if (!(Math.abs(answers[i]![n]![c]! - share) <= Math.max(1e-9 * share, 1e-300)))
          throw new Error(`Expected ${way} to give page ${page} ${share}, got ${answers[i]![n]![c]}`);
}

async function measureDistillation(
  { name }: Place,
  scratch: Scratch,
  pages: readonly BaseSetPage[],
): Promise<DistillRow> {
  const options = { ...DEFAULTS.distill, limit: 10 };
  const sql = await timed(() => distillInSql(scratch, LEAVES[0]!, options));
  const positives = pages.filter((_, i) => i % 2 === 1).slice(0, options.maxBaseSet);
  const others = pages.filter((_, i) => i % 2 === 0).slice(0, options.maxPredecessors);
  const inMemory = await timed(async () => {
    const parts = { positives, others, maxPredecessors: others.length, random: seededRandom(1) };
    return distill(buildBaseSet({ ...parts, hostOf: (url) => new URL(url).host }).graph, options);
  });
  const best = Math.max(...inMemory.result.authorities);
  const found = sql.result.authorities[0]?.score ?? 0;
  if (Math.abs(best - found) > 1e-9) throw new Error(`Expected the best authority to score ${best}, got ${found}`);
  const { nodes, edges: links, iterations } = sql.result;
  return { store: name, nodes, links, iterations, inProcessMs: inMemory.ms, sqlMs: sql.ms };
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; cpuMs: number; result: T }> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const result = await work();
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000, result };
}

function report(results: readonly Result[]): string {
  const ways = results.flatMap((result) => {
    const bulkMs = result.ways.at(-1)!.msPerPage;
    return result.ways.map(({ store, way, pages, msPerPage, cpuMsPerPage }) => [
      way,
      store,
      String(pages),
      msPerPage.toFixed(3),
      cpuMsPerPage.toFixed(3),
      (msPerPage / bulkMs).toFixed(1),
    ]);
  });
  const distillations = results.map(({ distillation: d }) => [
    ...[d.store, String(d.nodes), String(d.links), String(d.iterations)],
    ...[d.inProcessMs.toFixed(0), d.sqlMs.toFixed(0)],
  ]);
  return [
    table(['way', 'store', 'pages', 'ms/page', 'CPU ms/page', '÷ bulk over kept terms'], ways),
    '',
    table(['store', 'base set', 'links', 'iterations', 'in process, ms', 'SQL, ms'], distillations),
  ].join('\n');
}
