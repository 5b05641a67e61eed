import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kit/index.ts';
import {
  type CurvedKernel,
  type KernelProblem,
  kernelDecision,
  kernelHeldOut,
  kernelMatrix,
  kernelValue,
  squareOf,
  trainKernelSvm,
} from '../../src/learn/index.ts';
import { halves, randomRows, vectorsOf } from './matrices.ts';

interface Libsvm {
  train(rows: readonly (readonly number[])[], labels: readonly number[]): void;
  predictOne(row: readonly number[]): number;
  free(): void;
}
/** Called after the first training, which has removed the handlers that libsvm-js installs. */
const loadLibsvm = (): (new (options: object) => Libsvm) => createRequire(import.meta.url)('libsvm-js/asm.js');

/** The same kernels, by libsvm's own numbers and parameters. */
const OPTIONS: Readonly<Record<CurvedKernel, object>> = {
  rbf: { kernel: '2', gamma: 1 },
  poly: { kernel: '1', gamma: 0.5, coef0: 0.5, degree: 2 },
};

function problemOf(kernel: CurvedKernel, rows: readonly (readonly number[])[], C = 1): KernelProblem {
  const matrix = kernelMatrix(kernel, vectorsOf(rows), rows[0]!.length);
  return { matrix, y: Int8Array.from(halves(rows.length)), C };
}

describe.each<CurvedKernel>(['rbf', 'poly'])('the kernel %s', (kernel) => {
  it('gives unseen rows the class that libsvm predicts from the features', () => {
    for (const seed of [1, 2, 3]) {
      const rows = randomRows(30, 4, seededRandom(seed));
      const problem = problemOf(kernel, rows);
      const { coefficients, bias } = trainKernelSvm(problem);
      const theirs = new (loadLibsvm())({ type: '0', ...OPTIONS[kernel], cost: 1, tolerance: 1e-3, quiet: true });
      theirs.train(rows, halves(30));
      const seen = vectorsOf(rows);
      let sure = 0;
      for (const row of randomRows(200, 4, seededRandom(seed + 100))) {
        const x = vectorsOf([row])[0]!;
        const products = seen.map((one) => one.values.reduce((sum, value, k) => sum + value * x.values[k]!, 0));
        const value = products.reduce(
          (sum, product, i) => sum + coefficients[i]! * kernelValue(kernel, product, squareOf(seen[i]!) + squareOf(x)),
          bias,
        );
        // Our rows are 32-bit numbers and the text form rounds rho to six digits.
        if (Math.abs(value) < 1e-4) continue;
        sure++;
        expect(Math.sign(value)).toBe(theirs.predictOne(row));
      }
      theirs.free();
      expect(sure).toBeGreaterThan(190);
    }
  });

  it('puts support vectors with a free coefficient on the margin', () => {
    const problem = problemOf(kernel, randomRows(40, 4, seededRandom(7)));
    const svm = trainKernelSvm(problem);
    const free = [...svm.coefficients.keys()].filter((i) => {
      const alpha = Math.abs(svm.coefficients[i]!);
      return alpha > 1e-6 && alpha < 1 - 1e-6;
    });
    expect(free.length).toBeGreaterThan(0);
    for (const i of free) expect(problem.y[i]! * kernelDecision(problem, svm, i)).toBeCloseTo(1, 2);
  });

  it('scores each row by a model trained without it', () => {
    const problem = problemOf(kernel, randomRows(20, 4, seededRandom(8)));
    const { method, scores } = kernelHeldOut(problem, trainKernelSvm(problem), { limit: 20, random: seededRandom(1) });
    expect(method).toBe('leave-one-out');
    for (const row of [0, 7, 13]) {
      const kept = [...problem.y.keys()].filter((i) => i !== row);
      expect(scores[row]).toBeCloseTo(kernelDecision(problem, trainKernelSvm(problem, kept), row), 2);
    }
  });

  it('scores many rows in five folds', () => {
    const problem = problemOf(kernel, randomRows(30, 4, seededRandom(9)));
    const { method, scores } = kernelHeldOut(problem, trainKernelSvm(problem), { limit: 20, random: seededRandom(1) });
    expect(method).toBe('5-fold');
    expect(scores.some(Number.isNaN)).toBe(false);
  });
});

it('does not score the only row of a class as held out', () => {
  const matrix = kernelMatrix(
    'rbf',
    vectorsOf([
      [1, 0],
      [0, 1],
      [0.2, 0.9],
    ]),
    2,
  );
  const problem = { matrix, y: Int8Array.of(1, -1, -1), C: 1 };
  const { scores } = kernelHeldOut(problem, trainKernelSvm(problem), { limit: 20, random: seededRandom(1) });
  expect(scores[0]).toBeNaN();
  expect(scores[1]).not.toBeNaN();
});

it('separates classes that no hyperplane separates', () => {
  const rows = [
    [1, 1],
    [-1, -1],
    [1, -1],
    [-1, 1],
  ];
  const problem = { matrix: kernelMatrix('rbf', vectorsOf(rows), 2), y: Int8Array.of(1, 1, -1, -1), C: 10 };
  const svm = trainKernelSvm(problem);
  expect([0, 1, 2, 3].map((row) => Math.sign(kernelDecision(problem, svm, row)))).toEqual([1, 1, -1, -1]);
});
