import { expect, test } from 'vitest';
import type { AnalyzedDocument } from '../../../src/core/index.ts';
import { ModelTrainer } from '../../../src/engine/index.ts';
import { TrainerFeatures } from '../../../src/engine/training/trainer-features.ts';
import { Turns } from '../../../src/engine/turns.ts';
import { document } from '../../contracts/store-records.ts';
import { packCounts } from '../../support/pack-counts.ts';
import { exactConfig, railTree } from '../support/paper-web.ts';

const config = exactConfig();

test('of thousands of pages few lie in memory as whole documents at one time', async () => {
  const asked: number[] = [];
  const documents = async (sequences: readonly number[]): Promise<ReadonlyMap<number, AnalyzedDocument>> => {
    asked.push(sequences.length);
    return new Map(sequences.map((n) => [n, document({ features: { terms: packCounts([[`word${n}`, 1]]) } })]));
  };
  const trainer = new ModelTrainer({ tree: railTree(), learn: config.learn, seed: 1 });
  const features = new TrainerFeatures({
    config,
    trainer,
    journal: { flush: async () => {}, documents },
    turns: new Turns(),
  });
  const pages = Array.from({ length: 2_345 }, (_, i) => ({ key: `page ${i + 1}`, sequence: i + 1 }));
  await features.provide(pages, { isNeeded: false });
  expect([...trainer.held.entries()].map(([key, { terms }]) => [key, terms?.features])).toEqual(
    pages.map(({ key, sequence }) => [key, `word${sequence}`]),
  );
  expect(asked.reduce((sum, count) => sum + count)).toBe(2_345);
  expect(Math.max(...asked)).toBeLessThan(100);
});
