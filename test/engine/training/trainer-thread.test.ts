import { afterEach, expect, test } from 'vitest';
import { DEFAULTS, type DocumentFeatures, type TopicId } from '../../../src/core/index.ts';
import { ModelTrainer, type Trainer, TrainerThread, type TrainingRequest } from '../../../src/engine/index.ts';
import { decodeModels, linkWeights } from '../../../src/meta/index.ts';
import { packCounts } from '../../support/pack-counts.ts';
import { railTree } from '../support/paper-web.ts';

const SETTINGS = { tree: railTree(), learn: { ...DEFAULTS.learn, minDocumentFrequency: 1 }, seed: 1 };
const RAILWAYS = 'railways' as TopicId;
const OTHERS = '' as TopicId;
const open: Trainer[] = [];

afterEach(async () => {
  for (const trainer of open.splice(0)) await trainer.close();
});

function trainerThread(): TrainerThread {
  const trainer = new TrainerThread(SETTINGS);
  open.push(trainer);
  return trainer;
}

function words(...counted: readonly (readonly [string, number])[]): DocumentFeatures {
  return { terms: packCounts(counted) };
}

/** Pages of the topic and pages of OTHERS. */
function addPages(trainer: Trainer, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    trainer.add(`rail ${i}`, words(['locomotive', 3], ['gauge', 1 + (i % 3)], [`station${i}`, 1]));
    trainer.add(`food ${i}`, words(['flour', 2], ['oven', 1 + (i % 2)], [`recipe${i}`, 1], ['gauge', 1]));
  }
}

function request(pages: number, model: number): TrainingRequest {
  const items = Array.from({ length: pages }, (_, i) => [
    { key: `rail ${i}`, topic: RAILWAYS, others: false, origin: 'user' as const },
    { key: `food ${i}`, topic: OTHERS, others: true, origin: 'others' as const },
  ]);
  return { items: items.flat(), background: ['food 0'], model };
}

async function rested(trainer: TrainerThread): Promise<void> {
  trainer.rest();
  await expect.poll(() => trainer.isAwake).toBe(false);
}

test('returns a model with its word weights', async () => {
  const trainer = trainerThread();
  addPages(trainer, 0, 6);
  const { blob, words: found } = await trainer.train(request(6, 1));
  expect(found!.hashes.length).toBeGreaterThan(0);
  expect(found).toEqual(linkWeights(decodeModels(blob), [RAILWAYS]));
});

test('an unloaded trainer continues with its stored pages', async () => {
  const [trainer, awake] = [trainerThread(), new ModelTrainer(SETTINGS)];
  for (const each of [trainer, awake]) addPages(each, 0, 6);
  const first = await trainer.train(request(6, 1));
  expect(first).toEqual(await awake.train(request(6, 1)));
  await rested(trainer);
  for (const each of [trainer, awake]) {
    each.forget('rail 2');
    each.add('rail 3', { anchors: packCounts([['line', 2]]) });
    addPages(each, 6, 8);
  }
  const second = await trainer.train(request(8, 2));
  expect(second).toEqual(await awake.train(request(8, 2)));
  expect(second.blob).not.toEqual(first.blob);
});

test('keeps commands that arrive during the handover', async () => {
  const [trainer, awake] = [trainerThread(), new ModelTrainer(SETTINGS)];
  for (const each of [trainer, awake]) addPages(each, 0, 4);
  trainer.rest();
  for (const each of [trainer, awake]) addPages(each, 4, 6);
  expect(await trainer.train(request(6, 1))).toEqual(await awake.train(request(6, 1)));
});

test('is not unloaded during a training', async () => {
  const trainer = trainerThread();
  addPages(trainer, 0, 4);
  const training = trainer.train(request(4, 1));
  trainer.rest();
  expect((await training).estimates.map(({ topic }) => topic)).toEqual([RAILWAYS]);
  expect(trainer.isAwake).toBe(true);
});

test('starts no thread before it is needed', async () => {
  const trainer = trainerThread();
  expect(trainer.isAwake).toBe(false);
  trainer.rest();
  addPages(trainer, 0, 4);
  expect(trainer.isAwake).toBe(true);
});

test('reports why a thread cannot start', async () => {
  const trainer = new TrainerThread({ ...SETTINGS, learn: undefined as never });
  open.push(trainer);
  addPages(trainer, 0, 4);
  await expect(trainer.train(request(4, 1))).rejects.toThrow(/ended unexpectedly: .+ undefined/);
});
