import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type JournalRecord,
  parseTopicId,
  siteMark,
  type TopicId,
  type TopicTree,
  topicTree,
} from '../../../src/core/index.ts';
import type { TrainingDesk } from '../../../src/engine/index.ts';
import { hash32 } from '../../../src/kit/index.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { findProposals, proposalRow } from '../../../src/workbench/review/proposals.ts';
import { type MadeWorkspace, makeWorkspace } from '../../cli/support/made-workspace.ts';
import { page, scores } from '../../contracts/store-records.ts';

const GROUPS = {
  touring: ['pannier', 'campsit', 'rout', 'map', 'mountain', 'ferri', 'tent', 'journei'],
  repair: ['wrench', 'spoke', 'bear', 'greas', 'cabl', 'derailleur', 'chain', 'torqu'],
};

const TREE: TopicTree = topicTree(
  [
    { name: 'cycling', examples: [{ kind: 'url', url: 'https://example.org/start' }] },
    { name: 'food', good: false, examples: [{ kind: 'url', url: 'https://food.example/' }] },
  ],
  [],
);

/** A page on cycling, about touring or repair. */
function cyclingPage(n: number) {
  const group = n % 2 === 0 ? 'repair' : 'touring';
  const words = GROUPS[group].filter((_, i) => hash32(`${n}/${i}`) % 10 < 6);
  const stems = { ...Object.fromEntries(words.map((word) => [word, 2])), bicycl: 1 };
  return (sequence: number) => page(sequence, `https://${group}.example/${n}`, { topic: 'cycling', stems });
}

/** A rejected page with this similarity to the examples of cycling and this number of links from a seed. */
function rejectedPage(name: string, cosine: number, depth: number) {
  return (sequence: number) => {
    const made = page(sequence, `https://rejected.example/${name}`, { topic: '', others: true });
    const score = { ...scores('cycling', 0.1), cosine };
    return {
      ...made,
      document: { ...made.document, title: name },
      origin: { ...made.origin, depth },
      assignment: { ...made.assignment, scores: [score] },
    };
  };
}

/** The part of a review session that proposals use. */
function deskOf(judged: readonly number[] = []): TrainingDesk {
  const judgements = new Map(judged.map((sequence) => [String(sequence), { sequence }]));
  const desk = { tree: TREE, judgements, training: () => [], nominees: () => [], topicNow: (id: TopicId) => id };
  return desk as unknown as TrainingDesk;
}

let made: MadeWorkspace;
let store: Store;

beforeEach(async () => {
  made = await makeWorkspace('topics: [{name: cycling}]', [
    ...Array.from({ length: 60 }, (_, n) => cyclingPage(n)),
    ...Array.from(
      { length: 15 },
      (_, n) => (sequence: number) => page(sequence, `https://f.example/${n}`, { topic: 'food', others: true }),
    ),
    rejectedPage('near and alike', 0.99, 2),
    rejectedPage('alike, but far away', 0.99, 3),
    rejectedPage('near, but unlike', 0.01, 1),
  ]);
  store = await openStore({ url: 'sqlite', workspace: made.dir, batch: 1, flushMs: 1, readOnly: true });
});

afterEach(async () => {
  await store.close();
  made.drop();
});

