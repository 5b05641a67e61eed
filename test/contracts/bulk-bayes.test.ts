import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DocumentFeatures, type JournalRecord, type TopicId, unpackCounts } from '../../src/core/index.ts';
import { seededRandom } from '../../src/kit/index.ts';
import { posteriors } from '../../src/learn/index.ts';
import { bayesVerdict, classify, type SpelledBayes, spellBayes, type TopicModels } from '../../src/meta/index.ts';
import {
  BulkBayes,
  type BulkOptions,
  dropKept,
  openScratch,
  type PagePosteriors,
  type Scratch,
  type Store,
} from '../../src/store/index.ts';
import { bagOf } from '../learn/bags.ts';
import { classifierOf, EVERYDAY, TWELVE, TWELVE_PAGES } from '../meta/topics.ts';
import { eachDatabase } from './each-database.ts';
import type { Database, Place } from './store-databases.ts';
import { page, visit } from './store-records.ts';

/** Twelve topics on three levels with seven inner nodes. Those below the root include the general OTHERS. */
const CLASSIFIER = classifierOf(TWELVE, [...TWELVE_PAGES, ...EVERYDAY]);
const NODES = spellBayes(CLASSIFIER.models);
const WORDS = [...TWELVE_PAGES, ...EVERYDAY].flatMap(({ features }) => features.terms!.features.split('\n'));
const UNKNOWN = ['zebra', 'naïve', 'été', 'c++', '東京', `x${'y'.repeat(80)}`];

/** Returns a page with words of several topics, some unknown to the model, some very frequent. */
function randomText(seed: number): string {
  const random = seededRandom(seed);
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)]!;
  const own = TWELVE_PAGES[Math.floor(random() * TWELVE_PAGES.length)]!.features.terms!.features.split('\n');
  const length = Math.floor(random() * 80);
  return Array.from({ length }, () => (random() < 0.4 ? pick(own) : random() < 0.8 ? pick(WORDS) : pick(UNKNOWN))).join(
    ' ',
  );
}

const TEXTS = [
  '',
  'zebra zebra',
  'science',
  `sport ${'sporta '.repeat(3000)}`,
  ...Array.from({ length: 60 }, (_, i) => randomText(i)),
];

function record(sequence: number, text: string, parts: Parameters<typeof page>[2] = {}): JournalRecord {
  const features: DocumentFeatures = { terms: bagOf(text), pairs: bagOf('science science') };
  return page(sequence, `https://p${sequence}.example/`, { ...parts, document: { features } });
}

/** Computes Focus eq. 2 directly, page by page and node by node. */
function slowPosteriors({ features, classes }: SpelledBayes, text: string): Float64Array {
  const places = new Map(features.map((feature, f) => [feature, f]));
  const known = unpackCounts(bagOf(text)).filter(([term]) => places.has(term));
  const logs = classes.map(({ logLikelihoods }) =>
    known.reduce((sum, [term, count]) => sum + count * logLikelihoods[places.get(term)!]!, 0),
  );
  return posteriors(
    logs,
    Float64Array.from(classes, ({ logPrior }) => logPrior),
  );
}

function expectSame(actual: Float64Array, expected: Float64Array): void {
  expect(actual).toHaveLength(expected.length);
  // Extremely small numbers lose precision.
  for (const [c, share] of expected.entries())
    expect(Math.abs(actual[c]! - share)).toBeLessThanOrEqual(Math.max(1e-9 * share, 1e-300));
}

async function classified(
  scratch: Scratch,
  nodes: readonly SpelledBayes[],
  options?: BulkOptions,
): Promise<PagePosteriors[]> {
  const bulk = new BulkBayes(scratch, nodes, options);
  await bulk.choose();
  await bulk.fill();
  await bulk.saveModel();
  for (const n of nodes.keys()) await bulk.probe(n);
  const answers: PagePosteriors[] = [];
  for await (const answer of bulk.answers()) answers.push(answer);
  return answers;
}

eachDatabase((name) => `bulk naive Bayes in ${name}`, contract);

