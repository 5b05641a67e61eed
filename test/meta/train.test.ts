import { describe, expect, it } from 'vitest';
import { type MetaRule, type SpaceName, type TopicId, type TrainingOrigin, topicTree } from '../../src/core/index.ts';
import { classify, encodeModels, prepareClassifier, type TrainedTopics } from '../../src/meta/index.ts';
import { bagOf } from '../learn/bags.ts';
import {
  classifierOf,
  DATABASES,
  ENOUGH,
  EVERYDAY,
  example,
  other,
  page,
  TWELVE,
  TWELVE_PAGES,
  train,
} from './topics.ts';

const ONE = [{ name: 'databases' }];
const ON_TOPIC = page('database transaction index storage the and');
const OFF_TOPIC = page('cheese wine butter bread the and');

function verdict(trained: TrainedTopics, features: ReturnType<typeof page>, rule: MetaRule = 'weighted'): string {
  const { topic, others } = classify(prepareClassifier(trained.models), features, rule);
  return others ? `OTHERS of ${topic}` : topic;
}

describe('a cold start', () => {
  it('accepts similar pages and rejects others, trained on three examples', () => {
    const trained = train(ONE, [...DATABASES, ...EVERYDAY]);
    expect(verdict(trained, ON_TOPIC)).toBe('databases');
    expect(verdict(trained, OFF_TOPIC)).toBe('OTHERS of ');
  });

  it('works from a single example', () => {
    const trained = train(ONE, [DATABASES[0]!, ...EVERYDAY]);
    expect(verdict(trained, ON_TOPIC)).toBe('databases');
    expect(verdict(trained, OFF_TOPIC)).toBe('OTHERS of ');
    expect(trained.estimates[0]).toMatchObject({ positives: 1, heldOutRecall: Number.NaN, exampleRank: Number.NaN });
    expect(trained.heldOut.get(DATABASES[0]!.key)).toBeNaN();
  });

  it('works from a query and three pages', () => {
    const trained = train(ONE, [example('databases', 'database recovery'), ...DATABASES, ...EVERYDAY]);
    expect(verdict(trained, page('database recovery log checkpoint'))).toBe('databases');
    expect(trained.estimates[0]).toMatchObject({ positives: 4, negatives: 12, heldOutMethod: 'leave-one-out' });
  });

  it('warns if nothing separates the topic from other pages, and still ranks', () => {
    const trained = train(ONE, DATABASES);
    expect(trained.warnings).toMatchObject([{ topic: 'databases', code: 'no-negatives' }]);
    expect(trained.estimates[0]).toMatchObject({ positives: 3, negatives: 0, heldOutAuc: Number.NaN });
    const classifier = prepareClassifier(trained.models);
    const relevance = (features: ReturnType<typeof page>): number =>
      classify(classifier, features, 'weighted').relevance;
    expect(relevance(ON_TOPIC)).toBeGreaterThan(relevance(OFF_TOPIC));
  });

  it('uses off-topic pages of the crawl in place of missing OTHERS', () => {
    const trained = train(ONE, DATABASES, { background: EVERYDAY.map(({ features }) => features) });
    expect(trained.warnings).toEqual([]);
    expect(trained.estimates[0]!.negatives).toBe(EVERYDAY.length);
    expect(verdict(trained, OFF_TOPIC)).toBe('OTHERS of ');
  });

  it('accepts no page without words of the query, however little it resembles OTHERS', () => {
    const query = { kind: 'text', name: 'query: sailing boats', text: 'sailing boats' } as const;
    const words = { ...example('boats', 'sailing boats'), key: query.name };
    const trained = train([{ name: 'boats', examples: [query] }], [words, ...EVERYDAY]);
    expect(verdict(trained, page('keel mast rudder harbour'))).toBe('OTHERS of ');
    expect(verdict(trained, page('sailing keel mast harbour'))).toBe('boats');
    const { svms } = trained.models;
    expect(svms[0]!.parts[0]!.values.every((weight) => weight >= 0)).toBe(true);
  });

  it('never assigns a page to a topic without examples, and reports the topic', () => {
    const trained = train([...ONE, { name: 'empty' }], [...DATABASES, ...EVERYDAY]);
    expect(trained.warnings).toMatchObject([{ topic: 'empty', code: 'no-examples' }]);
    expect(trained.estimates.map(({ topic }) => topic)).toEqual(['databases', 'empty']);
    expect(verdict(trained, ON_TOPIC)).toBe('databases');
  });

  it('handles a training set without examples', () => {
    const trained = train(ONE, EVERYDAY);
    expect(verdict(trained, ON_TOPIC)).toBe('OTHERS of ');
  });

  it('handles empty examples', () => {
    const trained = train(ONE, [example('databases', ''), ...DATABASES, ...EVERYDAY, other('')]);
    expect(verdict(trained, ON_TOPIC)).toBe('databases');
    expect(Number.isFinite(trained.estimates[0]!.heldOutAuc)).toBe(true);
  });
});

