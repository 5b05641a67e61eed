import { expect, test } from 'vitest';
import {
  type Config,
  DEFAULTS,
  packDocument,
  packFeatureBlock,
  packLinks,
  parseTopicId,
  ROOT,
  topicTree,
} from '../../../src/core/index.ts';
import { JudgingThreads, judgeAgain, type PageSource, type RejudgedPage } from '../../../src/engine/index.ts';
import { GivenPlaces } from '../../../src/engine/training/user-assignments.ts';
import { hash32 } from '../../../src/kit/index.ts';
import { encodeModels } from '../../../src/meta/index.ts';
import { DATABASES, EVERYDAY, train } from '../../meta/topics.ts';

const PAGES = 1_200;
const DATABASE = parseTopicId('databases');
const blob = encodeModels(train([{ name: 'databases' }], [...DATABASES, ...EVERYDAY]).models);
const rule = 'majority' as const;
const verdicts = { blob, rule, places: new GivenPlaces(topicTree([{ name: 'databases' }], []), []) };
const { analyze } = DEFAULTS;

/** Pages with the words of training pages; every tenth has a vote, every third is accepted. */
const source = {
  async currentPages() {
    const all = Array.from({ length: PAGES }, (_, i) => i + 1);
    const isAccepted = (n: number): boolean => !pageAt(n).others;
    return {
      accepted: Float64Array.from(all.filter(isAccepted)),
      rejected: Float64Array.from(all.filter((n) => !isAccepted(n))),
    };
  },
  packedPages: async (sequences: readonly number[]) =>
    sequences.map((n) => ({ ...pageAt(n), content: contentOf(n), hasVotes: n % 10 === 0 })),
  storedPages: async (sequences: readonly number[]) => sequences.map((n) => ({ ...pageAt(n), hasVotes: n % 10 === 0 })),
  featureBlock: async (): Promise<Uint8Array<ArrayBuffer> | undefined> => undefined,
  documents: async (sequences: readonly number[]) =>
    new Map(sequences.map((n) => [n, { features: featuresOf(n), votes: [] }])),
};

/** The same, and keeps blocks; documents of pages in a block are not read again. */
function sourceWithBlocks(blocks: Map<number, Uint8Array>) {
  return {
    ...source,
    featureBlock: async (block: number) => {
      const found = blocks.get(block);
      return found && new Uint8Array(found);
    },
  };
}

function pageAt(sequence: number) {
  const url = `http://p${sequence}.example/`;
  const isAccepted = sequence % 3 === 0;
  const place = { topic: isAccepted ? DATABASE : ROOT, others: !isAccepted, relevance: 0 };
  return { sequence, url, finalUrl: url, title: '', role: 'crawled' as const, ...place };
}

function featuresOf(n: number) {
  const all = [...DATABASES, ...EVERYDAY];
  return all[n % all.length]!.features;
}

function contentOf(n: number): Uint8Array<ArrayBuffer> {
  return packDocument({ title: '', text: '', links: packLinks([]), features: featuresOf(n) }).content;
}

function started(count: number, learn: Config['learn'] = DEFAULTS.learn, model: Uint8Array = blob): JudgingThreads {
  const threads = new JudgingThreads({ config: { analyze, learn }, rule, version: '1' }, count);
  threads.use(model);
  return threads;
}

async function judgedBy(
  start?: () => JudgingThreads,
  from: PageSource = source,
  onBlock?: (block: number, features: Uint8Array) => void,
): Promise<readonly RejudgedPage[]> {
  const pages: RejudgedPage[] = [];
  for await (const page of judgeAgain(from, verdicts, { start, onBlock })) pages.push(page);
  return pages;
}

test('threads judge pages as the main thread does, in the same order', async () => {
  const start = (): JudgingThreads => started(2);
  const byThreads = await judgedBy(start);
  expect(byThreads).toEqual(await judgedBy());
  expect(byThreads).toHaveLength(PAGES);
  expect(byThreads[0]!.page.sequence).toBe(PAGES);
  expect(new Set(byThreads.map(({ assignment }) => assignment.others))).toEqual(new Set([true, false]));
});

