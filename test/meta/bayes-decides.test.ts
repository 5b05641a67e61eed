import { describe, expect, it } from 'vitest';
import type { TopicId } from '../../src/core/index.ts';
import { childScores } from '../../src/meta/classify.ts';
import { classify, decodeModels, encodeModels, explain, linkWeights, prepareClassifier } from '../../src/meta/index.ts';
import { DATABASES, ENOUGH, EVERYDAY, page, TWELVE, TWELVE_PAGES, train } from './topics.ts';

const ONE = [{ name: 'databases' }];
const TOPIC = 'databases' as TopicId;
const BAYES = { config: { classifier: 'bayes' } } as const;
const trained = train(ONE, [...DATABASES, ...EVERYDAY], BAYES);
const classifier = prepareClassifier(decodeModels(encodeModels(trained.models)));
const scoreOf = (text: string) => childScores(classifier, page(text)).get(TOPIC)!;

describe('naive Bayes as the classifier', () => {
  it('alone votes on a page, and its vote is the score', () => {
    const score = scoreOf('database transaction index storage the and');
    expect(score.votes.map(({ space, result }) => [space, result])).toEqual([['naive-bayes', 1]]);
    expect(score.combined).toBe(score.calibrated);
    expect(score.combined).toBe(score.bayesCalibrated);
    expect(scoreOf('cheese wine butter bread the and').votes[0]!.result).toBe(-1);
  });

  it('rejects pages without a word that it knows', () => {
    expect(scoreOf('zebra yodel').votes[0]).toMatchObject({ result: -1, space: 'naive-bayes' });
    expect(scoreOf('zebra yodel').calibrated).toBeLessThanOrEqual(0);
    expect(classify(classifier, page(''), 'weighted')).toMatchObject({ others: true, relevance: 0 });
  });

  it('is measured by its own held-out scores', () => {
    const [estimate] = trained.estimates;
    expect(estimate).toMatchObject({ heldOutMethod: 'leave-one-out', exampleRank: 1, heldOutAuc: 1 });
    expect(estimate!.xiAlphaPrecision).toBeNaN();
    const svm = train(ONE, [...DATABASES, ...EVERYDAY]);
    const [key] = trained.heldOut.keys();
    expect(trained.heldOut.get(key!)).not.toBe(svm.heldOut.get(key!));
  });

  it('explains a verdict by the terms of its evidence', () => {
    const features = page('database transaction cheese tea the and');
    const why = explain(classifier, features, TOPIC, 100)!;
    const total = [...why.for, ...why.against].reduce((sum, { contribution }) => sum + contribution, 0);
    const raw = prepareClassifier(
      train(ONE, [...DATABASES, ...EVERYDAY], { config: { classifier: 'bayes', calibrated: false } }).models,
    );
    expect(total).toBeCloseTo(childScores(raw, features).get(TOPIC)!.confidence, 6);
    expect(why.for.map(({ feature }) => feature)).toContain('database');
    expect(why.against.map(({ feature }) => feature)).toContain('tea');
    expect(why.votes).toHaveLength(1);
    expect(why.byBayes).toBe(true);
  });

  it('leaves the ratings of links to the SVM beside it', () => {
    expect(linkWeights(trained.models, [TOPIC])).toEqual(
      linkWeights(train(ONE, [...DATABASES, ...EVERYDAY]).models, [TOPIC]),
    );
  });

  it('walks down a tree of topics', () => {
    const tree = prepareClassifier(train(TWELVE, [...TWELVE_PAGES, ...ENOUGH], BAYES).models);
    for (const { features, topic } of TWELVE_PAGES)
      expect(classify(tree, features, 'weighted')).toMatchObject({ topic, others: false });
  });

  it('leaves the decision to the SVM without counter-examples', () => {
    const { models } = train(ONE, DATABASES, BAYES);
    const score = childScores(prepareClassifier(models), DATABASES[0]!.features).get(TOPIC)!;
    expect(score.votes.map(({ space }) => space)).toEqual(['terms']);
  });

  it('counts page classifiers beside its own vote', () => {
    const votes = [{ voter: 'length', topic: TOPIC, confidence: -1 }];
    const score = childScores(classifier, page('database transaction index the'), votes).get(TOPIC)!;
    expect(score.votes.map(({ space, result }) => [space, result])).toEqual([
      ['naive-bayes', 1],
      ['length', -1],
    ]);
    const unknown = childScores(classifier, page('zebra'), votes).get(TOPIC)!;
    expect(unknown.votes.map(({ space }) => space)).toEqual(['length']);
  });
});