describe('a tree of topics', () => {
  const trained = train(TWELVE, [...TWELVE_PAGES, ...EVERYDAY]);

  it('trains every child of every inner node, with the pages of its subtree', () => {
    expect(trained.estimates.map(({ topic, positives }) => [topic, positives])).toContainEqual(['science', 12]);
    expect(trained.estimates.map(({ topic, positives }) => [topic, positives])).toContainEqual(['sport/b/y', 3]);
    expect(trained.estimates).toHaveLength(14);
  });

  it('uses the siblings and OTHERS as negatives', () => {
    const estimate = trained.estimates.find(({ topic }) => topic === 'science/a');
    expect(estimate!.negatives).toBe(6 + EVERYDAY.length);
  });

  it('leads a page down to its leaf', () => {
    const text = 'sport sportword sportb sportbword sportby sportbyword the new';
    expect(verdict(trained, page(text))).toBe('sport/b/y');
  });

  describe('whose inner topic has its own examples', () => {
    const topics = [{ name: 'physics' }, { name: 'biology' }];
    const examples = [
      ...['science history theory', 'science method theory'].map((text) => example('science', text)),
      ...['science quark energy', 'science energy field'].map((text) => example('science/physics', text)),
      ...['science cell gene', 'science gene species'].map((text) => example('science/biology', text)),
    ];
    const trainAs = (good: boolean): TrainedTopics =>
      train([{ name: 'science', good, topics }], [...examples, ...EVERYDAY]);

    it('assigns a page to a good inner topic if its children reject it', () => {
      expect(verdict(trainAs(true), page('science theory method history'))).toBe('science');
      expect(verdict(trainAs(true), page('science energy quark field'))).toBe('science/physics');
    });

    it('rejects a page at an inner topic that only leads to good topics', () => {
      expect(verdict(trainAs(false), page('science theory method history'))).toBe('OTHERS of science');
    });
  });

  it('keeps the pages of a subtopic if another gets many near-identical examples', () => {
    const topics = [{ name: 'nature', topics: [{ name: 'birds' }, { name: 'sharks' }] }];
    const birds = ['nest feather egg', 'feather wing song', 'wing egg flight'].map((text) =>
      example('nature/birds', `${text} female male`),
    );
    const sharks = Array.from({ length: 12 }, (_, n) =>
      example('nature/sharks', `shark fin jaw ocean gill prey tail deep n${n}`),
    );
    const fresh = page('male feather flight song perch migration winter');
    const verdictAfter = (given: number): string =>
      verdict(train(topics, [...birds, ...sharks.slice(0, given), ...EVERYDAY]), fresh);
    expect([2, 12].map(verdictAfter)).toEqual(['nature/birds', 'nature/birds']);
  });

  it('prefers OTHERS of the node itself to those of its ancestors', () => {
    const pages = [
      ...TWELVE_PAGES,
      ...EVERYDAY,
      other('science museum', 'science'),
      other('science fiction', 'science'),
    ];
    const estimate = train(TWELVE, pages).estimates.find(({ topic }) => topic === 'science/a');
    expect(estimate!.negatives).toBe(6 + 2);
  });
});

describe('held-out confidence', () => {
  const { heldOut, estimates } = train(ONE, [...DATABASES, ...EVERYDAY]);

  it('is known for every training page by key', () => {
    expect([...heldOut.keys()].sort()).toEqual([...DATABASES, ...EVERYDAY].map(({ key }) => key).sort());
  });

  it('ranks examples above OTHERS', () => {
    for (const { key } of DATABASES) expect(heldOut.get(key)).toBeGreaterThan(0.3);
    for (const { key } of EVERYDAY) expect(Math.abs(heldOut.get(key)!)).toBeLessThan(0.3);
  });

  it('gives no rank if no off-topic page was held out', () => {
    const { exampleRank } = train(ONE, [...DATABASES, EVERYDAY[0]!]).estimates[0]!;
    expect(exampleRank).toBeNaN();
  });

  it('computes the figures of the estimate', () => {
    expect(estimates[0]).toMatchObject({
      heldOutAuc: 1,
      exampleRank: 1,
      heldOutPrecision: 1,
      heldOutMethod: 'leave-one-out',
    });
  });
});