test('pages that lack the words of pages around them are left to the main thread', async () => {
  const threads = started(1, { ...DEFAULTS.learn, spaces: ['terms', 'anchors'] });
  expect(await threads.judge([{ sequence: 1, title: '', content: contentOf(1) }])).toEqual([undefined]);
  await threads.close();
});

test('a thread that cannot read the model fails the judging', async () => {
  const threads = started(1, DEFAULTS.learn, Uint8Array.of(1));
  await expect(threads.judge([{ sequence: 1, title: '', content: contentOf(1) }])).rejects.toThrow();
  await threads.close();
});

test('pages are judged by blocks of features as by their documents, which are not read again', async () => {
  const blocks = new Map<number, Uint8Array>();
  const first = await judgedBy(
    () => started(2),
    sourceWithBlocks(blocks),
    (block, features) => blocks.set(block, features),
  );
  expect([...blocks.keys()].sort()).toEqual([0, 1, 2]);
  const packedPages = async (): Promise<never> => {
    throw new Error('A document was read.');
  };
  const again = await judgedBy(() => started(2), { ...sourceWithBlocks(blocks), packedPages });
  expect(again).toEqual(first);
  expect(again).toEqual(await judgedBy());
});

test('a block that is damaged, or lacks a page, is made again', async () => {
  const blocks = new Map<number, Uint8Array>();
  const keep = (block: number, features: Uint8Array) => blocks.set(block, features);
  await judgedBy(() => started(1), sourceWithBlocks(blocks), keep);
  const whole = new Map(blocks);
  blocks.set(0, blocks.get(1)!.slice(0, 100));
  blocks.set(2, packFeatureBlock([{ sequence: 1_024, features: featuresOf(1_024) }], 0));
  const made: number[] = [];
  const judged = await judgedBy(
    () => started(1),
    sourceWithBlocks(blocks),
    (block, features) => {
      made.push(block);
      keep(block, features);
    },
  );
  expect(made).toEqual([2, 0]);
  expect(blocks).toEqual(whole);
  expect(judged).toEqual(await judgedBy());
});

test('a block with very long documents is not made, and its pages have the same verdicts', async () => {
  const text = Array.from({ length: 120_000 }, (_, i) => hash32(String(i)).toString(36)).join(' ');
  const long = (n: number) => packDocument({ title: '', text, links: packLinks([]), features: featuresOf(n) }).content;
  const packedPages: PageSource['packedPages'] = async (sequences) =>
    (await source.packedPages(sequences)).map((one) =>
      one.sequence < 80 ? { ...one, content: long(one.sequence) } : one,
    );
  const made: number[] = [];
  const judged = await judgedBy(
    () => started(2),
    { ...source, packedPages },
    (block) => made.push(block),
  );
  expect(long(1).length).toBeGreaterThan(500_000);
  expect(made.sort()).toEqual([1, 2]);
  expect(judged).toEqual(await judgedBy());
});

test('a block without a wanted space is not used, and one with recounted words only by the same settings', async () => {
  const learn: Config['learn'] = { ...DEFAULTS.learn, spaces: ['terms', 'lead'] };
  const pages = [{ sequence: 1, title: 'Databases', content: contentOf(1) }];
  const threads = started(1, learn);
  const { block } = await threads.judgeAndPack(pages, [1]);
  const stored = packFeatureBlock([{ sequence: 1, features: featuresOf(1) }], 0);
  expect(await threads.judgeInBlock(stored, [1])).toBeUndefined();
  expect(await threads.judgeInBlock(new Uint8Array(block!), [1])).toHaveLength(1);
  await threads.close();
  const other = started(1, { ...learn, spaces: ['terms'] });
  expect(await other.judgeInBlock(new Uint8Array(block!), [1])).toBeUndefined();
  await other.close();
});
