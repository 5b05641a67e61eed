import { expect, test } from 'vitest';
import type { TopicId } from '../../src/core/index.ts';
import { fewExamples, unrecognised, withoutExamples } from '../../src/engine/alarms.ts';

const topics = (n: number): TopicId[] => Array.from({ length: n }, (_, i) => `birds/${i + 1}` as TopicId);
const learned = (n: number) => topics(n).map((topic, i) => ({ topic, pages: i, archetypes: 0 }));

test('reports up to three topics one by one', () => {
  expect(fewExamples([])).toEqual([]);
  expect(fewExamples(learned(3)).map(({ message }) => message)).toEqual([
    'Learning found 0 archetypes for "birds/1": it is learned from 0 pages in all.',
    'Learning found 0 archetypes for "birds/2": it is learned from 1 page in all.',
    'Learning found 0 archetypes for "birds/3": it is learned from 2 pages in all.',
  ]);
  expect(unrecognised(learned(3))).toHaveLength(3);
});

test('reports more topics in one alarm that names the first ones', () => {
  expect(fewExamples(learned(400)).map(({ message }) => message)).toEqual([
    '400 topics are learned from few pages, 399 at the most, what learning found included. ' +
      'They are "birds/1", "birds/2", "birds/3" and 397 more topics.',
  ]);
  expect(unrecognised(learned(4)).map(({ message }) => message)).toEqual([
    'The classifiers of 4 topics recognise none of their training pages that they have not seen: these have too little in common, ' +
      'or pages of other topics or of OTHERS are like them. They are "birds/1", "birds/2", "birds/3" and 1 more topic.',
  ]);
});

test('topics without an available example make one alarm', () => {
  expect(withoutExamples([])).toEqual([]);
  expect(withoutExamples(topics(2)).map(({ message }) => message)).toEqual([
    'No example of "birds/1", "birds/2" could be had: no page is given to them.',
  ]);
  expect(withoutExamples(topics(5)).map(({ message }) => message)).toEqual([
    'No example of 5 topics could be had: no page is given to them. They are "birds/1", "birds/2", "birds/3" and 2 more topics.',
  ]);
});
