import { type CanonicalUrl, canonicalize, InputError } from '../../core/index.ts';
import { whyBadUrl } from '../workspace/topic-file.ts';

/**
 * Returns the first pages that the user named, without repetitions.
 * @throws InputError that lists all words that are not web addresses
 */
export function readSeeds(words: readonly string[]): readonly CanonicalUrl[] {
  const mistakes = words.flatMap((url, i) => {
    const hint = whyBadUrl(url);
    return hint === undefined
      ? []
      : [{ file: `seed ${i + 1}`, message: `${JSON.stringify(url)} is not a web address.`, hint }];
  });
  if (mistakes.length > 0) throw new InputError('These seeds cannot be used', mistakes);
  return [...new Set(words.flatMap((url) => canonicalize(url) ?? []))];
}
