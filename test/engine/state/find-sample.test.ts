import { describe, expect, test } from 'vitest';
import { FindSample } from '../../../src/engine/state/find-sample.ts';

const urls = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `http://a.example/${from + i}`);

describe('the sample behind the estimate of recall', () => {
  test('counts relevant pages that one, two or more relevant pages link to', () => {
    const sample = new FindSample();
    sample.linked(urls(0, 4));
    sample.linked(urls(0, 3));
    for (let i = 0; i < 5; i++) sample.linked(urls(0, 1));
    for (const url of urls(0, 5)) sample.found(url);
    expect(sample.figures()).toMatchObject({ sampled: 5, once: 1, twice: 2 });
  });

  test('leaves out addresses that led to no relevant page, and counts a page once', () => {
    const sample = new FindSample();
    sample.linked(urls(0, 10));
    sample.found('http://a.example/3');
    sample.found('http://a.example/3');
    expect(sample.figures()).toMatchObject({ sampled: 1, once: 1, twice: 0 });
  });

  test('gives the rate of the last quarter, also after thousands of pages', () => {
    const sample = new FindSample();
    for (let i = 0; i < 3000; i++) sample.counted(true);
    for (let i = 0; i < 1000; i++) sample.counted(i % 10 === 0);
    const { pages, finds, lateRate } = sample.figures();
    expect([pages, finds]).toEqual([4000, 3100]);
    expect(lateRate).toBeCloseTo(0.1, 1);
  });

  test('stays bounded and keeps the proportions of a large crawl, in any order of the links', () => {
    const all = urls(0, 60_000);
    const figuresOf = (order: readonly string[]): ReturnType<FindSample['figures']> => {
      const sample = new FindSample();
      sample.linked(order);
      sample.linked(order.filter((url) => Number(url.split('/').at(-1)) % 2 === 0));
      for (const url of order) sample.found(url);
      return sample.figures();
    };
    const { sampled, once, twice } = figuresOf(all);
    expect(figuresOf(all.toReversed())).toEqual(figuresOf(all));
    expect(sampled).toBeLessThanOrEqual(8_192);
    expect(sampled).toBeGreaterThan(3_000);
    expect(once / sampled).toBeCloseTo(0.5, 1);
    expect(once + twice).toBe(sampled);
  });
});
