import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashesOf, META_RULES } from '../../src/core/index.ts';
import { hash32, SECOND_SEED } from '../../src/kit/index.ts';
import { damp } from '../../src/learn/index.ts';
import { FeatureTable } from '../../src/meta/feature-table.ts';
import { classify, explain, linkWeights, prepareClassifier, topicTerms } from '../../src/meta/index.ts';
import { bagOf } from '../learn/bags.ts';
import { packCounts } from '../support/pack-counts.ts';
import { classifierOf, DATABASES, EVERYDAY, example, page, TWELVE, TWELVE_PAGES, weightsBy } from './topics.ts';

const ONE = [{ name: 'databases' }];
const pages = [...DATABASES, ...EVERYDAY];
const single = classifierOf(ONE, pages);
const tree = classifierOf(TWELVE, [...TWELVE_PAGES, ...EVERYDAY]);

const word = fc.constantFrom(
  'database',
  'transaction',
  'tea',
  'the',
  'science',
  'sporta',
  'sportax',
  'unknown',
  '__proto__',
);
const anyPage = fc.array(word, { maxLength: 12 }).map((words) => page(words.join(' ')));

describe('classify', () => {
  it('keeps relevance and probabilities in [0,1], one score per good topic, in tree order', () => {
    const good = [...tree.topics.values()].filter((topic) => topic.good).map(({ id }) => id);
    fc.assert(
      fc.property(anyPage, fc.constantFrom(...META_RULES), (features, rule) => {
        const { scores, relevance, confidence } = classify(tree, features, rule);
        expect(scores.map(({ topic }) => topic)).toEqual(good);
        for (const s of scores)
          for (const value of [s.relevance, s.bayes, s.cosine]) {
            expect(value).toBeGreaterThanOrEqual(0);
            expect(value).toBeLessThanOrEqual(1);
          }
        expect(relevance).toBe(Math.max(...scores.map((s) => s.relevance)));
        expect(Number.isFinite(confidence)).toBe(true);
      }),
    );
  });

  it('does not depend on the order of a page’s features', () => {
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 1 }), (words) => {
        const there = classify(tree, page(words.join(' ')), 'weighted');
        const back = classify(tree, page([...words].reverse().join(' ')), 'weighted');
        expect(back.topic).toBe(there.topic);
        expect(back.relevance).toBeCloseTo(there.relevance, 10);
      }),
    );
  });

  it('does not depend on the number of words if their shares are equal', () => {
    const once = classify(single, page('database tea'), 'weighted').scores[0]!;
    const again = classify(
      single,
      {
        terms: packCounts([
          ['database', 1],
          ['tea', 1],
        ]),
      },
      'weighted',
    ).scores[0]!;
    expect(again).toEqual(once);
  });

  it('finds an empty page irrelevant', () => {
    for (const features of [{}, page('')]) {
      expect(classify(single, features, 'weighted')).toMatchObject({ topic: '', others: true, relevance: 0 });
    }
  });

  it('accepts no page whose words have no weight, whatever the offset of the hyperplane', () => {
    const svms = single.models.svms.map((svm) => ({
      ...svm,
      parts: svm.parts.map((part) => ({ ...part, values: part.values.map(() => 0) })),
      bias: 5,
    }));
    const verdict = classify(prepareClassifier({ ...single.models, svms }), page('database'), 'weighted');
    expect([verdict.others, verdict.scores[0]?.calibrated]).toEqual([true, 0]);
    expect(verdict.confidence).toBeLessThan(0);
  });

  it('accepts no empty page under any rule and threshold', () => {
    for (const config of [{ calibrated: false }, { acceptThreshold: -1 }]) {
      const generous = classifierOf(ONE, [...DATABASES, EVERYDAY[0]!], { config });
      for (const rule of META_RULES) expect(classify(generous, page(''), rule).others).toBe(true);
    }
  });

  it('lowers the score of a page that also covers other subjects', () => {
    const score = (text: string): number => classify(single, page(text), 'weighted').scores[0]!.calibrated;
    expect(score('database index')).toBeGreaterThan(score('database index zebra giraffe lion'));
  });

  it('accepts above the threshold on the calibrated scale', () => {
    for (const acceptThreshold of [0.1, 3]) {
      const strict = classifierOf(ONE, pages, { config: { acceptThreshold } });
      const assignment = classify(strict, page('database transaction the film scene'), 'weighted');
      expect(assignment.others).toBe(assignment.scores[0]!.calibrated <= acceptThreshold);
    }
  });

  it('accepts at decision value 0 under the paper’s uncalibrated rules', () => {
    const paper = classifierOf(ONE, pages, { config: { calibrated: false } });
    fc.assert(
      fc.property(anyPage, (features) => {
        const { others, scores } = classify(paper, features, 'majority');
        expect(others).toBe(!(scores[0]!.confidence > 0));
      }),
    );
  });

  it('accepts too few pages under the uncalibrated rules, unlike the calibrated ones', () => {
    const features = page('database storage disk block page file sector');
    const paper = classifierOf(ONE, pages, { config: { calibrated: false } });
    expect(classify(paper, features, 'weighted').others).toBe(true);
    expect(classify(single, features, 'weighted').others).toBe(false);
  });

  it('is at most as relevant to a leaf as to every node above it', () => {
    const { scores } = classify(tree, page('sportax sportaxword the'), 'weighted');
    const leaf = scores.find(({ topic }) => topic === 'sport/a/x')!;
    expect(leaf.relevance).toBeLessThanOrEqual(leaf.calibrated);
    expect(leaf.bayes).toBeLessThanOrEqual(1);
  });

  it('multiplies naive Bayes down the path, so that leaves and OTHERS sum to one', () => {
    fc.assert(
      fc.property(anyPage, (features) => {
        const sum = classify(tree, features, 'weighted').scores.reduce((total, { bayes }) => total + bayes, 0);
        expect(sum).toBeLessThanOrEqual(1 + 1e-9);
      }),
    );
  });

  it('measures the cosine to the user’s examples', () => {
    const alone = classifierOf(ONE, [DATABASES[0]!, ...EVERYDAY]);
    expect(classify(alone, DATABASES[0]!.features, 'weighted').scores[0]!.cosine).toBeCloseTo(1, 5);
    expect(classify(alone, page('zebra'), 'weighted').scores[0]!.cosine).toBe(0);
  });

  it('measures it to the centre of several examples, whatever their length', () => {
    const examples = ['database '.repeat(9), 'zebra stripe savanna giraffe'].map((text) => example('databases', text));
    const both = classifierOf(ONE, [...examples, ...EVERYDAY]);
    for (const { features } of examples)
      expect(classify(both, features, 'weighted').scores[0]!.cosine).toBeCloseTo(Math.SQRT1_2, 4);
  });

  it('gives a page without known words the share of its topic among the training pages', () => {
    const { bayes } = classify(single, page('zebra'), 'weighted').scores[0]!;
    expect(bayes).toBeCloseTo(DATABASES.length / pages.length, 6);
  });

  it('calibrates naive Bayes: OTHERS near 0, examples above new pages of the topic', () => {
    const placed = ({ features }: (typeof pages)[number]): number =>
      classify(single, features, 'weighted').scores[0]!.bayesCalibrated;
    for (const given of DATABASES) {
      expect(placed(given)).toBeGreaterThan(1);
      expect(placed(given)).toBeLessThan(20);
    }
    for (const given of EVERYDAY) expect(Math.abs(placed(given))).toBeLessThan(5);
  });

  it('assigns a page that several siblings accept to the most similar one', () => {
    const topics = [{ name: 'lakes' }, { name: 'seas' }];
    const examples = [
      ...['lake trout reed', 'lake reed shore', 'lake shore trout'].map((text) => example('lakes', text)),
      ...['sea whale tide', 'sea tide salt', 'sea salt whale'].map((text) => example('seas', text)),
    ];
    for (const order of [topics, topics.toReversed()]) {
      const water = classifierOf(order, [...examples, ...EVERYDAY], { config: { acceptThreshold: 0.05 } });
      const topicOf = (text: string): string => {
        const { topic, scores } = classify(water, page(text), 'weighted');
        expect(scores.map(({ calibrated }) => calibrated > 0.1)).toEqual([true, true]);
        return topic;
      };
      expect(topicOf('lake trout reed shore sea tide')).toBe('lakes');
      expect(topicOf('lake trout sea tide salt whale')).toBe('seas');
    }
  });
});

