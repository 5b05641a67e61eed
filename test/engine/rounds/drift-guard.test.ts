import { expect, test } from 'vitest';
import type { TrainingRequest, TrainingResult } from '../../../src/engine/ports.ts';
import { ModelTrainer } from '../../../src/engine/training/model-trainer.ts';
import {
  exactConfig,
  type PaperCrawl,
  paperCrawl,
  paperUrl,
  paperWeb,
  RecordingJournal,
  railTree,
} from '../support/paper-web.ts';

/** Without the guess at OTHERS that a crawl with so few makes: it would put archetypes off. */
const CONFIG = exactConfig({ learn: { rejectedAsOthers: 0 } });

/** A paper web, some of whose pages say more of the topic than the examples do. */
function richWeb(): ReturnType<typeof paperWeb> {
  const web = paperWeb();
  const words =
    'locomotive railway track gauge steam signal carriage platform tunnel viaduct timetable engine coupling boiler ';
  for (let i = 3; i < 60; i += 3)
    web.set(paperUrl('rail', i), `${web.get(paperUrl('rail', i))}`.replace('<p>', `<p>${words.repeat(4)}`));
  return web;
}

/** A trainer whose verdict on its own training is made up. Examples are held to be ordinary, so that archetypes come in. */
class BiasedTrainer extends ModelTrainer {
  readonly requests: TrainingRequest[] = [];
  readonly #bias: (result: TrainingResult, request: TrainingRequest) => TrainingResult;

  constructor(bias: (result: TrainingResult, request: TrainingRequest) => TrainingResult) {
    super({ tree: railTree(), learn: CONFIG.learn, seed: CONFIG.crawl.seed });
    this.#bias = bias;
  }

  override trainNow(request: TrainingRequest): TrainingResult {
    this.requests.push(request);
    const result = super.trainNow(request);
    const heldOut = new Map([...result.heldOut].map(([key, confidence]) => [key, Math.min(1, confidence)]));
    return this.#bias({ ...result, heldOut }, request);
  }
}

function archetypesIn({ items }: TrainingRequest): string[] {
  return items.filter(({ origin }) => origin.startsWith('archetype')).map(({ key }) => key);
}

function roundsOf({ journal }: PaperCrawl): Extract<PaperCrawl['journal']['records'][number], { kind: 'round' }>[] {
  return journal.records.filter((record) => record.kind === 'round');
}

/** Calls the first archetypes that it ever trains on unlike the examples, and all others like them. */
function trainerThatDoubts(doubted: Set<string>): BiasedTrainer {
  return new BiasedTrainer((result, request) => {
    const keys = archetypesIn(request);
    if (doubted.size === 0) for (const key of keys.slice(0, 2)) doubted.add(key);
    return { ...result, likeness: new Map(keys.map((key) => [key, doubted.has(key) ? 0.9 : 1.1])) };
  });
}

test('removes archetypes that are unlike the examples, and trains without them', async () => {
  const doubted = new Set<string>();
  const trainer = trainerThatDoubts(doubted);
  const crawl = paperCrawl(richWeb(), CONFIG, { trainer });
  await crawl.run();

  expect(doubted.size).toBe(2);
  const [round] = roundsOf(crawl).filter(({ refused = [] }) => refused.length > 0);
  expect(new Set(round!.refused!.map(({ key }) => key))).toEqual(doubted);
  expect(round).toMatchObject({ undone: false });
  expect(round!.reason).toContain('2 refused: unlike the examples');
  expect(round!.training.some(({ key }) => doubted.has(key))).toBe(false);
  const tried = trainer.requests.filter((request) => archetypesIn(request).some((key) => doubted.has(key)));
  expect(tried).toHaveLength(1);
  expect(trainer.requests.filter(({ model }) => model === round!.model)).toHaveLength(2);
});

test('a resumed crawl remembers the removed archetypes', async () => {
  const doubted = new Set<string>();
  const first = paperCrawl(
    richWeb(),
    { ...CONFIG, crawl: { ...CONFIG.crawl, budget: 40 } },
    { trainer: trainerThatDoubts(doubted) },
  );
  await first.run();
  expect(doubted.size).toBe(2);

  const trainer = trainerThatDoubts(doubted);
  const journal = RecordingJournal.holding(first.journal.records);
  await paperCrawl(richWeb(), CONFIG, { trainer, journal }).run();
  expect(trainer.requests.length).toBeGreaterThan(0);
  for (const request of trainer.requests) for (const key of archetypesIn(request)) expect(doubted.has(key)).toBe(false);
});

test('rolls back a round that ranks the examples lower: the previous model stays', async () => {
  const trainer = new BiasedTrainer((result) => ({
    ...result,
    ranks: (result.ranks ?? []).map((change) => ({ ...change, was: 1, is: 0.9 })),
  }));
  const crawl = paperCrawl(richWeb(), CONFIG, { trainer });
  await crawl.run();
  const [first, ...later] = roundsOf(crawl);
  const undone = later.filter((round) => round.undone);
  expect(undone.length).toBeGreaterThan(0);
  for (const round of undone) {
    expect(round).toMatchObject({ model: first!.model, blob: first!.blob, training: first!.training });
    expect(round.reason).toMatch(/^drift: the examples of "rail.*" fell from rank 1\.000 to 0\.900$/);
  }
});

test('keeps archetypes that are like the examples', async () => {
  const trainer = new BiasedTrainer((result) => result);
  const crawl = paperCrawl(richWeb(), CONFIG, { trainer });
  await crawl.run();
  const rounds = roundsOf(crawl);
  expect(rounds.flatMap(({ admitted }) => admitted).length).toBeGreaterThan(2);
  expect(rounds.flatMap(({ refused = [] }) => refused)).toEqual([]);
});

test('learning ends once every topic has enough archetypes, whatever pages are left', async () => {
  const learn = { rejectedAsOthers: 0, authorityArchetypes: 2, confidenceArchetypes: 3 };
  const config = exactConfig({ crawl: { budget: 60, learn: 50 }, learn });
  const crawl = paperCrawl(richWeb(), config, { trainer: new BiasedTrainer((result) => result) });
  await crawl.run();
  const { records } = crawl.journal;
  const phase = records.find((record) => record.kind === 'phase' && record.phase === 'harvesting');
  expect(phase).toMatchObject({ reason: 'every topic has 2 archetypes' });
  const last = roundsOf(crawl)
    .at(-1)!
    .training.filter(({ origin }) => origin.startsWith('archetype'));
  expect(crawl.crawl.status().queues).toMatchObject([{ archetypes: last.length }]);
});

test('reports a topic with few training pages after learning, except OTHERS', async () => {
  const crawl = paperCrawl(paperWeb(), exactConfig({ learn: { maxArchetypes: 0 } }));
  await crawl.run();
  const told = crawl.events.flatMap((event) =>
    event.kind === 'alarm' && event.code === 'few-examples' ? [event] : [],
  );
  expect(told).toMatchObject([{ message: expect.stringContaining('3 pages') }]);
});
