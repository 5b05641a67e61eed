import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kit/index.ts';
import { type SvmSolution, trainSvm } from '../../src/learn/index.ts';
import { halves, problemOf, randomRows } from './matrices.ts';

interface LibSvm {
  train(rows: readonly (readonly number[])[], labels: readonly number[]): void;
  serializeModel(): string;
  free(): void;
}
const Libsvm = createRequire(import.meta.url)('libsvm-js/asm.js') as new (options: object) => LibSvm;

const random = (): (() => number) => seededRandom(11);

describe('trainSvm', () => {
  it('places the hyperplane half-way between two points, with a regularised bias', () => {
    const { w, b, alphas, converged } = trainSvm(problemOf([[1], [-1]], [1, -1], { C: 10, random: random() }));
    expect(converged).toBe(true);
    expect(w[0]).toBeCloseTo(1, 5);
    expect(b).toBeCloseTo(0, 5);
    expect(alphas[0]).toBeCloseTo(0.5, 5);
    expect(alphas[1]).toBeCloseTo(0.5, 5);
  });

  it('solves two points off the origin in closed form', () => {
    // Points 3 and 1: the margin conditions 3w + b = 1 and w + b = −1 give w = 1, b = −2.
    const { w, b, slacks } = trainSvm(problemOf([[3], [1]], [1, -1], { C: 1000, random: random() }));
    expect(w[0]).toBeCloseTo(1, 3);
    expect(b).toBeCloseTo(-2, 3);
    expect(slacks[0]).toBeCloseTo(0, 3);
  });

  it('caps alphas at their cost and adds slack for the rest', () => {
    // One point x = 1: alpha would be 1/2, C = .1 binds; w = b = .1, slack = 1 − .2.
    const { w, b, alphas, slacks } = trainSvm(problemOf([[1]], [1], { C: 0.1, random: random() }));
    expect(alphas[0]).toBeCloseTo(0.1, 10);
    expect(w[0]).toBeCloseTo(0.1, 6);
    expect(b).toBeCloseTo(0.1, 6);
    expect(slacks[0]).toBeCloseTo(0.8, 6);
  });

  it('closes the gap between primal and dual', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.constantFrom(0.1, 1, 10), (seed, C) => {
        const rows = randomRows(20, 5, seededRandom(seed));
        const problem = problemOf(rows, halves(20), { C, random: random() });
        const { primal, dual, converged } = trainSvm({ ...problem, maxIterations: 1_000_000 });
        expect(converged).toBe(true);
        expect(primal).toBeGreaterThanOrEqual(dual - 1e-6);
        expect(primal - dual).toBeLessThan(1e-3 * Math.max(1, primal));
      }),
      { numRuns: 40 },
    );
  });

  it('satisfies the optimality conditions: free alphas lie on the margin', () => {
    const problem = problemOf(randomRows(40, 6, seededRandom(3)), halves(40), { C: 1, random: random() });
    const { alphas, slacks } = trainSvm(problem);
    alphas.forEach((alpha, i) => {
      if (alpha < 1 - 1e-9) expect(slacks[i]).toBeLessThan(1e-4);
      expect(alpha).toBeGreaterThanOrEqual(0);
      expect(alpha).toBeLessThanOrEqual(1);
    });
  });

  it('reaches the objective of libsvm on problems whose best bias is 0', () => {
    // A mirrored problem has b = 0. There, our regularised bias and the free bias of libsvm give the same problem.
    for (const seed of [1, 2, 3, 4]) {
      const half = randomRows(12, 4, seededRandom(seed)).slice(0, 6);
      const rows = [...half, ...half.map((row) => row.map((value) => -value))];
      const ours = trainSvm(problemOf(rows, halves(12), { C: 1, random: random() }));
      expect(ours.primal).toBeCloseTo(libsvmObjective(rows, halves(12), 1), 3);
    }
  });

  it('lies between the objective of libsvm and the same plus its free bias', () => {
    for (const seed of [5, 6, 7, 8]) {
      const rows = randomRows(30, 3, seededRandom(seed));
      const ours = trainSvm(problemOf(rows, halves(30), { C: 1, random: random() }));
      const { objective, rho } = libsvm(rows, halves(30), 1);
      expect(ours.primal).toBeGreaterThan(objective - 1e-3);
      expect(ours.primal).toBeLessThan(objective + rho ** 2 / 2 + 1e-3);
    }
  });

  it('reaches the same hyperplane from a warm start', () => {
    const problem = problemOf(randomRows(30, 5, seededRandom(9)), halves(30), { C: 1, random: random() });
    const cold = trainSvm(problem);
    const warm = trainSvm({ ...problem, start: cold.alphas });
    expect(warm.iterations).toBeLessThan(cold.iterations);
    expectSameHyperplane(warm, cold);
  });

  it('ignores rows of cost 0, and ends', () => {
    const rows = randomRows(20, 4, seededRandom(12));
    const problem = problemOf(rows, halves(20), { C: 1, random: random() });
    const C = problem.C.map((cost, i) => (i % 4 === 0 ? 0 : cost));
    const kept = [...rows.keys()].filter((i) => i % 4 !== 0);
    const smaller = problemOf(
      kept.map((i) => rows[i]!),
      kept.map((i) => halves(20)[i]!),
      { C: 1, random: random() },
    );
    const masked = trainSvm({ ...problem, C });
    expect(masked.converged).toBe(true);
    expectSameHyperplane(masked, trainSvm(smaller));
  });

  it('gives a row of double cost the weight of two equal rows', () => {
    const rows = [
      [1, 0.2],
      [0.3, 0.9],
      [-1, 0.1],
      [-0.2, -0.8],
      [0.1, 0.05],
    ];
    const y = [1, 1, -1, -1, -1];
    const weighted = problemOf(rows, y, { C: 0.5, random: random() });
    weighted.C[4] = 1;
    const doubled = problemOf([...rows, rows[4]!], [...y, -1], { C: 0.5, random: random() });
    expectSameHyperplane(trainSvm(weighted), trainSvm(doubled));
  });

  it('is reproducible bit by bit with equal draws', () => {
    const train = (): SvmSolution =>
      trainSvm(problemOf(randomRows(30, 5, seededRandom(2)), halves(30), { C: 1, random: random() }));
    expect(train()).toEqual(train());
  });

  it('reports that it ran out of iterations', () => {
    const problem = problemOf(randomRows(40, 3, seededRandom(4)), halves(40), { C: 1e4, random: random() });
    expect(trainSvm({ ...problem, maxIterations: 2 })).toMatchObject({ converged: false, iterations: 2 });
  });
});