describe('training', () => {
  it('is reproducible bit by bit', () => {
    const bytes = (): Uint8Array => encodeModels(train(TWELVE, [...TWELVE_PAGES, ...EVERYDAY]).models);
    expect(bytes()).toEqual(bytes());
  });

  it('keeps the words of a topic strong: its own crawled pages do not count for idf', () => {
    const archetypes = Array.from({ length: 30 }, (_, i) =>
      example('databases', `database transaction page${i}`, 'archetype-by-confidence'),
    );
    const idfOf = (pages: Parameters<typeof train>[1]): number => {
      const [vocabulary] = train(ONE, pages).models.vocabularies;
      return vocabulary!.idf[vocabulary!.features.split('\n').indexOf('database')]!;
    };
    expect(idfOf([...DATABASES, ...archetypes, ...EVERYDAY])).toBe(idfOf([...DATABASES, ...EVERYDAY]));
  });

  it('fits the scale to the user’s examples, not to archetypes', () => {
    const archetypes = Array.from({ length: 10 }, (_, i) =>
      example('databases', `database transaction recovery index query n${i}`, 'archetype-by-confidence'),
    );
    const scaleOf = (origin: 'user' | 'archetype-by-confidence'): number =>
      train(ONE, [...DATABASES, ...archetypes.map((a) => ({ ...a, origin })), ...EVERYDAY]).models.svms[0]!.calibration
        .scale;
    expect(scaleOf('archetype-by-confidence')).toBeLessThan(scaleOf('user'));
  });

  it('copies the number of the model into assignments', () => {
    expect(classify(classifierOf(ONE, [...DATABASES, ...EVERYDAY]), ON_TOPIC, 'weighted').model).toBe(7);
  });

  it('keeps the tree in order, root first', () => {
    const { topics } = train(TWELVE, TWELVE_PAGES).models;
    expect(topics.map(({ id }) => id)).toEqual([...topicTree(TWELVE, []).nodes.keys()]);
    expect(topics[0]).toEqual({ id: '' as TopicId, parent: undefined, good: false });
  });
});

describe('archetypes', () => {
  it('count less than an example from the user', () => {
    const strays = ['tulip rose the', 'rose daisy the'];
    const scoreWith = (origin: TrainingOrigin): number => {
      const pages = [...DATABASES, ...strays.map((text) => example('databases', text, origin)), ...EVERYDAY];
      return classify(classifierOf(ONE, pages), page('rose tulip daisy'), 'weighted').scores[0]!.confidence;
    };
    expect(scoreWith('archetype-by-confidence')).toBeLessThan(scoreWith('user'));
  });
});

describe('likeness', () => {
  const like = example('databases', 'database transaction index storage query the and', 'archetype-by-confidence');
  const unlike = example('databases', 'zebra stripe savanna giraffe the and', 'archetype-by-authority');

  it('reports how similar an archetype is to the examples of the user alone', () => {
    const alone = train(ONE, [...DATABASES, ...EVERYDAY, like]).likeness;
    const { likeness } = train(ONE, [...DATABASES, ...EVERYDAY, like, unlike]);
    expect([...likeness.keys()].sort()).toEqual([like.key, unlike.key].sort());
    expect(likeness.get(like.key)).toBeGreaterThan(1);
    expect(likeness.get(unlike.key)).toBeLessThan(0.5);
    expect(alone.get(like.key)).toBeCloseTo(likeness.get(like.key)!, 1);
  });

  it('depends only on what the user gave: rejected pages of the crawl change nothing', () => {
    const rejected = Array.from({ length: 8 }, (_, i) => ({
      ...other(`transaction storage query n${i} the and`),
      origin: 'rejected' as const,
    }));
    const pages = [...DATABASES, ...ENOUGH, like];
    const without = train(ONE, pages).likeness.get(like.key)!;
    expect(train(ONE, [...pages, ...rejected]).likeness.get(like.key)).toBeCloseTo(without, 2);
  });

  it('is the mean over the spaces', () => {
    const anchored = [...DATABASES, ...EVERYDAY, like].map((one, i) => ({
      ...one,
      features: { ...one.features, anchors: bagOf(one.others ? `fun stuff${i}` : `database papers n${i}`) },
    }));
    const by = (...spaces: SpaceName[]): number => train(ONE, anchored, { config: { spaces } }).likeness.get(like.key)!;
    expect(by('terms', 'anchors')).toBeCloseTo((by('terms') + by('anchors')) / 2, 1);
  });

  it('is undefined for examples, and if the user gave no example', () => {
    const found = DATABASES.map((page) => ({ ...page, origin: 'archetype-by-authority' as const }));
    expect(train(ONE, [...found, ...EVERYDAY]).likeness.size).toBe(0);
    expect(train(ONE, [...DATABASES, ...EVERYDAY]).likeness.size).toBe(0);
  });
});
