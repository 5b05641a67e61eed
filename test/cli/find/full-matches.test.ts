import { describe, expect, it } from 'vitest';
import { wholeText } from '../../../src/cli/find/full-matches.ts';

const SHOWN = { matches: 20, limit: 10, words: 'two-phase commit', dir: 'my folder' };

describe('wholeText', () => {
  it('says how many of the matching pages have all words', () => {
    expect(wholeText({ accepted: 0, rejected: 0 }, SHOWN)).toEqual({ share: '; none has all of them', below: '' });
    expect(wholeText({ accepted: 1, rejected: 0 }, SHOWN).share).toBe('; 1 has all of them');
    expect(wholeText({ accepted: 12, rejected: 0 }, SHOWN).share).toBe('; 12 have all of them');
    expect(wholeText({ accepted: 20, rejected: 0 }, SHOWN).share).toBe('');
  });

  it('mentions rejected pages with every word if there are few answers', () => {
    expect(wholeText({ accepted: 2, rejected: 1 }, SHOWN).below).toBe(
      "1 page that was not accepted has every word:  bingo search 'my folder' 'two-phase commit' --all\n",
    );
    expect(wholeText({ accepted: 0, rejected: 3 }, SHOWN).below).toMatch(
      /^3 pages that were not accepted have every word/,
    );
    expect(wholeText({ accepted: 10, rejected: 3 }, SHOWN).below).toBe('');
  });
});
