import { expect, test } from 'vitest';
import {
  type Config,
  DEFAULTS,
  packDocument,
  packLinks,
  parseTopicId,
  ROOT,
  topicTree,
} from '../../../src/core/index.ts';
import { JudgingThreads, judgeAgain, type RejudgedPage } from '../../../src/engine/index.ts';
import { GivenPlaces } from '../../../src/engine/training/user-assignments.ts';
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
  documents: async (sequences: readonly number[]) =>
    new Map(sequences.map((n) => [n, { features: featuresOf(n), votes: [] }])),
};

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
  const threads = new JudgingThreads({ config: { analyze, learn }, rule }, count);
  threads.use(model);
  return threads;
}

async function judgedBy(start?: () => JudgingThreads): Promise<readonly RejudgedPage[]> {
  const pages: RejudgedPage[] = [];
  for await (const page of judgeAgain(source, verdicts, { start })) pages.push(page);
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
  expect(await threads.judge([{ title: '', content: contentOf(1) }])).toEqual([undefined]);
  await threads.close();
});

test('a thread that cannot read the model fails the judging', async () => {
  const threads = started(1, DEFAULTS.learn, Uint8Array.of(1));
  await expect(threads.judge([{ title: '', content: contentOf(1) }])).rejects.toThrow();
  await threads.close();
});
