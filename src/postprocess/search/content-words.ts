import { STOP_WORD_LANGUAGES, stemsOf, tokenize } from '../../analyze/index.ts';
import { wantedWords } from './parts.ts';

/**
 * Returns true if a query has at least one word that is not a stop word, so that a classifier or search can use it.
 * Several words that are all stop words of one language do not count; a single one does, because it may be a name.
 */
export function hasContent(query: string): boolean {
  const wanted = wantedWords(query);
  const { length } = stemsOf(wanted);
  return length === 1 || (length > 1 && STOP_WORD_LANGUAGES.every((language) => tokenize(wanted, language).length > 0));
}
