import { describe, expect, test } from 'vitest';
import { type AnalyzedDocument, type Config, ROOT } from '../../src/core/index.ts';
import type { TrainingRequest, TrainingResult } from '../../src/engine/ports.ts';
import { ModelTrainer } from '../../src/engine/training/model-trainer.ts';
import { exactConfig, type PaperCrawl, paperCrawl, paperWeb, RecordingJournal, railTree } from './support/paper-web.ts';

/** Works on one of its trainings for ever; the crawl is stopped as soon as it has begun. */
class EndlessTrainer extends ModelTrainer {
  trainings = 0;
  readonly #endless: number;
  readonly #stop: () => void;

  constructor(config: Config, endless: number, stop: () => void) {
    super({ tree: railTree(), learn: config.learn, seed: config.crawl.seed });
    this.#endless = endless;
    this.#stop = stop;
  }

  override train(request: TrainingRequest): Promise<TrainingResult> {
    if (++this.trainings < this.#endless) return super.train(request);
    setImmediate(this.#stop);
    return new Promise(() => {});
  }
}

/** A crawl that is stopped while it makes its training number `endless`. */
function stoppedAt(endless: number, config: Config, options: Parameters<typeof paperCrawl>[2] = {}): PaperCrawl {
  const trainer = new EndlessTrainer(config, endless, () => made.crawl.stop());
  const made: PaperCrawl = paperCrawl(paperWeb(), config, { ...options, trainer });
  return made;
}

/** The records of the journal except the runs. */
function told({ records }: RecordingJournal): readonly string[] {
  const lines = records.map((record) =>
    record.kind === 'round' ? `round ${record.model}, ${record.reason}` : record.kind,
  );
  return lines.filter((line) => line !== 'run');
}

const EXACT = exactConfig({ crawl: { ordering: 'learned', budget: 60, learn: 15 } });

describe('a crawl that is stopped during training', () => {
  test('ends, and the next run trains: with one fetch at a time the result is the same', async () => {
    const whole = stoppedAt(Number.POSITIVE_INFINITY, EXACT);
    await whole.run();
    let stops = 0;
    for (let endless = 1; ; endless++) {
      const stopped = stoppedAt(endless, EXACT);
      const { reason, isRoundLeft } = await stopped.run();
      if (reason === 'budget') break;
      stops++;
      expect([reason, isRoundLeft, stopped.crawl.status().isTraining]).toEqual(['stopped', true, undefined]);
      const before = told(stopped.journal);
      expect(before, `training ${endless}`).toEqual(told(whole.journal).slice(0, before.length));
      const resumed = paperCrawl(paperWeb(), EXACT, { journal: stopped.journal });
      expect((await resumed.run()).isRoundLeft).toBe(false);
      expect(told(resumed.journal), `training ${endless}`).toEqual(told(whole.journal));
      expect(resumed.journal.crawled(), `training ${endless}`).toEqual(whole.journal.crawled());
    }
    expect(stops).toBeGreaterThan(4);
  });

  test('stays before learning if it was the first round', async () => {
    const { run, journal } = stoppedAt(1, EXACT);
    expect(await run()).toMatchObject({ reason: 'stopped', fetchedNow: 0 });
    expect(new Set(told(journal))).toEqual(new Set(['page']));
  });

  test('first learns what the user decided if it continues', async () => {
    const calm = exactConfig({ crawl: { budget: 20, learn: 5 }, learn: { retrainEvery: 1000 } });
    let isJudged = false;
    const stopped = stoppedAt(3, calm, {
      onEvent: (event) => {
        if (event.kind !== 'page' || event.record.role !== 'crawled' || isJudged) return;
        if (stopped.crawl.status().phase !== 'harvesting') return;
        isJudged = true;
        const { sequence, finalUrl: key } = event.record;
        const judgement = { key, sequence, title: '', use: 'others', topic: ROOT } as const;
        queueMicrotask(() => stopped.crawl.steer({ kind: 'judge-page', judgement }));
      },
    });
    const { reason, isRoundLeft } = await stopped.run();
    expect([reason, isRoundLeft]).toEqual(['stopped', true]);
    const before = stopped.journal.records.length;
    const resumed = paperCrawl(paperWeb(), calm, { journal: stopped.journal });
    expect((await resumed.run()).isRoundLeft).toBe(false);
    const [run, round] = resumed.journal.records.slice(before);
    expect([run, round]).toMatchObject([{ kind: 'run' }, { kind: 'round', reason: 'judged by the user' }]);
  });

  test('makes a due round if it continues, although pages were fetched beside it', async () => {
    const parallel = exactConfig({
      ...{ crawl: { budget: 50, learn: 0 }, learn: { retrainEvery: 20 } },
      network: { concurrency: 4, perHost: 4 },
    });
    let pages = 0;
    const made: PaperCrawl = paperCrawl(paperWeb(), parallel, {
      trainer: new EndlessTrainer(parallel, 2, () => {}),
      onEvent: (event) => {
        if (event.kind === 'page' && event.record.role === 'crawled' && ++pages === 25) made.crawl.stop();
      },
    });
    await made.run();
    const { journal } = made;
    const rounds = (): number => journal.records.filter(({ kind }) => kind === 'round').length;
    expect([journal.crawled().length < 30, rounds()]).toEqual([true, 1]);
    // The next one by the count of pages would be at 40.
    const resumed = paperCrawl(paperWeb(), { ...parallel, crawl: { ...parallel.crawl, budget: 39 } }, { journal });
    await resumed.run();
    expect([journal.crawled().length, rounds()]).toEqual([39, 2]);
  });

  test('reads no more pages for it', async () => {
    let reads = 0;
    class Watched extends RecordingJournal {
      override async documents(sequences: readonly number[]): Promise<ReadonlyMap<number, AnalyzedDocument>> {
        if (++reads === 2) made.crawl.stop();
        return await super.documents(sequences);
      }
    }
    const config = exactConfig({ crawl: { budget: 50, learn: 40 } });
    const made: PaperCrawl = paperCrawl(paperWeb(), config, { journal: new Watched() });
    expect((await made.run()).reason).toBe('stopped');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(reads).toBe(2);
  });
});
