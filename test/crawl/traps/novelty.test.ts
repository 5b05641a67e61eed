import { describe, expect, it } from 'vitest';
import { type CanonicalUrl, canonicalize, DEFAULTS, hostOf, statementsOf } from '../../../src/core/index.ts';
import { type Fingerprint, TrapGuard } from '../../../src/crawl/index.ts';
import { seededRandom } from '../../../src/kit/index.ts';

const draw = seededRandom(9);
const print = (): Fingerprint => [Math.floor(draw() * 2 ** 32), Math.floor(draw() * 2 ** 32)];
const letters = (n: number): string => Array.from(String(n), (digit) => 'abcdefghij'[Number(digit)]).join('');
const words = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `w${letters(from + i)}`).join(' ');
const BOILERPLATE = words(1_000_000, 90);

interface Given {
  readonly path: string;
  readonly title: string;
  readonly text: string;
  readonly from?: string;
  readonly simhash?: Fingerprint;
  readonly isRelevant?: boolean;
}

let sequence = 0;
function fetched(
  guard: TrapGuard,
  { path, title, text, from = '/', simhash = print(), isRelevant = true }: Given,
): void {
  const finalUrl = canonicalize(`http://x.test${path}`) as CanonicalUrl;
  const statements = statementsOf(Uint16Array.from(text, (character) => character.charCodeAt(0)));
  guard.page({
    ...{ sequence: ++sequence, finalUrl, host: hostOf(finalUrl), status: 200, isRelevant },
    origin: { from: `http://x.test${from}` },
    document: { simhash, tokens: 120, title, statements },
  });
}

const standing = (guard: TrapGuard, path: string) => guard.standing(canonicalize(`http://x.test${path}`)!, 'x.test');

describe('pages of one site', () => {
  it('are read on while each says something of its own among the same words', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    const similar = print();
    for (let n = 1; n <= 100; n++) {
      const text = `${words(100 * n, 9)}. ${BOILERPLATE}`;
      fetched(guard, { path: `/item/${n}`, title: `Item w${letters(n)}`, text, simhash: similar });
    }
    expect(standing(guard, '/item/101')).toBe('free');
  });

  it.each([
    ['dates', (n: number) => [`Talk, 1/7/${n}`, `Talk on 1/7/${n} for all. ${BOILERPLATE}`]],
    [
      'the words of their title',
      (n: number) => {
        const query = words(10 * n, 3);
        return [`${query}: search`, `${query}: search. Your search for ${query} gave no result. ${BOILERPLATE}`];
      },
    ],
    [
      'sentences of earlier pages',
      (n: number) => {
        const known = [n, n * 3, n * 7].map((i) => `${words(100 * (i % 8), 20)}.`);
        return [`List w${letters(n)}`, known.join(' ')];
      },
    ],
  ] as const)('go last, but are never dropped, if they only add %s', (_, made) => {
    const guard = new TrapGuard(DEFAULTS.traps);
    for (let n = 1; n <= 400; n++) {
      const [title, text] = made(n) as [string, string];
      fetched(guard, { path: `/part/${n}`, title, text });
      if (n === 40) expect(standing(guard, '/part/9999')).toBe('doubtful');
    }
    expect(standing(guard, '/part/9999')).toBe('doubtful');
  });

  it('are dropped in the end if they only repeat others and no topic accepts them', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    for (let n = 1; n <= 400; n++)
      fetched(guard, { path: `/part/${n}`, title: `No events in ${n}`, text: BOILERPLATE, isRelevant: false });
    expect(standing(guard, '/part/9999')).toBe('barred');
  });

  it('that only repeat others are forgiven if their links lead to news', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    for (let n = 1; n <= 20; n++) {
      fetched(guard, { path: `/list/${n}`, title: `Page ${n}`, text: BOILERPLATE, isRelevant: false });
      const text = words(1_000 * n, 40);
      fetched(guard, { path: `/a/w${letters(n)}`, title: `A w${letters(n)}`, text, from: `/list/${n}` });
    }
    expect(standing(guard, '/list/21')).toBe('free');
  });
});
