import { describe, expect, it } from 'vitest';
import { foldDuplicates } from '../../../src/postprocess/index.ts';

const page = (name: string, parts: { hash?: string; simhash?: readonly [number, number]; tokens?: number }) => ({
  name,
  contentHash: parts.hash ?? '',
  simhash: parts.simhash ?? ([0, 0] as const),
  tokens: parts.tokens ?? 500,
});
const folded = (...pages: ReturnType<typeof page>[]): string[] =>
  foldDuplicates(pages).map(({ name, alike }) => [name, ...alike.map((other) => other.name)].join('+'));

describe('foldDuplicates', () => {
  it('groups pages with the same text under the best of them', () => {
    const far = [0xffffffff, 0xffffffff] as const;
    expect(folded(page('a', { hash: 'x' }), page('b', { hash: 'y', simhash: far }), page('c', { hash: 'x' }))).toEqual([
      'a+c',
      'b',
    ]);
  });

  it('groups texts whose fingerprints differ in three bits, not in four', () => {
    expect(folded(page('a', { simhash: [0, 0] }), page('b', { simhash: [0x80000001, 4] }))).toEqual(['a+b']);
    expect(folded(page('a', { simhash: [0, 0] }), page('b', { simhash: [0x80000001, 6] }))).toEqual(['a', 'b']);
  });

  it('does not trust the fingerprints of short texts', () => {
    expect(folded(page('a', { tokens: 5 }), page('b', { tokens: 5 }))).toEqual(['a', 'b']);
    expect(folded(page('a', { tokens: 5, hash: 'x' }), page('b', { tokens: 5, hash: 'x' }))).toEqual(['a+b']);
  });
});
