import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextArena } from '../../src/kit/text-arena.ts';

describe('TextArena', () => {
  it('returns each stored text, whatever else was stored and released', () => {
    const step = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat({ max: 30 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const arena = new TextArena();
        const kept: { id: number; text: string }[] = [];
        for (const next of steps) {
          if (typeof next === 'string') kept.push({ id: arena.keep(next), text: next });
          else for (const { id } of kept.splice(next, 1)) arena.release(id);
          expect(kept.map(({ id }) => arena.text(id))).toEqual(kept.map(({ text }) => text));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('reuses the last released number first, and leaves no gaps', () => {
    const arena = new TextArena();
    expect(['a', 'b', 'c'].map((text) => arena.keep(text))).toEqual([0, 1, 2]);
    arena.release(0);
    arena.release(2);
    expect(['d', 'e', 'f'].map((text) => arena.keep(text))).toEqual([2, 0, 3]);
  });

  it('needs eight bytes per text beside the text itself', () => {
    const arena = new TextArena();
    for (let n = 0; n < 10_000; n++) arena.keep('');
    expect(arena.byteLength).toBeLessThan(8 * 1.5 * 10_000 + 20_000);
  });

  it('does not grow if as much is released as is stored', () => {
    const arena = new TextArena();
    const text = (n: number): string => `http://host.test/page/${n}`.padEnd(60, '-');
    const ids = Array.from({ length: 1000 }, (_, n) => arena.keep(text(n)));
    const before = arena.byteLength;
    for (let n = 1000; n < 100_000; n++) {
      arena.release(ids[n % 1000]!);
      ids[n % 1000] = arena.keep(text(n));
    }
    expect(arena.byteLength).toBeLessThan(3 * before);
    expect(arena.text(ids[999]!)).toBe(text(99_999));
  });
});
