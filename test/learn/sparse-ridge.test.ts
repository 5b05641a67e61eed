import { describe, expect, it } from 'vitest';
import { sparseRidge } from '../../src/learn/index.ts';
import { vectorsOf } from './matrices.ts';

describe('a ridge regression over sparse rows', () => {
  it('equals the closed form for one feature', () => {
    // (½ − w)² + (−½ + w)² + 4w² is least at w = 1/6.
    const { w, mean } = sparseRidge(vectorsOf([[1], [-1]]), [1, 0], { columns: 1, strength: 4, passes: 50 });
    expect(mean).toBe(0.5);
    expect(w[0]).toBeCloseTo(1 / 6, 4);
  });

  it('solves the normal equations of several features', () => {
    const rows = [
      [1, 0, 2],
      [0, 1, 1],
      [1, 1, 0],
      [2, 0, 1],
    ];
    const y = [1, 0, 0.5, 0.9];
    const strength = 0.5;
    const { w, mean } = sparseRidge(vectorsOf(rows), y, { columns: 3, strength, passes: 500 });
    // The gradient of the objective is zero: Xᵀ(y − mean − Xw) = λw.
    const residuals = rows.map((row, i) => y[i]! - mean - row.reduce((sum, value, j) => sum + value * w[j]!, 0));
    for (const j of [0, 1, 2])
      expect(rows.reduce((sum, row, i) => sum + row[j]! * residuals[i]!, 0)).toBeCloseTo(strength * w[j]!, 3);
  });

  it('predicts the mean for identical rows', () => {
    const { w, mean } = sparseRidge(vectorsOf([[1], [1]]), [1, 0], { columns: 1, strength: 1, passes: 50 });
    expect(mean).toBe(0.5);
    expect(w[0]).toBeCloseTo(0, 4);
  });
});
