import { describe, expect, it } from 'vitest';
import { type DocumentFeatures, type SpaceName, type TopicId, unpackCounts } from '../../src/core/index.ts';
import type { TrainingPage } from '../../src/learn/index.ts';
import { classify, explain, linkWeights, prepareClassifier, topicTerms } from '../../src/meta/index.ts';
import { bagOf } from '../learn/bags.ts';
import { classifierOf, DATABASES, ENOUGH, EVERYDAY, other, page, train, weightsBy } from './topics.ts';

const ONE = [{ name: 'databases' }];
const TOPIC = 'databases' as TopicId;

/** Copies the pages and adds anchors. */
function withAnchors(pages: readonly TrainingPage[], anchors: (i: number) => string): TrainingPage[] {
  return pages.map((one, i) => ({ ...one, features: { ...one.features, anchors: bagOf(anchors(i)) } }));
}

function spacesOf(spaces: readonly SpaceName[], pages: readonly TrainingPage[]): [string, number][] {
  return train(ONE, pages, { config: { spaces } }).models.svms.map(({ space, parts }) => [space, parts.length]);
}

const ANCHORED = [...withAnchors(DATABASES, () => 'database papers'), ...withAnchors(EVERYDAY, (i) => `fun stuff${i}`)];

describe('feature spaces', () => {
  it('train one classifier each; joined spaces train one together', () => {
    expect(spacesOf(['terms', 'anchors', 'terms+anchors'], ANCHORED)).toEqual([
      ['terms', 1],
      ['anchors', 1],
      ['terms+anchors', 2],
    ]);
  });

  it('wait until most pages on both sides have features, so that emptiness is no signal', () => {
    const unknown = [...DATABASES, ...withAnchors(EVERYDAY, () => 'fun')];
    expect(spacesOf(['pairs', 'terms+anchors', 'anchors'], unknown)).toEqual([['terms', 1]]);
    const few = [...withAnchors(DATABASES, (i) => (i < 2 ? 'database' : '')), ...withAnchors(EVERYDAY, () => 'fun')];
    expect(spacesOf(['terms', 'anchors'], few)).toHaveLength(2);
  });

  it('share one vote if they hold the same features', () => {
    const unknown = [...DATABASES, ...withAnchors(EVERYDAY, () => 'fun')];
    expect(spacesOf(['terms', 'anchors', 'terms+anchors'], unknown)).toEqual([['terms', 1]]);
  });

  it('always leave one of them to decide', () => {
    expect(spacesOf(['anchors', 'pairs'], [...DATABASES, ...EVERYDAY])).toEqual([['anchors', 1]]);
  });

  it('vote if the words of the page itself cannot', () => {
    const classifier = classifierOf(ONE, ANCHORED, { config: { spaces: ['terms', 'anchors'] } });
    const wordless: DocumentFeatures = { terms: bagOf(''), anchors: bagOf('database papers') };
    expect(classify(classifier, wordless, 'weighted')).toMatchObject({ topic: TOPIC, others: false });
    expect(explain(classifier, wordless, TOPIC, 3)!.for[0]).toMatchObject({ space: 'anchors' });
  });

  it('list a word once among the strongest if several weight it', () => {
    const classifier = classifierOf(ONE, ANCHORED, { config: { spaces: ['terms', 'anchors', 'terms+anchors'] } });
    const named = ({ space, feature }: { space: string; feature: string }): string => `${space} ${feature}`;
    const { for: terms } = explain(classifier, ANCHORED[0]!.features, TOPIC, 50)!;
    expect(new Set(terms.map(named)).size).toBe(terms.length);
    const { for: strongest } = topicTerms(classifier, TOPIC, 50);
    expect(new Set(strongest.map(named)).size).toBe(strongest.length);
    expect(strongest.map(named)).toContain('anchors database');
  });

  it('rate words of links for the frontier also if joined with others', () => {
    const { models } = classifierOf(ONE, ANCHORED, { config: { spaces: ['terms+anchors'] } });
    const weights = weightsBy(linkWeights(models, [TOPIC]));
    expect(weights.get('transaction')).toBeGreaterThan(0);
    expect(weights.get('papers')).toBeUndefined();
  });
});

