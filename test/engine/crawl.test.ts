import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  BingoError,
  type CanonicalUrl,
  type CrawlEvent,
  type CrawlStatus,
  type FetchOutcome,
  NO_HEADERS,
  PART_STATUS,
  type PageRecord,
  topicTree,
} from '../../src/core/index.ts';
import {
  type Answer,
  at,
  exactConfig,
  PaperFetcher,
  paperCrawl,
  paperUrl,
  paperWeb,
  railTree,
  topicTreeWith,
} from './support/paper-web.ts';

/** Some addresses take their time, in ms. */
class SlowFetcher extends PaperFetcher {
  readonly #slow: ReadonlyMap<string, number>;

  constructor(web: ReadonlyMap<string, Answer>, slow: ReadonlyMap<string, number>) {
    super(web);
    this.#slow = slow;
  }

  override async fetch(url: CanonicalUrl): Promise<FetchOutcome> {
    const answer = await super.fetch(url);
    const timeMs = this.#slow.get(url);
    if (timeMs !== undefined) await setTimeout(timeMs);
    return answer;
  }
}

describe('a crawl from beginning to end', () => {
  test('fetches training pages first, then learns, then harvests up to its budget', async () => {
    const { run, journal, fetcher } = paperCrawl(paperWeb(), exactConfig());

    const summary = await run();

    expect(summary).toMatchObject({ reason: 'budget', fetchedNow: 60, status: { fetched: 60, phase: 'harvesting' } });
    expect(fetcher.asked.slice(0, 3)).toEqual([0, 1, 2].map((i) => paperUrl('rail', i)));
    const phases = journal.records.flatMap((r) => (r.kind === 'phase' ? [r.phase] : []));
    expect(phases).toEqual(['learning', 'harvesting']);
    expect(journal.records.map((r) => r.sequence)).toEqual(journal.records.map((_, i) => i + 1));
  });

  test('requests no URL twice', async () => {
    const { run, fetcher } = paperCrawl(paperWeb(), exactConfig());
    await run();
    expect(new Set(fetcher.asked).size).toBe(fetcher.asked.length);
  });

  test('reports the pages found per topic and their mean confidence, without examples', async () => {
    const { run, journal } = paperCrawl(paperWeb(), exactConfig());
    const { status } = await run();
    const found = journal.pages().filter(({ role, assignment }) => role === 'crawled' && !assignment.others);
    const mean = found.reduce((sum, { assignment }) => sum + assignment.confidence, 0) / found.length;
    expect(status.queues[0]).toMatchObject({ accepted: found.length, meanConfidence: expect.closeTo(mean, 6) });
    expect(status.relevant).toBe(found.length);
  });

  test('finds mostly pages of its topic', async () => {
    const { run, journal } = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 40 } }));
    await run();
    const onTopic = journal.crawled().filter((url) => url.includes('//rail')).length;
    expect(onTopic).toBeGreaterThan(25);
  });

  test('retrains during the crawl and records the training pages of every model', async () => {
    const { run, journal } = paperCrawl(paperWeb(), exactConfig());
    await run();
    const rounds = journal.records.flatMap((r) => (r.kind === 'round' && !r.undone ? [r] : []));
    expect(rounds.length).toBeGreaterThan(1);
    expect(rounds[0]!.training.map((t) => t.origin)).toEqual([...Array(6).fill('others'), ...Array(3).fill('user')]);
    const last = rounds.at(-1)!;
    expect(last.training.filter((t) => t.origin === 'user')).toHaveLength(3);
  });

  test('ends if the frontier is empty', async () => {
    const { run } = paperCrawl(paperWeb(10), exactConfig({ crawl: { budget: 500, ordering: 'breadth-first' } }));
    expect((await run()).reason).toBe('frontier-dry');
  });

  test('counts consecutive rejected pages before a page, also if all links are followed', async () => {
    const config = exactConfig({ crawl: { ordering: 'breadth-first', learn: 0, tunnelDistance: 0 } });
    const { run, journal } = paperCrawl(paperWeb(), config);
    await run();
    const pages = journal.pages();
    const byUrl = new Map<string, (typeof pages)[number]>(pages.map((page) => [page.finalUrl, page]));
    const linked = pages.filter(({ origin }) => origin.via === 'link');
    for (const { finalUrl, origin } of linked) {
      const { role, assignment, origin: before } = byUrl.get(origin.from)!;
      const isRejected = role === 'crawled' && assignment.others;
      expect(origin.tunnelDepth, finalUrl).toBe(isRejected ? before.tunnelDepth + 1 : 0);
    }
    expect(Math.max(...linked.map(({ origin }) => origin.tunnelDepth))).toBeGreaterThan(0);
  });

  test('learns depth first, and harvests only by its ordering: no learning priority stays', async () => {
    const { run, journal } = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60, ordering: 'random' } }));
    await run();
    const harvesting = journal.records.findIndex((record) => record.kind === 'phase' && record.phase === 'harvesting');
    const linked = journal.pages().filter(({ origin }) => origin.via === 'link');
    const isEarly = ({ sequence }: PageRecord): boolean => sequence <= harvesting;
    expect(linked.filter(isEarly).length).toBeGreaterThan(10);
    // Deeper links have greater priorities while learning continues; a random ordering gives at most 1.
    for (const { origin } of linked.filter(isEarly)) expect(origin.priority).toBeGreaterThan(origin.depth);
    for (const { origin } of linked.filter((page) => !isEarly(page))) expect(origin.priority).toBeLessThanOrEqual(1);
  });

  test('a link is one level deeper than its page, however far from the topic', async () => {
    const { run, journal } = paperCrawl(
      paperWeb(),
      exactConfig({ crawl: { budget: 110, learn: 0, tunnelDistance: 0 } }),
    );
    await run();
    const pages = journal.pages();
    const depths = new Map<string, number>(pages.map(({ finalUrl, origin }) => [finalUrl, origin.depth]));
    const linked = pages.filter(({ origin }) => origin.via === 'link');
    expect(linked.some(({ origin }) => origin.priority < 0)).toBe(true);
    for (const { finalUrl, origin } of linked) expect(origin.depth, finalUrl).toBe(depths.get(origin.from)! + 1);
  });

  test('hard focus follows no link of a rejected page, even with budget left', async () => {
    const config = exactConfig({ crawl: { budget: 500, learn: 0, ordering: 'hard-focus' } });
    const { run, journal } = paperCrawl(paperWeb(), config);
    expect((await run()).reason).toBe('frontier-dry');
    const pages = new Map(journal.pages().map((page) => [page.finalUrl as string, page]));
    const rejected = [...pages.values()].filter(({ role, assignment }) => role === 'crawled' && assignment.others);
    expect(rejected.length).toBeGreaterThan(0);
    const followed = new Set([...pages.values()].map(({ origin }) => origin.from));
    expect(rejected.filter(({ finalUrl }) => followed.has(finalUrl))).toEqual([]);
  });

  test('"only learn" stops after learning, "only harvest" skips it', async () => {
    const learn = paperCrawl(paperWeb(), exactConfig(), { only: 'learn' });
    expect(await learn.run()).toMatchObject({ reason: 'learned', fetchedNow: 20 });
    const harvest = paperCrawl(paperWeb(), exactConfig(), { only: 'harvest' });
    await harvest.run();
    expect(harvest.journal.records.some((r) => r.kind === 'phase' && r.phase === 'learning')).toBe(false);
  });

  test('"only learn" harvests nothing after learning, even after an added example', async () => {
    const { run, journal } = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30 } }));
    await run();
    const again = { journal, only: 'learn', tree: topicTreeWith([0, 1, 2, 59]) } as const;
    const second = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60 } }), again);
    expect(await second.run()).toMatchObject({ reason: 'learned', fetchedNow: 0 });
    const { training } = journal.records.findLast((record) => record.kind === 'round')!;
    expect(training.map(({ key }) => key)).toContain(paperUrl('rail', 59));
  });

  test('"only harvest" ends an interrupted learning phase', async () => {
    const { run, journal } = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 5 } }));
    await run();
    const second = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 10 } }), { journal, only: 'harvest' });
    await second.run();
    const phases = journal.records.flatMap((record) => (record.kind === 'phase' ? [record.phase] : []));
    expect(phases).toEqual(['learning', 'harvesting']);
  });

  test('the learning phase stays on the domains of the seeds', async () => {
    const web = paperWeb();
    web.set('http://far.elsewhere.test/', web.get(paperUrl('rail', 9))!);
    const first = web.get(paperUrl('rail', 0)) as string;
    web.set(paperUrl('rail', 0), first.replace('<p>', '<p><a href="http://far.elsewhere.test/">railway</a> '));
    const { run, journal } = paperCrawl(web, exactConfig(), { only: 'learn' });
    await run();
    expect(journal.crawled()).not.toContain('http://far.elsewhere.test/');
  });

  test('stop finishes the running requests and resolves', async () => {
    let pages = 0;
    const onEvent = (event: CrawlEvent): void => {
      if (event.kind === 'page' && ++pages === 25) crawl.stop();
    };
    const { run, crawl, journal } = paperCrawl(paperWeb(), exactConfig(), { onEvent });
    expect((await run()).reason).toBe('stopped');
    expect(journal.crawled().length).toBeLessThan(60);
  });
});

