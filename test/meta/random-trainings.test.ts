import { expect, test } from 'vitest';
import { type Config, type DocumentFeatures, META_RULES, type TopicSpec } from '../../src/core/index.ts';
import { seededRandom } from '../../src/kit/index.ts';
import type { TrainingPage } from '../../src/learn/index.ts';
import { classify, prepareClassifier } from '../../src/meta/index.ts';
import { bagOf } from '../learn/bags.ts';
import { example, other, train } from './topics.ts';

const SEEDS = Array.from({ length: 60 }, (_, i) => i + 1);
const WORDS = Array.from({ length: 30 }, (_, i) => `word${i}`);

/** Random trees and pages: topics with zero or one example, equal pages, pages without words, odd proportions. */
class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  below(n: number): number {
    return Math.floor(this.#next() * n);
  }

  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)]!;
  }

  many<T>(most: number, make: (i: number) => T): T[] {
    return Array.from({ length: this.below(most + 1) }, (_, i) => make(i));
  }

  features(): DocumentFeatures {
    const bag = () => bagOf(this.one(['', 'same same other', this.many(12, () => this.one(WORDS)).join(' ')]));
    return { terms: bag(), anchors: bag(), pairs: bag() };
  }

  topics(): TopicSpec[] {
    const below = [{ name: 'x' }, { name: 'y' }];
    const names = ['a', 'b', 'c'].slice(0, 1 + this.below(3));
    return names.map((name) => ({ name, good: this.below(3) > 0, ...(this.below(3) === 0 && { topics: below }) }));
  }

  pages(topics: readonly TopicSpec[]): TrainingPage[] {
    const ids = topics.flatMap(({ name, topics = [] }) => [name, ...topics.map((below) => `${name}/${below.name}`)]);
    const origins = ['user', 'feedback', 'archetype-by-confidence'] as const;
    const given = ids.flatMap((id) => this.many(3, (i) => example(id, `${i}`, this.one(origins))));
    const first = given.length > 0 ? given : [example(ids[0]!, 'only')];
    const others = this.many(3, (i) => ({ ...other(`${i}`), origin: this.one(['others', 'rejected'] as const) }));
    return [...first, ...others].map((page) => ({ ...page, features: this.features() }));
  }

  config(): Partial<Config['learn']> {
    const spaces = this.one<Config['learn']['spaces']>([['terms'], ['terms', 'anchors'], ['terms+anchors', 'pairs']]);
    return { spaces, calibrated: this.below(3) > 0, C: this.one([1, 0.001, 1000]) };
  }
}

test.each(SEEDS)('model %i returns only finite numbers, and shares in [0,1]', (seed) => {
  const chance = new Chance(seed);
  const topics = chance.topics();
  const more = { background: chance.many(40, () => chance.features()), config: chance.config() };
  const trained = train(topics, chance.pages(topics), more);
  const classifier = prepareClassifier(trained.models);
  for (const rule of META_RULES) {
    const { confidence, relevance, scores } = classify(classifier, chance.features(), rule);
    const shares = [relevance, ...scores.flatMap((score) => [score.relevance, score.bayes, score.cosine])];
    const values = scores.flatMap((score) => [score.confidence, score.calibrated, score.bayesCalibrated]);
    expect([...shares, ...values, confidence].filter((value) => !Number.isFinite(value))).toEqual([]);
    expect(shares.filter((share) => share < 0 || share > 1 + 1e-9)).toEqual([]);
  }
  for (const estimate of trained.estimates) {
    const { xiAlphaPrecision, xiAlphaRecall, heldOutPrecision, heldOutRecall, heldOutAuc, exampleRank } = estimate;
    const shares = [xiAlphaPrecision, xiAlphaRecall, heldOutPrecision, heldOutRecall, heldOutAuc, exampleRank];
    expect(shares.filter((share) => share < 0 || share > 1)).toEqual([]);
  }
  expect([...trained.heldOut.values()].filter((score) => Math.abs(score) === Number.POSITIVE_INFINITY)).toEqual([]);
});
