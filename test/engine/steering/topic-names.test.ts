import { describe, expect, test } from 'vitest';
import {
  type Assignment,
  type JournalRecord,
  parseTopicId,
  type RoundRecord,
  type TopicPaths,
  type TopicSpec,
  topicTree,
} from '../../../src/core/index.ts';
import { TopicNames } from '../../../src/engine/steering/topic-names.ts';

const id = parseTopicId;
const ROUND = { kind: 'round', sequence: 9, training: [], boosted: [], estimates: [], links: [] } as const;

/** Builds a tree from the paths of its topics: parents first. */
function treeOf(...paths: readonly string[]) {
  const specs = (parent: string): TopicSpec[] =>
    paths
      .filter((path) => path.slice(0, Math.max(0, path.lastIndexOf('/'))) === parent)
      .map((path) => ({ name: path.slice(path.lastIndexOf('/') + 1), topics: specs(path) }));
  return topicTree(specs(''), []);
}

function pathsOf(topics: Record<string, string>): TopicPaths {
  return new Map(Object.entries(topics).map(([key, path]) => [key, id(path)]));
}

/** Names for a tree that has all topics of a mapping from ids. */
function namesOf(topics: Record<string, string>, ...more: readonly string[]): TopicNames {
  const paths = [...new Set([...Object.values(topics), ...more])].filter((path) => path !== '').sort();
  return new TopicNames(treeOf(...paths), pathsOf(topics));
}

/** Ducks were merged into birds after record 9. */
const MERGED = (): TopicNames => namesOf({ ducks: 'birds', birds: 'birds' });

function note(
  names: TopicNames,
  ...namings: readonly (readonly [sequence: number, id: string, topic: string])[]
): void {
  for (const [sequence, key, topic] of namings) names.note({ sequence, id: key, topic: id(topic) });
}

test('maps a renamed topic, its subtopics and its parents to their current paths', () => {
  const names = namesOf({ animals: 'fauna', 'animals/birds': 'fauna/birds' });
  const asked = ['animals/birds', 'animals/birds/ducks', 'animals', 'stones', ''];
  expect(asked.map((topic) => names.kept(id(topic), 9))).toEqual(['fauna/birds', 'fauna/birds', 'fauna', '', '']);
});

test('maps a removed topic to its parent', () => {
  const names = namesOf({ animals: 'animals', 'animals/birds': '' });
  expect([names.kept(id('animals/birds'), 9), names.renamed(id('animals/birds'), 9)]).toEqual(['animals', undefined]);
});

test('lists the changes that the journal lacks, once', () => {
  const names = namesOf({ ducks: 'owls', owls: '', geese: 'geese' });
  expect(names.areFixed).toBe(false);
  expect(names.unrecorded()).toEqual([
    { id: 'ducks', topic: 'owls' },
    { id: 'owls', topic: '' },
  ]);
  note(names, [3, 'ducks', 'owls'], [4, 'owls', '']);
  expect(names.unrecorded()).toEqual([]);
  expect(namesOf({ geese: 'geese' }).areFixed).toBe(true);
});

test('takes the current paths from the journal if nothing else knows them', () => {
  const names = new TopicNames(treeOf('fowl'));
  note(names, [3, 'birds', 'fowl']);
  expect([names.renamed(id('birds'), 2), names.renamed(id('fowl'), 5), names.unrecorded()]).toEqual([
    ...['fowl', 'fowl'],
    [],
  ]);
});

test('a verdict on merged topics has one score for them', () => {
  const names = MERGED();
  const scores = [
    { topic: 'ducks', calibrated: 1 },
    { topic: 'birds', calibrated: 0 },
    { topic: 'gone', calibrated: 0 },
  ];
  const verdict = { topic: 'ducks', others: false, scores } as unknown as Assignment;
  expect(names.assignment(verdict, 9)).toEqual({
    topic: 'birds',
    others: false,
    scores: [{ topic: 'birds', calibrated: 1 }],
  });
});

test('hubs and authorities of a round move to the current topics', () => {
  const names = MERGED();
  const link = (topic: string, url: string) => ({ topic, url, hub: 0, authority: 1 });
  const links = [link('ducks', 'a'), link('birds', 'a'), link('birds', 'b'), link('gone', 'c')];
  const told = names.record({ ...ROUND, links } as unknown as RoundRecord);
  expect(told).toMatchObject({ links: [link('birds', 'a'), link('birds', 'b')] });
});

test('links of hubs are followed for the current topics', () => {
  const names = MERGED();
  const boosted = ['ducks', 'birds', 'gone'].map((topic) => ({ url: topic, topic, from: 'hub' }));
  expect(names.record({ ...ROUND, boosted } as unknown as RoundRecord)).toMatchObject({
    boosted: [
      { url: 'ducks', topic: 'birds', from: 'hub' },
      { url: 'birds', topic: 'birds', from: 'hub' },
    ],
  });
});

