import { expect, test } from 'vitest';
import type { Config } from '../../../src/core/index.ts';
import { ModelTrainer } from '../../../src/engine/training/model-trainer.ts';
import { exactConfig, paperCrawl, paperWeb, railTree } from '../support/paper-web.ts';

/** Tells after which trainings it was let rest. */
class TiredTrainer extends ModelTrainer {
  trainings = 0;
  readonly rests: number[] = [];

  override trainNow(...request: Parameters<ModelTrainer['trainNow']>): ReturnType<ModelTrainer['trainNow']> {
    this.trainings++;
    return super.trainNow(...request);
  }

  override rest(): void {
    this.rests.push(this.trainings);
  }
}

async function trainerAfter(config: Config): Promise<TiredTrainer> {
  const trainer = new TiredTrainer({ tree: railTree(), learn: config.learn, seed: config.crawl.seed });
  await paperCrawl(paperWeb(), config, { trainer }).run();
  return trainer;
}

test('the trainer is unloaded after the first model if that judges all pages', async () => {
  const { trainings, rests } = await trainerAfter(exactConfig({ crawl: { learn: 0 }, learn: { maxArchetypes: 0 } }));
  expect(trainings).toBe(1);
  expect(rests).toEqual([1]);
});

test('the trainer is unloaded if the next round is far', async () => {
  const { rests } = await trainerAfter(exactConfig({ learn: { retrainEvery: 20_000 } }));
  expect(rests.length).toBeGreaterThan(0);
});

test('the trainer stays loaded between rounds that are near', async () => {
  const { trainings, rests } = await trainerAfter(exactConfig());
  expect(trainings).toBeGreaterThan(2);
  expect(rests).toEqual([]);
});
