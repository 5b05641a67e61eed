import type { Fields } from '../../kit/index.ts';
/**
 * Ridge regression over a few dense features, updated one sample at a time and pulled towards given weights:
 * minimises Σ (y − w·x)² + λ‖w − prior‖². Exact at every `solve` (normal equations, Cholesky); O(k²) per sample.
 */
export class PulledRidge {
  readonly #k: number;
  readonly #prior: Readonly<Float64Array>;
  readonly #strength: number;
  #gram: Float64Array;
  #moment: Float64Array;
  /** Cholesky factor at the last `solve`. */
  #factor: Float64Array | undefined;

  /** @param strength - λ > 0: the number of samples the given weights are worth, for features of the order of 1 */
  constructor(prior: Readonly<Float64Array>, strength: number) {
    this.#k = prior.length;
    this.#prior = prior;
    this.#strength = strength;
    this.#gram = new Float64Array(this.#k * this.#k);
    this.#moment = new Float64Array(this.#k);
  }

  add(x: Float64Array, y: number): void {
    const k = this.#k;
    let residual = y;
    for (let i = 0; i < k; i++) residual -= this.#prior[i]! * x[i]!;
    for (let i = 0; i < k; i++) {
      this.#moment[i]! += x[i]! * residual;
      for (let j = 0; j <= i; j++) this.#gram[i * k + j]! += x[i]! * x[j]!;
    }
  }

  /**
   * Returns the variance of a prediction, given the samples up to the last `solve` and noise of variance 1. In (0,
   * |x|²/λ].
   */
  variance(x: Float64Array): number {
    const k = this.#k;
    if (this.#factor === undefined) return x.reduce((sum, value) => sum + value * value, 0) / this.#strength;
    return forward(this.#factor, x, k).reduce((sum, value) => sum + value * value, 0);
  }

  /** Returns the weights for all samples so far, length = `prior.length`. */
  solve(): Float64Array {
    const k = this.#k;
    const a = Float64Array.from(this.#gram);
    for (let i = 0; i < k; i++) a[i * k + i]! += this.#strength;
    factorize(a, k);
    this.#factor = a;
    const delta = substitute(a, this.#moment, k);
    return delta.map((d, i) => d + this.#prior[i]!);
  }

  exchange(fields: Fields): void {
    this.#gram = fields.numbers(this.#gram);
    this.#moment = fields.numbers(this.#moment);
    this.#factor = fields.value(this.#factor);
  }
}

/** Solves L·x = b for a lower triangle. */
function forward(l: Float64Array, b: Float64Array, k: number): Float64Array {
  const x = Float64Array.from(b);
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < i; j++) x[i]! -= l[i * k + j]! * x[j]!;
    x[i]! /= l[i * k + i]!;
  }
  return x;
}

/** Computes the Cholesky factor in the lower triangle. The ridge makes the matrix positive definite. */
function factorize(a: Float64Array, k: number): void {
  for (let i = 0; i < k; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * k + j]!;
      for (let m = 0; m < j; m++) sum -= a[i * k + m]! * a[j * k + m]!;
      a[i * k + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / a[j * k + j]!;
    }
  }
}

function substitute(l: Float64Array, b: Float64Array, k: number): Float64Array {
  const x = forward(l, b, k);
  for (let i = k - 1; i >= 0; i--) {
    for (let j = i + 1; j < k; j++) x[i]! -= l[j * k + i]! * x[j]!;
    x[i]! /= l[i * k + i]!;
  }
  return x;
}
