import { describe, expect, it } from 'vitest';
import { nearestVectors } from '../../src/learn/index.ts';
import { classify } from '../../src/meta/index.ts';
import { type FetchedRows, selfTrained } from '../../src/meta/self-training.ts';
import { vectorsOf } from '../learn/matrices.ts';
import { classifierOf, DATABASES, ENOUGH, EVERYDAY, example, page } from './topics.ts';

const ONE = [{ name: 'databases' }];
/** Half of them cover the topic: they use words of an example and one further word, "btree". */
const ACCEPTED = Array.from({ length: 20 }, (_, i) =>
  page(`database transaction index storage btree word${i} more${i} the and`),
);
const REJECTED = Array.from({ length: 20 }, (_, i) => page(`kitchen recipe word${i} other${i} the and`));
const MORE = { accepted: ACCEPTED, background: REJECTED };

function score(more: Parameters<typeof classifierOf>[2], text: string, pages = [...DATABASES, ...ENOUGH]): number {
  return classify(classifierOf(ONE, pages, more), page(text), 'weighted').scores[0]!.calibrated;
}

describe('learning from fetched pages', () => {
  it('counts a word for the topic if only the surest pages share it', () => {
    const known = score(MORE, 'btree split the and');
    const unknown = score(MORE, 'zebra split the and');
    expect(known).toBeGreaterThan(unknown + 0.05);
    expect(score({}, 'btree split the and')).toBeCloseTo(score({}, 'zebra split the and'), 6);
  });

  it('counts the words of rejected pages against it', () => {
    expect(score(MORE, 'kitchen recipe the and')).toBeLessThan(score(MORE, 'zebra stripe the and'));
  });

  it('keeps the mean score of fetched pages', () => {
    const mean = (more: Parameters<typeof classifierOf>[2]): number => {
      const classifier = classifierOf(ONE, [...DATABASES, ...ENOUGH], more);
      const scores = [...ACCEPTED, ...REJECTED].map(
        (features) => classify(classifier, features, 'weighted').scores[0]!,
      );
      return scores.reduce((sum, { calibrated }) => sum + calibrated, 0) / scores.length;
    };
    expect(mean(MORE)).toBeCloseTo(mean({ background: REJECTED }), 1);
  });

  it('learns nothing from a crawl that fetched few pages', () => {
    const few = { accepted: ACCEPTED.slice(0, 5), background: REJECTED.slice(0, 5) };
    expect(score(few, 'btree split the and')).toBeCloseTo(score({}, 'btree split the and'), 6);
  });

  it('does not affect the uncalibrated rules of the paper', () => {
    const config = { calibrated: false };
    const plain = score({ config }, 'btree split the and');
    expect(score({ ...MORE, config }, 'btree split the and')).toBeCloseTo(plain, 6);
  });

  it('compares examples with rejected pages if the user gave no OTHERS', () => {
    const rejected = EVERYDAY.map((given) => ({ ...given, origin: 'rejected' as const }));
    const archetype = example('databases', 'database btree the and', 'archetype-by-confidence');
    const pages = [...DATABASES, ...rejected, archetype];
    expect(score({}, 'kitchen recipe word1 the and', pages)).toBeLessThan(0.2);
    expect(score({}, 'database transaction index the and', pages)).toBeGreaterThan(0.9);
  });

  it('works beside learning from archetypes', () => {
    const archetype = example('databases', 'zebra stripe savanna the and', 'archetype-by-confidence');
    const few = { background: REJECTED.slice(0, 5) };
    const before = score(few, 'zebra stripe the and');
    const after = score(few, 'zebra stripe the and', [...DATABASES, ...ENOUGH, archetype]);
    expect(after).toBeGreaterThan(before);
  });
});

describe('a correction', () => {
  const rows = Array.from({ length: 40 }, (_, i) => (i < 10 ? [1, 0.5, 0] : [0, 0.5, i % 2]));
  const rowsOf = (all: readonly (readonly number[])[]): FetchedRows => {
    const vectors = vectorsOf(all);
    return { vectors, nearest: nearestVectors(vectors, { columns: 3, most: 2, common: 40 }) };
  };
  const fetched = rowsOf(rows);
  const svm = { w: Float64Array.of(1, 0, 0), b: -0.2 };
  const teacher = { ...svm, calibration: { zero: -0.2, scale: 1 } };
  const values = (hyperplane: { w: Float64Array; b: number }): number[] =>
    rows.map((row) => row.reduce((sum, value, j) => sum + value * hyperplane.w[j]!, hyperplane.b));
  const mean = (all: readonly number[]): number => all.reduce((sum, value) => sum + value, 0) / all.length;
  const deviation = (all: readonly number[]): number => Math.sqrt(mean(all.map((value) => (value - mean(all)) ** 2)));

  it('keeps mean and spread of the scores', () => {
    const { keep, w, shift } = selfTrained({ fetched, svm, teacher, examples: 3, features: 10 })!;
    const before = values(svm);
    const after = values({ w: svm.w.map((weight, j) => keep * weight + w[j]!), b: keep * svm.b + shift });
    expect(mean(after)).toBeCloseTo(mean(before), 6);
    expect(deviation(after)).toBeCloseTo(deviation(before), 6);
  });

  it('adds at most the allowed number of features, strongest first', () => {
    const { w } = selfTrained({ fetched, svm, teacher, examples: 3, features: 1 })!;
    expect(w[2]).not.toBe(0);
    expect(w[1]).toBe(0);
    expect(w[0]).not.toBe(0);
  });

  it('counts less the more examples there are', () => {
    const weightWith = (examples: number): number =>
      Math.abs(selfTrained({ fetched, svm, teacher, examples, features: 10 })!.w[2]!);
    expect(weightWith(1)).toBe(weightWith(3));
    expect(weightWith(10)).toBeLessThan(0.5 * weightWith(3));
  });

  it('counts words for the topic that pages near the surest ones have', () => {
    // The teacher knows column 0. Column 1 is beside it; column 2 is beside column 1 alone, column 3 nowhere near.
    const chain = Array.from({ length: 40 }, (_, i) =>
      i < 10 ? [1, 1, 0, 0] : i < 20 ? [0, 1, 1, 0] : i < 30 ? [0, 0, 0, 1] : [0, 0, 0.1, 0.1],
    );
    const vectors = vectorsOf(chain);
    const nearest = nearestVectors(vectors, { columns: 4, most: 30, common: 40 });
    const four = { w: Float64Array.of(1, 0, 0, 0), b: -0.2 };
    const { w } = selfTrained({
      ...{ fetched: { vectors, nearest }, svm: four, teacher: { ...teacher, ...four } },
      ...{ examples: 3, features: 10 },
    })!;
    expect(w[1]).toBeGreaterThan(0);
    expect(w[2]! - w[3]!).toBeGreaterThan(0.05);
  });

  it('needs several pages that differ', () => {
    expect(
      selfTrained({ fetched: rowsOf(rows.slice(0, 20)), svm, teacher, examples: 3, features: 10 }),
    ).toBeUndefined();
    const same = rowsOf(rows.map(() => [1, 0, 0]));
    expect(selfTrained({ fetched: same, svm, teacher, examples: 3, features: 10 })).toBeUndefined();
  });
});
