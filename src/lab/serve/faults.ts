import { hash32, seededRandom } from '../../kit/index.ts';

/** Deliberate faults of a server, for testing crawlers. */
export interface FaultSettings {
  /** Added to every response, in ms. >= 0 */
  readonly latencyMs: number;
  /** Share of requests answered with 503. In [0,1] */
  readonly errorRate: number;
  /** Share of requests never answered. In [0,1] */
  readonly timeoutRate: number;
  readonly seed: number;
}

export type Fault = 'none' | 'error' | 'timeout';

export const NO_FAULTS: FaultSettings = { latencyMs: 0, errorRate: 0, timeoutRate: 0, seed: 1 };

/**
 * Draws a fault for the n-th request of a URL. Depends only on seed, URL and n, not on the order of requests. Two
 * crawlers therefore meet the same faults, and a retry is a new draw.
 */
export function drawFault(settings: FaultSettings, url: string, n: number): Fault {
  const { errorRate, timeoutRate, seed } = settings;
  if (errorRate === 0 && timeoutRate === 0) return 'none';
  const draw = seededRandom(hash32(`${n} ${url}`, seed))();
  if (draw < timeoutRate) return 'timeout';
  return draw < timeoutRate + errorRate ? 'error' : 'none';
}
