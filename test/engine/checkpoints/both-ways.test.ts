import { describe, expect, test } from 'vitest';
import { type ClassifierName, type Kernel, ORDERINGS, type OrderingName } from '../../../src/core/index.ts';
import { hurried, MemoryCheckpoints } from '../support/memory-checkpoints.ts';
import { exactConfig, paperCrawl, paperUrl, paperWeb } from '../support/paper-web.ts';
import { foldedState } from './folded-state.ts';

const CRAWLS: readonly (readonly [OrderingName, Kernel, ClassifierName])[] = [
  ...ORDERINGS.map((ordering) => [ordering, 'linear', 'svm'] as const),
  ['learned', 'rbf', 'svm'],
  ['learned', 'linear', 'bayes'],
];

describe.each(CRAWLS)(
  'a crawl ordered by %s with a %s kernel and the classifier %s',
  (ordering, kernel, classifier) => {
    const learn = { retrainEvery: 25, kernel, classifier };
    const config = exactConfig({ crawl: { ordering, budget: 80, learn: 15 }, learn });

    test('reaches the same state from each of its checkpoints and from record 1', async () => {
      const web = paperWeb();
      for (let i = 3; i < 60; i += 7) web.delete(paperUrl('rail', i));
      const checkpoints = new MemoryCheckpoints();
      const crawl = paperCrawl(web, config, { checkpoints, checkpointPace: hurried(9) });
      await crawl.run();
      const { records } = crawl.journal;
      expect(checkpoints.kept.length).toBeGreaterThan(5);
      const whole = await foldedState(records, config);
      expect(whole.begunWith).toBe(0);
      for (const kept of checkpoints.kept) {
        const { sequence } = kept.header;
        const resumed = await foldedState(records, config, { ...checkpoints, list: async () => [kept] } as never);
        expect(resumed.begunWith).toBe(sequence);
        expect(resumed.bytes.equals(whole.bytes), `checkpoint at record ${sequence}`).toBe(true);
      }
    });
  },
);
