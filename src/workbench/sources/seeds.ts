import { type CanonicalUrl, CREDENTIALS_HINT, canonicalize, hasCredentials, InputError } from '../../core/index.ts';
import { whyBadUrl } from '../workspace/topic-file.ts';

/**
 * Returns the first pages that the user named, without repetitions.
 * @throws InputError that lists all words that are not web addresses, or have a user name or a password
 */
export function readSeeds(words: readonly string[]): readonly CanonicalUrl[] {
  const mistakes = words.flatMap((url, i) => {
    const file = `seed ${i + 1}`;
    const hint = whyBadUrl(url);
    if (hint !== undefined) return [{ file, message: `${JSON.stringify(url)} is not a web address.`, hint }];
    if (!hasCredentials(url)) return [];
    return [{ file, message: `${canonicalize(url)} is given with a user name or a password.`, hint: CREDENTIALS_HINT }];
  });
  if (mistakes.length > 0) throw new InputError('These seeds cannot be used', mistakes);
  return [...new Set(words.flatMap((url) => canonicalize(url) ?? []))];
}
