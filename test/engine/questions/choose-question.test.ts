import { describe, expect, test } from 'vitest';
import type { TermCounts } from '../../../src/core/index.ts';
import { type AskablePage, choosePage, type QuestionOrder } from '../../../src/engine/questions/choose-question.ts';

function terms(...words: readonly string[]): TermCounts {
  return { features: words.join('\n'), counts: new Uint16Array(words.length).fill(1) };
}

const page = (key: string, calibrated: number, ...words: readonly string[]): AskablePage => {
  return { key, calibrated, terms: terms(...words) };
};

const PAGES = [
  page('sure', 2.4, 'rail', 'steam', 'gauge'),
  page('typical', 0.95, 'rail', 'steam', 'gauge'),
  page('odd', 0.93, 'cheese', 'wine', 'olive'),
  page('fair', 1.2, 'rail', 'steam', 'track'),
];

const chosen = (order: QuestionOrder, asked: readonly TermCounts[] = []): string | undefined =>
  choosePage({ pages: PAGES, asked, threshold: 0.9, order })?.key;

describe('the page asked about', () => {
  test('is uncertain and typical of what is fetched', () => {
    expect(chosen('benefit')).toBe('typical');
  });

  test('is unlike those asked about before', () => {
    expect(chosen('benefit', [terms('rail', 'steam', 'gauge')])).not.toBe('typical');
  });

  test('can be the least or the most certain one', () => {
    expect(chosen('unsure')).toBe('odd');
    expect(chosen('surest')).toBe('sure');
  });

  test('is missing without pages', () => {
    expect(choosePage({ pages: [], asked: [], threshold: 0.9, order: 'benefit' })).toBeUndefined();
  });
});