describe('what the crawl proposes', () => {
  test('leaves a topic without a model to the next crawl, and asks for no more examples', async () => {
    const [proposal] = await findProposals({ store, desk: deskOf() }, 'my bikes', undefined);
    expect(proposal).toMatchObject({ kind: 'few-examples', topic: 'cycling', how: "bingo crawl 'my bikes'" });
    expect(proposal?.what).toBe(
      '"cycling" is not learned yet: the next crawl learns it from its examples in bingo.yaml.',
    );
  });

  test('includes splitting a topic that covers two subjects', async () => {
    const proposals = await findProposals({ store, desk: deskOf() }, 'bikes', undefined);
    const split = proposals.find(({ kind }) => kind === 'split');
    expect(split).toMatchObject({ topic: 'cycling', how: 'bingo cluster bikes cycling', data: { pages: 60 } });
    expect(split?.what).toContain('look like 2 things');
    expect(split?.subtopics).toEqual([
      { parent: 'cycling', name: expect.any(String), examples: expect.objectContaining({ length: 8 }) },
      { parent: 'cycling', name: expect.any(String), examples: expect.objectContaining({ length: 8 }) },
    ]);
    const names = split!.subtopics!.map(({ name }) => name);
    expect(split?.act).toMatchObject({ kind: 'change', lines: expect.arrayContaining([`cycling/${names[0]}`]) });
    expect(Object.keys(proposalRow(split!))).toEqual(['topic', 'what', 'how', 'kind', 'data']);
  });

  test('includes a topic of the tree without a request that has many pages', async () => {
    const proposals = await findProposals({ store, desk: deskOf() }, 'bikes', undefined);
    expect(proposals.find(({ kind }) => kind === 'topic-with-many-pages')).toMatchObject({
      topic: 'food',
      data: { pages: 15, of: 78 },
    });
    const one = await findProposals({ store, desk: deskOf() }, 'bikes', parseTopicId('cycling'));
    expect(one.map(({ kind }) => kind)).not.toContain('topic-with-many-pages');
  });

  test('includes rejected pages near the examples that resemble them, once', async () => {
    const near = async (desk: TrainingDesk) =>
      (await findProposals({ store, desk }, 'bikes', undefined)).find(({ kind }) => kind === 'pages-near-examples');
    expect(await near(deskOf())).toMatchObject({
      what: '1 rejected page near the examples of "cycling", much like them: near and alike',
      data: { pages: [{ title: 'near and alike' }] },
    });
    expect(await near(deskOf([76]))).toBeUndefined();
  });

  test('includes pages of dense sites that the user marked good, without training pages', async () => {
    const judged = (use: string) => (sequence: number) =>
      ({
        kind: 'steer',
        sequence,
        at: 1,
        command: { kind: 'judge-page', judgement: siteMark('dense.example', use as 'good-site') },
      }) as JournalRecord;
    const onSite = (n: number, topic: string) => (sequence: number) => {
      const made = page(sequence, `https://dense.example/${n}`, { topic, others: topic === '', relevance: n / 100 });
      return made;
    };
    const found = async (use: string, off: number) => {
      const dense = await makeWorkspace('topics: [{name: cycling}]', [
        ...Array.from({ length: 8 }, (_, n) => onSite(n, 'cycling')),
        ...Array.from({ length: off }, (_, n) => onSite(50 + n, '')),
        judged(use),
      ]);
      const stored = await openStore({ url: 'sqlite', workspace: dense.dir, batch: 1, flushMs: 1, readOnly: true });
      const desk = {
        ...deskOf(),
        training: () => [{ key: 'https://dense.example/7', origin: 'user', topic: 'cycling' }],
      };
      const all = await findProposals({ store: stored, desk: desk as unknown as TrainingDesk }, 'bikes', undefined);
      await stored.close();
      dense.drop();
      return all.find(({ kind }) => kind === 'site-examples');
    };
    const urls = [6, 5, 4].map((n) => `https://dense.example/${n}`);
    expect(await found('good-site', 2)).toMatchObject({
      topic: 'cycling',
      how: `bingo mark bikes --topic cycling --good ${urls.join(' ')} --preview`,
      data: { site: 'dense.example', fetched: 10, relevant: 8, pages: urls.map((url) => ({ url })) },
    });
    expect(await found('good-site', 9)).toBeUndefined();
    expect(await found('bad-site', 2)).toBeUndefined();
  });

  test('names pages in one line, however long their titles are', async () => {
    const longTitle = 'near and alike '.repeat(100);
    const long = await makeWorkspace('topics: [{name: cycling}]', [
      ...Array.from({ length: 10 }, (_, n) => cyclingPage(n)),
      rejectedPage(longTitle, 0.99, 2),
    ]);
    const stored = await openStore({ url: 'sqlite', workspace: long.dir, batch: 1, flushMs: 1, readOnly: true });
    const found = await findProposals({ store: stored, desk: deskOf() }, 'bikes', undefined);
    const near = found.find(({ kind }) => kind === 'pages-near-examples');
    await stored.close();
    long.drop();
    expect(near?.what.length).toBeLessThan(150);
    expect(near?.what).toMatch(/: near and alike near .*…$/);
    expect(near?.data).toMatchObject({ pages: [{ title: expect.stringContaining(longTitle.slice(0, 300)) }] });
  });
});
