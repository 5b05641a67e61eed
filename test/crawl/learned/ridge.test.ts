import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PulledRidge } from '../../../src/crawl/learned/ridge.ts';

test('returns the prior before any sample', () => {
  expect([...new PulledRidge(Float64Array.of(0.3, -0.2), 5).solve()]).toEqual([0.3, -0.2]);
});

test('solves one feature and two samples, by hand: (w − 1)·(1·1 + 2·2 + λ) = Σ x·(y − x)', () => {
  const ridge = new PulledRidge(Float64Array.of(1), 3);
  ridge.add(Float64Array.of(1), 3);
  ridge.add(Float64Array.of(2), 4);
  expect(ridge.solve()[0]).toBeCloseTo(1 + (1 * (3 - 1) + 2 * (4 - 2)) / (1 + 4 + 3), 10);
});

test('recovers weights from enough samples', () => {
  const truth = [0.5, -1, 2];
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }), {
        minLength: 60,
        maxLength: 80,
      }),
      (rows) => {
        const ridge = new PulledRidge(new Float64Array(3), 1e-6);
        const basis = [[1, 0, 0], [0, 1, 0], [0, 0, 1], ...rows];
        for (const row of basis)
          ridge.add(
            Float64Array.from(row),
            row.reduce((sum, v, i) => sum + v * truth[i]!, 0),
          );
        for (const [i, w] of ridge.solve().entries()) expect(w).toBeCloseTo(truth[i]!, 4);
      },
    ),
    { numRuns: 30 },
  );
});

test('the variance of a prediction shrinks only with samples of its kind', () => {
  const ridge = new PulledRidge(new Float64Array(2), 4);
  const [one, other] = [Float64Array.of(1, 0), Float64Array.of(0, 1)];
  expect(ridge.variance(one)).toBeCloseTo(1 / 4, 10);
  for (let i = 0; i < 6; i++) ridge.add(one, 1);
  ridge.solve();
  expect(ridge.variance(one)).toBeCloseTo(1 / (4 + 6), 10);
  expect(ridge.variance(other)).toBeCloseTo(1 / 4, 10);
});

test('the variance of a prediction covers all its features together', () => {
  const ridge = new PulledRidge(new Float64Array(2), 1);
  for (let i = 0; i < 3; i++) ridge.add(Float64Array.of(1, 1), 1);
  ridge.solve();
  // (XᵀX + λI)⁻¹ of [[4, 3], [3, 4]] is [[4, −3], [−3, 4]] / 7.
  expect(ridge.variance(Float64Array.of(1, 1))).toBeCloseTo(2 / 7, 10);
  expect(ridge.variance(Float64Array.of(1, -1))).toBeCloseTo(2, 10);
  expect(ridge.variance(Float64Array.of(2, 0))).toBeCloseTo(16 / 7, 10);
});
