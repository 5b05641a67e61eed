import { expect, test } from 'vitest';
import type { OrderingName } from '../../../src/core/index.ts';
import { exactConfig, paperCrawl, paperUrl, paperWeb, type Subject } from '../support/paper-web.ts';

const LIST = 'http://list.paper.test/';

/**
 * A paper web with a page that reads like cooking and lists railways: ten known ones and forty that nothing else links
 * to. The first example links to it.
 */
function webWithHub(): ReturnType<typeof paperWeb> {
  const web = paperWeb(30);
  const more = paperWeb(80);
  const textOf = (subject: Subject, i: number): string =>
    (more.get(paperUrl(subject, i)) as string).replaceAll(/<a [^>]*>[^<]*<\/a>/g, '');
  for (let i = 40; i < 80; i++) web.set(paperUrl('rail', i), textOf('rail', i));
  // Plenty of cooking, which confidence goes through in the order in which it is found.
  const toRail = /http:\/\/rail\d\.paper\.test\/page\/(\d+)/g;
  for (const [url, page] of paperWeb(300))
    if (url.includes('//food'))
      web.set(
        url,
        (page as string).replaceAll(toRail, (_, i: string) => paperUrl('rail', Number(i) % 30)),
      );
  const listed = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, ...Array.from({ length: 40 }, (_, i) => i + 40)];
  const list = listed.map((i) => `<a href="${paperUrl('rail', i)}">people</a>`).join(' ');
  web.set(LIST, textOf('food', 55).replace('</body>', `${list}</body>`));
  const first = web.get(paperUrl('rail', 0)) as string;
  web.set(paperUrl('rail', 0), first.replace('</body>', `<a href="${LIST}">more</a></body>`));
  return web;
}

/** Whether the list was rejected, and how many of the forty pages were found. */
async function crawl(ordering: OrderingName): Promise<{ isRejected: boolean | undefined; found: number }> {
  const config = exactConfig({ crawl: { budget: 75, learn: 0, ordering }, learn: { maxArchetypes: 0 } });
  const { run, journal } = paperCrawl(webWithHub(), config);
  await run();
  const list = journal.pages().find((page) => page.finalUrl === LIST);
  const hidden = journal.crawled().filter((url) => url.includes('//rail') && Number(url.split('/').at(-1)) >= 40);
  return { isRejected: list?.assignment.others, found: hidden.length };
}

test('hub-boosted and learned follow a rejected page for its links', async () => {
  const [plain, boosted, learned] = [await crawl('confidence'), await crawl('hub-boosted'), await crawl('learned')];
  expect([plain.isRejected, boosted.isRejected, learned.isRejected]).toEqual([true, true, true]);
  expect(boosted.found).toBeGreaterThan(plain.found + 10);
  expect(learned.found).toBeGreaterThan(plain.found + 10);
});

test.each<OrderingName>(['bingo', 'hard-focus'])(
  '%s fetches unvisited links of the best hubs first',
  async (ordering) => {
    const crawling = { budget: 60, learn: 0, ordering };
    const config = exactConfig({ crawl: crawling, learn: { retrainEvery: 15 }, distill: { hubs: 2 } });
    const { run, journal } = paperCrawl(webWithHub(), config);
    await run();
    const { records } = journal;
    const at = records.findIndex((record) => record.kind === 'round' && record.boosted.length > 2);
    const next = records.slice(at + 1).filter((record) => record.kind === 'page' || record.kind === 'visit');
    const [round] = records.slice(at, at + 1);
    const boosted = new Set(round?.kind === 'round' ? round.boosted.map(({ url }) => url as string) : []);
    const first = next.slice(0, boosted.size);
    expect(first.map(({ url, origin }) => [boosted.has(url), origin.via])).toEqual(first.map(() => [true, 'hub']));
    expect(first.length).toBeGreaterThan(2);
  },
);
