import { describe, expect, test } from 'vitest';
import {
  type Assignment,
  type Example,
  type ExamplePlaces,
  type JournalRecord,
  parseTopicId,
  type RoundRecord,
  type TopicSpec,
  type TopicTree,
  topicTree,
} from '../../../src/core/index.ts';
import { TopicNames } from '../../../src/engine/steering/topic-names.ts';

const page = (name: string): Example => ({ kind: 'url', url: `http://a.test/${name}` });
const id = parseTopicId;

/** A round of an older tree: the pages that it learned each topic from. */
function round(topics: Record<string, readonly string[]>, origin = 'user'): RoundRecord {
  const training = Object.entries(topics).flatMap(([topic, names]) =>
    names.map((name) => ({ key: name.includes(':') ? name : `http://a.test/${name}`, topic, origin })),
  );
  return { kind: 'round', training, boosted: [], estimates: [], links: [] } as unknown as RoundRecord;
}

function namesOf(tree: Parameters<typeof topicTree>[0], before: RoundRecord): TopicNames {
  const names = new TopicNames(topicTree(tree, []), [{ key: 'query: owls', topic: id('owls') }]);
  names.note(before);
  return names;
}

test('maps a removed topic to the one that has most of its examples now', () => {
  const tree = [
    { name: 'ducks', examples: [page('teal')] },
    { name: 'fowl', examples: [page('hen'), page('turkey')] },
  ];
  const names = namesOf(tree, round({ birds: ['teal', 'hen', 'turkey'] }));
  expect(names.kept(id('birds'))).toBe('fowl');
});

test('a moved topic takes its subtopics along, and renamed parents, too', () => {
  const tree = [{ name: 'fauna', topics: [{ name: 'birds', examples: [page('hen')] }] }];
  const names = namesOf(tree, round({ 'animals/birds': ['hen'] }));
  expect(['animals/birds', 'animals/birds/ducks', 'animals'].map((topic) => names.kept(id(topic)))).toEqual([
    'fauna/birds',
    'fauna/birds',
    'fauna',
  ]);
});

test('recognises a topic learned from a query by that query', () => {
  expect(namesOf([{ name: 'owls' }], round({ birds: ['query: owls'] })).kept(id('birds'))).toBe('owls');
});

test('maps a topic without remaining examples to its parent', () => {
  const tree = [{ name: 'animals', topics: [{ name: 'fish', examples: [page('cod')] }] }];
  const names = namesOf(tree, round({ 'animals/birds': ['hen'] }));
  expect([names.kept(id('animals/birds')), names.kept(id('stones'))]).toEqual(['animals', '']);
  expect(names.renamed(id('animals/birds'))).toBeUndefined();
});

test('a page of OTHERS that became an example does not rename its topic', () => {
  const tree = [{ name: 'birds', examples: [page('hen')] }];
  expect(namesOf(tree, round({ animals: ['hen'] }, 'others')).kept(id('animals'))).toBe('');
});

