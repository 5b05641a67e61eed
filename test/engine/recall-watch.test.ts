import { expect, test } from 'vitest';
import { exactConfig, paperCrawl, paperWeb } from './support/paper-web.ts';

const settings = (stopAtRecall: number): ReturnType<typeof exactConfig> =>
  exactConfig({
    crawl: { budget: 300, learn: 0, ordering: 'confidence', stopAtRecall },
    learn: { maxArchetypes: 0 },
  });

test('ends a crawl once its estimate reaches the wanted share, and says so', async () => {
  const whole = paperCrawl(paperWeb(400), settings(0));
  const { reason, status } = await whole.run();
  expect(reason).toBe('budget');
  const reached = status.recall?.share ?? 0;
  expect(reached).toBeGreaterThan(0);
  const short = await paperCrawl(paperWeb(400), settings(reached / 2)).run();
  expect(short.reason).toBe('recall');
  expect(short.status.fetched).toBeLessThan(status.fetched);
  expect(short.status.fetched).toBeGreaterThanOrEqual(100);
  expect(short.status.recall?.share).toBeGreaterThanOrEqual(reached / 2);
});