describe('terms joined with the lead', () => {
  const both = [...DATABASES, ...EVERYDAY].map((one) => ({
    ...one,
    features: { ...one.features, lead: one.features.terms! },
  }));
  const joined = classifierOf(ONE, both, { config: { calibrated: false, spaces: ['terms+lead'] } });

  it('give the lead .3 of the weight of the terms', () => {
    const { models, spaces } = joined;
    const { parts } = models.svms[0]!;
    const lengths = { terms: 1, lead: Math.sqrt(0.3) };
    const shares = parts.map(({ vocabulary, indices, values }) => {
      const { space, names, idf } = spaces[vocabulary]!;
      const feature = names.indexOf('database');
      return values[indices.indexOf(feature)]! * idf[feature]! * lengths[space as keyof typeof lengths];
    });
    expect(parts.map(({ vocabulary }) => spaces[vocabulary]!.space)).toEqual(['terms', 'lead']);
    expect(shares[1]! / shares[0]!).toBeCloseTo(0.3, 2);
  });

  it('score a page as training scored it, and explain the score whole', () => {
    const alone = classifierOf(ONE, both, { config: { calibrated: false, spaces: ['terms'] } });
    const [terms, text] = [bagOf('database transaction tea'), bagOf('database transaction tea')];
    const { confidence } = classify(joined, { terms, lead: text }, 'weighted').scores[0]!;
    expect(confidence).toBeCloseTo(classify(alone, { terms }, 'weighted').scores[0]!.confidence, 2);
    const { for: more, against } = explain(joined, { terms, lead: text }, TOPIC, 50)!;
    const { bias } = joined.models.svms[0]!;
    const sum = [...more, ...against].reduce((total, { contribution }) => total + contribution, bias);
    expect(sum).toBeCloseTo(confidence, 5);
  });
});

describe('the rule "best"', () => {
  const pages = [...withAnchors(DATABASES, () => 'x'), ...withAnchors(EVERYDAY, () => 'x')];
  const classifier = classifierOf(ONE, pages, { config: { spaces: ['terms', 'anchors'] } });

  it('uses only the spaces of the best classifier', () => {
    expect([...classifier.fewest].map((v) => classifier.spaces[v]!.space)).toEqual(['terms']);
    const terms = bagOf('database transaction index');
    const scores = (features: DocumentFeatures): unknown => classify(classifier, features, 'best').scores;
    expect(scores({ terms, anchors: bagOf('x x x') })).toEqual(scores({ terms }));
  });
});

describe('the number of features', () => {
  it('is the number that ranks held-out pages best if it is "auto"', () => {
    const noise = Array.from({ length: 300 }, (_, i) => `noise${i}`).join(' ');
    const pages = [...DATABASES, ...EVERYDAY].map((one) => {
      const terms = unpackCounts(one.features.terms!).map(([term]) => term);
      return { ...one, features: page(`${terms.join(' ')} ${noise}`) };
    });
    const figures = (features: number | 'auto'): { features: number; heldOutAuc: number } =>
      train(ONE, pages, { config: { features } }).estimates[0]!;
    const fixed = [200, 500, 1000, 2000].map((features) => figures(features));
    const best = Math.max(...fixed.map(({ heldOutAuc }) => heldOutAuc));
    expect(figures('auto').heldOutAuc).toBe(best);
    const selected = (features: number | 'auto'): number =>
      train(ONE, pages, { config: { features } }).models.svms[0]!.selected!;
    expect(selected(5)).toBeLessThan(selected(200));
    expect(selected('auto')).toBe(selected([2000, 1000, 500, 200].find((n) => figures(n).heldOutAuc === best)!));
  });
});

describe('the uncertainty of estimates', () => {
  it('is reported with them, and shrinks with more pages', () => {
    const three = train(ONE, [...DATABASES, ...EVERYDAY]).estimates[0]!;
    expect(three.heldOutRecallRange).toEqual({ low: expect.closeTo(0.438, 3), high: 1 });
    const more = DATABASES.flatMap((one) => [1, 2, 3].map((n) => ({ ...one, key: `${one.key} ${n}` })));
    const nine = train(ONE, [...more, ...EVERYDAY]).estimates[0]!;
    expect(nine.heldOutRecallRange!.low).toBeGreaterThan(0.6);
    expect(train([{ name: 'databases' }, { name: 'none' }], [...DATABASES, ...EVERYDAY]).estimates[1]).toMatchObject({
      heldOutPrecisionRange: { low: 0, high: 1 },
    });
  });
});