describe('a crawl that fails', () => {
  test('records nothing of running requests: the next run repeats them', async () => {
    // Phases and rounds wait for fetches in flight, so none may end while one hangs: no other host would be asked.
    const config = exactConfig({ network: { concurrency: 4 }, crawl: { learn: 0 }, learn: { retrainEvery: 1000 } });
    const { run, fetcher, journal } = paperCrawl(paperWeb(), config);
    const fetch = fetcher.fetch.bind(fetcher);
    const { promise: isClosed, resolve: close } = Promise.withResolvers<void>();
    let hung = '';
    fetcher.fetch = async (url) => {
      if (journal.records.length < 30) return await fetch(url);
      if (hung !== '') throw new Error('broken');
      hung = url;
      await isClosed;
      const closed = { reason: 'protocol', detail: 'closed', status: 0, fetchedAt: 0 };
      return { kind: 'failed', url, retry: 'never', ...closed };
    };

    await expect(run()).rejects.toThrow('broken');
    const stored = journal.records.length;
    close();
    await new Promise((resolve) => setImmediate(resolve));

    expect(hung).not.toBe('');
    expect(journal.records.slice(stored)).toEqual([]);
  });
});

describe('redirects, duplicates, refusals', () => {
  const redirect = (url: string, target: string): Answer => {
    return { kind: 'redirected', url: at(url), target: at(target), status: 301, permanent: true, fetchedAt: 0 };
  };

  test('a redirect is followed at once and its page keeps both URLs', async () => {
    const web = paperWeb();
    web.set('http://rail0.paper.test/moved/3', web.get(paperUrl('rail', 3))!);
    web.set(paperUrl('rail', 3), redirect(paperUrl('rail', 3), 'http://rail0.paper.test/moved/3'));
    const { run, journal } = paperCrawl(
      web,
      exactConfig({ crawl: { budget: 110, ordering: 'breadth-first', learn: 0 } }),
    );
    await run();
    const page = journal.pages().find((p) => p.finalUrl === 'http://rail0.paper.test/moved/3');
    expect(page).toMatchObject({
      url: paperUrl('rail', 3),
      redirects: [paperUrl('rail', 3)],
      origin: { via: 'redirect' },
    });
  });

  test('follows a circular redirect one more time, because of cookies, and then stops', async () => {
    const web = paperWeb();
    web.set(paperUrl('rail', 3), redirect(paperUrl('rail', 3), 'http://rail0.paper.test/a'));
    web.set('http://rail0.paper.test/a', redirect('http://rail0.paper.test/a', 'http://rail0.paper.test/b'));
    web.set('http://rail0.paper.test/b', redirect('http://rail0.paper.test/b', 'http://rail0.paper.test/a'));
    const { run, fetcher } = paperCrawl(
      web,
      exactConfig({ crawl: { budget: 110, ordering: 'breadth-first', learn: 0 } }),
    );
    await run();
    expect(fetcher.asked.filter((url) => url === 'http://rail0.paper.test/a')).toHaveLength(2);
    expect(fetcher.asked.filter((url) => url === 'http://rail0.paper.test/b')).toHaveLength(1);
  });

  test('stores a page that appears when its redirects lead back to it', async () => {
    const web = paperWeb();
    const [url, wall] = [paperUrl('rail', 3), 'http://rail0.paper.test/set-cookie'];
    const page = web.get(url)!;
    web.set(url, redirect(url, wall));
    web.set(wall, redirect(wall, url));
    const get = web.get.bind(web);
    let isOpen = false;
    web.get = (asked) => {
      isOpen ||= asked === wall;
      return asked === url && isOpen ? page : get(asked);
    };
    const config = exactConfig({ crawl: { budget: 110, ordering: 'breadth-first', learn: 0 } });
    const { run, journal } = paperCrawl(web, config);
    await run();
    expect(journal.pages().filter((p) => p.finalUrl === url)).toMatchObject([{ url, redirects: [url, wall] }]);
  });

  test('treats pages that only forward their readers as redirects, even if all are equal', async () => {
    const web = paperWeb();
    const examples = [0, 1, 2].map((i) => paperUrl('rail', i));
    for (const url of examples) {
      web.set(`${url}?new`, web.get(url)!);
      web.set(url, `<title>Redirecting…</title><meta http-equiv=refresh content="0;url=${url}?new"><p>Please wait.`);
    }
    const { run, journal } = paperCrawl(web, exactConfig());
    await run();
    const stored = journal.pages().filter(({ role }) => role === 'example');
    expect(stored.map(({ url, finalUrl }) => [url, finalUrl])).toEqual(examples.map((url) => [url, `${url}?new`]));
  });

  test('follows a redirected seed, and its page is the training page', async () => {
    const web = paperWeb();
    web.set('http://rail0.paper.test/new-home', web.get(paperUrl('rail', 0))!);
    web.set(paperUrl('rail', 0), redirect(paperUrl('rail', 0), 'http://rail0.paper.test/new-home'));
    const { run, journal } = paperCrawl(web, exactConfig());
    await run();
    const example = journal.pages().find((p) => p.url === paperUrl('rail', 0));
    expect(example).toMatchObject({ role: 'example', finalUrl: 'http://rail0.paper.test/new-home' });
  });

  test('the same content at a second URL is an alias, not a second page', async () => {
    const web = paperWeb();
    const copy = (web.get(paperUrl('rail', 3)) as string).replace('</body>', '</body>\n');
    web.set(paperUrl('rail', 4), copy);
    web.set(paperUrl('rail', 5), copy);
    const { run, journal } = paperCrawl(
      web,
      exactConfig({ crawl: { budget: 110, ordering: 'breadth-first', learn: 0 } }),
    );
    await run();
    const same = [3, 4, 5].map((i) => paperUrl('rail', i));
    expect(journal.pages().filter((p) => same.includes(p.finalUrl))).toHaveLength(1);
    const aliases = journal.records.filter((r) => r.kind === 'visit' && r.result === 'duplicate');
    expect(aliases).toHaveLength(2);
  });

  test('does not store a page with noindex', async () => {
    const web = paperWeb();
    web.set(paperUrl('rail', 3), '<html><head><meta name="robots" content="noindex"></head><body>secret</body></html>');
    const { run, journal } = paperCrawl(web, exactConfig());
    await run();
    expect(journal.pages().some((p) => p.finalUrl === paperUrl('rail', 3))).toBe(false);
  });

  test('follows the links of a noindex page, unless it also says nofollow', async () => {
    const web = paperWeb();
    const hidden = (content: string, to: string): string =>
      `<html><head><meta name="robots" content="${content}"></head><body><a href="${to}">secret rail</a></body></html>`;
    web.set('http://rail0.paper.test/open', hidden('noindex', 'http://rail0.paper.test/behind-open'));
    web.set('http://rail0.paper.test/shut', hidden('none', 'http://rail0.paper.test/behind-shut'));
    web.set(
      paperUrl('rail', 0),
      (web.get(paperUrl('rail', 0)) as string).replace('</body>', '<a href="/open">o</a> <a href="/shut">s</a></body>'),
    );
    const config = exactConfig({ crawl: { budget: 110, ordering: 'breadth-first', learn: 0 } });
    const { run, journal, fetcher } = paperCrawl(web, config);
    await run();
    expect(fetcher.asked).toContain('http://rail0.paper.test/behind-open');
    expect(fetcher.asked).not.toContain('http://rail0.paper.test/behind-shut');
    const ends = journal.records.flatMap((r) => (r.kind === 'visit' && r.result === 'noindex' ? [r] : []));
    expect(ends.map(({ url, reason, links }) => ({ url, reason, links: links?.urls }))).toEqual([
      {
        url: 'http://rail0.paper.test/open',
        reason: 'links-followed',
        links: 'http://rail0.paper.test/behind-open',
      },
      { url: 'http://rail0.paper.test/shut', reason: 'meta-robots', links: undefined },
    ]);
  });

  test('an endless site of noindex pages costs only the budget', async () => {
    const web = paperWeb();
    const link = (i: number): string => `<a href="http://rail0.paper.test/hidden/${i}x">next</a>`;
    for (let i = 0; i < 200; i++)
      web.set(
        `http://rail0.paper.test/hidden/${i}x`,
        `<html><head><meta name="robots" content="noindex"></head><body>${link(i + 1)}</body></html>`,
      );
    for (const i of [0, 1, 2]) web.set(paperUrl('rail', i), (web.get(paperUrl('rail', i)) as string) + link(0));
    const config = exactConfig({ crawl: { budget: 40, ordering: 'random', learn: 0 } });
    const { run, fetcher, crawl } = paperCrawl(web, config);
    await run();
    expect(crawl.status().fetched).toBe(40);
    const training = 9;
    expect(fetcher.asked.length).toBe(training + 40);
    expect(fetcher.asked.some((url) => url.includes('/hidden/'))).toBe(true);
  });

  test('retries a temporary failure, three times at most', async () => {
    const web = paperWeb();
    const url = at(paperUrl('rail', 3));
    web.set(url, {
      kind: 'failed',
      url,
      retry: 'later',
      reason: 'http',
      detail: 'HTTP 503',
      status: 503,
      fetchedAt: 0,
    });
    const { run, fetcher, journal } = paperCrawl(
      web,
      exactConfig({ crawl: { budget: 110, ordering: 'breadth-first', learn: 0 } }),
    );
    await run();
    expect(fetcher.asked.filter((asked) => asked === url)).toHaveLength(3);
    const visits = journal.records.flatMap((r) => (r.kind === 'visit' && r.url === url ? [r.retried] : []));
    expect(visits).toEqual([true, true, false]);
  });
});

