import type { TermCounts } from '../../src/core/index.ts';

/** Packs a bag; counts are clipped to 65,535. Features must be non-empty and free of line breaks. */
export function packCounts(bag: Iterable<readonly [string, number]>): TermCounts {
  const entries = [...bag];
  return {
    features: entries.map(([feature]) => feature).join('\n'),
    counts: Uint16Array.from(entries, ([, count]) => Math.min(65535, count)),
  };
}
