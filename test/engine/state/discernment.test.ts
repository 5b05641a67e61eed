import { describe, expect, test } from 'vitest';
import { Discernment } from '../../../src/engine/state/discernment.ts';

/** Pages of relevance .01, .02, … of which some are accepted. */
function judging(pages: number, accepted: number): Discernment<{ relevance: number }> {
  const discernment = new Discernment<{ relevance: number }>();
  for (let i = 1; i <= pages; i++) discernment.note({ relevance: ((i * 7) % pages) / 100 }, i <= accepted);
  return discernment;
}

describe('Discernment', () => {
  test('is lacking when more than four fifths are accepted, once there are ten pages', () => {
    expect(judging(9, 9).isLacking).toBe(false);
    expect(judging(10, 8).isLacking).toBe(false);
    expect(judging(10, 9).isLacking).toBe(true);
    expect(judging(20, 16).isLacking).toBe(false);
  });

  test('asks for a round at every twentieth page while it is lacking', () => {
    const discernment = judging(0, 0);
    const due: number[] = [];
    for (let i = 1; i <= 60; i++) {
      discernment.note({ relevance: 1 }, true);
      if (discernment.isRoundDue) due.push(i);
    }
    expect(due).toEqual([20, 40, 60]);
    expect(judging(20, 10).isRoundDue).toBe(false);
  });

  test('names the third that the model ranks lowest', () => {
    expect(judging(10, 10).lowest()).toEqual([0, 0.01, 0.02].map((relevance) => ({ relevance })));
  });

  test('begins anew with each model', () => {
    const discernment = judging(20, 20);
    discernment.renew();
    expect(discernment.isLacking).toBe(false);
    expect(discernment.lowest()).toEqual([]);
    for (let i = 0; i < 10; i++) discernment.note({ relevance: 1 }, false);
    expect(discernment.isLacking).toBe(false);
  });

  test('remembers the first 500 pages of a model alone', () => {
    const discernment = judging(500, 500);
    expect(discernment.isRoundDue).toBe(false);
    for (let i = 0; i < 5000; i++) discernment.note({ relevance: 0 }, false);
    expect(discernment.isLacking).toBe(true);
    expect(discernment.isRoundDue).toBe(false);
    expect(discernment.lowest()).toHaveLength(166);
  });
});