function contract(database: Database): void {
  let place: Place;
  let store: Store;

  beforeAll(async () => {
    place = await database.place();
    store = await place.open();
    for (const [i, text] of TEXTS.entries()) store.append(record(i + 1, text, { topic: 'databases/recovery' }));
    store.append(record(TEXTS.length + 1, 'science', { topic: 'cycling' }));
    store.append(record(TEXTS.length + 2, 'science', { record: { role: 'example' } }));
    store.append(record(TEXTS.length + 3, 'science', { record: { role: 'others' } }));
    await store.flush();
  });

  afterAll(async () => {
    await store.close();
    await place.drop();
  });

  const databases = ['databases' as TopicId];

  const withScratch = async <T>(readOnly: boolean, use: (scratch: Scratch) => Promise<T>): Promise<T> => {
    const scratch = await openScratch({ ...place.options, readOnly });
    try {
      return await use(scratch);
    } finally {
      await scratch.close();
    }
  };

  const ask = async (asked: Store, query: string): Promise<unknown[]> => {
    const { rows } = await asked.sql(query, { maxRows: 1000 });
    const all: unknown[] = [];
    for await (const row of rows) all.push([...row]);
    return all;
  };

  test('gives every page at every node the same naive Bayes probabilities as in process', async () => {
    const answers = await withScratch(true, (scratch) => classified(scratch, NODES, { topics: databases }));
    expect(answers.map((answer) => answer.page)).toEqual(TEXTS.map((_, i) => i + 1));
    expect(NODES.map(({ node }) => node)).toContain('sport/b');
    for (const { page, posteriors } of answers)
      for (const [n, node] of NODES.entries()) expectSame(posteriors[n]!, slowPosteriors(node, TEXTS[page - 1]!));
  });

  test('agrees with the classifier of a crawl if multiplied along the tree', async () => {
    const answers = await withScratch(true, (scratch) => classified(scratch, NODES, { topics: databases }));
    const leaves = answers.flatMap(({ page, posteriors }) => {
      const { topic, others, probability } = bayesVerdict(CLASSIFIER.models, NODES, posteriors);
      const { scores } = classify(CLASSIFIER, { terms: bagOf(TEXTS[page - 1]!) }, 'weighted');
      return others ? [] : [{ probability, bayes: scores.find((score) => score.topic === topic)!.bayes }];
    });
    expect(leaves.length).toBeGreaterThan(20);
    for (const { probability, bayes } of leaves) expectSame(Float64Array.of(probability), Float64Array.of(bayes));
  });

  test('classifies an even sample of pages as it does all pages', async () => {
    const options = { topics: databases, sample: TEXTS.length / 2 };
    const all = await withScratch(true, (scratch) => classified(scratch, NODES, { topics: databases }));
    const sample = await withScratch(true, (scratch) => classified(scratch, NODES, options));
    const chosen = await withScratch(true, (scratch) => new BulkBayes(scratch, NODES, options).choose());
    expect(chosen).toEqual({ pages: sample.length, of: TEXTS.length });
    expect(Math.abs(sample.length - TEXTS.length / 2)).toBeLessThanOrEqual(3);
    const byPage = new Map(all.map(({ page, posteriors }) => [page, posteriors]));
    for (const { page, posteriors } of sample)
      for (const n of NODES.keys()) expectSame(posteriors[n]!, byPage.get(page)![n]!);
  });

  test('leaves out training pages, and pages of topics that are not selected', async () => {
    const pages = async (options: BulkOptions): Promise<number[]> =>
      withScratch(true, async (scratch) => (await classified(scratch, NODES, options)).map(({ page }) => page));
    expect((await pages({})).at(-1)).toBe(TEXTS.length + 1);
    expect((await pages({ topics: databases })).at(-1)).toBe(TEXTS.length);
    expect(await pages({ topics: ['cycling' as TopicId] })).toEqual([TEXTS.length + 1]);
  });

  test('leaves out pages that are gone', async () => {
    const pages = async (): Promise<number[]> =>
      withScratch(true, async (scratch) => (await classified(scratch, NODES)).map(({ page }) => page));
    const before = await pages();
    const gone = visit(TEXTS.length + 4, 'https://p2.example/', { result: 'gone', page: 2 });
    store.append({ ...gone, origin: { ...gone.origin, via: 'recheck' } });
    await store.flush();
    expect(await pages()).toEqual(before.filter((page) => page !== 2));
    const back = visit(TEXTS.length + 5, 'https://p2.example/', { result: 'unchanged', page: 2 });
    store.append({ ...back, origin: { ...back.origin, via: 'recheck' } });
    await store.flush();
    expect(await pages()).toEqual(before);
  });

  test('does not change the store, and lets others write meanwhile', async () => {
    const before = await ask(store, TABLE_NAMES[database.name]);
    await withScratch(true, async (scratch) => {
      await classified(scratch, NODES);
      store.append(record(TEXTS.length + 6, 'written meanwhile', { record: { role: 'example' } }));
      await store.flush();
    });
    expect(await ask(store, TABLE_NAMES[database.name])).toEqual(before);
  });

  test.runIf(database.name === 'SQLite')('keeps its tables only if it is opened for writing', async () => {
    const keeping = withScratch(true, (scratch) => classified(scratch, NODES, { keep: true }));
    await expect(keeping).rejects.toMatchObject({ code: 'STORE_UNWRITABLE' });
  });

  test('with kept tables, reads only new pages and keeps its rows until they are dropped', async () => {
    const once = await withScratch(true, (scratch) => classified(scratch, NODES));
    await store.close();
    const kept = await withScratch(false, (scratch) => classified(scratch, NODES, { keep: true }));
    expect(kept).toHaveLength(once.length);
    for (const [i, { posteriors }] of once.entries())
      for (const [n, expected] of posteriors.entries()) expectSame(kept[i]!.posteriors[n]!, expected);

    store = await place.open();
    const words = `select t.term, d.count from document_term d join term t on t.id = d.term where d.page = 4 order by t.term`;
    expect(await ask(store, words)).toEqual([
      ['sport', 1],
      ['sporta', 3000],
    ]);
    const best = `select p.topic from bayes_score s join bayes_prior p on p.node = s.node and p.child = s.child
      where s.page = 4 and p.parent = '' order by s.probability desc limit 1`;
    expect(await ask(store, best)).toEqual([['sport']]);
    store.append(record(TEXTS.length + 7, 'sport zebra'));
    store.append({ ...record(TEXTS.length + 8, 'science'), url: 'https://p4.example/' } as JournalRecord);
    await store.close();

    const read = await withScratch(false, (scratch) => new BulkBayes(scratch, NODES, { keep: true }).fill());
    expect(read).toBe(2);
    store = await place.open({ readOnly: true });
    expect(await ask(store, words)).toEqual([]);
    expect(await ask(store, words.replace('= 4', `= ${TEXTS.length + 8}`))).toEqual([['science', 1]]);
    await withScratch(false, dropKept);
    await expect(ask(store, words)).rejects.toMatchObject({ code: 'SQL_INVALID' });
  });

  test('reports a missing store, and makes none', async () => {
    const empty = await database.place();
    for (const readOnly of [true, false])
      await expect(openScratch({ ...empty.options, readOnly })).rejects.toMatchObject({ code: 'STORE_MISSING' });
    await empty.drop();
  });
}

