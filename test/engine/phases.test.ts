import { afterEach, expect, test, vi } from 'vitest';
import type { CrawlEvent } from '../../src/core/index.ts';
import type { TrainingRequest, TrainingResult } from '../../src/engine/ports.ts';
import { ModelTrainer } from '../../src/engine/training/model-trainer.ts';
import { exactConfig, paperCrawl, paperWeb, railTree } from './support/paper-web.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A clock by which everything takes longer than a turn may. */
function slowClock(): void {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1000;
    return now;
  });
}

/** A crawl that learns and harvests. `inBetween` is called when a phase has begun to be folded in. */
async function crawled(inBetween?: (kinds: readonly string[], steer: () => boolean) => void) {
  const kinds: string[] = [];
  const onEvent = ({ kind }: CrawlEvent): void => {
    kinds.push(kind);
    // The first round is followed by the learning phase, without anything in between.
    if (kind === 'round' && !kinds.includes('phase'))
      setImmediate(() => inBetween?.(kinds, () => made.crawl.steer({ kind: 'set-budget', budget: 30 })));
  };
  const made: ReturnType<typeof paperCrawl> = paperCrawl(
    paperWeb(),
    exactConfig({ crawl: { ordering: 'learned', budget: 40, learn: 15 } }),
    { onEvent },
  );
  await made.run();
  return made.journal;
}

test('lets other work run while the links of earlier pages are offered', async () => {
  slowClock();
  let before: readonly string[] = ['phase'];
  await crawled((kinds) => {
    before = [...kinds];
  });
  expect(before).not.toContain('phase');
});

test('writes user commands after the phase to the journal', async () => {
  slowClock();
  const journal = await crawled((_, steer) => expect(steer()).toBe(true));
  const kinds = journal.records.map(({ kind }) => kind);
  expect(kinds.slice(kinds.indexOf('phase'), kinds.indexOf('phase') + 2)).toEqual(['phase', 'steer']);
  expect(journal.records.map(({ sequence }) => sequence)).toEqual(journal.records.map((_, i) => i + 1));
});

test('turns change nothing: the same pages in the same order', async () => {
  const atOnce = await crawled();
  slowClock();
  expect((await crawled()).crawled()).toEqual(atOnce.crawled());
});

test('the status shows the training of classifiers, in the first round and later', async () => {
  const seen = new Set<string>();
  class WatchedTrainer extends ModelTrainer {
    override async train(request: TrainingRequest): Promise<TrainingResult> {
      const { phase, isTraining } = made.crawl.status();
      seen.add(`${phase} ${isTraining}`);
      return super.train(request);
    }
  }
  const config = exactConfig({ crawl: { budget: 40, learn: 15 } });
  const trainer = new WatchedTrainer({ tree: railTree(), learn: config.learn, seed: config.crawl.seed });
  const made: ReturnType<typeof paperCrawl> = paperCrawl(paperWeb(), config, { trainer });
  await made.run();
  expect([...seen]).toEqual(['bootstrap true', 'learning true', 'harvesting true']);
  expect(made.crawl.status()).not.toHaveProperty('isTraining');
});
