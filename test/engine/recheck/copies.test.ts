import { describe, expect, test } from 'vitest';
import type { PageHistory, VisitRecord } from '../../../src/core/index.ts';
import {
  type Answer,
  at,
  exactConfig,
  type PaperCrawl,
  paperCrawl,
  paperUrl,
  paperWeb,
  RecordingJournal,
} from '../support/paper-web.ts';

/** In the words of the topic; twice as many words as a fingerprint needs. */
const WORDS = (paperWeb().get(paperUrl('rail', 9)) as string).replaceAll(/<[^>]*>/g, ' ').trim();
const doubled = (text: string): string =>
  `<html><head><title>twin</title></head><body><p>${text} ${text}</p></body></html>`;
const OWN = doubled(WORDS);
const LIKE = doubled(WORDS).replace('</p>', ' seen</p>');
/** Another version of it, not another page. */
const RENEWED = doubled(`${WORDS} ${'funicular cable summit valley gondola '.repeat(3)}`);
/** Another page, without links: those would be fetched, too. */
const OTHER = (paperWeb().get(paperUrl('food', 9)) as string).replaceAll(/<a [^>]*>|<\/a>/g, '');

const original = at('http://rail1.paper.test/twins/first');
const copies = [at('http://rail1.paper.test/twins/second'), at('http://rail2.paper.test/twins/third')];

/** The paper web with a page and two copies of it, one of which a visitor adds a word to. */
function twinWeb(): Map<string, Answer> {
  const web = paperWeb();
  const links = [original, ...copies].map((url) => `<a href="${url}">railway</a>`).join(' ');
  for (let n = 0; n < 60; n++)
    web.set(paperUrl('rail', n), (web.get(paperUrl('rail', n)) as string).replace('</p>', ` ${links}</p>`));
  return web.set(original, OWN).set(copies[0]!, OWN).set(copies[1]!, LIKE);
}

const traps = { nearDuplicateBits: 4, staleBits: 14 };
const config = (newPages: number) => exactConfig({ crawl: { budget: 30, learn: 10 }, traps, recheck: { newPages } });

interface Twins {
  readonly journal: RecordingJournal;
  /** The page under whichever address it was stored. */
  readonly stored: PageHistory;
  /** The other addresses. */
  readonly others: readonly string[];
}

async function crawled(): Promise<Twins> {
  const { run, journal } = paperCrawl(twinWeb(), config(9));
  await run();
  const found = journal.records.filter((r): r is VisitRecord => r.kind === 'visit' && r.result === 'duplicate');
  expect(found.map(({ url }) => url)).toHaveLength(2);
  const page = journal.pages().find(({ sequence }) => sequence === found[0]!.page)!;
  const { sequence, url, finalUrl, redirects, host, role, origin, document, fetchedAt } = page;
  const times = { firstAt: fetchedAt, changedAt: fetchedAt, checkedAt: fetchedAt, triedAt: fetchedAt };
  const stored: PageHistory = {
    ...{ sequence, url, finalUrl, redirects, host, role, origin, others: false, etag: '', lastModified: '' },
    ...{ contentHash: document.contentHash, simhash: document.simhash, ...times, checks: 0, changes: 0, missing: 0 },
    ...{ movedAt: 0, movedFrom: '', backAt: 0, ending: undefined, endedAt: 0, target: '' },
  };
  return { journal, stored, others: found.map(({ url }) => url) };
}

function rechecked({ journal, stored }: Twins, later: ReadonlyMap<string, Answer>, newPages = 9): PaperCrawl {
  return paperCrawl(later, config(newPages), {
    journal: RecordingJournal.holding(journal.records),
    ...{ recheck: [stored], onlyRecheck: true },
  });
}

const gone = (url: PageHistory['url']): Answer => ({
  ...{ kind: 'failed', url, retry: 'never', reason: 'http', detail: '', status: 410, fetchedAt: 0 },
});

describe('the copies of a page', () => {
  test.each<[string, (url: PageHistory['url']) => Answer]>([
    ['is gone', gone],
    ['says something else', () => OTHER],
    [
      'has moved to a page that is stored',
      (url) => {
        const target = at(paperUrl('rail', 0));
        return { kind: 'redirected', url, target, status: 301, permanent: true, fetchedAt: 0 };
      },
    ],
  ])('are fetched when it %s: one is stored, the other is a copy of that one', async (_, fate) => {
    const twins = await crawled();
    const { finalUrl } = twins.stored;
    const again = rechecked(twins, twinWeb().set(finalUrl, fate(finalUrl)));
    await again.run();
    expect(again.fetcher.asked.toSorted()).toEqual([finalUrl, ...twins.others].toSorted());
    const news = again.journal.records.slice(twins.journal.records.length);
    const page = news.find((r) => r.kind === 'page' && r.origin.via === 'link');
    expect(page).toMatchObject({ finalUrl: twins.others[0], assignment: { others: false } });
    expect(news.find((r) => r.kind === 'visit' && r.origin.via === 'link')).toMatchObject({
      ...{ url: twins.others[1], result: 'duplicate', page: page!.sequence },
    });
  });

  test('are not fetched if it is unchanged or nearly the same', async () => {
    const twins = await crawled();
    const { finalUrl } = twins.stored;
    for (const text of [twinWeb().get(finalUrl) as string, RENEWED]) {
      const again = rechecked(twins, twinWeb().set(finalUrl, text));
      await again.run();
      expect(again.fetcher.asked).toEqual([finalUrl]);
    }
  });

  test('are also known after a version that is nearly the same', async () => {
    const twins = await crawled();
    const { finalUrl } = twins.stored;
    const changed = rechecked(twins, twinWeb().set(finalUrl, RENEWED));
    await changed.run();
    const version = changed.journal.pages().at(-1)!;
    expect(version).toMatchObject({ finalUrl, origin: { via: 'recheck' } });
    const { contentHash, simhash } = version.document;
    const stored = { ...twins.stored, sequence: version.sequence, contentHash, simhash };
    const again = rechecked({ ...twins, journal: changed.journal, stored }, twinWeb().set(finalUrl, gone(finalUrl)));
    await again.run();
    expect(again.fetcher.asked.toSorted()).toEqual([finalUrl, ...twins.others].toSorted());
  });

  test('are fetched within the limit of new links; the others wait for the next recheck', async () => {
    const twins = await crawled();
    const { finalUrl } = twins.stored;
    const later = twinWeb().set(finalUrl, gone(finalUrl));
    const none = rechecked(twins, later, 0);
    await none.run();
    expect(none.fetcher.asked).toEqual([finalUrl]);
    const next = paperCrawl(later, config(9), { journal: none.journal, recheck: [], onlyRecheck: true });
    await next.run();
    expect(next.fetcher.asked.toSorted()).toEqual(twins.others.toSorted());
  });

  test('are fetched by a recheck that was cut, and none twice', async () => {
    const twins = await crawled();
    const { finalUrl } = twins.stored;
    const later = twinWeb().set(finalUrl, gone(finalUrl));
    const whole = rechecked(twins, later);
    await whole.run();
    const { records } = whole.journal;
    const last = records.findIndex((r) => r.kind === 'visit' && r.result === 'gone');
    for (let cut = last + 1; cut <= records.length; cut++) {
      const journal = RecordingJournal.holding(records.slice(0, cut));
      await paperCrawl(later, config(9), { journal, recheck: [], onlyRecheck: true }).run();
      expect(journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
    }
  });
});
