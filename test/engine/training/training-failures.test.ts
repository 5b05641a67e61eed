import { expect, test } from 'vitest';
import { topicNode, topicTree } from '../../../src/core/index.ts';
import { failuresTold } from '../../../src/engine/training/training-failures.ts';

test('pages of many sites that fail in one way make one alarm: without a network OTHERS are all gone', () => {
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
