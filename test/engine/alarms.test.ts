import { expect, test } from 'vitest';
import type { TopicId } from '../../src/core/index.ts';
import { fewExamples, keptLinear, unrecognised, withoutExamples } from '../../src/engine/alarms.ts';

const topics = (n: number): TopicId[] => Array.from({ length: n }, (_, i) => `birds/${i + 1}` as TopicId);
const learned = (n: number) => topics(n).map((topic, i) => ({ topic, pages: i, archetypes: 0 }));

test('reports up to three topics one by one', () => {
  expect(fewExamples([])).toEqual([]);
  expect(fewExamples(learned(3)).map(({ message }) => message)).toEqual([
    'Learning found 0 archetypes for "birds/1". It now learns from 0 pages.',
    'Learning found 0 archetypes for "birds/2". It now learns from 1 page.',
    'Learning found 0 archetypes for "birds/3". It now learns from 2 pages.',
  ]);
  expect(unrecognised(learned(3))).toHaveLength(3);
});

test('reports more topics in one alarm that names the first ones', () => {
  expect(fewExamples(learned(400)).map(({ message }) => message)).toEqual([
    '400 topics learn from 399 pages or fewer, archetypes included. ' +
      'They are "birds/1", "birds/2", "birds/3" and 397 more topics.',
  ]);
  expect(unrecognised(learned(4)).map(({ message }) => message)).toEqual([
    'The classifiers of 4 topics recognise no held-out page of their training pages. The pages have too little in common, ' +
      'or pages of other topics or counter-examples resemble them. They are "birds/1", "birds/2", "birds/3" and 1 more topic.',
  ]);
});

test('topics with too many training pages for a kernel make one alarm', () => {
  expect(keptLinear('rbf', [])).toBeUndefined();
  expect(keptLinear('rbf', topics(1))?.message).toBe(
    '"birds/1": more than 300 training pages, so the linear SVM decides instead of the kernel "rbf".',
  );
  expect(keptLinear('poly', topics(5))?.message).toContain('"birds/3" and 2 more topics: more than 300 training pages');
});

test('topics without an available example make one alarm', () => {
  expect(withoutExamples([])).toEqual([]);
  expect(withoutExamples(topics(2)).map(({ message }) => message)).toEqual([
    'No example of "birds/1", "birds/2" could be fetched: no page can be assigned to them.',
  ]);
  expect(withoutExamples(topics(5)).map(({ message }) => message)).toEqual([
    'No example of 5 topics could be fetched: no page can be assigned to them. They are "birds/1", "birds/2", "birds/3" and 2 more topics.',
  ]);
});