function expectSameHyperplane(a: SvmSolution, b: SvmSolution): void {
  expect(a.b).toBeCloseTo(b.b, 3);
  a.w.forEach((value, j) => {
    expect(value).toBeCloseTo(b.w[j]!, 3);
  });
}

function libsvmObjective(rows: readonly number[][], y: readonly number[], C: number): number {
  return libsvm(rows, y, C).objective;
}

/** Primal objective ½‖w‖² + C·Σξ of libsvm's solution, read from its model file; its offset is −rho. */
function libsvm(rows: readonly number[][], y: readonly number[], C: number): { objective: number; rho: number } {
  const svm = new Libsvm({ kernel: 0, type: 0, cost: C, tolerance: 1e-7, quiet: true });
  svm.train(rows, y);
  const model = svm.serializeModel();
  svm.free();
  const rho = Number(/^rho (\S+)$/m.exec(model)![1]);
  const w = new Array<number>(rows[0]!.length).fill(0);
  for (const line of model.split(/^SV$/m)[1]!.trim().split('\n')) {
    const [coefficient, ...entries] = line.trim().split(' ');
    for (const entry of entries) {
      const [index, value] = entry.split(':').map(Number);
      w[index! - 1]! += Number(coefficient) * value!;
    }
  }
  const loss = rows.map((row, i) => Math.max(0, 1 - y[i]! * (row.reduce((s, v, j) => s + v * w[j]!, 0) - rho)));
  const square = w.reduce((sum, value) => sum + value * value, 0);
  return { objective: square / 2 + C * loss.reduce((a, b) => a + b, 0), rho };
}
