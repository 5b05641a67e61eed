import { describe, expect, test } from 'vitest';
import { opening } from '../../../src/postprocess/search/opening-paragraph.ts';

const PROSE =
  'Birds are warm-blooded animals characterized by feathers, forelimbs modified as wings, and (in most) hollow bones.';

describe('the opening of a page', () => {
  test('is its first paragraph of running text, after title, captions and tables', () => {
    const text = [
      'Bird',
      'Superb Fairy-wren, Malurus cyaneus. Enlarge.',
      'Scientific classification Kingdom: Animalia Phylum: Chordata Class: Aves Orders: Many, See Section Below. Linnaeus',
      PROSE,
      'Most of them fly, which is what they are known for among people who do not, and look up when one passes.',
    ].join('\n');
    expect(opening(text, 240)).toBe(PROSE);
  });

  test('is cut between words', () => {
    expect(opening(PROSE, 40)).toBe('Birds are warm-blooded animals …');
  });

  test('is the beginning of the text if there is no running text', () => {
    expect(opening('Menu\nHome\nImpressum', 240)).toBe('Menu\nHome\nImpressum');
    expect(opening('', 240)).toBe('');
  });

  test('finds sentences in scripts without capitals', () => {
    const han = `${'鳥類是溫血脊椎動物，身體有羽毛，'.repeat(6)}前肢演化成翼。`;
    expect(opening(`鳥\n${han}`, 240)).toBe(han);
  });
});
