import { expect, test } from 'vitest';
import { exactConfig, paperCrawl, paperUrl, paperWeb, RecordingJournal, sent } from '../support/paper-web.ts';

const HOST = 'http://rail0.paper.test';

/** The paper web with pages that no page links to: only sitemaps list them. */
function webWithSitemaps(): ReturnType<typeof paperWeb> {
  const web = paperWeb();
  const files: Record<string, string> = {
    '/robots.txt': `User-agent: *\nSitemap: ${HOST}/index.xml\nSitemap: http://elsewhere.test/s.xml\n`,
    '/index.xml': `<sitemapindex><sitemap><loc>${HOST}/s1.xml</loc></sitemap></sitemapindex>`,
    '/s1.xml': `<urlset><url><loc>${HOST}/hidden/1</loc></url><url><loc>http://stranger.test/1</loc></url></urlset>`,
    '/sitemap.xml': `<urlset><url><loc>${HOST}/hidden/2</loc></url></urlset>`,
  };
  for (const [path, text] of Object.entries(files)) web.set(HOST + path, sent(HOST + path, text));
  for (const n of [1, 2])
    web.set(`${HOST}/hidden/${n}`, `<title>hidden ${n}</title><p>locomotive railway steam ${n}`.repeat(3));
  return web;
}

const config = (sitemaps: boolean) => exactConfig({ crawl: { budget: 200, learn: 0, sitemaps } });

test('finds pages that only sitemaps of the seed sites list, and records that', async () => {
  const { run, journal, fetcher } = paperCrawl(webWithSitemaps(), config(true));
  await run();

  const hidden = journal.pages().filter(({ url }) => url.includes('/hidden/'));
  expect(hidden.map(({ url, origin }) => [url, origin.via, origin.from]).sort()).toEqual([
    [`${HOST}/hidden/1`, 'link', `${HOST}/s1.xml`],
    [`${HOST}/hidden/2`, 'link', `${HOST}/sitemap.xml`],
  ]);
  // Other sites are not spoken for, and OTHERS is no site of ours.
  expect(fetcher.asked.filter((url) => /elsewhere|stranger|food\d.paper.test\/(robots|sitemap)/.test(url))).toEqual([]);
});

test('counts a sitemap once that is named in two places', async () => {
  const web = webWithSitemaps();
  const all = Array.from({ length: 45 }, (_, i) => `${HOST}/map-${i}.xml`);
  const robots = all.slice(0, 30).map((url) => `Sitemap: ${url}\n`);
  const index = all.map((url) => `<sitemap><loc>${url}</loc></sitemap>`);
  web.set(`${HOST}/robots.txt`, sent(`${HOST}/robots.txt`, robots.join('')));
  web.set(`${HOST}/sitemap.xml`, sent(`${HOST}/sitemap.xml`, `<sitemapindex>${index.join('')}</sitemapindex>`));
  for (const url of all) web.set(url, sent(url, '<urlset></urlset>'));
  const { run, fetcher } = paperCrawl(web, config(true));
  await run();

  expect(fetcher.asked.filter((url) => url.includes('/map-')).sort()).toEqual(all.sort());
});

test('sitemaps use no budget, and a resumed crawl requests none again', async () => {
  const whole = paperCrawl(webWithSitemaps(), exactConfig({ crawl: { budget: 30, learn: 5, sitemaps: true } }));
  expect((await whole.run()).fetchedNow).toBe(30);
  const { records } = whole.journal;
  for (let cut = 5; cut < records.length; cut += 9) {
    const resumed = paperCrawl(webWithSitemaps(), exactConfig({ crawl: { budget: 30, learn: 5, sitemaps: true } }), {
      journal: RecordingJournal.holding(records.slice(0, cut)),
    });
    await resumed.run();
    expect(resumed.journal.crawled(), `cut after ${cut}`).toEqual(whole.journal.crawled());
  }
});

test('are not requested unless enabled', async () => {
  const { run, fetcher } = paperCrawl(webWithSitemaps(), config(false));
  await run();
  expect(fetcher.asked.filter((url) => /robots|sitemap|hidden/.test(url))).toEqual([]);
  expect(fetcher.asked).toContain(paperUrl('rail', 0));
});
