import { describe, expect, it } from 'vitest';
import { META_RULES, type PageVote } from '../../src/core/index.ts';
import { type Classifier, classify, explain } from '../../src/meta/index.ts';
import { classifierOf, DATABASES, EVERYDAY, page } from './topics.ts';

const PAGES = [...DATABASES, ...EVERYDAY];
const TOPIC = DATABASES[0]!.topic;
const ours = page('database transaction recovery index');
const theirs = page('tea');

const vote = (confidence: number, voter = 'mine'): PageVote => ({ voter, topic: TOPIC, confidence });

/** Trains with a voter that says this of pages of the topic, and that of others. */
function trained(good: number, bad: number): Classifier {
  const votes = PAGES.map(({ others }) => [vote(others ? bad : good)]);
  return classifierOf([{ name: 'databases' }], PAGES, { votes });
}

function precisionOf({ models }: Classifier): number | undefined {
  return models.voters?.find(({ voter, topic }) => voter === 'mine' && topic === TOPIC)?.precision;
}

describe('the vote of a page classifier', () => {
  it('has its precision on the training pages as weight, and none in a model without votes', () => {
    expect(precisionOf(trained(1, -1))).toBe(1);
    expect(precisionOf(trained(1, 1))).toBeCloseTo(DATABASES.length / PAGES.length, 10);
    expect(precisionOf(trained(-1, -1))).toBeNaN();
    expect(classifierOf([{ name: 'databases' }], PAGES).models).not.toHaveProperty('voters');
  });

  it('is listed beside the others, on the calibrated scale', () => {
    const classifier = trained(1, -1);
    const { acceptThreshold } = classifier.models;
    const scaled = (confidence: number): number =>
      explain(classifier, ours, TOPIC, 1, [vote(confidence)])!.votes.find(({ space }) => space === 'mine')!.calibrated;
    expect([scaled(-1), scaled(1)]).toEqual([0, 1]);
    expect(scaled(-0.5)).toBeCloseTo(acceptThreshold / 2, 10);
    expect(explain(classifier, ours, TOPIC, 1, [vote(0)])!.votes.map(({ space }) => space)).not.toContain('mine');
  });

  it('against a page rejects it under every rule but that of the best classifier', () => {
    const classifier = trained(1, -1);
    for (const rule of META_RULES) {
      expect(classify(classifier, ours, rule).others).toBe(false);
      expect(classify(classifier, ours, rule, [vote(1)]).others).toBe(false);
      expect(classify(classifier, ours, rule, [vote(-1)]).others).toBe(rule !== 'best');
    }
  });

  it('enters the mean score of a page, and a vote on another topic does not', () => {
    const classifier = trained(1, -1);
    const score = (...votes: PageVote[]): number =>
      classify(classifier, theirs, 'weighted', votes).scores[0]!.calibrated;
    expect(score(vote(1))).toBeCloseTo((score() + 1) / 2, 10);
    expect(score(vote(-1))).toBeCloseTo(score() / 2, 10);
    expect(score({ ...vote(1), topic: 'elsewhere' as typeof TOPIC })).toBe(score());
  });

  it('decides alone on a page without a known word', () => {
    const classifier = trained(1, -1);
    const wordless = page('');
    expect(classify(classifier, wordless, 'weighted').others).toBe(true);
    expect(classify(classifier, wordless, 'weighted', [vote(1)])).toMatchObject({ topic: TOPIC, others: false });
  });

  it('weighs less than a precise classifier if it is wrong on the training pages', () => {
    const classifier = trained(1, 1);
    expect(classify(classifier, ours, 'weighted', [vote(-1)]).others).toBe(false);
    expect(classify(classifier, theirs, 'weighted', [vote(1)]).others).toBe(true);
  });
});
