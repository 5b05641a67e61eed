import { describe, expect, test } from 'vitest';
import { topicTree } from '../../../src/core/index.ts';
import { readPageFilter } from '../../../src/workbench/search/page-filter.ts';

const tree = topicTree(
  [
    { name: 'bikes' },
    { name: 'lists', shown: false, topics: [{ name: 'of shops', shown: false }, { name: 'of clubs' }] },
  ],
  [],
);
const hiddenIn = (topic?: string): readonly string[] | undefined =>
  readPageFilter(topic === undefined ? {} : { topic: [topic] }, tree).without?.topics;

describe('a topic that is not shown', () => {
  test('is left out unless the user names it or one below it', () => {
    expect(hiddenIn()).toEqual(['lists']);
    expect(hiddenIn('bikes')).toEqual(['lists']);
    expect(hiddenIn('lists')).toBeUndefined();
    expect(hiddenIn('lists/of clubs')).toBeUndefined();
  });

  test('does not change the filter of other trees', () => {
    expect(readPageFilter({}, topicTree([{ name: 'bikes' }], []))).not.toHaveProperty('without');
  });
});