describe('several feature spaces', () => {
  const spaces = ['terms', 'anchors'] as const;
  const withAnchors = pages.map((p) => ({
    ...p,
    features: { ...p.features, anchors: bagOf(p.others ? 'next page' : 'database systems') },
  }));
  const classifier = classifierOf(ONE, withAnchors, { config: { spaces } });
  const ours = page('database transaction recovery index');

  it('asks one classifier per space', () => {
    const { votes } = explain(classifier, { ...ours, anchors: bagOf('database') }, DATABASES[0]!.topic, 5)!;
    expect(votes.map(({ space }) => space)).toEqual(['terms', 'anchors', 'naive-bayes']);
  });

  it('lets a classifier abstain if its space is empty on the page', () => {
    const { votes } = explain(classifier, ours, DATABASES[0]!.topic, 5)!;
    expect(votes.map(({ space }) => space)).toEqual(['terms', 'naive-bayes']);
  });

  it('requires all votes under the unanimous rule', () => {
    const torn = { ...ours, anchors: bagOf('next page') };
    expect(classify(classifier, torn, 'unanimous').others).toBe(true);
    expect(classify(classifier, { ...ours, anchors: bagOf('database') }, 'unanimous').others).toBe(false);
  });

  it('joins spaces into one classifier if the name says so', () => {
    const joined = classifierOf(ONE, withAnchors, { config: { spaces: ['terms+anchors'] as never } });
    const score = (anchors: string): number =>
      classify(joined, { ...ours, anchors: bagOf(anchors) }, 'weighted').scores[0]!.calibrated;
    expect(score('database systems')).toBeGreaterThan(score('next page'));
  });
});

