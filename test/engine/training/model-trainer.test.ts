import { expect, test } from 'vitest';
import { DEFAULTS, type DocumentFeatures, ROOT, type TopicId, topicTree } from '../../../src/core/index.ts';
import type { TrainingItem } from '../../../src/engine/ports.ts';
import { drift } from '../../../src/engine/rounds/rollback.ts';
import { ModelTrainer } from '../../../src/engine/training/model-trainer.ts';
import { bagOf } from '../../learn/bags.ts';

const TOPIC = 'railways' as TopicId;
const EXAMPLES = [
  'locomotive track gauge steam signal',
  'locomotive track carriage steam gauge',
  'museum ticket track',
];
const OTHERS = ['flour oven dough', 'butter sugar recipe', 'garlic onion roast', 'pastry yeast oven'];
/** Rejected pages: more like the topic than its weakest example. */
const NEAR = ['track steam iron', 'gauge steam oven', 'signal track athlete', 'locomotive toy flour'];

function features(text: string, neighbours?: string): DocumentFeatures {
  return { terms: bagOf(text), ...(neighbours !== undefined && { neighbours: bagOf(neighbours) }) };
}

const items: readonly TrainingItem[] = [
  ...EXAMPLES.map((key) => ({ key, topic: TOPIC, others: false, origin: 'user' as const })),
  ...OTHERS.map((key) => ({ key, topic: ROOT, others: true, origin: 'others' as const })),
];

test('a round that adds neighbours and meets nearer misses is not taken for drift', () => {
  const tree = topicTree([{ name: TOPIC, examples: [] }], []);
  const learn = { ...DEFAULTS.learn, spaces: ['terms', 'neighbours'] as const };
  const trainer = new ModelTrainer({ tree, learn, seed: 1 });
  for (const text of [...EXAMPLES, ...OTHERS, ...NEAR]) trainer.add(text, features(text));
  const first = trainer.trainNow({ items, background: [], model: 1 });
  for (const text of EXAMPLES) trainer.add(text, features(text, 'railway station timetable'));
  for (const text of OTHERS) trainer.add(text, features(text, 'kitchen cook recipe'));
  const before = { blob: first.blob, heldOut: first.heldOut };
  const second = trainer.trainNow({ items, background: NEAR, before, model: 2 });
  // The first model never met the near misses. Ranks over the pages of each round alone look like drift.
  const [was, is] = [first, second].map(({ estimates }) => estimates[0]!.exampleRank);
  expect(drift([{ topic: TOPIC, was: was!, is: is!, intruders: 0 }])).toContain('fell from rank 1.000');
  expect(second.ranks).toHaveLength(1);
  expect(drift(second.ranks!)).toBe('');
});
