import { expect, test } from 'vitest';
import { type TopicId, type TrainingEntry, topicTree } from '../../../src/core/index.ts';
import { TrainingSet } from '../../../src/engine/rounds/training-set.ts';
import type { CrawlState } from '../../../src/engine/state/crawl-state.ts';
import type { InlineExample } from '../../../src/engine/training/trainer-features.ts';

const RAIL = 'rail' as TopicId;
const EXAMPLE = 'http://example.test/';
const FOUND = 'http://found.test/';

function setOf({
  judged = [] as readonly string[],
  inline = [] as readonly InlineExample[],
  candidates = [] as readonly string[],
} = {}): TrainingSet {
  const page = (url: string) => ({ kind: 'url' as const, url });
  const tree = topicTree(
    [{ name: 'rail', examples: [page(EXAMPLE), { kind: 'file', path: 'notes.txt' }] }],
    [page('http://others.test/')],
  );
  const stored = (sequence: number, others: boolean) => ({
    sequence,
    title: '',
    topic: RAIL,
    others,
    tokens: 9,
    urls: [],
  });
  const entry = (key: string, origin: TrainingEntry['origin']): TrainingEntry => {
    return { key, title: '', topic: RAIL, origin, confidence: 1 };
  };
  const state = {
    tree,
    round: {
      training: [
        entry(EXAMPLE, 'user'),
        entry(FOUND, 'archetype-by-confidence'),
        entry('http://others.test/', 'archetype-by-authority'),
      ],
    },
    // What bingo.yaml no longer names teaches no more.
    training: {
      stored: new Map([
        [EXAMPLE, stored(1, false)],
        ['http://others.test/', stored(2, true)],
        ['http://left.test/', stored(3, false)],
      ]),
    },
    seen: { pageOf: (url: string) => (url === FOUND ? 17 : undefined) },
    steering: {
      judgements: new Map(judged.map((key) => [key, { key, use: 'dropped', topic: RAIL, sequence: 17, title: '' }])),
    },
    names: { renamed: (topic: TopicId) => topic },
    kept: {
      rejected: { values: () => [{ url: 'http://no.test/', title: '', sequence: 20 }] },
      candidates: candidates.map((url, i) => ({ url, title: '', sequence: 30 + i })),
    },
  };
  return new TrainingSet(state as unknown as CrawlState, inline);
}

const told = (set: TrainingSet): unknown => set.items().map(({ key, origin, sequence }) => [key, origin, sequence]);

test('a round trains on stored examples, and on stored archetypes and rejected pages', () => {
  expect(told(setOf())).toEqual([
    [EXAMPLE, 'user', 1],
    ['http://others.test/', 'others', 2],
    [FOUND, 'archetype-by-confidence', 17],
    ['http://no.test/', 'rejected', 20],
  ]);
});

test('ignores an archetype that the user dropped', () => {
  expect(told(setOf({ judged: [FOUND] }))).toEqual([
    [EXAMPLE, 'user', 1],
    ['http://others.test/', 'others', 2],
    ['http://no.test/', 'rejected', 20],
  ]);
});

test('ignores foreign OTHERS and rejected pages if crawled pages may be stand-ins', () => {
  const set = setOf({ judged: ['http://bad.test/'], candidates: [FOUND, 'http://bad.test/', 'http://some.test/'] });
  const items = set.items();
  expect(told(set)).toEqual([
    [EXAMPLE, 'user', 1],
    [FOUND, 'archetype-by-confidence', 17],
  ]);
  expect(set.candidates(items)).toMatchObject([
    { key: 'http://some.test/', sequence: 32, origin: 'rejected', others: true, topic: '' },
  ]);
});

test('trains on local files and queries for their given topic', () => {
  const doc = (key: string, others: boolean): InlineExample => {
    return { key, topic: RAIL, others, document: { title: `The title of ${key}` } } as unknown as InlineExample;
  };
  const given = setOf({ inline: [doc('notes.txt', false), doc('no.txt', true)] }).given();
  expect(given.filter(({ sequence }) => sequence === 0)).toMatchObject([
    { key: 'no.txt', topic: RAIL, origin: 'others', others: true },
    { key: 'notes.txt', topic: RAIL, origin: 'user', others: false, title: 'The title of notes.txt' },
  ]);
});
