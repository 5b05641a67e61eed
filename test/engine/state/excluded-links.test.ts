import { describe, expect, test } from 'vitest';
import { LeftOutLinks } from '../../../src/engine/state/excluded-links.ts';
import { exactConfig, paperCrawl, paperUrl, paperWeb } from '../support/paper-web.ts';

describe('links that rules exclude', () => {
  test('are counted by URL, for the first rule that excluded them, most first', () => {
    const links = new LeftOutLinks();
    for (const url of ['a', 'a', 'b']) links.note(url, 'crawl.lockedHosts');
    for (const url of ['a', 'c']) links.note(url, 'bad-host');
    expect(links.counts()).toEqual([
      { rule: 'crawl.lockedHosts', addresses: 2 },
      { rule: 'bad-host', addresses: 1 },
    ]);
  });

  test('are not counted after they are allowed, and may be excluded again', () => {
    const links = new LeftOutLinks();
    links.letIn('a');
    links.note('a', 'bad-host');
    links.letIn('a');
    links.letIn('a');
    expect(links.counts()).toEqual([]);
    links.note('a', 'traps.hostsPerDomain');
    expect(links.counts()).toEqual([{ rule: 'traps.hostsPerDomain', addresses: 1 }]);
  });
});

/** The paper web, whose examples link to these addresses, too. */
function webWith(links: readonly string[]) {
  const web = paperWeb();
  const anchors = links.map((url) => `<a href="${url}">x</a>`).join(' ');
  for (const i of [0, 1, 2])
    web.set(paperUrl('rail', i), (web.get(paperUrl('rail', i)) as string).replace('<p>', `<p>${anchors} `));
  return web;
}

test('a crawl reports how many URLs each rule excluded, each URL once', async () => {
  const host = 'http://rail0.paper.test';
  const web = webWith([
    ...[`${host}/a/b/c/d/e`, `${host}/a/b/c/d/f`, `${host}/b/b/b`, 'http://www.locked.test/'],
    `http://${'x'.repeat(50)}.test/`,
  ]);
  const config = exactConfig({
    crawl: { budget: 200, lockedHosts: ['locked.test'], maxHostChars: 40 },
    traps: { maxPathDepth: 4 },
  });
  const { status } = await paperCrawl(web, config).run();
  expect(status.leftOut).toEqual([
    { rule: 'traps.maxPathDepth', addresses: 2 },
    { rule: 'traps.maxSegmentRepeats', addresses: 1 },
    { rule: 'crawl.lockedHosts', addresses: 1 },
    { rule: 'crawl.maxHostChars', addresses: 1 },
  ]);
});

test('includes URLs similar to wasted ones', async () => {
  const dead = Array.from({ length: 130 }, (_, i) => `http://rail0.paper.test/dead/${i}`);
  const { status } = await paperCrawl(webWith(dead), exactConfig({ crawl: { budget: 200 } })).run();
  const [left] = status.leftOut ?? [];
  expect(left?.rule).toBe('traps.wastedFetches');
  expect(status.failed + left!.addresses).toBe(130);
});

test('a crawl without excluded links reports none', async () => {
  expect((await paperCrawl(paperWeb(), exactConfig()).run()).status.leftOut).toBeUndefined();
});
