import { describe, expect, it } from 'vitest';
import { findings } from '../scripts/check-language.ts';

const LONG = Array.from({ length: 11 }, (_, i) => `the page ${i}`).join(' and ');

describe('the check of the wording', () => {
  it.each([
    [
      'docs/x.md',
      'A page.\n\nThe user is told the result.',
      'docs/x.md:3: avoid "is told"; write: is reported, is printed',
    ],
    ['src/x.ts', "const a = 1;\nconst text = 'The crawl goes on.';", 'src/x.ts:2: avoid "goes on"; write: continues'],
    ['src/x.ts', '/** Known to\n * nobody here. */', 'src/x.ts:1: avoid "nobody"; write: the user, no caller'],
    ['test/x.test.ts', "test('goes on later', () => {})", 'test/x.test.ts:1: avoid "goes on"; write: continues'],
  ])('finds a word to avoid in %s: %j', (file, text, finding) => {
    expect(findings(file, text)).toEqual([finding]);
  });

  it.each([
    ['docs/x.md', `${LONG}.`],
    ['src/x.ts', `const text = '${LONG}.';`],
  ])('finds a long sentence in %s', (file, text) => {
    expect(findings(file, text)).toEqual([`${file}:1: a sentence of 43 words; 32 at most`]);
  });

  it.each([
    ['docs/x.md', '```\nHere nobody goes on.\n```\n\n| one | two |'],
    ['docs/x.md', `- ${LONG.slice(0, 100)}\n- ${LONG.slice(0, 100)}\n- ${LONG.slice(0, 100)}`],
    ['src/x.ts', `const endings = set('${'atech ětem etem atům ovými '.repeat(8).trim()}');`],
    ['src/x.ts', `const stops = '${'nobody somebody whoever '.repeat(10).trim()}';`],
    ['src/x.ts', `/** ${LONG} */`],
    ['test/x.test.ts', `expect(text).toBe('Here nobody goes on. ${LONG}');`],
  ])('leaves code, data and assertions alone in %s: %j', (file, text) => {
    expect(findings(file, text)).toEqual([]);
  });

  it('reads hostile input in bounded time', () => {
    const start = performance.now();
    for (const piece of ['a\n', '| ', '"', "'\\", '/*', '- \n', '(', '${'])
      for (const file of ['a.md', 'src/a.ts']) findings(file, piece.repeat(2000));
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
