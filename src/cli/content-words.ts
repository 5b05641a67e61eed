import { stemsOf } from '../analyze/index.ts';

/** True when text holds at least one word that is no stop word: something a classifier or a search can use. */
export function hasContent(text: string): boolean {
  return stemsOf(text).length > 0;
}
