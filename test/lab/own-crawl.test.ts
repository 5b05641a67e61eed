import { expect, test } from 'vitest';
import { topicTree } from '../../src/core/index.ts';
import { frozenCrawl, type JudgedAddress, parseLabels, parseTasks, renderTasks } from '../../src/lab/index.ts';

const url = (name: string): string => `http://${name}.test/`;
const page = (name: string): { readonly kind: 'url'; readonly url: string } => ({ kind: 'url', url: url(name) });
const found = (name: string, topic?: string): JudgedAddress => ({ url: url(name), topic, role: 'crawled' });

const tree = topicTree(
  [
    {
      name: 'bikes',
      examples: [page('bikes'), page('lost'), { kind: 'file', path: 'a.pdf' }],
      topics: [
        {
          name: 'touring',
          examples: [{ kind: 'text', name: 'query: tours', text: 'long tours' }],
          seeds: [url('start')],
        },
      ],
    },
    { name: 'cars', good: false, examples: [page('cars')] },
  ],
  [page('others')],
);
const pages: readonly JudgedAddress[] = [
  { url: url('bikes'), topic: 'bikes', role: 'example' },
  { url: url('others'), topic: undefined, role: 'others' },
  ...['a', 'b', 'c', 'd'].map((name) => found(name, 'bikes')),
  ...['e', 'f', 'g'].map((name) => found(name)),
  found('h', 'bikes/touring'),
  found('beyond', 'bikes'),
];
const has = (address: string): boolean => !['lost', 'beyond'].map(url).includes(address);
const frozen = frozenCrawl({ name: 'own', tree, pages, has });

test('topics, examples, queries and seeds are those of the archived tree', () => {
  expect(frozen.task.topics).toEqual([
    { name: 'bikes', labels: ['bikes'], examples: [url('bikes')] },
    { name: 'bikes/touring', labels: ['bikes/touring'], examples: [], query: 'long tours' },
  ]);
  expect(frozen.task.seeds).toEqual([url('bikes'), url('start')]);
  expect(frozen.leftOut).toEqual(['bikes: 1 local file', 'bikes: 1 page missing from the archive']);
});

test('examples of topics that are not good are OTHERS', () => {
  expect(frozen.task.others).toEqual([url('others'), url('cars')]);
});

test('labels are the verdicts on archived pages', () => {
  const labels = parseLabels(frozen.labels, 'own.labels.tsv');
  expect([...labels].map(([address, paths]) => [new URL(address).hostname, ...paths])).toEqual([
    ['bikes.test', 'bikes'],
    ['others.test', 'OTHERS'],
    ...['a', 'b', 'c', 'd'].map((name) => [`${name}.test`, 'bikes']),
    ...['e', 'f', 'g'].map((name) => [`${name}.test`, 'OTHERS']),
    ['h.test', 'bikes/touring'],
  ]);
  expect([frozen.pages, frozen.relevant]).toEqual([8, 5]);
});

test('the budget is a quarter of the pages found, or the one requested', () => {
  expect(frozen.task.budget).toBe(2);
  expect(frozenCrawl({ name: 'own', tree, pages, has, budget: 7 }).task.budget).toBe(7);
});

test('the task file can be read back', () => {
  expect(parseTasks(renderTasks([frozen.task]), 'own.tasks.json')).toEqual([frozen.task]);
});

test('a topic without archived pages is left out', () => {
  const { task, leftOut } = frozenCrawl({
    name: 'own',
    tree,
    pages,
    has: (address) => has(address) && address !== url('bikes'),
  });
  expect(task.topics.map(({ name }) => name)).toEqual(['bikes/touring']);
  expect(leftOut).toContain('the topic bikes: no example is in the archive');
});
