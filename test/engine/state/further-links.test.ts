import { describe, expect, test } from 'vitest';
import { canonicalize } from '../../../src/core/index.ts';
import { furtherLinks, parentsOf } from '../../../src/engine/state/further-links.ts';
import { exactConfig, paperCrawl, paperWeb } from '../support/paper-web.ts';

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
