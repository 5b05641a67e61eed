import { describe, expect, test } from 'vitest';
import { DEFAULTS, ROOT, type TopicId, topicTree } from '../../src/core/index.ts';
import { seededRandom } from '../../src/kit/index.ts';
import type { TrainingPage } from '../../src/learn/index.ts';
import { compareModels, trainTopicModels } from '../../src/meta/index.ts';
import { DATABASES, example, other, page } from './topics.ts';

const TREE = topicTree([{ name: 'databases', examples: [] }], []);
const TOPIC = 'databases' as TopicId;

function trained(pages: readonly TrainingPage[]): Parameters<typeof compareModels>[0]['after'] {
  const random = seededRandom(1);
  return trainTopicModels({ tree: TREE, pages, background: [], config: DEFAULTS.learn, model: 1, random });
}

const COOKING = ['flour oven', 'recipe kitchen', 'butter sugar'].map((text) => other(text));
/** Near misses: they have words of the topic. */
const NEAR = ['index finger', 'query letter', 'log fire'].map((text, i) => ({
  key: `near ${i}`,
  features: page(text),
  node: ROOT,
}));
const asOffTopic = ({ key, features }: TrainingPage): (typeof NEAR)[number] => ({ key, features, node: ROOT });

describe('two models', () => {
  test('are compared on the same pages, whatever each learned from', () => {
    const before = trained([...DATABASES, ...COOKING]);
    const after = trained([...DATABASES, ...COOKING, other('planet comet')]);
    const offTopic = [...COOKING.map(asOffTopic), ...NEAR];
    const [change] = compareModels({ before, after, examples: DATABASES, offTopic });
    const [same] = compareModels({ before, after: before, examples: DATABASES, offTopic });
    expect(same).toMatchObject({ topic: TOPIC, is: change!.was });
    expect(same!.was).toBe(same!.is);
  });

  test('score pages that they learned from as held out', () => {
    const before = trained([...DATABASES, ...COOKING]);
    const [first] = COOKING;
    const best = { ...before, heldOut: new Map([...before.heldOut, [first!.key, 99]]) };
    const [change] = compareModels({ before, after: best, examples: DATABASES, offTopic: [asOffTopic(first!)] });
    expect(change).toEqual({ topic: TOPIC, was: 1, is: 0, intruders: 1 });
  });

  test('are not compared on pages that one of them cannot score', () => {
    const before = trained([...DATABASES, ...COOKING]);
    const late = example('databases', 'transaction log');
    const after = trained([...DATABASES, late, ...COOKING]);
    const offTopic = COOKING.map(asOffTopic);
    expect(compareModels({ before, after, examples: [late], offTopic })).toEqual([]);
    expect(compareModels({ before, after, examples: DATABASES, offTopic: [] })).toEqual([]);
    const unknown = { ...after, heldOut: new Map(DATABASES.map(({ key }) => [key, Number.NaN])) };
    expect(compareModels({ before, after: unknown, examples: DATABASES, offTopic })).toEqual([]);
  });
});
