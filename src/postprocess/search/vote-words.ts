import { foldCase, stemsIn } from '../../analyze/index.ts';
import { LruMap } from '../../kit/index.ts';
import type { Query } from './query.ts';

/** What a search needs to count votes: see {@link voteWords}. */
export interface VoteWords {
  /** Lower-case texts, one of which every anchor with a word of the query contains. */
  readonly beginnings: readonly string[];
  /** Returns the numbers of the query's words that an anchor has, each once. */
  readonly wordsIn: (anchor: string) => ReadonlySet<number>;
}

const WORDS = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
/** Endings that stemming changes at most: *recovery* and *recoveri* begin alike. */
const ENDING = 2;
const MIN_CHARS = 3;
const KNOWN_WORDS = 5_000;

/** Prepares a query for counting votes of anchors for its words. Excluded words and phrases do not count. */
export function voteWords({ all, any, languages }: Pick<Query, 'all' | 'any' | 'languages'>): VoteWords {
  const terms = [...all, ...any].map((stems) => new Set(stems));
  const known = new LruMap<string, readonly number[]>(KNOWN_WORDS);
  const termsOf = (word: string): readonly number[] => {
    let found = known.get(word);
    if (found === undefined) {
      const stems = stemsIn(word, languages);
      found = terms.flatMap((term, i) => (stems.some((stem) => term.has(stem)) ? [i] : []));
      known.set(word, found);
    }
    return found;
  };
  const beginnings = terms.flatMap((term) =>
    [...term].map((stem) => stem.slice(0, Math.max(MIN_CHARS, stem.length - ENDING))),
  );
  return {
    beginnings: [...new Set(beginnings)],
    wordsIn: (anchor) => new Set([...foldCase(anchor).matchAll(WORDS)].flatMap(([word]) => termsOf(word))),
  };
}
