import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CalibrationInput,
  calibrate,
  calibrated,
  type GivenRows,
  relevanceOf,
  SVM_CURVES,
} from '../../src/learn/index.ts';

const NONE = Number.NaN;

function input(positives: readonly number[], negatives: readonly number[], resubstitution = 1): CalibrationInput {
  const y = Int8Array.from([...positives.map(() => 1), ...negatives.map(() => -1)]);
  const scores = [...positives.map(() => resubstitution), ...negatives];
  return { y, scores, heldOut: [...positives, ...negatives], curves: [SVM_CURVES.terms] };
}

const named = (...rows: number[]): GivenRows => ({ named: rows, marked: [] });

describe('calibrate', () => {
  it('maps the mean of held-out negatives to 0', () => {
    const scale = calibrate(input([0.2, 0.4], [-1, -0.8, -0.6]));
    expect(calibrated(-0.8, scale)).toBeCloseTo(0, 12);
  });

  it('maps the mean of held-out positives to 1 if there are many', () => {
    const positives = Array.from({ length: 2000 }, (_, i) => 0.5 + (i % 2 === 0 ? 0.1 : -0.1));
    const scale = calibrate(input(positives, [-1, -0.8, -0.6]));
    expect(calibrated(0.5, scale)).toBeCloseTo(1, 1);
  });

  it('expects the typical score of single examples from a single example', () => {
    const scale = calibrate(input([NONE], [-1, -1]));
    expect(scale.scale).toBeCloseTo(2 * 0.065, 12);
  });

  it('adds the gain of the full model, which has one more example than a held-out one', () => {
    const two = calibrate(input([-0.8, -0.8], [-1, -1])).scale;
    const expected = 2 * SVM_CURVES.terms.first * 2 ** SVM_CURVES.terms.growth;
    const trust = 2 / 7;
    expect(two).toBeCloseTo((0.2 * 2) ** trust * expected ** (1 - trust), 12);
  });

  it('stays a rising line if held-out positives score below the negatives by chance', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 1, maxLength: 4 }),
        (positives) => {
          const { zero, scale } = calibrate(input(positives, [-1, -0.9]));
          expect(zero).toBeCloseTo(-0.95, 12);
          expect(scale).toBeGreaterThan(0);
          expect(Number.isFinite(scale)).toBe(true);
        },
      ),
    );
  });

  it('is fitted to typical positives: picked archetypes do not raise the bar', () => {
    const users = [-0.4, -0.2, -0.3];
    const archetypes = Array.from({ length: 20 }, () => 0.9);
    const all = { ...input([...users, ...archetypes], [-1, -1]) };
    const given = calibrate({ ...all, given: [named(0, 1, 2)] });
    expect(given.scale).toBeLessThan(calibrate(all).scale);
  });

  it('gives hundreds of subtopics the same scale as two', () => {
    const all = (topics: number): CalibrationInput => ({
      ...input(
        Array.from({ length: topics }, () => -0.9),
        [-1, -1],
      ),
      given: Array.from({ length: topics }, (_, row) => named(row)),
    });
    expect(calibrate(all(600)).scale).toBeCloseTo(calibrate(all(2)).scale, 1);
    expect(calibrate(all(600)).scale).toBeGreaterThan(0.05);
  });

  it('raises the bar little if the user marks pages that the model was sure of', () => {
    const all = input([-0.4, -0.2, -0.3, 0.9, 0.8, 0.9, 0.7], [-1, -1]);
    const scaleOf = (...given: GivenRows[]): number => calibrate({ ...all, given }).scale;
    const before = scaleOf(named(0, 1, 2));
    const after = scaleOf({ named: [0, 1, 2], marked: [3, 4, 5, 6] });
    expect(after).toBeGreaterThan(before);
    expect(after).toBeLessThan((before + scaleOf(named(0, 1, 2, 3, 4, 5, 6))) / 2);
  });

  it('uses marked pages if the user named none', () => {
    const all = input([0.9, 0.8, 0.9], [-1, -1]);
    expect(calibrate({ ...all, given: [{ named: [], marked: [0, 1, 2] }] })).toEqual(calibrate(all));
  });

  it('weights several topics equally, however many positives each has', () => {
    const few = [-0.6, -0.5, -0.7];
    const many = Array.from({ length: 20 }, () => 0.9);
    const all = input([...few, ...many], [-1, -1]);
    const scaleOf = (...rows: number[][]): number =>
      calibrate({ ...all, given: rows.map((own) => named(...own)) }).scale;
    const places = many.map((_, i) => few.length + i);
    expect(scaleOf([0, 1, 2], places)).toBeCloseTo(Math.sqrt(scaleOf([0, 1, 2]) * scaleOf(places)), 12);
    expect(scaleOf([0, 1, 2], places)).toBeLessThan(scaleOf([0, 1, 2, ...places]));
  });

  it('does not lower the bar for a subtopic whose held-out examples score low', () => {
    const known = Array.from({ length: 6 }, () => 0.5);
    const all = input([...known, -1.2, -1.3], [-1, -0.9]);
    const scores = all.heldOut;
    const scaleOf = (...rows: number[][]): number =>
      calibrate({ ...all, scores, given: rows.map((own) => named(...own)) }).scale;
    expect(scaleOf([0, 1, 2, 3, 4, 5], [6, 7])).toBeGreaterThan(scaleOf([0, 1, 2, 3, 4, 5]) / 4);
  });

  it('does not raise the bar because near-identical examples recognise each other', () => {
    const negatives = Array.from({ length: 50 }, () => -0.7);
    const scaleOf = (heldOut: number): number =>
      calibrate({ ...input([heldOut, heldOut], negatives), unknown: -0.7 }).scale;
    const expected = 1.7 * SVM_CURVES.terms.first * 2 ** SVM_CURVES.terms.growth;
    expect(scaleOf(0.7)).toBeCloseTo(expected, 12);
    expect(scaleOf(-0.5)).toBeGreaterThan(expected);
    expect(calibrate(input([0.7, 0.7], negatives)).scale).toBeGreaterThan(1.5 * expected);
  });

  it('accepts no page of unknown words beside near-identical examples', () => {
    const alike = input([0.7, 0.7], Array<number>(8).fill(-0.7));
    const { zero, scale } = calibrate({ ...alike, unknown: -0.5 });
    expect((-0.5 - zero) / scale).toBeCloseTo(0.5, 12);
    expect(calibrate({ ...alike, unknown: -0.7 }).zero).toBeCloseTo(-0.7, 12);
    const unlike = input([-0.5, -0.5], Array<number>(8).fill(-0.7));
    expect(calibrate({ ...unlike, unknown: -0.5 })).toEqual(calibrate(unlike));
  });

  it('falls back to training scores of negatives that cannot be held out', () => {
    const scale = calibrate({ ...input([0.5, 0.5], [-0.7]), heldOut: [0.1, 0.2, NONE] });
    expect(scale.zero).toBe(-0.7);
  });
});

describe('relevanceOf', () => {
  it('equals the calibrated score up to three quarters, and never reaches 1', () => {
    expect([-1, 0, 0.5, 0.75].map(relevanceOf)).toEqual([0, 0, 0.5, 0.75]);
    expect(relevanceOf(1)).toBeCloseTo(1 - 0.25 / Math.E, 12);
    expect(relevanceOf(5)).toBeLessThan(1);
  });

  it('keeps the order of scores above 0', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 6, noNaN: true }), fc.double({ min: 0, max: 6, noNaN: true }), (a, b) => {
        fc.pre(Math.abs(a - b) > 1e-6);
        expect(relevanceOf(a) < relevanceOf(b)).toBe(a < b);
      }),
    );
  });

  it('treats an unknown score as irrelevant', () => {
    expect(relevanceOf(Number.NaN)).toBe(0);
  });
});