test('pages and visits move to the current topics; unchanged records stay as they are', () => {
  const names = MERGED();
  const verdict = (topic: string) => ({ topic, others: false, scores: [{ topic }] });
  const record = (kind: string, topic: string, judged: string) =>
    ({ kind, sequence: 9, origin: { topic, from: 'f' }, assignment: verdict(judged) }) as unknown as JournalRecord;
  expect(names.record(record('page', 'ducks', 'birds'))).toEqual(record('page', 'birds', 'birds'));
  expect(names.record(record('page', 'birds', 'ducks'))).toEqual(record('page', 'birds', 'birds'));
  expect(names.record(record('visit', 'ducks', 'birds'))).toMatchObject({ origin: { topic: 'birds', from: 'f' } });
  for (const kind of ['page', 'visit']) {
    const same = record(kind, 'birds', 'birds');
    expect(names.record(same)).toBe(same);
  }
});

test('decisions of the user move with their topic, and stay if it is removed', () => {
  const names = MERGED();
  const told = (command: unknown) => names.record({ kind: 'steer', sequence: 9, command } as JournalRecord);
  const mark = (topic: string) => ({ kind: 'mark-topic', topic, good: true });
  const judge = (topic: string) => ({ kind: 'judge-page', judgement: { topic, page: 7 } });
  expect([mark('ducks'), mark('gone'), judge('ducks'), judge('gone'), { kind: 'pause' }].map(told)).toEqual(
    [mark('birds'), mark('gone'), judge('birds'), judge('gone'), { kind: 'pause' }].map((command) => ({
      kind: 'steer',
      sequence: 9,
      command,
    })),
  );
});

describe('a name that another topic has now', () => {
  const SWAPPED = { ducks: 'owls', owls: 'ducks' };
  const named = (names: TopicNames, topics: readonly string[], sequence = 9): unknown =>
    topics.map((topic) => names.renamed(id(topic), sequence));

  test('is resolved by the id: two topics swap their names', () => {
    const names = namesOf(SWAPPED);
    expect(named(names, ['ducks', 'owls'])).toEqual(['owls', 'ducks']);
    const judged = { kind: 'judge-page', judgement: { topic: 'ducks' } };
    expect(names.record({ kind: 'steer', sequence: 9, command: judged } as unknown as JournalRecord)).toMatchObject({
      command: { judgement: { topic: 'owls' } },
    });
    const verdict = { topic: 'ducks', others: false, scores: [{ topic: 'ducks' }, { topic: 'owls' }] };
    expect(names.assignment(verdict as unknown as Assignment, 9)).toMatchObject({
      topic: 'owls',
      scores: [{ topic: 'owls' }, { topic: 'ducks' }],
    });
  });

  test('has its current meaning after the record of the change', () => {
    const names = namesOf(SWAPPED);
    note(names, [10, 'ducks', 'owls'], [11, 'owls', 'ducks']);
    expect([names.renamed(id('ducks'), 12), names.renamed(id('ducks'))]).toEqual(['ducks', 'ducks']);
    expect(named(names, ['ducks', 'owls'])).toEqual(['owls', 'ducks']);
  });

  test('means another topic before the change than after it, in a chain of renames', () => {
    const names = namesOf({ ducks: 'owls', owls: 'geese' });
    note(names, [4, 'owls', 'geese'], [7, 'ducks', 'owls']);
    expect(named(names, ['ducks', 'owls'], 3)).toEqual(['owls', 'geese']);
    expect(named(names, ['ducks', 'geese', 'owls'], 5)).toEqual(['owls', 'geese', undefined]);
    expect(named(names, ['owls', 'geese'], 8)).toEqual(['owls', 'geese']);
  });

  test('belongs to a topic added later, with an id of its own', () => {
    const names = namesOf({ ducks: 'teals', 'ducks#2': 'ducks' });
    note(names, [4, 'ducks', 'teals'], [5, 'ducks#2', 'ducks']);
    expect([...(named(names, ['ducks'], 3) as []), ...(named(names, ['ducks', 'teals'], 6) as [])]).toEqual([
      ...['teals', 'ducks', 'teals'],
    ]);
  });

  test('does not return the pages and decisions of a removed topic', () => {
    const names = namesOf({ ducks: '', owls: 'ducks' });
    const judged = { kind: 'judge-page', judgement: { topic: 'ducks' } };
    expect(names.record({ kind: 'steer', sequence: 9, command: judged } as unknown as JournalRecord)).toMatchObject({
      command: { judgement: { topic: 'ducks (removed)' } },
    });
    expect([names.kept(id('ducks'), 9), names.ofTables(id('ducks')), names.ofTables(id('owls'))]).toEqual([
      ...['', 'ducks (removed)', 'ducks'],
    ]);
  });

  test('means in a table what the last change made of it, or its last meaning if that is gone', () => {
    const edited = namesOf(SWAPPED);
    expect(['ducks', 'owls', '', 'stones'].map((topic) => edited.ofTables(id(topic)))).toEqual([
      ...['owls', 'ducks', '', 'stones'],
    ]);
    const learned = namesOf({ drakes: 'owls', owls: 'ducks' });
    note(learned, [5, 'drakes', 'owls'], [6, 'owls', 'ducks']);
    expect(['ducks', 'owls', 'drakes'].map((topic) => learned.ofTables(id(topic)))).toEqual(['ducks', 'owls', 'owls']);
  });
});