describe('pages that the crawl rejected', () => {
  const rejected = ['cat dog', 'fish bird'].map((text) => ({ ...other(text), origin: 'rejected' as const }));

  it('join the OTHERS that the user gave', () => {
    const trained = train(ONE, [...DATABASES, ...EVERYDAY, ...rejected]);
    expect(trained.estimates[0]!.negatives).toBe(EVERYDAY.length + 2);
  });

  it('do not replace the background if the user gave no OTHERS', () => {
    const background = EVERYDAY.map(({ features }) => features);
    const trained = train(ONE, [...DATABASES, ...rejected], { background });
    expect(trained.estimates[0]!.negatives).toBe(EVERYDAY.length + 2);
    expect(prepareClassifier(trained.models).svms.has(TOPIC)).toBe(true);
  });

  it('suffice as OTHERS from five pages on: no background near miss is added', () => {
    const five = ['cat dog', 'fish bird', 'tree', 'stone', 'river'].map((text) => {
      return { ...other(text), origin: 'rejected' as const };
    });
    const background = [page('database shop'), page('index fund'), page('table chair')];
    const trained = train(ONE, [...DATABASES, ...five], { background });
    expect(trained.estimates[0]!.negatives).toBe(five.length);
  });

  it('do not make the words of the topic look common, since they are near it', () => {
    const nearMisses = Array.from({ length: 20 }, (_, i) => ({
      ...other(`database shop${i}`),
      origin: 'rejected' as const,
    }));
    const idfOf = (pages: readonly TrainingPage[]): number => {
      const background = nearMisses.map(({ features }) => features);
      const [vocabulary] = train(ONE, pages, { background }).models.vocabularies;
      return vocabulary!.idf[vocabulary!.features.split('\n').indexOf('database')]!;
    };
    const given = [...DATABASES, ...ENOUGH];
    expect(idfOf([...given, ...nearMisses])).toBe(idfOf(given));
    expect(idfOf([...DATABASES, ...nearMisses])).toBeLessThan(idfOf(given));
  });

  it('show which words are common if OTHERS are few, and nothing if they are enough', () => {
    const kitchens = Array.from({ length: 30 }, (_, i) => ({
      ...other(`kitchen recipe${i} the and`),
      origin: 'rejected' as const,
    }));
    const idfOf = (others: readonly TrainingPage[]): number => {
      const [vocabulary] = train(ONE, [...DATABASES, ...others, ...kitchens]).models.vocabularies;
      return vocabulary!.idf[vocabulary!.features.split('\n').indexOf('kitchen')]!;
    };
    expect(idfOf(EVERYDAY)).toBeLessThan(2);
    expect(idfOf(ENOUGH)).toBeGreaterThan(4);
  });
});

describe('a space joined with its copy', () => {
  const doubled = [...DATABASES, ...EVERYDAY].map((one) => ({
    ...one,
    features: { ...one.features, anchors: one.features.terms! },
  }));
  const config = { calibrated: false };
  const alone = classifierOf(ONE, doubled, { config: { ...config, spaces: ['terms'] } });
  const joined = classifierOf(ONE, doubled, { config: { ...config, spaces: ['terms+anchors'] } });

  it('gives the same verdict as each of them alone', () => {
    for (const text of ['database transaction', 'database tea', 'tea cake']) {
      const features = { terms: bagOf(text), anchors: bagOf(text) };
      const confidence = classify(alone, features, 'weighted').scores[0]!.confidence;
      expect(classify(joined, features, 'weighted').scores[0]!.confidence).toBeCloseTo(confidence, 2);
    }
  });

  it('splits the weight of a word between both', () => {
    const weights = (of: typeof alone, space: string): Map<string, number> =>
      new Map(
        topicTerms(of, TOPIC, 5)
          .for.filter((term) => term.space === space)
          .map(({ feature, contribution }) => [feature, contribution]),
      );
    const half = weights(joined, 'anchors').get('database')!;
    expect(half).toBeCloseTo(weights(joined, 'terms').get('database')!, 2);
    expect(2 * half).toBeCloseTo(weights(alone, 'terms').get('database')!, 2);
  });

  it('gives the frontier the half of the weights that rates a link', () => {
    const weightIn = ({ models }: typeof alone): number => {
      const { scale } = models.svms[0]!.calibration;
      return scale * weightsBy(linkWeights(models, [TOPIC])).get('database')!;
    };
    expect(2 * weightIn(joined)).toBeCloseTo(weightIn(alone), 2);
  });
});
