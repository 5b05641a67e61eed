import { describe, expect, test } from 'vitest';
import type { CanonicalUrl } from '../../src/core/index.ts';
import { oracleArea } from '../../src/lab/score/oracle.ts';

const WEB: Record<string, string> = { s: 'ab', a: 'R', b: 'c', c: 'Q', R: 'T', Q: '', T: '' };
const links = (url: CanonicalUrl): CanonicalUrl[] => [...(WEB[url] ?? '')] as CanonicalUrl[];
const ask = (relevant: string, budget: number): number =>
  oracleArea({
    seeds: ['s'] as string[] as CanonicalUrl[],
    relevant: new Set([...relevant] as CanonicalUrl[]),
    budget,
    links,
  });

describe('the oracle', () => {
  test('takes the shortest path to the nearest relevant page, then continues from all fetched pages', () => {
    // a R T b c Q: found 0 1 2 2 2 3 of 3.
    expect(ask('RTQ', 6)).toBeCloseTo((0 + 1 + 2 + 2 + 2 + 3) / 18);
  });

  test('stops at the budget', () => {
    expect(ask('RTQ', 2)).toBeCloseTo(1 / 6);
  });

  test('has full recall to the end of the budget if everything is found early', () => {
    expect(ask('a', 10)).toBe(1);
  });

  test('leaves out unreachable pages, and has no area if none is reachable', () => {
    expect(ask('aX', 10)).toBe(1);
    expect(ask('X', 10)).toBeNaN();
  });
});
