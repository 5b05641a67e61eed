import { STOP_WORD_LANGUAGES, stemsOf, tokenize } from '../../analyze/index.ts';
import { wantedWords } from './parts.ts';

/**
 * True when a query asks for at least one word that is no stop word: something a classifier or a search can use. Several words that are
 * stop words of one language, whichever, are none; a single one may be a name.
 */
export function hasContent(query: string): boolean {
  const wanted = wantedWords(query);
  const { length } = stemsOf(wanted);
  return length === 1 || (length > 1 && STOP_WORD_LANGUAGES.every((language) => tokenize(wanted, language).length > 0));
}
