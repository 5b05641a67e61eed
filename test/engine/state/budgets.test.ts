import { describe, expect, test } from 'vitest';
import { type TopicId, topicTree } from '../../../src/core/index.ts';
import { Budgets } from '../../../src/engine/state/budgets.ts';
import { entry } from '../../crawl/support/entries.ts';

const id = (text: string): TopicId => text as TopicId;
const NONE = { maxPagesPerTopic: 0, maxPagesPerSite: 0 };
const at = (topic: string, url = 'http://www.a.test/'): ReturnType<typeof entry> => entry(url, { topic: id(topic) });

describe('the budget of a topic', () => {
  const tree = topicTree(
    [{ name: 'A', budget: 3, topics: [{ name: 'x', budget: 2 }, { name: 'y' }] }, { name: 'B' }],
    [],
  );

  test('covers it and its subtopics', () => {
    const budgets = new Budgets(tree, NONE);
    for (const topic of ['A/y', 'A/y', 'A']) budgets.spend(at(topic));
    expect(['A', 'A/x', 'A/y', 'B'].map((topic) => budgets.isSpent(id(topic)))).toEqual([true, true, true, false]);
  });

  test('ends for a subtopic before it ends for its parent', () => {
    const budgets = new Budgets(tree, NONE);
    budgets.spend(at('A/x'));
    budgets.spend(at('A/x'));
    expect(['A', 'A/x', 'A/y'].map((topic) => budgets.isSpent(id(topic)))).toEqual([false, true, false]);
  });

  test('counts running requests until they end', () => {
    const budgets = new Budgets(tree, NONE);
    budgets.start(at('A/x'));
    budgets.start(at('A/x'));
    expect([budgets.isOpen(id('A/x')), budgets.isSpent(id('A/x')), budgets.isOpen(id('A/y'))]).toEqual([
      false,
      false,
      true,
    ]);
    budgets.end(at('A/x'));
    expect(budgets.isOpen(id('A/x'))).toBe(true);
  });

  test('replaces maxPagesPerTopic, which applies to each other topic alone', () => {
    const budgets = new Budgets(tree, { ...NONE, maxPagesPerTopic: 1 });
    budgets.spend(at('A/x'));
    budgets.spend(at('B'));
    expect(['A', 'A/x', 'A/y', 'B'].map((topic) => budgets.isSpent(id(topic)))).toEqual([false, false, false, true]);
    budgets.spend(at('A/y'));
    expect(['A', 'A/x', 'A/y'].map((topic) => budgets.isSpent(id(topic)))).toEqual([false, false, true]);
    // Those of the topics below count for the one above.
    budgets.spend(at('A'));
    expect(['A', 'A/x', 'A/y'].map((topic) => budgets.isSpent(id(topic)))).toEqual([true, true, true]);
    expect([budgets.spentTopics(), budgets.spent()]).toEqual([
      ['A', 'A/x', 'A/y', 'B'].map(id),
      { topics: ['A', 'A/x', 'A/y', 'B'].map(id), sites: 0 },
    ]);
  });
});

describe('the budget of a site', () => {
  test('covers all its hosts, whatever the topic', () => {
    const budgets = new Budgets(topicTree([{ name: 'A' }, { name: 'B' }], []), { ...NONE, maxPagesPerSite: 2 });
    budgets.start(at('A', 'http://www.site.test/'));
    budgets.spend(at('B', 'http://other.site.test:8080/'));
    expect([budgets.hasRoom('site.test'), budgets.isSiteSpent('site.test')]).toEqual([false, false]);
    budgets.end(at('A', 'http://www.site.test/'));
    budgets.spend(at('A', 'http://www.site.test/'));
    expect([budgets.isSiteSpent('site.test'), budgets.hasRoom('else.test')]).toEqual([true, true]);
    expect(budgets.spent()).toEqual({ topics: [], sites: 1 });
  });

  test('applies beside the budget of a topic', () => {
    const budgets = new Budgets(topicTree([{ name: 'A' }], []), { maxPagesPerTopic: 2, maxPagesPerSite: 1 });
    budgets.spend(at('A', 'http://a.test/'));
    expect([budgets.isSiteSpent('a.test'), budgets.isSpent(id('A')), budgets.spentTopics()]).toEqual([true, false, []]);
    budgets.spend(at('A', 'http://b.test/'));
    expect([budgets.isSpent(id('A')), budgets.spent()]).toEqual([true, { topics: [id('A')], sites: 2 }]);
  });

  test('is unlimited if the setting is 0', () => {
    const budgets = new Budgets(topicTree([{ name: 'A' }], []), NONE);
    for (let i = 0; i < 100; i++) budgets.spend(at('A'));
    expect([budgets.hasRoom('a.test'), budgets.isSiteSpent('a.test'), budgets.isSpent(id('A'))]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
