import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { META_RULES } from '../../src/core/index.ts';
import { bestSvm } from '../../src/meta/best-svm.ts';
import { combineVotes, type Vote } from '../../src/meta/index.ts';

const yes = (precision = 0.5): Vote => ({ result: 1, precision });
const no = (precision = 0.5): Vote => ({ result: -1, precision });

const vote = fc.record({
  result: fc.constantFrom(1 as const, -1 as const),
  precision: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constant(Number.NaN)),
});

describe('combineVotes', () => {
  it('is unanimous if all agree, and abstains otherwise', () => {
    expect(combineVotes([yes(), yes()], 'unanimous')).toBe(1);
    expect(combineVotes([no(), no()], 'unanimous')).toBe(-1);
    expect(combineVotes([yes(), yes(), no()], 'unanimous')).toBe(0);
  });

  it('follows the majority, and abstains on a draw', () => {
    expect(combineVotes([yes(), yes(), no()], 'majority')).toBe(1);
    expect(combineVotes([yes(), no()], 'majority')).toBe(0);
  });

  it('weights votes by estimated precision', () => {
    expect(combineVotes([yes(0.9), no(0.3), no(0.5)], 'weighted')).toBe(1);
    expect(combineVotes([yes(0.9), no(0.6), no(0.5)], 'weighted')).toBe(-1);
  });

  it('counts an unknown precision as 0.5, and precisions that are all 0 as equal', () => {
    expect(combineVotes([yes(Number.NaN), no(0.4)], 'weighted')).toBe(1);
    expect(combineVotes([yes(0), yes(0), no(0)], 'weighted')).toBe(1);
  });

  it('uses only the best classifier', () => {
    expect(combineVotes([no(0.6), yes(0.8), no(0.7)], 'best')).toBe(1);
  });

  it('abstains without votes', () => {
    for (const rule of META_RULES) expect(combineVotes([], rule)).toBe(0);
  });

  it('flips if every vote flips, and follows a single vote', () => {
    fc.assert(
      fc.property(fc.array(vote, { minLength: 1, maxLength: 5 }), fc.constantFrom(...META_RULES), (votes, rule) => {
        const turned = votes.map((v): Vote => ({ ...v, result: v.result === 1 ? -1 : 1 }));
        expect(combineVotes(turned, rule)).toBe(0 - combineVotes(votes, rule) || 0);
        expect(combineVotes(votes.slice(0, 1), rule)).toBe(votes[0]!.result);
      }),
    );
  });

  it('never accepts a page that the unanimous rule rejects', () => {
    fc.assert(
      fc.property(fc.array(vote, { minLength: 1, maxLength: 5 }), fc.constantFrom(...META_RULES), (votes, rule) => {
        fc.pre(combineVotes(votes, 'unanimous') === -1);
        expect(combineVotes(votes, rule)).toBe(-1);
      }),
    );
  });
});

describe('the single best classifier', () => {
  const model = (xiAlphaPrecision: number, heldOutPrecision: number, heldOutAuc: number) => ({
    model: { xiAlphaPrecision, heldOutPrecision, heldOutAuc },
  });
  const best = (calibrated: boolean, ...svms: ReturnType<typeof model>[]): number =>
    svms.indexOf(bestSvm({ calibrated }, svms));

  it('is the most precise: by held-out pages if calibrated, by xi-alpha under paper rules', () => {
    const svms = [model(0.4, 0.8, 0.9), model(0.5, 0.7, 0.95), model(0.1, 0.9, 0.6)];
    expect([best(true, ...svms), best(false, ...svms)]).toEqual([2, 1]);
  });

  it('on equal precision, is the one that ranks held-out pages best, then the first', () => {
    expect(best(true, model(0, 1, 0.8), model(0, 1, 0.9), model(0, 1, 0.9))).toBe(1);
  });

  it('is not one without figures if another has figures', () => {
    expect(best(true, model(0, Number.NaN, 1), model(0, 0, 0))).toBe(1);
    expect(best(true, model(0, 0.5, Number.NaN), model(0, 0.5, 0))).toBe(1);
    expect(best(true, model(0, Number.NaN, Number.NaN))).toBe(0);
  });
});
