import { describe, expect, test } from 'vitest';
import { type CrawlEvent, type SteerCommand, seededRandom } from '../../src/core/index.ts';
import { exactConfig, paperCrawl, paperWeb } from './support/paper-web.ts';

const RUNS = 30;

/** Made-up settings of a crawl, and what a person does to it at which of its pages: among other things, back to learning. */
function madeUp(seed: number) {
  const random = seededRandom(seed);
  const from = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  const pick = <T>(list: readonly T[]): T => list[from(0, list.length - 1)]!;
  const commands: readonly (() => SteerCommand)[] = [
    () => ({ kind: 'begin-learning' }),
    () => ({ kind: 'end-learning' }),
    () => ({ kind: 'set-limit', limit: pick(['tunnel', 'learn', 'parallel']), value: from(1, 6) }),
    () => ({ kind: 'lock-host', host: pick(['rail0.paper.test', 'rail1.paper.test', 'food0.paper.test']) }),
    () => ({ kind: 'set-ordering', ordering: pick(['breadth-first', 'learned', 'bingo', 'soft-focus', 'random']) }),
    () => ({ kind: 'set-budget', budget: from(10, 110) }),
  ];
  const config = exactConfig({
    crawl: {
      ...{ budget: from(40, 100), learn: from(5, 15), ordering: pick(['learned', 'bingo', 'breadth-first']) },
      ...{ maxPagesPerSite: pick([0, 0, from(10, 50)]), maxPagesPerTopic: pick([0, 0, from(10, 50)]) },
    },
    network: { concurrency: from(2, 5), perHost: from(1, 2), perDomain: from(1, 5) },
  });
  const steps = new Map(Array.from({ length: from(1, 5) }, () => [from(1, 60), pick(commands)()]));
  return { config, steps: steps.set(from(16, 30), { kind: 'begin-learning' }) };
}

describe('whatever a person does to a crawl of several fetches at a time', () => {
  test.each(Array.from({ length: RUNS }, (_, seed) => seed))(
    'it comes to its end, and so does one that goes on from its journal (%i)',
    async (seed) => {
      const { config, steps } = madeUp(seed);
      let pages = 0;
      const onEvent = (event: CrawlEvent): void => {
        if (event.kind !== 'page' || event.record.role !== 'crawled') return;
        const command = steps.get(++pages);
        if (command !== undefined) made.crawl.steer(command);
      };
      const made = paperCrawl(paperWeb(), config, { onEvent });
      expect((await made.run()).reason).toMatch(/budget|frontier-dry/);
      const resumed = paperCrawl(paperWeb(), config, { journal: made.journal });
      expect((await resumed.run()).reason).toMatch(/budget|frontier-dry/);
    },
    20_000,
  );
});
