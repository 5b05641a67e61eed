import { expect, test } from 'vitest';
import { topicNode, topicTree } from '../../../src/core/index.ts';
import { failuresTold, noTrainingPages, shortExamplesTold } from '../../../src/engine/training/training-failures.ts';

test('one alarm covers pages of many sites that fail in the same way', () => {
  const tree = topicTree([{ name: 'birds', examples: [{ kind: 'url', url: 'http://birds.test/' }] }], []);
  const failed = [1, 2, 3, 4, 5].map((n): [string, string] => [
    `https://site${n}.test/page`,
    `the name site${n}.test does not exist (ENOTFOUND)`,
  ]);
  const told = failuresTold([topicNode(tree, 'birds' as never)], [...failed, ['http://birds.test/', 'HTTP 500']]);
  expect(told).toEqual([
    {
      message: 'The training page http://birds.test/ could not be used: HTTP 500.',
      remedy: 'Replace it in bingo.yaml.',
    },
    {
      message:
        '5 training pages could not be used, for reasons like this: the name site1.test does not exist (ENOTFOUND). ' +
        'They are https://site1.test/page, https://site2.test/page, https://site3.test/page and 2 more pages.',
      remedy: 'Replace them in bingo.yaml.',
    },
  ]);
});

test('reports many pages with the same reason together', () => {
  const failed = [1, 2, 3, 4].map((n): [string, string] => [`https://site.test/${n}`, 'HTTP 500']);
  expect(failuresTold([], failed)).toMatchObject([
    { message: expect.stringMatching(/^4 training pages could not be used: HTTP 500\./) },
  ]);
  expect(failuresTold([], failed.slice(1))).toHaveLength(3);
});

test('reports topics without an example with their own reasons first, five at most', () => {
  const tree = topicTree([{ name: 'birds', examples: [{ kind: 'url', url: 'http://birds.test/' }] }], []);
  const others = [1, 2, 3, 4, 5, 6].map((n): [string, string] => [`http://o.test/${n}`, 'HTTP 404']);
  const linesOf = (failed: readonly [string, string][]) =>
    noTrainingPages([topicNode(tree, 'birds' as never)], failed).message.split('\n');
  const own: [string, string] = ['http://birds.test/', 'HTTP 500'];
  expect(linesOf([...others, own])).toEqual([
    'No example of "birds" could be fetched.',
    '  http://birds.test/: HTTP 500',
    ...[1, 2, 3, 4].map((n) => `  http://o.test/${n}: HTTP 404`),
    '  … and 2 more training pages',
  ]);
  expect(linesOf([...others.slice(0, 4), own])).toHaveLength(6);
});

test('reports examples of fewer than 20 words, the first three by name, without OTHERS', () => {
  const page = (n: number, tokens: number, others = false) => [`http://a.test/${n}`, { others, tokens }] as const;
  const told = shortExamplesTold([page(1, 19), page(2, 20), page(3, 1), page(4, 0, true)]).map(
    ({ message }) => message,
  );
  expect(told).toEqual([
    'The example http://a.test/1 has 19 words of text, too little to learn much from.',
    'The example http://a.test/3 has 1 word of text, too little to learn much from.',
  ]);
  expect(shortExamplesTold([1, 2, 3, 4, 5].map((n) => page(n, 9)))).toMatchObject([
    { message: expect.stringMatching(/^5 examples have .* They are http:\/\/a\.test\/1, .*\/3 and 2 more pages\.$/) },
  ]);
});
