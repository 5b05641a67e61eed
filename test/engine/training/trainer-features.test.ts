import { expect, test } from 'vitest';
import { type AnalyzedDocument, packLinks, parseTopicId } from '../../../src/core/index.ts';
import { Surroundings } from '../../../src/engine/analysis/link-context.ts';
import { ModelTrainer } from '../../../src/engine/index.ts';
import { TrainerFeatures } from '../../../src/engine/training/trainer-features.ts';
import { Turns } from '../../../src/kit/time-slices.ts';
import { document } from '../../contracts/store-records.ts';
import { packCounts } from '../../support/pack-counts.ts';
import { at, exactConfig, railTree } from '../support/paper-web.ts';

const config = exactConfig();

test('holds few of thousands of pages as whole documents at one time', async () => {
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

test('a former training page is stored as it was fetched', async () => {
  const spaces = exactConfig({ learn: { spaces: ['terms', 'anchors'] } });
  const trainer = new ModelTrainer({ tree: railTree(), learn: spaces.learn, seed: 1 });
  const page = document({ features: { terms: packCounts([['word', 1]]), anchors: packCounts([]) } });
  const documents = async (sequences: readonly number[]) => new Map(sequences.map((n) => [n, page]));
  const journal = { flush: async () => {}, documents };
  const features = new TrainerFeatures({ config: spaces, trainer, journal, turns: new Turns() });
  const surroundings = new Surroundings(['terms', 'anchors']);
  const key = 'http://a.test/';
  const anchorsOf = (): string | undefined => new Map(trainer.held.entries()).get(key)?.anchors?.features;
  await features.provide([{ key, sequence: 1 }], surroundings);
  const links = packLinks([{ url: key, anchor: 'viaduct', context: '', flags: 0, position: 0 }]);
  surroundings.note({ sequence: 2, finalUrl: at('http://b.test/'), document: document({ links }) });
  const topic = parseTopicId('railways');
  features.renewSurroundings(
    [{ key, sequence: 1, topic, title: '', others: false, origin: 'archetype-by-confidence' }],
    surroundings,
  );
  expect(anchorsOf()).toBe('viaduct');
  features.renewSurroundings([], surroundings);
  expect(anchorsOf()).toBe('');
});
