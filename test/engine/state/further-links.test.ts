import { describe, expect, test } from 'vitest';
import { canonicalize } from '../../../src/core/index.ts';
import { furtherLinks, parentsOf } from '../../../src/engine/state/further-links.ts';
import { exactConfig, paperCrawl, paperUrl, paperWeb, RecordingJournal } from '../support/paper-web.ts';

const url = (text: string): NonNullable<ReturnType<typeof canonicalize>> => canonicalize(text)!;
const link = (to: string) => ({ url: to, anchor: '', context: '', flags: 0, position: 1 });

describe('the folders above an address', () => {
  test('are listed nearest first, without its query', () => {
    expect(parentsOf(url('https://a.example/b/c/d.html?page=2'))).toEqual([
      'https://a.example/b/c/',
      'https://a.example/b/',
      'https://a.example/',
    ]);
  });

  test('leave out the page itself, and are at most five', () => {
    expect(parentsOf(url('https://a.example/'))).toEqual([]);
    expect(parentsOf(url('https://a.example/b/'))).toEqual(['https://a.example/']);
    expect(parentsOf(url(`https://a.example/${'x/'.repeat(40)}`))).toHaveLength(5);
  });
});

test('links that a page has itself are not added again', () => {
  const backlinks = {
    sources: new Map([['https://a.example/b/c', ['https://z.example/', 'https://y.example/']]]),
    digest: '',
  };
  const own = [link('https://a.example/'), link('https://y.example/')];
  const further = furtherLinks(url('https://a.example/b/c'), own, { parents: true, backlinks });
  expect(further).toEqual([link('https://a.example/b/'), link('https://z.example/')]);
});

/** A paper web in which no page links to the folder of its pages, nor to a list of links elsewhere. */
function webWithFolder(): ReturnType<typeof paperWeb> {
  const web = paperWeb();
  web.set('http://rail0.paper.test/page/', '<p>railway list <a href="http://rail9.paper.test/hidden">railway</a>');
  web.set('http://lists.test/', '<p>railway links <a href="http://rail9.paper.test/other">railway</a>');
  return web;
}

async function fetchedWith(
  parents: boolean,
  sources: ReadonlyMap<string, readonly string[]>,
): Promise<readonly string[]> {
  const config = exactConfig({ crawl: { parents, budget: 140 } });
  const { run, fetcher } = paperCrawl(webWithFolder(), config, {
    backlinks: { sources, digest: String(sources.size) },
  });
  await run();
  return fetcher.asked;
}

describe('a crawl', () => {
  test('fetches the folders above relevant pages if crawl.parents is on', async () => {
    expect(await fetchedWith(true, new Map())).toContain('http://rail0.paper.test/page/');
    expect(await fetchedWith(false, new Map())).not.toContain('http://rail0.paper.test/page/');
  });

  test('fetches listed pages that link to a relevant page, not those that link to others', async () => {
    const sources = new Map([
      ['http://rail0.paper.test/page/0', ['http://lists.test/']],
      ['http://food0.paper.test/page/0', ['http://lists.test/food']],
    ]);
    const asked = await fetchedWith(false, sources);
    expect(asked).toContain('http://lists.test/');
    expect(asked).not.toContain('http://lists.test/food');
  });
});

describe('training rounds', () => {
  const listing = (host: string) => {
    const lists = Array.from({ length: 8 }, (_, i) => `http://${host}/list/${i}`);
    return { sources: new Map([0, 1, 2].map((i) => [paperUrl('rail', i), lists])), digest: host };
  };
  const listed = listing('gone.test');
  const config = exactConfig({ crawl: { budget: 40, lockedHosts: ['locked.test'] } });
  const roundsOf = ({ records }: RecordingJournal) =>
    records.flatMap((record) => (record.kind === 'round' ? [{ links: record.links, boosted: record.boosted }] : []));
  const shareOf = (journal: RecordingJournal): number => {
    const links = roundsOf(journal).at(-1)?.links ?? [];
    return links.find(({ url }) => url === paperUrl('rail', 1))?.authority ?? 0;
  };

  test('count listed pages that cannot be fetched, not those of locked hosts', async () => {
    const plain = paperCrawl(paperWeb(), config);
    const counted = paperCrawl(paperWeb(), config, { backlinks: listed });
    const locked = paperCrawl(paperWeb(), config, { backlinks: listing('locked.test') });
    for (const crawl of [plain, counted, locked]) await crawl.run();
    expect(shareOf(counted.journal)).toBeGreaterThan(shareOf(plain.journal) + 0.1);
    expect(roundsOf(locked.journal)).toEqual(roundsOf(plain.journal));
  });

  test('are the same if the crawl is cut anywhere and resumed', async () => {
    const whole = paperCrawl(paperWeb(), config, { backlinks: listed });
    await whole.run();
    const { records } = whole.journal;
    expect(roundsOf(whole.journal).length).toBeGreaterThan(3);
    for (let cut = 1; cut < records.length; cut += 6) {
      const journal = RecordingJournal.holding(records.slice(0, cut));
      await paperCrawl(paperWeb(), config, { backlinks: listed, journal }).run();
      expect(journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
      expect(roundsOf(journal), `cut after record ${cut}`).toEqual(roundsOf(whole.journal));
    }
  });
});
