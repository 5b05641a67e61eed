import { describe, expect, it } from 'vitest';
import { DEFAULTS, type Kernel, type SpaceName, type TopicId } from '../../src/core/index.ts';
import {
  corpusOf,
  kernelDecision,
  kernelMatrix,
  rarity,
  type TrainingPage,
  trainKernelSvm,
  vectorize,
} from '../../src/learn/index.ts';
import { childScores } from '../../src/meta/classify.ts';
import { decodeModels, encodeModels, explain, linkWeights, prepareClassifier } from '../../src/meta/index.ts';
import { bagOf } from '../learn/bags.ts';
import { DATABASES, ENOUGH, EVERYDAY, other, page, TWELVE, TWELVE_PAGES, train } from './topics.ts';

const ONE = [{ name: 'databases' }];
const TOPIC = 'databases' as TopicId;
const PAGES = [...DATABASES, ...EVERYDAY];

describe.each<Kernel>(['rbf', 'poly'])('a topic with the kernel %s', (kernel) => {
  const trained = train(ONE, PAGES, { config: { kernel } });
  const classifier = prepareClassifier(decodeModels(encodeModels(trained.models)));
  const relevance = (text: string): number => childScores(classifier, page(text)).get(TOPIC)!.calibrated;

  it('ranks pages like its examples above others', () => {
    expect(relevance('database transaction index storage the and')).toBeGreaterThan(
      relevance('cheese wine butter bread the and'),
    );
    expect(trained.estimates[0]).toMatchObject({ heldOutMethod: 'leave-one-out', exampleRank: 1 });
  });

  it('decides by the values that the training computed', () => {
    const raw = train(ONE, PAGES, { config: { kernel, calibrated: false } });
    const corpus = corpusOf(PAGES.map(({ features }) => features.terms));
    const weights = rarity(corpus.bags.slice(DATABASES.length), corpus.names.length);
    const vectors = corpus.bags.map((bag) => vectorize(bag, weights));
    const y = Int8Array.from(PAGES, ({ others }) => (others ? -1 : 1));
    const problem = { matrix: kernelMatrix(kernel as 'rbf', vectors, corpus.names.length), y, C: DEFAULTS.learn.C };
    const svm = trainKernelSvm(problem);
    const asked = prepareClassifier(raw.models);
    PAGES.forEach(({ features }, row) => {
      const { confidence } = childScores(asked, features).get(TOPIC)!.votes[0]!;
      expect(confidence).toBeCloseTo(kernelDecision(problem, svm, row), 5);
    });
  });

  it('explains a verdict by the linear classifier beside it', () => {
    const linear = prepareClassifier(train(ONE, PAGES).models);
    const asked = page('database transaction cheese the and');
    const why = explain(classifier, asked, TOPIC, 5)!;
    const plain = explain(linear, asked, TOPIC, 5)!;
    expect(why.kernel).toBe(kernel);
    expect(plain.kernel).toBeUndefined();
    expect(why.for).toEqual(plain.for);
    expect(linkWeights(trained.models, [TOPIC])).toEqual(linkWeights(linear.models, [TOPIC]));
  });

  it('has the same bytes if trained again', () => {
    expect(encodeModels(train(ONE, PAGES, { config: { kernel } }).models)).toEqual(encodeModels(trained.models));
  });
});

it('assigns pages of a tree of topics with a kernel', () => {
  const { models } = train(TWELVE, [...TWELVE_PAGES, ...ENOUGH], { config: { kernel: 'rbf' } });
  const scores = childScores(prepareClassifier(models), TWELVE_PAGES[0]!.features);
  expect(scores.get('science/a/x' as TopicId)!.calibrated).toBeGreaterThan(
    scores.get('science/a/y' as TopicId)!.calibrated,
  );
  expect(models.svms.every(({ kernel }) => kernel !== undefined)).toBe(true);
});

it('trains a kernel in joined spaces', () => {
  const spaces: readonly SpaceName[] = ['terms+anchors'];
  const both = (one: TrainingPage): TrainingPage => ({
    ...one,
    features: { ...one.features, anchors: bagOf(one.others ? 'home page' : 'database link') },
  });
  const { models } = train(ONE, PAGES.map(both), { config: { kernel: 'rbf', spaces } });
  const scores = childScores(prepareClassifier(models), both(DATABASES[0]!).features);
  expect(scores.get(TOPIC)!.votes[0]).toMatchObject({ space: 'terms+anchors', result: 1 });
  expect(models.supports).toMatchObject([{ space: 'terms+anchors', parts: [{}, {}] }]);
});

describe('the linear classifier stays alone', () => {
  const kernelsOf = (pages: readonly TrainingPage[]): unknown[] =>
    train(ONE, pages, { config: { kernel: 'rbf' } }).models.svms.map(({ kernel }) => kernel);

  it('beyond 300 training pages', () => {
    const many = (size: number): TrainingPage[] =>
      Array.from({ length: size }, (_, i) => other(`bread butter word${i} and`));
    expect(kernelsOf([...DATABASES, ...many(297)])).toEqual([expect.anything()]);
    expect(kernelsOf([...DATABASES, ...many(298)])).toEqual([undefined]);
  });

  it('without counter-examples', () => {
    expect(kernelsOf(DATABASES)).toEqual([undefined]);
  });
});
