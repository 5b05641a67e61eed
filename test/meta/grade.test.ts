import { expect, test } from 'vitest';
import { topicGrade } from '../../src/meta/index.ts';

const graded = (positives: number, recognised: number, taken = recognised): string =>
  topicGrade({
    positives,
    heldOutMethod: 'leave-one-out',
    heldOutPrecision: taken === 0 ? Number.NaN : recognised / taken,
    heldOutRecall: recognised / positives,
  });

test.each([
  ['nothing was learned', topicGrade(undefined), 'too few examples'],
  ['two pages, both recognised', graded(2, 2), 'too few examples'],
  ['two of four pages: their interval holds good and bad', graded(4, 2), 'too few examples'],
  ['five of five pages', graded(5, 5), 'fair'],
  ['six of six pages', graded(6, 6), 'good'],
  ['forty of fifty pages', graded(50, 40), 'good'],
  ['thirty of fifty pages', graded(50, 30), 'fair'],
  ['ten of fifty pages', graded(50, 10), 'weak'],
  ['all pages, and as many of other subjects', graded(50, 50, 120), 'weak'],
  ['none of ten pages', graded(10, 0), 'weak'],
])('grades held-out pages: %s', (_, grade, expected) => {
  expect(grade).toBe(expected);
});