describe('explain', () => {
  const topic = DATABASES[0]!.topic;

  it('explains the whole confidence: contributions and bias add up to it', () => {
    const features = page('database tea transaction cake the unknown');
    const { confidence } = classify(single, features, 'weighted').scores[0]!;
    const terms = explain(single, features, topic, 100)!;
    const sum = [...terms.for, ...terms.against].reduce((total, { contribution }) => total + contribution, 0);
    const { bias, calibration } = single.models.svms[0]!;
    const moved = calibration.zero + single.models.acceptThreshold * calibration.scale;
    expect(sum + bias - moved).toBeCloseTo(confidence, 5);
  });

  it('attributes nothing to a space that is empty on the page', () => {
    const anchored = pages.map((p) => ({ ...p, features: { ...p.features, anchors: bagOf('database systems') } }));
    const several = classifierOf(ONE, anchored, { config: { spaces: ['terms', 'anchors'] } });
    const features = page('database tea transaction cake the unknown');
    expect(explain(several, features, topic, 3)!.for).toEqual(explain(single, features, topic, 3)!.for);
  });

  it('accepts a page exactly if its confidence is positive', () => {
    for (const text of ['database transaction index', 'tea cake', 'database tea', 'unknown words only']) {
      const { others, scores } = classify(single, page(text), 'weighted');
      expect(scores[0]!.confidence > 0, text).toBe(!others);
    }
  });

  it('names the strongest terms for and against, strongest first', () => {
    const terms = explain(single, page('database tea transaction log'), topic, 2)!;
    expect(terms.for).toHaveLength(2);
    expect(terms.for[0]!.contribution).toBeGreaterThanOrEqual(terms.for[1]!.contribution);
    expect(terms.against.map(({ feature }) => feature)).toEqual(['tea']);
    const all = explain(single, page('database tea transaction log'), topic, 10)!;
    expect(all.for.every(({ contribution }) => contribution > 0)).toBe(true);
    expect(all.against.every(({ contribution }) => contribution < 0)).toBe(true);
  });

  it('shows which classifiers accept the page, by calibrated scale and paper rules', () => {
    const plain = classifierOf(ONE, pages, { config: { calibrated: false } });
    for (const classifier of [single, plain])
      for (const [text, accepts] of [
        ['database transaction recovery log index the and', true],
        ['tea cake bread butter the and', false],
      ] as const) {
        const { votes } = explain(classifier, page(text), topic, 1)!;
        expect(votes.map((vote) => [vote.space, vote.accepts])).toEqual([
          ['terms', accepts],
          ['naive-bayes', accepts],
        ]);
      }
  });

  it('returns nothing for a topic without a classifier', () => {
    expect(explain(single, page('tea'), 'nowhere' as typeof topic, 5)).toBeUndefined();
  });
});

