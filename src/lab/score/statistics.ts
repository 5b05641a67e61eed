import { seededRandom } from '../../kit/index.ts';

/** A mean with its bootstrap interval. All NaN without values. */
export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Number of values. */
  readonly count: number;
}

const RESAMPLES = 10_000;
const TAIL = 0.025;

/** Returns the mean without NaN values; NaN if there are no others. */
export function mean(values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

/**
 * Returns the mean over tasks with its 95 % percentile bootstrap interval (Efron 1979): tasks are drawn with
 * replacement, so that the interval shows the effect of the choice of tasks. Ignores NaN. Equal seeds give equal
 * intervals.
 */
export function bootstrapMean(values: readonly number[], seed = 1): Interval {
  const known = values.filter((value) => !Number.isNaN(value));
  if (known.length === 0) return { mean: Number.NaN, low: Number.NaN, high: Number.NaN, count: 0 };
  const random = seededRandom(seed);
  const means = Float64Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let i = 0; i < known.length; i++) sum += known[Math.floor(random() * known.length)]!;
    return sum / known.length;
  }).sort();
  const at = (share: number): number => means[Math.min(RESAMPLES - 1, Math.floor(share * RESAMPLES))]!;
  return { mean: mean(known), low: at(TAIL), high: at(1 - TAIL), count: known.length };
}
