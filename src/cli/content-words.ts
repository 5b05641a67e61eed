import { stemsOf } from '../analyze/index.ts';
import { wantedWords } from '../postprocess/index.ts';

/** True when a query asks for at least one word that is no stop word: something a classifier or a search can use. */
export function hasContent(query: string): boolean {
  return stemsOf(wantedWords(query)).length > 0;
}
