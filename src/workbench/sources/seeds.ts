import { type CanonicalUrl, canonicalize, InputError } from '../../core/index.ts';
import { whyBadUrl } from '../workspace/topic-file.ts';

/**
 * Returns the pages that the user named with --seed, without repetitions.
 * @throws InputError that lists all words that are not web addresses
 */
export function readSeeds(words: readonly string[]): readonly CanonicalUrl[] {
  const mistakes = words.flatMap((url) => {
    const hint = whyBadUrl(url);
    return hint === undefined
      ? []
      : [{ file: '--seed', message: `${JSON.stringify(url)} is not a web address.`, hint }];
  });
  if (mistakes.length > 0) throw new InputError('These seeds cannot be used', mistakes);
  return [...new Set(words.flatMap((url) => canonicalize(url) ?? []))];
}