describe('topicTerms and linkWeights', () => {
  const topic = DATABASES[0]!.topic;

  it('lists the terms for and against a topic', () => {
    const terms = topicTerms(single, topic, 3);
    expect(
      terms.for
        .map(({ feature }) => feature)
        .slice(0, 2)
        .sort(),
    ).toEqual(['database', 'transaction']);
    expect(terms.against.every(({ contribution }) => contribution < 0)).toBe(true);
  });

  it('weights the words of a link by the slope of the calibrated scale', () => {
    const weights = weightsBy(linkWeights(single.models, [topic]));
    const [svm] = single.models.svms;
    const { calibrated } = classify(single, page('database'), 'weighted').scores[0]!;
    const zero = (svm!.bias - svm!.calibration.zero) / svm!.calibration.scale;
    const { idf } = single.spaces[0]!;
    const length = idf[single.spaces[0]!.names.indexOf('database')]!;
    expect(calibrated).toBeCloseTo(zero + (weights.get('database')! * damp(1)) / length, 4);
  });

  it('is empty for an unknown topic', () => {
    const nowhere = 'nowhere' as typeof topic;
    expect(linkWeights(single.models, [nowhere]).hashes).toHaveLength(0);
  });

  it('spreads over the path in a tree', () => {
    const leaf = 'sport/a/x' as typeof topic;
    const weights = weightsBy(linkWeights(tree.models, [leaf]));
    expect(weights.get('sport')).toBeGreaterThan(0);
    expect(weights.get('sportax')).toBeGreaterThan(0);
    expect(weights.get('sportay')).toBeLessThan(0);
  });

  it('gives a word the weight of the topic that it favours most', () => {
    const leaves = ['sport/a/x', 'sport/a/y'] as (typeof topic)[];
    const [x, y, both] = [[leaves[0]!], [leaves[1]!], leaves].map((topics) =>
      weightsBy(linkWeights(tree.models, topics)).get('sportay'),
    );
    expect(x).toBeLessThan(y!);
    expect(both).toBe(y);
  });
});

describe('hashes of features', () => {
  it('gives each name two hashes, whatever its letters', () => {
    const names = ['a', 'über', '中文', '😀 x', 'z'];
    const hashes = hashesOf({ features: names.join('\n'), counts: new Uint16Array(names.length) });
    expect([...hashes]).toEqual(names.flatMap((name) => [hash32(name), hash32(name, SECOND_SEED)]));
  });
});

describe('feature table', () => {
  it('finds every name by its hashes, and no other', () => {
    const names = Array.from({ length: 3_000 }, (_, i) => `name${i}`);
    const table = new FeatureTable(names.join('\n'), names.length);
    const find = (name: string): number => {
      const [first, second] = hashesOf({ features: name, counts: Uint16Array.of(1) });
      return table.find(first!, second!);
    };
    expect(names.map(find)).toEqual(names.map((_, i) => i));
    expect(names.map((name) => find(`${name} else`))).toEqual(names.map(() => -1));
    expect(new FeatureTable('', 0).find(1, 2)).toBe(-1);
    const asked = [...names, 'unknown', ...names.map((name) => `${name}?`)];
    const hashes = hashesOf({ features: asked.join('\n'), counts: new Uint16Array(asked.length) });
    const found = new Int32Array(asked.length);
    table.findAll(hashes, asked.length, found);
    expect([...found]).toEqual(asked.map((name) => names.indexOf(name)));
  });
});
