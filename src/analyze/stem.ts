import { stemmer } from 'porter-stemmer';

/** Tokens longer than this are no words; the stemmer's patterns are slow on them, too. */
export const MAX_TOKEN_CHARS = 30;

const MEMO_LIMIT = 50_000;
const memo = new Map<string, string>();

/**
 * Porter stem of one word in lower case. Words with anything but a–z, and those longer than {@link MAX_TOKEN_CHARS},
 * come back as they are. Memoised; the memo is emptied when it is full.
 */
export function stem(word: string): string {
  const known = memo.get(word);
  if (known !== undefined) return known;
  const result = stemUncached(word);
  if (memo.size >= MEMO_LIMIT) memo.clear();
  memo.set(word, result);
  return result;
}

/** {@link stem} for callers with a memory of their own. */
export function stemUncached(word: string): string {
  return word.length > MAX_TOKEN_CHARS || !/^[a-z]+$/.test(word) ? word : stemmer(word);
}
