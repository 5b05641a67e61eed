import { type CanonicalUrl, canonicalize, InputError } from '../../core/index.ts';
import { whyBadUrl } from '../workspace/topic-file.ts';

/**
 * Pages that a person named with --seed, each once.
 * @throws InputError that names all that are no pages of the web
 */
export function readSeeds(words: readonly string[]): readonly CanonicalUrl[] {
  const mistakes = words.flatMap((url) => {
    const hint = whyBadUrl(url);
    return hint === undefined
      ? []
      : [{ file: '--seed', message: `${JSON.stringify(url)} is not a URL of the web.`, hint }];
  });
  if (mistakes.length > 0) throw new InputError('These seeds cannot be used', mistakes);
  return [...new Set(words.flatMap((url) => canonicalize(url) ?? []))];
}
