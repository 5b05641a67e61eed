import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kit/index.ts';
import { heldOutScores, stratifiedFolds, trainSvm } from '../../src/learn/index.ts';
import { halves, problemOf, randomRows } from './matrices.ts';

const random = (): (() => number) => seededRandom(5);

describe('leave-one-out', () => {
  it('gives each row the decision value of a classifier trained on the other rows', () => {
    for (const C of [0.3, 1, 10]) {
      const rows = randomRows(24, 6, seededRandom(C * 10));
      const problem = problemOf(rows, halves(24), { C, random: random(), tolerance: 1e-5 });
      const { method, scores } = heldOutScores(problem, trainSvm(problem), 100);
      expect(method).toBe('leave-one-out');
      scores.forEach((score, i) => {
        expect(score).toBeCloseTo(bruteForce(rows, i, C), 3);
      });
    }
  });

  it('gives no value for the only row of a class', () => {
    const problem = problemOf(
      [
        [1, 0],
        [-1, 0.1],
        [-1, -0.1],
      ],
      [1, -1, -1],
      { C: 1, random: random() },
    );
    const { scores } = heldOutScores(problem, trainSvm(problem), 100);
    expect(scores[0]).toBeNaN();
    expect(scores[1]).toBeLessThan(0);
  });

  it('uses no method if each class has a single row', () => {
    const problem = problemOf([[1], [-1]], [1, -1], { C: 1, random: random() });
    expect(heldOutScores(problem, trainSvm(problem), 100).method).toBe('none');
  });
});

describe('5-fold cross-validation', () => {
  it('switches method above the limit and scores every row', () => {
    const problem = problemOf(randomRows(40, 5, seededRandom(8)), halves(40), { C: 1, random: random() });
    const { method, scores } = heldOutScores(problem, trainSvm(problem), 39);
    expect(method).toBe('5-fold');
    expect(scores.some(Number.isNaN)).toBe(false);
  });

  it('scores all other rows if a class has a single row', () => {
    const one = Array.from({ length: 40 }, (_, i) => (i === 7 ? 1 : -1));
    const problem = problemOf(randomRows(40, 5, seededRandom(8)), one, { C: 1, random: random() });
    const { scores } = heldOutScores(problem, trainSvm(problem), 39);
    expect([...scores.keys()].filter((i) => Number.isNaN(scores[i]))).toEqual([7]);
  });

  it('uses no method if a class has no row', () => {
    const problem = problemOf(randomRows(40, 5, seededRandom(8)), Array(40).fill(1), { C: 1, random: random() });
    expect(heldOutScores(problem, trainSvm(problem), 39).method).toBe('none');
  });

  it('deals every row once, each class evenly', () => {
    const y = Int8Array.from({ length: 33 }, (_, i) => (i < 8 ? 1 : -1));
    const folds = stratifiedFolds({ y, C: new Float64Array(33).fill(1) }, 5, random());
    expect(folds.flat().sort((a, b) => a - b)).toEqual([...y.keys()]);
    const positives = folds.map((fold) => fold.filter((i) => i < 8).length);
    expect(Math.max(...positives) - Math.min(...positives)).toBeLessThanOrEqual(1);
  });
});

function bruteForce(rows: readonly number[][], left: number, C: number): number {
  const kept = [...rows.keys()].filter((i) => i !== left);
  const y = kept.map((i) => halves(rows.length)[i]!);
  const problem = problemOf(
    kept.map((i) => rows[i]!),
    y,
    { C, random: random(), tolerance: 1e-7 },
  );
  const { w, b } = trainSvm({ ...problem, maxIterations: 100_000 });
  return rows[left]!.reduce((sum, value, j) => sum + value * w[j]!, b);
}