describe('a page that always breaks off', () => {
  const config = exactConfig({ crawl: { budget: 200, ordering: 'breadth-first', learn: 0 } });
  const url = at(paperUrl('rail', 3));
  /** The web in which only the first characters of the page come. */
  const breaking = (chars: number, web = paperWeb(), url = at(paperUrl('rail', 3))): Map<string, Answer> => {
    const headers = { ...NO_HEADERS, contentType: 'text/html' };
    const body = Buffer.from((web.get(url) as string).slice(0, chars));
    const page = { kind: 'fetched', url, body, address: '', fetchedAt: 0, durationMs: 0 } as const;
    const part = { ...page, status: PART_STATUS, headers };
    const failed = { kind: 'failed', url, retry: 'later', reason: 'truncated', detail: 'broke off' } as const;
    return web.set(url, { ...failed, status: 200, part, fetchedAt: 0 });
  };

  test('is stored up to the break', async () => {
    const { run, fetcher, journal } = paperCrawl(breaking(600), config);
    await run();
    expect(fetcher.asked.filter((asked) => asked === url)).toHaveLength(3);
    expect(journal.pages().filter((page) => page.url === url)).toMatchObject([{ status: 206 }]);
    const visits = journal.records.flatMap((r) => (r.kind === 'visit' && r.url === url ? [r.retried] : []));
    expect(visits).toEqual([true, true]);
  });

  test('is a failure if hardly a word arrived', async () => {
    const { run, journal } = paperCrawl(breaking(100), config);
    await run();
    expect(journal.pages().some((page) => page.url === url)).toBe(false);
    expect(journal.records.findLast((r) => r.kind === 'visit' && r.url === url)).toMatchObject({
      reason: 'truncated',
      retried: false,
    });
  });

  test('is also stored if its host is given up before the last attempt', async () => {
    const web = paperWeb();
    const urls = [3, 6, 9, 12, 15].map((i) => at(paperUrl('rail', i)));
    for (const other of urls) breaking(600, web, other);
    const hasty = exactConfig({
      crawl: { budget: 200, ordering: 'breadth-first', learn: 0 },
      network: { backoffMs: 0 },
    });
    const { run, journal } = paperCrawl(web, hasty);
    await run();
    const kept = journal.pages().filter((page) => page.status === 206);
    const lost = journal.records.filter((r) => r.kind === 'visit' && r.reason === 'truncated' && !r.retried);
    expect(kept.length).toBeGreaterThan(0);
    expect(lost).toEqual([]);
  });
});

