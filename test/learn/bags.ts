import type { TermCounts } from '../../src/core/index.ts';
import { packCounts } from '../support/pack-counts.ts';

/** Builds a bag from its words: `'war war peace'`. */
export function bagOf(text: string): TermCounts {
  const counts = new Map<string, number>();
  for (const word of text.split(' ').filter(Boolean)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return packCounts(counts);
}