const TABLE_NAMES = {
  SQLite: 'select name from sqlite_master order by name',
  MySQL: 'select table_name from information_schema.tables where table_schema = database() order by table_name',
} as const;

describe('the verdict of naive Bayes', () => {
  const models = { topics: CLASSIFIER.models.topics } satisfies Pick<TopicModels, 'topics'>;
  const certain = (path: readonly string[]): Float64Array[] =>
    NODES.map(({ classes }) => Float64Array.from(classes, ({ topic }) => (path.includes(topic ?? 'OTHERS') ? 1 : 0)));

  test('descends to a leaf', () => {
    const verdict = bayesVerdict(models, NODES, certain(['sport', 'sport/b', 'sport/b/x']));
    expect(verdict).toEqual({ topic: 'sport/b/x', others: false, probability: 1 });
  });

  test('is OTHERS of the node where OTHERS is most likely', () => {
    expect(bayesVerdict(models, NODES, certain(['OTHERS']))).toMatchObject({ topic: '', others: true });
    const shares = certain(['sport', 'OTHERS']);
    shares[0] = Float64Array.from(NODES[0]!.classes, ({ topic }) => (topic === 'sport' ? 0.5 : 0.25));
    expect(bayesVerdict(models, NODES, shares)).toEqual({ topic: 'sport', others: true, probability: 0.5 });
  });

  test('is the first of equally likely classes, with a probability of at most 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), (seed) => {
        const shares = NODES.map((node) => slowPosteriors(node, randomText(seed)));
        const { probability } = bayesVerdict(models, NODES, shares);
        expect(probability).toBeGreaterThan(0);
        expect(probability).toBeLessThanOrEqual(1 + 1e-12);
      }),
      { numRuns: 20 },
    );
    const even = NODES.map(({ classes }) => new Float64Array(classes.length).fill(1 / classes.length));
    expect(bayesVerdict(models, NODES, even).topic).toBe('science/a/x');
  });
});
