import { expect, test } from 'vitest';
import { canonicalize, type FetchedPage, type FetchOutcome, NO_HEADERS } from '../../../src/core/index.ts';
import { MemberFetcher } from '../../../src/engine/fetching/member-fetcher.ts';
import { analyzerSettings, type Fetcher, PageAnalyzer } from '../../../src/engine/index.ts';
import { freeBytes } from '../../../src/kit/index.ts';
import { zipOf } from '../../convert/office-files.ts';
import { exactConfig, paperCrawl, paperUrl, paperWeb, RecordingJournal } from '../support/paper-web.ts';

const ARCHIVE = 'http://rail0.paper.test/papers.zip';
const HEADERS = { ...NO_HEADERS, contentType: 'application/zip', etag: '"1"' };

function zipped(bytes: Uint8Array): FetchOutcome {
  const url = canonicalize(ARCHIVE)!;
  return { kind: 'fetched', url, status: 200, headers: HEADERS, body: bytes, address: '', fetchedAt: 0, durationMs: 0 };
}

const RAIL = 'locomotive railway track gauge steam signal carriage platform tunnel viaduct timetable engine ';
const PAPERS = zipOf({
  'one.html': `<title>Paper one</title><p>${RAIL.repeat(5)} first <a href="two.txt">railway two</a>`,
  'two.txt': `Second paper. ${RAIL.repeat(5)}`,
  'deep/three.html': `<title>Paper three</title><p>${RAIL.repeat(5)} third <a href="${paperUrl('rail', 9)}">a railway page</a>`,
});

/** The paper web with an archive that its first page links to. */
function webWithArchive(): ReturnType<typeof paperWeb> {
  const web = paperWeb();
  const page = web.get(paperUrl('rail', 0)) as string;
  web.set(paperUrl('rail', 0), page.replace('<p>', `<p><a href="${ARCHIVE}">railway papers</a> `));
  web.set(ARCHIVE, zipped(PAPERS) as never);
  return web;
}

test('documents in an archive are pages with their own URL; the archive is fetched once', async () => {
  const config = exactConfig({ crawl: { budget: 100, learn: 0 } });
  const analyzer = new PageAnalyzer(analyzerSettings(config));
  const { run, journal, fetcher } = paperCrawl(webWithArchive(), config, { analyzer });
  await run();
  await analyzer.close();

  const pages = journal.pages().filter(({ finalUrl }) => finalUrl.startsWith(ARCHIVE));
  expect(new Map(pages.map(({ finalUrl, document }) => [finalUrl.slice(ARCHIVE.length), document.title]))).toEqual(
    new Map(
      [
        ['', 'papers.zip'],
        ['!/one.html', 'Paper one'],
        [
          '!/two.txt',
          'Second paper. locomotive railway track gauge steam signal carriage platform tunnel viaduct timetable engine',
        ],
        ['!/deep/three.html', 'Paper three'],
      ].map(([url, title]) => [url, expect.stringContaining(title!.slice(0, 11))]),
    ),
  );
  expect(fetcher.asked.filter((url) => url.startsWith(ARCHIVE)).length).toBeLessThanOrEqual(2);

  const again = paperCrawl(webWithArchive(), config, { journal: RecordingJournal.holding(journal.records) });
  await again.run();
  expect(again.fetcher.asked).toEqual([]);
});

test('unavailable members of an archive give a reason; other URLs pass unchanged', async () => {
  const answers = new Map<string, FetchOutcome>();
  const asked: string[] = [];
  const fetcher: Fetcher = {
    fetch: async (url) => {
      asked.push(url);
      return answers.get(url)!;
    },
    crawlDelayMs: () => 7,
    resolve: async () => true,
    close: async () => {},
  };
  const members = new MemberFetcher(fetcher);
  const member = canonicalize(`${ARCHIVE}!/one.html`)!;
  const url = canonicalize(ARCHIVE)!;

  answers.set(ARCHIVE, { kind: 'refused', url, reason: 'robots', detail: 'line 3', fetchedAt: 1 });
  expect(await members.fetch(member)).toEqual({
    kind: 'refused',
    url: member,
    reason: 'robots',
    detail: 'line 3',
    fetchedAt: 1,
  });
  const target = canonicalize('http://elsewhere.test/p.zip')!;
  answers.set(ARCHIVE, { kind: 'redirected', url, target, status: 301, permanent: true, fetchedAt: 1 });
  expect(await members.fetch(member)).toMatchObject({ kind: 'failed', url: member, retry: 'never' });
  answers.set(ARCHIVE, zipped(PAPERS));
  const both = await Promise.all([members.fetch(member), members.fetch(canonicalize(`${ARCHIVE}!/two.txt`)!)]);
  expect(both).toMatchObject([
    { kind: 'fetched', url: member, headers: { contentType: '', etag: '', link: '' } },
    { kind: 'fetched' },
  ]);
  await members.fetch(member);
  expect(asked.length).toBe(3);
  const odd = canonicalize('http://h.test/wow!/page')!;
  answers.set(odd, { kind: 'unchanged', url: odd, fetchedAt: 0 });
  expect(await members.fetch(odd)).toMatchObject({ kind: 'unchanged' });
});

test('frees page bodies after their records are made, and keeps archives for members', async () => {
  const web = webWithArchive();
  const released: string[] = [];
  const config = exactConfig({ crawl: { budget: 100, learn: 0 } });
  const analyzer = new PageAnalyzer(analyzerSettings(config));
  const { run, journal, fetcher } = paperCrawl(web, config, { analyzer });
  Object.assign(fetcher, {
    release: ({ url, body }: FetchedPage) => {
      released.push(url);
      if (url !== ARCHIVE) freeBytes(body);
    },
  });
  await run();
  await analyzer.close();

  const pages = journal.pages();
  expect(pages.filter(({ finalUrl }) => finalUrl.startsWith(`${ARCHIVE}!`)).length).toBe(3);
  expect(pages.every(({ bytes }) => bytes > 0)).toBe(true);
  const own = pages.map(({ finalUrl }) => finalUrl as string).filter((url) => !url.startsWith(`${ARCHIVE}!`));
  expect(new Set(released)).toEqual(new Set(own));
});

test('each of 40 archives is fetched once, whatever the order of their members', async () => {
  const asked: string[] = [];
  const bytes = (n: number): Uint8Array => new Uint8Array(2_000_000).fill(n);
  const fetcher: Fetcher = {
    fetch: async (url) => {
      asked.push(url);
      return { ...(zipped(bytes(asked.length)) as FetchedPage), url };
    },
    crawlDelayMs: () => 0,
    resolve: async () => true,
    close: async () => {},
  };
  const members = new MemberFetcher(fetcher);
  for (let round = 0; round < 3; round++)
    for (let n = 1; n <= 40; n++) {
      const member = canonicalize(`http://many.test/${n}.zip!/${round}.txt`)!;
      expect(await members.fetch(member)).toMatchObject({
        kind: 'fetched',
        url: member,
        body: { 0: n, length: 2_000_000 },
      });
    }
  expect(asked).toHaveLength(40);
  await members.close();
});
