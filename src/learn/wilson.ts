import type { ConfidenceRange } from '../core/index.ts';

/** Half-width of the central 95 % of a normal distribution, in standard deviations. */
const Z = 1.96;

/**
 * Wilson's score interval: the range of a share with 95 % confidence if `hits` of `trials` were seen. It is sound for
 * two or three trials, unlike hits ± a deviation; [0,1] for no trials (Wilson 1927, eq. 4).
 * @param hits 0 … `trials`
 */
export function wilsonInterval(hits: number, trials: number): ConfidenceRange {
  if (trials === 0) return { low: 0, high: 1 };
  const share = hits / trials;
  const square = (Z * Z) / trials;
  const middle = share + square / 2;
  const spread = Z * Math.sqrt((share * (1 - share)) / trials + square / (4 * trials));
  return {
    low: hits === 0 ? 0 : Math.max(0, (middle - spread) / (1 + square)),
    high: hits === trials ? 1 : Math.min(1, (middle + spread) / (1 + square)),
  };
}
