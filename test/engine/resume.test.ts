import { describe, expect, test } from 'vitest';
import type { OrderingName } from '../../src/core/index.ts';
import { exactConfig, paperCrawl, paperUrl, paperWeb, RecordingJournal, topicTreeWith } from './support/paper-web.ts';

/** A journal cut anywhere is what a killed crawl leaves: records up to some commit. */
describe.each<OrderingName>(['bingo', 'learned', 'breadth-first', 'pagerank'])('a crawl ordered by %s', (ordering) => {
  test('cut off anywhere and resumed fetches the same pages in the same order', async () => {
    const config = exactConfig({ crawl: { ordering, budget: 50, learn: 15 } });
    const whole = paperCrawl(paperWeb(), config);
    await whole.run();
    const { records } = whole.journal;
    for (let cut = 1; cut < records.length; cut += 6) {
      const resumed = paperCrawl(paperWeb(), config, { journal: RecordingJournal.holding(records.slice(0, cut)) });
      await resumed.run();
      expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
    }
  });
});

test('resuming with a greater budget goes on where it stopped and repeats nothing', async () => {
  const small = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30 } }));
  await small.run();
  const large = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60 } }), { journal: small.journal });
  expect((await large.run()).fetchedNow).toBe(30);
  const whole = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60 } }));
  await whole.run();
  expect(large.journal.crawled()).toEqual(whole.journal.crawled());
});

test('a crawl that is done fetches nothing more', async () => {
  const done = paperCrawl(paperWeb(), exactConfig());
  await done.run();
  const again = paperCrawl(paperWeb(), exactConfig(), { journal: done.journal });
  expect(await again.run()).toMatchObject({ reason: 'budget', fetchedNow: 0 });
  expect(again.fetcher.asked).toEqual([]);
});

test('a page that the crawl had found is learned from once it is made an example', async () => {
  const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30 } }));
  await first.run();
  const found = first.journal.crawled().filter((url) => url.startsWith('http://rail'))[3]!;
  const tree = topicTreeWith([0, 1, 2, Number(found.split('/').at(-1))]);
  const config = exactConfig({ crawl: { budget: 50 } });
  const second = paperCrawl(paperWeb(), config, { journal: first.journal, tree });
  expect((await second.run()).fetchedNow).toBe(20);
  const lastRound = second.journal.records.filter((r) => r.kind === 'round').at(-1)!;
  expect(lastRound.training.filter((t) => t.key === found)).toMatchObject([{ origin: 'user' }]);
  // The same once more: the record that made it an example answers it now.
  const third = paperCrawl(paperWeb(), config, { journal: second.journal, tree });
  await third.run();
  expect(third.fetcher.asked).toEqual([]);
});

test('an example added between two runs is fetched and learned from', async () => {
  const config = exactConfig({ crawl: { budget: 30 } });
  const first = paperCrawl(paperWeb(), config);
  await first.run();
  const added = paperUrl('rail', 59);
  const tree = topicTreeWith([0, 1, 2, 59]);
  const second = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 50 } }), { journal: first.journal, tree });
  await second.run();
  const lastRound = second.journal.records.filter((r) => r.kind === 'round').at(-1)!;
  expect(lastRound.training.filter((t) => t.origin === 'user').map((t) => t.key)).toContain(added);
});