test('a verdict on merged topics has one score for them', () => {
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

test('hubs and authorities of a round move to the current topics', () => {
  const names = namesOf([{ name: 'birds', examples: [page('hen'), page('teal')] }], round({ ducks: ['teal'] }));
  const link = (topic: string, url: string) => ({ topic, url, hub: 0, authority: 1 });
  const links = [link('ducks', 'a'), link('birds', 'a'), link('birds', 'b'), link('gone', 'c')];
  const told = names.record({ ...round({}), links } as unknown as RoundRecord);
  expect(told).toMatchObject({ links: [link('birds', 'a'), link('birds', 'b')] });
});

test('links of hubs are followed for the current topics', () => {
  const names = namesOf([{ name: 'birds', examples: [page('teal')] }], round({ ducks: ['teal'] }));
  const boosted = ['ducks', 'birds', 'gone'].map((topic) => ({ url: topic, topic, from: 'hub' }));
  expect(names.record({ ...round({}), boosted } as unknown as RoundRecord)).toMatchObject({
    boosted: [
      { url: 'ducks', topic: 'birds', from: 'hub' },
      { url: 'birds', topic: 'birds', from: 'hub' },
    ],
  });
});

test('pages and visits move to the current topics; unchanged records stay as they are', () => {
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

test('decisions of the user move with their topic, and stay if it is removed', () => {
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

describe('a name that another topic has now', () => {
  const x = page('x');
  const y = page('y');
  const SWAPPED = topicTree(
    [
      { name: 'ducks', examples: [y] },
      { name: 'owls', examples: [x] },
    ],
    [],
  );
  const at = (from: number, topics: Record<string, readonly string[]>): ExamplePlaces => {
    const pages = Object.entries(topics).flatMap(([topic, names]) =>
      names.map((name) => [`http://a.test/${name}`, id(topic)] as const),
    );
    return { from, steersFrom: from, places: new Map(pages) };
  };
  /** Names of a journal of ten records. */
  const foreseen = (tree: TopicTree, ...rounds: ExamplePlaces[]): TopicNames => {
    const names = new TopicNames(tree);
    names.foresee(rounds);
    names.note({ kind: 'phase', sequence: 10 } as JournalRecord);
    return names;
  };
  const named = (names: TopicNames, topics: readonly string[], sequence = 10): unknown =>
    topics.map((topic) => names.renamed(id(topic), sequence));

  test('is resolved by its examples: two topics swap their names', () => {
    const names = foreseen(SWAPPED, at(1, { ducks: ['x'], owls: ['y'] }));
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

  test('has its current meaning after the journal that was read', () => {
    const names = foreseen(SWAPPED, at(1, { ducks: ['x'], owls: ['y'] }));
    expect([names.renamed(id('ducks'), 11), names.renamed(id('ducks'))]).toEqual(['ducks', 'ducks']);
  });

  test('means another topic before the edit than after it, in a chain of renames', () => {
    const tree = topicTree(
      [
        { name: 'owls', examples: [x] },
        { name: 'geese', examples: [y] },
      ],
      [],
    );
    const rounds = [at(1, { ducks: ['x'], owls: ['y'] }), at(4, { ducks: ['x'], geese: ['y'] })];
    const names = foreseen(tree, ...rounds, at(7, { owls: ['x'], geese: ['y'] }));
    expect(named(names, ['ducks', 'owls'], 3)).toEqual(['owls', 'geese']);
    expect(named(names, ['ducks', 'geese'], 5)).toEqual(['owls', 'geese']);
    expect(named(names, ['owls', 'geese'], 8)).toEqual(['owls', 'geese']);
  });

  test('takes the subtopics along', () => {
    const tree = topicTree(
      [
        { name: 'birds', topics: [{ name: 'trees', examples: [y] }] },
        { name: 'plants', topics: [{ name: 'owls', examples: [x] }] },
      ],
      [],
    );
    const names = foreseen(tree, at(1, { 'birds/owls': ['x'], 'plants/trees': ['y'] }));
    expect(named(names, ['birds', 'birds/owls', 'plants'])).toEqual(['plants', 'plants/owls', 'birds']);
    expect(names.kept(id('birds/gone'), 10)).toBe('plants');
  });

  test('stays with the topic while one of its examples is left, or none has moved', () => {
    const keeping: (readonly TopicSpec[])[] = [
      [
        { name: 'ducks', examples: [x, page('b')] },
        { name: 'owls', examples: [page('a')] },
      ],
      [{ name: 'ducks', topics: [{ name: 'teals', examples: [x, page('a')] }] }],
      [{ name: 'ducks', examples: [page('new')] }],
      [
        { name: 'ducks', examples: [page('new')] },
        { name: 'teals', examples: [x] },
        { name: 'mallards', examples: [page('a')] },
      ],
      [
        { name: 'ducks', examples: [page('new')] },
        { name: 'owls', examples: [x, page('a'), y] },
      ],
    ];
    for (const tree of keeping) {
      const names = foreseen(topicTree(tree, []), at(1, { ducks: ['x', 'a'], owls: ['y', 'b'] }));
      expect(names.renamed(id('ducks'), 10)).toBe('ducks');
    }
  });

  test('belongs to a new topic if all examples are under another new name', () => {
    const tree = topicTree(
      [
        { name: 'ducks', examples: [page('new')] },
        { name: 'teals', examples: [x] },
      ],
      [],
    );
    expect(named(foreseen(tree, at(1, { ducks: ['x'] })), ['ducks'])).toEqual(['teals']);
  });

  test('is remembered while the topic is out of the tree', () => {
    const tree = topicTree(
      [
        { name: 'owls', examples: [x] },
        { name: 'geese', examples: [y] },
      ],
      [],
    );
    const names = foreseen(tree, at(1, { ducks: ['x'], owls: ['y'] }), at(4, { owls: ['y'] }));
    expect(named(names, ['ducks', 'owls'], 3)).toEqual(['owls', 'geese']);
  });

  test('means in a table what the last edit made of it, or its last meaning if removed', () => {
    const edited = foreseen(SWAPPED, at(1, { ducks: ['x'], owls: ['y'] }));
    expect(['ducks', 'owls/barn', '', 'stones'].map((topic) => edited.ofTables(id(topic)))).toEqual([
      ...['owls', 'owls/barn', '', 'stones'],
    ]);
    const learned = foreseen(SWAPPED, at(1, { drakes: ['y'], owls: ['x'] }), at(5, { ducks: ['y'], owls: ['x'] }));
    expect(['ducks', 'owls', 'drakes'].map((topic) => learned.ofTables(id(topic)))).toEqual(['ducks', 'owls', 'ducks']);
  });
});
