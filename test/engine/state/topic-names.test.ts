import { expect, test } from 'vitest';
import {
  type Assignment,
  type Example,
  type JournalRecord,
  parseTopicId,
  type RoundRecord,
  topicTree,
} from '../../../src/core/index.ts';
import { TopicNames } from '../../../src/engine/state/topic-names.ts';

const page = (name: string): Example => ({ kind: 'url', url: `http://a.test/${name}` });
const id = parseTopicId;

/** A round of an older tree: the pages that it learned each topic from. */
function round(topics: Record<string, readonly string[]>, origin = 'user'): RoundRecord {
  const training = Object.entries(topics).flatMap(([topic, names]) =>
    names.map((name) => ({ key: name.includes(':') ? name : `http://a.test/${name}`, topic, origin })),
  );
  return { kind: 'round', training, boosted: [], links: [] } as unknown as RoundRecord;
}

function namesOf(tree: Parameters<typeof topicTree>[0], before: RoundRecord): TopicNames {
  const names = new TopicNames(topicTree(tree, []), [{ key: 'query: owls', topic: id('owls') }]);
  names.note(before);
  return names;
}

test('a topic that is gone is the one that has most of its examples now', () => {
  const tree = [
    { name: 'ducks', examples: [page('teal')] },
    { name: 'fowl', examples: [page('hen'), page('turkey')] },
  ];
  const names = namesOf(tree, round({ birds: ['teal', 'hen', 'turkey'] }));
  expect(names.kept(id('birds'))).toBe('fowl');
});

test('a topic that moved takes what lies below it along, and the topics above it when they were renamed, too', () => {
  const tree = [{ name: 'fauna', topics: [{ name: 'birds', examples: [page('hen')] }] }];
  const names = namesOf(tree, round({ 'animals/birds': ['hen'] }));
  expect(['animals/birds', 'animals/birds/ducks', 'animals'].map((topic) => names.kept(id(topic)))).toEqual([
    'fauna/birds',
    'fauna/birds',
    'fauna',
  ]);
});

test('a topic learned from a query is known by it', () => {
  expect(namesOf([{ name: 'owls' }], round({ birds: ['query: owls'] })).kept(id('birds'))).toBe('owls');
});

test('a topic none of whose examples is left is the one above it', () => {
  const tree = [{ name: 'animals', topics: [{ name: 'fish', examples: [page('cod')] }] }];
  const names = namesOf(tree, round({ 'animals/birds': ['hen'] }));
  expect([names.kept(id('animals/birds')), names.kept(id('stones'))]).toEqual(['animals', '']);
  expect(names.renamed(id('animals/birds'))).toBeUndefined();
});

test('a page of OTHERS that became an example does not make the topic beside which it stood another', () => {
  const tree = [{ name: 'birds', examples: [page('hen')] }];
  expect(namesOf(tree, round({ animals: ['hen'] }, 'others')).kept(id('animals'))).toBe('');
});

test('a verdict on topics that were put together has one score for them', () => {
  const names = namesOf([{ name: 'birds', examples: [page('hen'), page('teal')] }], round({ ducks: ['teal'] }));
  const scores = [
    { topic: 'ducks', calibrated: 1 },
    { topic: 'birds', calibrated: 0 },
    { topic: 'gone', calibrated: 0 },
  ];
  const verdict = { topic: 'ducks', others: false, scores } as unknown as Assignment;
  expect(names.assignment(verdict)).toEqual({
    topic: 'birds',
    others: false,
    scores: [{ topic: 'birds', calibrated: 1 }],
  });
});

test('hubs and authorities of a round are those of the topics that there are now', () => {
  const names = namesOf([{ name: 'birds', examples: [page('hen'), page('teal')] }], round({ ducks: ['teal'] }));
  const link = (topic: string, url: string) => ({ topic, url, hub: 0, authority: 1 });
  const links = [link('ducks', 'a'), link('birds', 'a'), link('birds', 'b'), link('gone', 'c')];
  const told = names.record({ ...round({}), links } as unknown as RoundRecord);
  expect(told).toMatchObject({ links: [link('birds', 'a'), link('birds', 'b')] });
});

test('links of hubs are followed for the topics that there are now', () => {
  const names = namesOf([{ name: 'birds', examples: [page('teal')] }], round({ ducks: ['teal'] }));
  const boosted = ['ducks', 'birds', 'gone'].map((topic) => ({ url: topic, topic, from: 'hub' }));
  expect(names.record({ ...round({}), boosted } as unknown as RoundRecord)).toMatchObject({
    boosted: [
      { url: 'ducks', topic: 'birds', from: 'hub' },
      { url: 'birds', topic: 'birds', from: 'hub' },
    ],
  });
});

test('pages and visits come from the topics that there are now; where none changed a record stays as it is', () => {
  const names = namesOf([{ name: 'birds', examples: [page('teal')] }], round({ ducks: ['teal'] }));
  const verdict = (topic: string) => ({ topic, others: false, scores: [{ topic }] });
  const record = (kind: string, topic: string, judged: string) =>
    ({ kind, origin: { topic, from: 'f' }, assignment: verdict(judged) }) as unknown as JournalRecord;
  expect(names.record(record('page', 'ducks', 'birds'))).toEqual(record('page', 'birds', 'birds'));
  expect(names.record(record('page', 'birds', 'ducks'))).toEqual(record('page', 'birds', 'birds'));
  expect(names.record(record('visit', 'ducks', 'birds'))).toMatchObject({ origin: { topic: 'birds', from: 'f' } });
  for (const kind of ['page', 'visit']) {
    const same = record(kind, 'birds', 'birds');
    expect(names.record(same)).toBe(same);
  }
});

test('what people decided for a topic goes with it, and stays as it is where that is gone', () => {
  const names = namesOf([{ name: 'birds', examples: [page('teal')] }], round({ ducks: ['teal'] }));
  const told = (command: unknown) => names.record({ kind: 'steer', command } as JournalRecord);
  const mark = (topic: string) => ({ kind: 'mark-topic', topic, good: true });
  const judge = (topic: string) => ({ kind: 'judge-page', judgement: { topic, page: 7 } });
  expect([mark('ducks'), mark('gone'), judge('ducks'), judge('gone'), { kind: 'pause' }].map(told)).toEqual(
    [mark('birds'), mark('gone'), judge('birds'), judge('gone'), { kind: 'pause' }].map((command) => ({
      kind: 'steer',
      command,
    })),
  );
});