describe('unavailable training pages', () => {
  const gone = (web: Map<string, Answer>, ...urls: string[]): Map<string, Answer> => {
    for (const url of urls) web.delete(url);
    return web;
  };

  test('one of several: an alarm, and the crawl continues', async () => {
    const web = gone(paperWeb(), paperUrl('rail', 1));
    const { run, events, journal } = paperCrawl(web, exactConfig());
    const { reason, unusedTraining } = await run();
    expect(reason).toBe('budget');
    expect(unusedTraining).toEqual([
      { url: paperUrl('rail', 1), why: expect.stringContaining('404'), isExample: true, isNew: true },
    ]);
    const later = await paperCrawl(web, exactConfig(), { journal }).run();
    expect(later.unusedTraining).toEqual([{ ...unusedTraining[0], isNew: false }]);
    const alarm = events.find((e) => e.kind === 'alarm');
    expect(alarm).toMatchObject({
      code: 'training-page-failed',
      message: expect.stringContaining(paperUrl('rail', 1)),
    });
  });

  test('are counted in the status until they arrive', async () => {
    const told: CrawlStatus[] = [];
    const setup = paperCrawl(paperWeb(), exactConfig(), { onEvent: () => told.push(setup.crawl.status()) });
    await setup.run();
    const settled = told.flatMap(({ training }) => training?.settled ?? []);
    expect([...new Set(settled)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(told[0]!.training!.all).toBe(9);
    expect(told.every(({ phase, training }) => phase === 'bootstrap' || training === undefined)).toBe(true);
  });

  test('hardly any text: an alarm that says how much', async () => {
    const empty =
      '<html><head><title>Trains</title></head><body><div id="app"></div><a href="/page/4">go</a></body></html>';
    const web = new Map([...paperWeb(), [paperUrl('rail', 1), empty], [paperUrl('food', 1), empty]]);
    const { run, events } = paperCrawl(web, exactConfig());
    await run();
    const told = events.flatMap((e) => (e.kind === 'alarm' && e.code === 'short-example' ? [e.message] : []));
    expect(told).toEqual([`The example ${paperUrl('rail', 1)} has 2 words of text, too little to learn much from.`]);
  });

  test('hardly any text in many of them: one alarm that counts them', async () => {
    const examples = [0, 1, 2, 3, 4];
    const web = new Map(paperWeb());
    for (const i of examples) web.set(paperUrl('rail', i), `<title>Trains ${i}</title><div id="app"></div>`);
    const { run, events } = paperCrawl(web, exactConfig(), { tree: topicTreeWith([...examples, 6]) });
    await run();
    const told = events.flatMap((e) => (e.kind === 'alarm' && e.code === 'short-example' ? [e.message] : []));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^5 examples have fewer than 20 words of text, .* They are http:.* and 2 more pages\.$/);
  });

  test('many for one reason: one alarm that names some, examples first', async () => {
    const others = [0, 1, 2, 3, 4].map((i) => paperUrl('food', i));
    const { run, events } = paperCrawl(gone(paperWeb(), ...others, paperUrl('rail', 2)), exactConfig());
    await run();
    const told = events.flatMap((e) => (e.kind === 'alarm' && e.code === 'training-page-failed' ? [e.message] : []));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(
      /^6 training pages could not be used: HTTP .*404.* They are http:\/\/rail2.* and 3 more pages\.$/,
    );
  });

  test('all of a topic: a clear error with the reasons, and no data loss', async () => {
    const web = gone(paperWeb(), ...[0, 1, 2].map((i) => paperUrl('rail', i)));
    const { run, journal } = paperCrawl(web, exactConfig());
    const error = await run().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(BingoError);
    expect(error).toMatchObject({ code: 'NO_TRAINING_PAGES', message: expect.stringContaining('HTTP 404') });
    expect(journal.pages()).toHaveLength(6);
  });

  test('all of one topic among others: it gets no pages and an alarm; the crawl continues', async () => {
    const page = (subject: 'rail' | 'food', i: number) => ({ kind: 'url', url: paperUrl(subject, i) }) as const;
    const topics = [
      { name: 'railways', examples: [page('rail', 0), page('rail', 3)] },
      { name: 'cooking', examples: [page('food', 1), page('food', 2)] },
    ];
    const web = gone(paperWeb(), paperUrl('food', 1), paperUrl('food', 2));
    const { run, events, journal } = paperCrawl(web, exactConfig(), { tree: topicTree(topics, [page('food', 4)]) });
    expect(await run()).toMatchObject({ reason: 'budget' });
    const told = events.flatMap((e) => (e.kind === 'alarm' && e.code === 'no-examples' ? [e.message] : []));
    expect(told).toEqual(['No example of "cooking" could be fetched: no page can be assigned to it.']);
    expect(journal.pages().map((stored) => stored.assignment.topic)).not.toContain('cooking');
  });

  test('all pages: the error names examples first and counts the rest, without alarms', async () => {
    const { run, events } = paperCrawl(new Map(), exactConfig());
    const error = await run().catch((e: unknown) => e);
    const lines = (error as BingoError).message.split('\n');
    expect(lines.slice(1, 4).every((line) => line.startsWith('  http://rail'))).toBe(true);
    expect(lines).toHaveLength(7);
    expect(lines.at(-1)).toBe('  … and 4 more training pages');
    expect(events.filter((e) => e.kind === 'alarm')).toEqual([]);
  });

  /** All on one host. */
  const EXAMPLES = [0, 3, 6];
  const silent = (web: Map<string, Answer>): Map<string, Answer> => {
    for (const i of EXAMPLES) {
      const url = at(paperUrl('rail', i));
      const why = { reason: 'connect', detail: 'nobody answers', status: 0, fetchedAt: Date.now() } as const;
      web.set(url, { kind: 'failed', url, retry: 'later', ...why });
    }
    return web;
  };

  test.each([
    ['not found', (web: Map<string, Answer>) => gone(web, ...EXAMPLES.map((i) => paperUrl('rail', i)))],
    ['no answer', silent],
  ])('unreachable at first (%s), there at the next run: it begins to crawl', async (_, spoilt) => {
    const tree = topicTreeWith(EXAMPLES);
    const first = paperCrawl(spoilt(paperWeb()), exactConfig(), { tree });
    await expect(first.run()).rejects.toMatchObject({ code: 'NO_TRAINING_PAGES' });
    const second = paperCrawl(paperWeb(), exactConfig(), { tree, journal: first.journal });
    await second.run();
    expect(second.fetcher.asked.slice(0, 3)).toEqual(EXAMPLES.map((i) => paperUrl('rail', i)));
    expect(second.journal.crawled()).toHaveLength(60);
  });

  test.each([
    ['not found', (web: Map<string, Answer>) => gone(web, paperUrl('rail', 9))],
    [
      'no answer',
      (web: Map<string, Answer>) => {
        const url = at(paperUrl('rail', 9));
        const why = { reason: 'connect', detail: 'nobody answers', status: 0, fetchedAt: Date.now() } as const;
        return web.set(url, { kind: 'failed', url, retry: 'later', ...why });
      },
    ],
  ])('the only seed is unreachable at first (%s), there at the next run: it begins to crawl', async (_, spoilt) => {
    const page = (subject: 'rail' | 'food', i: number) => ({ kind: 'url', url: paperUrl(subject, i) }) as const;
    const topic = { name: 'railways', examples: EXAMPLES.map((i) => page('rail', i)), seeds: [paperUrl('rail', 9)] };
    const tree = topicTree([topic], [page('food', 1), page('food', 2)]);
    const first = paperCrawl(spoilt(paperWeb()), exactConfig(), { tree });
    expect(await first.run()).toMatchObject({ reason: 'frontier-dry', fetchedNow: 0 });
    const second = paperCrawl(paperWeb(), exactConfig(), { tree, journal: first.journal });
    expect(await second.run()).toMatchObject({ reason: 'budget', fetchedNow: 60 });
    expect(second.fetcher.asked[0]).toBe(paperUrl('rail', 9));
  });

  test('with endless or too many redirects: the error says so', async () => {
    const redirect = (from: string, to: string): [string, Answer] => {
      const url = at(from);
      return [from, { kind: 'redirected', url, target: at(to), status: 302, permanent: false, fetchedAt: 0 }];
    };
    const [home, login] = [paperUrl('rail', 0), 'http://rail0.paper.test/login'];
    const many = Array.from({ length: 9 }, (_, i) =>
      redirect(`${login}/${'abcdefghij'[i]}`, `${login}/${'bcdefghijk'[i]}`),
    );
    const alike = Array.from({ length: 9 }, (_, i) => redirect(`${login}?n=${i}`, `${login}?n=${i + 1}`));
    for (const [path, spoilt, why] of [
      ['/a', many, 'it redirects too often'],
      ['?n=0', alike, 'it redirects endlessly'],
    ] as const) {
      const web = new Map([...paperWeb(), redirect(home, `${login}${path}`), ...spoilt]);
      const { run } = paperCrawl(web, exactConfig({ crawl: { maxRedirects: 8 } }), { tree: topicTreeWith([0]) });
      const error = await run().catch((e: unknown) => e);
      expect((error as BingoError).message).toContain(`${home}: ${why}`);
    }
  });

  test.each([
    ['in a circle', 'it redirects in a circle'],
    ['to nothing', 'HTTP 404'],
  ])('that redirects %s: an error says so, and the next run asks again', async (way, why) => {
    const [home, moved] = [paperUrl('rail', 0), 'http://rail0.paper.test/moved'];
    const redirect = (url: string, to: string): Answer => {
      return { kind: 'redirected', url: at(url), target: at(to), status: 301, permanent: true, fetchedAt: 0 };
    };
    const tree = topicTreeWith([0]);
    const web = new Map(paperWeb());
    web.set(home, redirect(home, moved));
    if (way === 'in a circle') web.set(moved, redirect(moved, home));
    const first = paperCrawl(web, exactConfig(), { tree });
    const error = await first.run().catch((e: unknown) => e);
    expect((error as BingoError).message).toContain(`${home}: ${why}`);
    web.set(moved, paperWeb().get(home)!);
    const second = paperCrawl(web, exactConfig(), { tree, journal: first.journal });
    await second.run();
    expect(second.journal.pages()).toContainEqual(
      expect.objectContaining({ url: home, finalUrl: moved, role: 'example' }),
    );
  });

  test('that redirects to a stored page: it is learned in its stored form', async () => {
    const web = paperWeb();
    const [old, found] = [paperUrl('rail', 999), paperUrl('rail', 7)];
    web.set(old, { kind: 'redirected', url: at(old), target: at(found), status: 301, permanent: true, fetchedAt: 0 });
    const config = exactConfig({ crawl: { budget: 110, ordering: 'breadth-first' } });
    const first = paperCrawl(web, config);
    await first.run();
    expect(first.journal.crawled()).toContain(found);
    const tree = topicTreeWith([0, 1, 2, 999]);
    const second = paperCrawl(web, config, { tree, journal: first.journal });
    await second.run();
    const last = second.journal.records.findLast((record) => record.kind === 'round')!;
    expect(last.training).toContainEqual(expect.objectContaining({ key: old, origin: 'user' }));
  });

  describe('that redirects to a page found by the crawl, too', () => {
    const old = paperUrl('rail', 999);
    const tree = topicTreeWith([0, 1, 2, 999]);
    const crawlOf = { budget: 110, ordering: 'breadth-first' } as const;

    /** Crawls, adds the example, and continues twice. Returns how often its target was requested, and the training pages. */
    const goesOn = async (wanted: string) => {
      const target = at(wanted);
      const moved = { kind: 'redirected', url: at(old), target, status: 301, permanent: true, fetchedAt: 0 } as const;
      const web = new Map<string, Answer>([...paperWeb(), [old, moved]]);
      const first = paperCrawl(web, exactConfig({ crawl: { ...crawlOf, budget: 10 } }));
      await first.run();
      const slow = [
        [old, 50],
        [wanted, 200],
      ] as const;
      const fetcher = new SlowFetcher(web, new Map(slow));
      const config = exactConfig({ crawl: crawlOf, network: { concurrency: 60, perHost: 60, perDomain: 60 } });
      const { run, journal } = paperCrawl(web, config, { tree, journal: first.journal, fetcher });
      await run();
      const last = journal.records.findLast((record) => record.kind === 'round')!;
      const third = paperCrawl(web, exactConfig({ crawl: crawlOf }), { tree, journal });
      await third.run();
      const asked = [...fetcher.asked, ...third.fetcher.asked].filter((url) => url === wanted);
      return { asked: asked.length, taught: last.training.map(({ key }) => key) };
    };

    test('that a page links to meanwhile: it is requested once', async () => {
      const { asked, taught } = await goesOn(paperUrl('rail', 31));
      expect(asked).toBe(1);
      expect(taught).toContain(old);
    });

    test('that is being fetched: it is learned once it is stored', async () => {
      const { asked, taught } = await goesOn(paperUrl('rail', 30));
      expect(asked).toBe(1);
      expect(taught).toContain(old);
    });
  });

  test('still unreachable at the next run: it is requested again and reported', async () => {
    const tree = topicTreeWith(EXAMPLES);
    const first = paperCrawl(silent(paperWeb()), exactConfig(), { tree });
    await expect(first.run()).rejects.toMatchObject({ code: 'NO_TRAINING_PAGES' });
    const second = paperCrawl(silent(paperWeb()), exactConfig(), { tree, journal: first.journal });
    await expect(second.run()).rejects.toMatchObject({ code: 'NO_TRAINING_PAGES' });
    expect(second.fetcher.asked.length).toBeGreaterThan(0);
    expect(second.fetcher.asked.filter((url) => url.includes('food'))).toEqual([]);
  });

  test('of an excluded host: the error gives the reason', async () => {
    const { run } = paperCrawl(silent(paperWeb()), exactConfig(), { tree: topicTreeWith(EXAMPLES) });
    const error = await run().catch((e: unknown) => e);
    for (const i of EXAMPLES) expect((error as BingoError).message).toContain(`${paperUrl('rail', i)}: nobody answers`);
  });
});

test('trains on examples whose topic has other seeds, but does not follow their links', async () => {
  const url = (subject: 'rail' | 'food', i: number) => ({ kind: 'url', url: paperUrl(subject, i) }) as const;
  const tree = topicTree(
    [{ name: 'railways', examples: [0, 1, 2].map((i) => url('rail', i)), seeds: [paperUrl('food', 40)] }],
    railTree().nodes.get('' as never)!.others,
  );
  const { run, journal } = paperCrawl(
    paperWeb(),
    exactConfig({ crawl: { budget: 5, learn: 0, ordering: 'breadth-first' } }),
    { tree },
  );
  await run();
  expect(journal.crawled()[0]).toBe(paperUrl('food', 40));
  const parents = journal.pages().flatMap((p) => (p.origin.via === 'link' ? [p.origin.from] : []));
  expect(parents.some((from) => from.includes('//rail') && [0, 1, 2].some((i) => from === paperUrl('rail', i)))).toBe(
    false,
  );
});
