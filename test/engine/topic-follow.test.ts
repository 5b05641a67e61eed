import { describe, expect, test } from 'vitest';
import { topicTree } from '../../src/core/index.ts';
import { exactConfig, paperCrawl, paperUrl, paperWeb } from './support/paper-web.ts';

const url = (subject: 'rail' | 'food', i: number) => ({ kind: 'url', url: paperUrl(subject, i) }) as const;
const OTHERS = [0, 1, 2, 3, 4, 5].map((i) => url('food', i));

/** URLs of pages whose links led to another page, by whether they were accepted. */
async function followed(follow: boolean) {
  const tree = topicTree(
    [
      {
        name: 'railways',
        follow,
        examples: [0, 1, 2].map((i) => url('rail', i)),
        seeds: [paperUrl('rail', 0), paperUrl('food', 30)],
      },
    ],
    OTHERS,
  );
  const crawl = paperCrawl(paperWeb(), exactConfig({ crawl: { learn: 0, budget: 40 } }), { tree });
  await crawl.run();
  const pages = crawl.journal.pages();
  const accepted = new Set(pages.filter(({ assignment }) => !assignment.others).map((page) => page.finalUrl as string));
  const from = pages.map(({ origin }) => origin.from).filter((origin) => origin !== '');
  const boosted = crawl.journal.records.flatMap((record) => (record.kind === 'round' ? record.boosted : []));
  return { accepted, from, hubs: boosted.map((link) => link.from) };
}

describe('a topic whose links are not followed', () => {
  test('keeps its pages, and no link of them leads the crawl', async () => {
    const { accepted, from, hubs } = await followed(false);
    expect(accepted.size).toBeGreaterThan(3);
    expect(from.length).toBeGreaterThan(3);
    expect(from.filter((origin) => accepted.has(origin))).toEqual([]);
    expect(hubs.filter((hub) => accepted.has(hub))).toEqual([]);
  });

  test('differs from one whose links are followed', async () => {
    const { accepted, from } = await followed(true);
    expect(from.filter((origin) => accepted.has(origin)).length).toBeGreaterThan(3);
  });
});
