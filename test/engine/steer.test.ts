import { setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import {
  type CanonicalUrl,
  type Config,
  type CrawlEvent,
  type Example,
  type FetchOutcome,
  type JournalRecord,
  type PageRecord,
  parseTopicId,
  ROOT,
  type SiteUse,
  type Steer,
  type SteerCommand,
  siteKey,
  topicTree,
  unpackLinks,
} from '../../src/core/index.ts';
import { LearnedOrdering } from '../../src/crawl/learned/learned.ts';
import type { Crawl } from '../../src/engine/index.ts';
import { decodeModels } from '../../src/meta/index.ts';
import {
  type Answer,
  exactConfig,
  type PaperCrawl,
  PaperFetcher,
  paperCrawl,
  paperUrl,
  paperWeb,
  RecordingJournal,
  topicTreeWith,
} from './support/paper-web.ts';

/** A crawl that is steered as soon as it has fetched so many pages that the crawl found. */
function steeredCrawl(config: Config, at: number, ...commands: readonly SteerCommand[]): PaperCrawl & Steered {
  const obeyed: boolean[] = [];
  let pages = 0;
  const onEvent = (event: CrawlEvent): void => {
    if (event.kind !== 'page' || event.record.role !== 'crawled' || ++pages !== at) return;
    for (const command of commands) obeyed.push(made.crawl.steer(command));
  };
  const made = paperCrawl(paperWeb(), config, { onEvent });
  return { ...made, obeyed };
}

interface Steered {
  readonly obeyed: readonly boolean[];
}

function siteMark(host: string, use: SiteUse | 'free'): Steer {
  return { kind: 'judge-page', judgement: { key: siteKey(host), sequence: 0, title: '', use, topic: ROOT } };
}

function linksOf({ document }: PageRecord): readonly string[] {
  return unpackLinks(document.links).map(({ url }) => url);
}

const config = exactConfig({ crawl: { budget: 40, learn: 15 } });

function pagesIn(records: readonly JournalRecord[], phase: string): number {
  const from = records.findIndex((record) => record.kind === 'phase' && record.phase === phase);
  const next = records.findIndex((record, i) => i > from && record.kind === 'phase');
  return records.slice(from, next < 0 ? undefined : next).filter((r) => r.kind === 'page' && r.role === 'crawled')
    .length;
}

/** While a page is under way a person looks in, so that the crawl does, too. */
class Watched extends PaperFetcher {
  readonly #crawl: () => Crawl;

  constructor(web: ReadonlyMap<string, Answer>, crawl: () => Crawl) {
    super(web);
    this.#crawl = crawl;
  }

  override async fetch(url: CanonicalUrl): Promise<FetchOutcome> {
    for (const kind of ['pause', 'resume'] as const) {
      this.#crawl().steer({ kind });
      await setTimeout(5);
    }
    return await super.fetch(url);
  }
}

describe('steering a running crawl', () => {
  test('a greater budget continues it, a smaller one ends it', async () => {
    const more = steeredCrawl(config, 20, { kind: 'set-budget', budget: 55 });
    expect((await more.run()).status).toMatchObject({ fetched: 55, budget: 55 });
    const less = steeredCrawl(config, 20, { kind: 'set-budget', budget: 25 });
    expect(await less.run()).toMatchObject({ reason: 'budget', status: { fetched: 25 } });
  });

  test('learning ends on command, after the running requests', async () => {
    const { journal, run } = steeredCrawl(config, 5, { kind: 'end-learning' });
    await run();
    const phase = journal.records.find((record) => record.kind === 'phase' && record.phase === 'harvesting');
    expect(phase).toMatchObject({ reason: 'ended by the user' });
    expect(pagesIn(journal.records, 'learning')).toBe(5);
  });

  test('learning ends on command with any number of parallel fetches', async () => {
    const network = { concurrency: 8, perHost: 8, perDomain: 8 };
    const wide = exactConfig({ crawl: { budget: 50, learn: 40 }, network });
    // Answers come one by one, so that something is always on its way.
    class Staggered extends PaperFetcher {
      override async fetch(url: CanonicalUrl): Promise<FetchOutcome> {
        await setTimeout(5 + (this.asked.length % 8) * 5);
        return await super.fetch(url);
      }
    }
    let pages = 0;
    const made: PaperCrawl = paperCrawl(paperWeb(), wide, {
      fetcher: new Staggered(paperWeb()),
      onEvent: (event) => {
        if (event.kind === 'page' && event.record.role === 'crawled' && ++pages === 5)
          made.crawl.steer({ kind: 'end-learning' });
      },
    });
    await made.run();
    const { journal } = made;
    const phase = journal.records.find((record) => record.kind === 'phase' && record.phase === 'harvesting');
    expect(phase).toMatchObject({ reason: 'ended by the user' });
    // Those that were in flight.
    expect(pagesIn(journal.records, 'learning')).toBeLessThan(5 + 8);
  });

  test('learning continues while a running page may have links, although no link waits', async () => {
    // Each page leads to the next one alone.
    const web = new Map<string, string>(
      [...paperWeb()].map(([url, page]) => [url, (page as string).replaceAll(/<a [^>]*>[^<]*<\/a>/g, '')]),
    );
    for (let i = 2; i < 59; i++) {
      const next = `<a href="${paperUrl('rail', i + 1)}">railway</a></p>`;
      web.set(paperUrl('rail', i), web.get(paperUrl('rail', i))!.replace('</p>', next));
    }
    const wide = exactConfig({ crawl: { budget: 20, learn: 10 }, network: { concurrency: 8 } });
    const made: PaperCrawl = paperCrawl(web, wide, { fetcher: new Watched(web, () => made.crawl) });
    await made.run();
    const { journal } = made;
    const phase = journal.records.find((record) => record.kind === 'phase' && record.phase === 'harvesting');
    expect(phase).toMatchObject({ reason: 'no links are left' });
    expect(pagesIn(journal.records, 'learning')).toBe(wide.crawl.learnMaxDepth);
  });

  test('an example added after the budget is spent is learned, however late it arrives', async () => {
    const spent = exactConfig({ crawl: { budget: 20 } });
    const first = paperCrawl(paperWeb(), spent);
    await first.run();
    const second: PaperCrawl = paperCrawl(paperWeb(), spent, {
      ...{ journal: first.journal, tree: topicTreeWith([0, 1, 2, 59]) },
      fetcher: new Watched(paperWeb(), () => second.crawl),
    });
    await second.run();
    const round = second.journal.records.findLast((record) => record.kind === 'round')!;
    expect(round.training.map(({ key }) => key)).toContain(paperUrl('rail', 59));
  });

  test('a blocked host gets no further request, nor does any subdomain', async () => {
    const { journal, fetcher, run } = steeredCrawl(config, 20, { kind: 'lock-host', host: 'rail1.paper.test' });
    await run();
    const before = journal.records.findIndex((record) => record.kind === 'steer');
    const asked = journal.records.slice(0, before).filter((r) => r.kind === 'page' || r.kind === 'visit').length;
    const later = fetcher.asked.slice(asked);
    expect(later.length).toBeGreaterThan(5);
    expect(later.filter((url) => url.includes('rail1.paper.test'))).toEqual([]);
    const wide = steeredCrawl(config, 20, { kind: 'lock-host', host: 'paper.test' });
    expect(await wide.run()).toMatchObject({ reason: 'frontier-dry', status: { fetched: 20 } });
  });

  test('rejects commands that the journal could not restore', async () => {
    const judgement = { key: 'x'.repeat(16_000), sequence: 0, title: '', use: 'dropped', topic: ROOT } as const;
    const commands = [{ kind: 'lock-host', host: 'a,b.test' } as const, { kind: 'judge-page', judgement } as const];
    const { journal, run, obeyed } = steeredCrawl(config, 20, ...commands);
    await run();
    expect(obeyed).toEqual([false, false]);
    expect(journal.records.some(({ kind }) => kind === 'steer')).toBe(false);
  });

  test('a bad site gets no further request, and only user-given pages of it are learned', async () => {
    const host = 'rail1.paper.test';
    const isOn = (url: string): boolean => url.startsWith(`http://${host}/`);
    const { journal, run } = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30, learn: 10 } }));
    await run();
    const round = journal.records.findLast((record) => record.kind === 'round')!;
    const key = journal.crawled().find(isOn)!;
    const example = round.training.find(({ origin }) => origin === 'user')!;
    const { sequence } = journal.records.at(-1)!;
    // As if a round had made one of its pages an archetype before a person spoke.
    const training = [...round.training, { ...example, key, origin: 'archetype-by-confidence' } as const];
    journal.append({ ...round, training, sequence: sequence + 1 });
    journal.append({ kind: 'steer', at: 0, command: siteMark(host, 'bad-site'), sequence: sequence + 2 });
    const later = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 70, learn: 10 } }), { journal });
    await later.run();
    const rounds = journal.records.slice(sequence + 2).filter((record) => record.kind === 'round');
    expect(rounds.length).toBeGreaterThan(0);
    for (const { training: pages } of rounds)
      expect(pages.map((page) => page.key).filter(isOn)).toEqual([paperUrl('rail', 1)]);
    expect(later.fetcher.asked.length).toBeGreaterThan(20);
    expect(later.fetcher.asked.filter(isOn)).toEqual([]);
  });

  test('links to a good site are fetched before all others, waiting and new ones', async () => {
    const made = steeredCrawl(config, 20, siteMark('food1.paper.test', 'good-site'));
    const plain = steeredCrawl(config, 20);
    await Promise.all([made.run(), plain.run()]);
    const ofGood = ({ journal }: PaperCrawl): number =>
      journal
        .crawled()
        .slice(20)
        .filter((url) => url.includes('food1.paper.test')).length;
    expect(ofGood(made)).toBeGreaterThan(ofGood(plain) + 3);
  });

  test('marking a site good, or removing the mark, starts no training round', async () => {
    const made = steeredCrawl(
      config,
      23,
      siteMark('food1.paper.test', 'good-site'),
      siteMark('food1.paper.test', 'free'),
    );
    await made.run();
    const steered = made.journal.records.findIndex((record) => record.kind === 'steer');
    expect(made.journal.records.slice(steered, steered + 3).map(({ kind }) => kind)).toEqual([
      'steer',
      'steer',
      'page',
    ]);
  });

  test('a good site below a bad one has its pages learned again', async () => {
    const made = steeredCrawl(
      config,
      20,
      siteMark('paper.test', 'bad-site'),
      siteMark('rail2.paper.test', 'good-site'),
    );
    await made.run();
    const steered = made.journal.records.findIndex((record) => record.kind === 'steer');
    const round = made.journal.records.slice(steered).find((record) => record.kind === 'round');
    expect(round).toMatchObject({ judgedAt: made.journal.records[steered + 1]!.sequence });
  });

  test('links of a bad site wait again if the mark is removed', async () => {
    const host = 'rail1.paper.test';
    const isOn = (url: string): boolean => url.startsWith(`http://${host}/`);
    const marked = steeredCrawl(config, 20, siteMark(host, 'bad-site'));
    await marked.run();
    const { journal } = marked;
    const { sequence } = journal.records.at(-1)!;
    journal.append({ kind: 'steer', at: 0, command: siteMark(host, 'free'), sequence: sequence + 1 });
    const linked = journal.records.flatMap((record) => (record.kind === 'page' ? linksOf(record) : []));
    const fetched = new Set([...journal.crawled(), paperUrl('rail', 1)]);
    const waited = new Set(linked.filter((url) => isOn(url) && !fetched.has(url)));
    expect(waited.size).toBeGreaterThan(5);
    const later = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 500, learn: 15 } }), { journal });
    await later.run();
    const asked = later.fetcher.asked.filter((url) => waited.has(url));
    expect(new Set(asked)).toEqual(waited);
    // Some are fetched before any later page links to them: they had waited.
    const news = journal.records.slice(sequence);
    const isWaiting = (record: (typeof news)[number], i: number): boolean =>
      record.kind === 'page' &&
      waited.has(record.url) &&
      news.slice(0, i).every((before) => before.kind !== 'page' || !linksOf(before).includes(record.url));
    expect(news.some(isWaiting)).toBe(true);
  });

  test('another ordering continues like a crawl resumed with that ordering', async () => {
    const steeredRun = steeredCrawl(config, 30, { kind: 'set-ordering', ordering: 'breadth-first' });
    await steeredRun.run();
    const { records } = steeredRun.journal;
    const cut = records.findIndex((record) => record.kind === 'steer');
    const resumed = paperCrawl(paperWeb(), exactConfig({ crawl: { ...config.crawl, ordering: 'breadth-first' } }), {
      journal: RecordingJournal.holding(records.slice(0, cut)),
    });
    await resumed.run();
    expect(steeredRun.journal.crawled()).toEqual(resumed.journal.crawled());
    const untouched = paperCrawl(paperWeb(), config);
    await untouched.run();
    expect(steeredRun.journal.crawled()).not.toEqual(untouched.journal.crawled());
  });

  test('a paused crawl fetches nothing until it is continued', async () => {
    const { crawl, fetcher, run, obeyed } = steeredCrawl(config, 20, { kind: 'pause' });
    const running = run();
    while (obeyed.length === 0) await new Promise(setImmediate);
    await new Promise(setImmediate);
    const asked = fetcher.asked.length;
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(fetcher.asked.length).toBe(asked);
    expect(crawl.status().paused).toBe(true);
    expect(crawl.steer({ kind: 'resume' })).toBe(true);
    expect((await running).status).toMatchObject({ fetched: 40, paused: false });
  });

  test('a crawl does not end during a review, and accepts its decisions', async () => {
    const made = paperCrawl(paperWeb(), config);
    const letGo = made.crawl.hold();
    let isOver = false;
    const running = made.run().finally(() => {
      isOver = true;
    });
    while (made.crawl.status().fetched < 40) await new Promise(setImmediate);
    const asked = made.fetcher.asked.length;
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect([isOver, made.fetcher.asked.length]).toEqual([false, asked]);
    const judgement = { key: paperUrl('rail', 1), sequence: 0, title: '', use: 'dropped', topic: ROOT } as const;
    expect(made.crawl.steer({ kind: 'judge-page', judgement })).toBe(true);
    while (made.journal.records.at(-1)?.kind !== 'round') await new Promise(setImmediate);
    letGo();
    expect(await running).toMatchObject({ reason: 'budget', status: { fetched: 40 }, isReclassificationDue: true });
  });

  test('a pause is not stored in the journal', async () => {
    const { journal, run } = steeredCrawl(config, 20, { kind: 'pause' }, { kind: 'resume' });
    await run();
    expect(journal.records.filter((record) => record.kind === 'steer')).toEqual([]);
  });

  test.each<[string, SteerCommand]>([
    ['a budget that is no number of pages', { kind: 'set-budget', budget: 0.5 }],
    ['the budget that it has', { kind: 'set-budget', budget: 40 }],
    ['the ordering that it has', { kind: 'set-ordering', ordering: 'bingo' }],
    ['a topic that the tree lacks', { kind: 'mark-topic', topic: parseTopicId('ships'), good: true }],
    ['unmarking the only good topic', { kind: 'mark-topic', topic: parseTopicId('railways'), good: false }],
    ['going on when it is not paused', { kind: 'resume' }],
    ['the end of a learning phase that is over', { kind: 'end-learning' }],
    ['a limit that it has', { kind: 'set-limit', limit: 'learn', value: 15 }],
    ['more fetches at a time where one was wanted', { kind: 'set-limit', limit: 'parallel', value: 5 }],
  ])('does not obey %s, and writes nothing', async (_, command) => {
    const { journal, run, obeyed } = steeredCrawl(config, 30, command);
    await run();
    expect(obeyed).toEqual([false]);
    expect(journal.records.filter((record) => record.kind === 'steer')).toEqual([]);
  });
});

describe('returning to learning', () => {
  const again = (): ReturnType<typeof steeredCrawl> => steeredCrawl(config, 22, { kind: 'begin-learning' });

  test('learns as many pages as a learning phase, then harvests the waiting links', async () => {
    const { journal, run } = again();
    expect((await run()).status).toMatchObject({ fetched: 40, phase: 'harvesting' });
    const phases = journal.records.flatMap((record) => (record.kind === 'phase' ? [record.phase] : []));
    expect(phases).toEqual(['learning', 'harvesting', 'learning', 'harvesting']);
    const from = journal.records.findLastIndex((record) => record.kind === 'phase' && record.phase === 'learning');
    const learned = journal.records.slice(
      from,
      journal.records.findLastIndex((record) => record.kind === 'phase'),
    );
    const pages = learned.filter((record) => record.kind === 'page');
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.length).toBeLessThanOrEqual(15);
  });

  test('requests no URL twice', async () => {
    const { fetcher, run } = again();
    await run();
    expect(new Set(fetcher.asked).size).toBe(fetcher.asked.length);
  });

  test('fetches the same pages if it is cut and resumed', async () => {
    const whole = again();
    await whole.run();
    const { records } = whole.journal;
    const steer = records.findIndex((record) => record.kind === 'steer');
    for (let cut = steer + 1; cut < records.length; cut += 3) {
      const resumed = paperCrawl(paperWeb(), config, { journal: RecordingJournal.holding(records.slice(0, cut)) });
      await resumed.run();
      expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
    }
  });

  test('passes each page to an ordering once', async () => {
    const judged = vi.spyOn(LearnedOrdering.prototype, 'judged');
    const learned = exactConfig({ crawl: { budget: 40, learn: 15, ordering: 'learned' } });
    await steeredCrawl(learned, 22, { kind: 'begin-learning' }).run();
    const heard = Map.groupBy(judged.mock.calls.keys(), (i) => judged.mock.contexts[i]);
    const urls = [...heard.values()].map((calls) => calls.map((i) => judged.mock.calls[i]![0].url));
    judged.mockRestore();
    expect(urls.length).toBeGreaterThan(2);
    expect(urls.map((each) => new Set(each).size)).toEqual(urls.map(({ length }) => length));
  });

  test('starts at the position of the harvest, however far from a seed', async () => {
    const web = paperWeb();
    for (let i = 0; i < 60; i++) {
      const next = `<a href="${paperUrl('rail', i + 1)}">on</a></p>`;
      const page = web.get(paperUrl('rail', i)) as string;
      web.set(paperUrl('rail', i), page.replaceAll(/<a .*?<\/a>/g, '').replace('</p>', next));
    }
    const onEvent = ({ kind }: CrawlEvent): void => {
      if (kind === 'page' && made.journal.crawled().length === 22) made.crawl.steer({ kind: 'begin-learning' });
    };
    const made: PaperCrawl = paperCrawl(web, config, { onEvent });
    await made.run();
    const { records } = made.journal;
    const from = records.findLastIndex((record) => record.kind === 'phase' && record.phase === 'learning');
    const end = records.findLastIndex((record) => record.kind === 'phase');
    const learned = records.slice(from, end).filter((record) => record.kind === 'page');
    expect(learned.map(({ origin }) => origin.depth)).toEqual([1, 2, 3, 4]);
    expect(made.journal.crawled()).toHaveLength(40);
  });

  test('also continues to harvest with several parallel fetches', async () => {
    const many = exactConfig({ crawl: { budget: 70, learn: 15 }, network: { concurrency: 4, perHost: 1 } });
    const { run } = steeredCrawl(many, 22, { kind: 'begin-learning' });
    expect((await run()).status).toMatchObject({ fetched: 70, phase: 'harvesting' });
  });

  test('drops waiting links of a site that reached its limit meanwhile', async () => {
    const limited = exactConfig({ crawl: { budget: 200, learn: 15, maxPagesPerSite: 24 } });
    const { run } = steeredCrawl(limited, 22, { kind: 'begin-learning' });
    expect((await run()).reason).toBe('frontier-dry');
  });

  test('is rejected while it learns', async () => {
    const { run, obeyed } = steeredCrawl(config, 5, { kind: 'begin-learning' });
    await run();
    expect(obeyed).toEqual([false]);
  });
});

test('a changed setting overrides a limit set by command', async () => {
  const first = steeredCrawl(config, 20, { kind: 'set-limit', limit: 'tunnel', value: 5 });
  await first.run();
  const same = paperCrawl(paperWeb(), config, { journal: first.journal });
  expect((await same.run()).status.limits?.tunnel).toBe(5);
  const asked = exactConfig({ crawl: { budget: 40, learn: 15, tunnelDistance: 1 } });
  const changed = paperCrawl(paperWeb(), asked, { journal: first.journal });
  expect((await changed.run()).status.limits?.tunnel).toBe(1);
});

describe('marking topics', () => {
  const example = (subject: 'rail' | 'food', i: number): Example => ({ kind: 'url', url: paperUrl(subject, i) });
  const tree = topicTree(
    [
      { name: 'railways', examples: [0, 1, 2].map((i) => example('rail', i)) },
      { name: 'cooking', good: false, examples: [0, 1, 2].map((i) => example('food', i)) },
    ],
    [{ kind: 'text', name: 'small talk', text: 'people place world year' }],
  );

  test('a topic marked good counts from then on, and the next model scores it', async () => {
    let pages = 0;
    const made = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60, learn: 10 } }), {
      tree,
      onEvent: (event) => {
        if (event.kind === 'page' && event.record.role === 'crawled' && ++pages === 22)
          made.crawl.steer({ kind: 'mark-topic', topic: parseTopicId('cooking'), good: true });
      },
    });
    const { status } = await made.run();
    expect(status.queues.map((queue) => queue.topic)).toEqual(['railways', 'cooking']);
    const steer = made.journal.records.findIndex((record) => record.kind === 'steer');
    const scored = made.journal.records
      .slice(steer)
      .filter((record) => record.kind === 'page')
      .map((page) => page.assignment.scores.map((score) => score.topic));
    // A crawl that fetches one page at a time trains before the next page.
    expect(scored[0]).toEqual(['railways', 'cooking']);
    expect(made.journal.records[steer + 1]).toMatchObject({ kind: 'round', reason: 'judged by the user' });
    expect(scored.at(-1)).toEqual(['railways', 'cooking']);
  });

  test('a marked topic makes stored pages due for judging, and the links of its pages wait in its queue', async () => {
    let pages = 0;
    const waiting: number[] = [];
    const made = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60, learn: 10 } }), {
      tree,
      onEvent: (event) => {
        if (event.kind !== 'page' || event.record.role !== 'crawled') return;
        pages++;
        if (pages === 40) made.crawl.steer({ kind: 'mark-topic', topic: parseTopicId('cooking'), good: true });
        if (pages === 41)
          waiting.push(...made.crawl.status().queues.map(({ incoming, outgoing }) => incoming + outgoing));
      },
    });
    const summary = await made.run();
    expect(summary.isReclassificationDue).toBe(true);
    // Pages of "cooking" fetched before the mark had links that no one followed.
    expect(waiting[1]).toBeGreaterThan(10);
  });
});

describe('a parent topic that bingo.yaml marks good between two runs', () => {
  const example = (subject: 'rail' | 'food', i: number): Example => ({ kind: 'url', url: paperUrl(subject, i) });
  const land = (marks: { readonly good?: boolean }) =>
    topicTree(
      [
        {
          name: 'land',
          ...marks,
          topics: [
            { name: 'railways', examples: [0, 1, 2].map((i) => example('rail', i)) },
            { name: 'cooking', good: false, examples: [0, 1, 2].map((i) => example('food', i)) },
          ],
        },
      ],
      [{ kind: 'text', name: 'small talk', text: 'people place world year' }],
    );

  test('is announced, trained and judged again, and gets a queue', async () => {
    const settings = exactConfig({ crawl: { budget: 30, learn: 10 } });
    const first = paperCrawl(paperWeb(), settings, { tree: land({}) });
    await first.run();
    const { records } = first.journal;
    const rounds = records.filter(({ kind }) => kind === 'round').length;
    const command = { kind: 'reclassified', model: 1 } as const;
    const judged: JournalRecord = { kind: 'steer', command, sequence: records.length + 1, at: 0 };
    const journal = RecordingJournal.holding([...records, judged]);
    const unchanged = paperCrawl(paperWeb(), settings, {
      tree: land({}),
      journal: RecordingJournal.holding([...records, judged]),
    });
    expect((await unchanged.run()).isReclassificationDue).toBe(false);
    const events: CrawlEvent[] = [];
    const again = paperCrawl(paperWeb(), settings, {
      tree: land({ good: true }),
      journal,
      onEvent: (event) => events.push(event),
    });
    const summary = await again.run();
    expect(summary.isReclassificationDue).toBe(true);
    expect(summary.status.queues.map(({ topic }) => topic)).toEqual(['land', 'land/railways']);
    const changes = [{ setting: 'topics.land.good', before: false, now: true, askedAgain: 0 }];
    expect(events).toContainEqual({ kind: 'settings', changes });
    const later = again.journal.records.filter((record) => record.kind === 'round').slice(rounds);
    expect(later).toHaveLength(1);
    expect(decodeModels(later[0]!.blob).topics).toContainEqual({ id: 'land', parent: '', good: true });
  });

  test('overrides the mark of an earlier run, and costs no round if the crawl had it', async () => {
    const settings = exactConfig({ crawl: { budget: 30, learn: 10 } });
    let pages = 0;
    const first: PaperCrawl = paperCrawl(paperWeb(), settings, {
      tree: land({}),
      onEvent: (event) => {
        if (event.kind === 'page' && event.record.role === 'crawled' && ++pages === 20)
          first.crawl.steer({ kind: 'mark-topic', topic: parseTopicId('land'), good: true });
      },
    });
    await first.run();
    const roundsOf = (made: PaperCrawl): number => made.journal.records.filter(({ kind }) => kind === 'round').length;
    const before = roundsOf(first);
    const same = paperCrawl(paperWeb(), settings, { tree: land({ good: true }), journal: first.journal });
    await same.run();
    expect(roundsOf(same)).toBe(before);
    const off = paperCrawl(paperWeb(), settings, { tree: land({ good: false }), journal: first.journal });
    expect((await off.run()).status.queues.map(({ topic }) => topic)).toEqual(['land/railways']);
    expect(roundsOf(off)).toBe(before + 1);
  });
});

test('a crawl with a topic marked midway fetches the same if it is cut and resumed', async () => {
  const url = (subject: 'rail' | 'food', i: number): Example => ({ kind: 'url', url: paperUrl(subject, i) });
  const tree = topicTree(
    [
      { name: 'railways', examples: [0, 1, 2].map((i) => url('rail', i)) },
      { name: 'cooking', good: false, examples: [0, 1, 2].map((i) => url('food', i)) },
    ],
    [],
  );
  let pages = 0;
  const whole = paperCrawl(paperWeb(), config, {
    tree,
    onEvent: (event) => {
      if (event.kind === 'page' && event.record.role === 'crawled' && ++pages === 18)
        whole.crawl.steer({ kind: 'mark-topic', topic: parseTopicId('cooking'), good: true });
    },
  });
  await whole.run();
  const { records } = whole.journal;
  const steer = records.findIndex((record) => record.kind === 'steer');
  expect(steer).toBeGreaterThan(0);
  for (let cut = steer + 2; cut < records.length; cut += 4) {
    const resumed = paperCrawl(paperWeb(), config, { tree, journal: RecordingJournal.holding(records.slice(0, cut)) });
    await resumed.run();
    expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
  }
});

describe.each<[string, Steer]>([
  ['a greater budget', { kind: 'set-budget', budget: 50 }],
  ['an end of learning', { kind: 'end-learning' }],
  ['a shorter learning phase', { kind: 'set-limit', limit: 'learn', value: 10 }],
  ['another tunnelling distance', { kind: 'set-limit', limit: 'tunnel', value: 0 }],
  ['a locked host', { kind: 'lock-host', host: 'rail2.paper.test' }],
  ['another ordering', { kind: 'set-ordering', ordering: 'backlink' }],
  ['a site that is bad', siteMark('rail2.paper.test', 'bad-site')],
  ['a site that is good', siteMark('rail2.paper.test', 'good-site')],
])('a crawl steered by %s', (_, command) => {
  test('fetches the same pages in the same order if cut anywhere and resumed', async () => {
    const whole = steeredCrawl(config, 8, command);
    await whole.run();
    expect(whole.obeyed).toEqual([true]);
    const { records } = whole.journal;
    const steer = records.findIndex((record) => record.kind === 'steer');
    for (let cut = steer + 2; cut < records.length; cut += 4) {
      const journal = RecordingJournal.holding(records.slice(0, cut));
      const resumed = paperCrawl(paperWeb(), config, { journal });
      await resumed.run();
      expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
    }
  });
});

describe('commands of the user, in the next run', () => {
  test('apply while the settings are unchanged', async () => {
    const first = steeredCrawl(config, 20, { kind: 'set-budget', budget: 30 });
    await first.run();
    const again = paperCrawl(paperWeb(), config, { journal: first.journal });
    expect(await again.run()).toMatchObject({ reason: 'budget', fetchedNow: 0, status: { budget: 30 } });
  });

  test('are overridden by a changed setting', async () => {
    const first = steeredCrawl(config, 20, { kind: 'set-budget', budget: 30 });
    await first.run();
    const asked = exactConfig({ crawl: { budget: 35, learn: 15 } });
    const again = paperCrawl(paperWeb(), asked, { journal: first.journal });
    expect(await again.run()).toMatchObject({ reason: 'budget', fetchedNow: 5, status: { budget: 35 } });
  });

  test('are overridden by the ordering that the settings now name', async () => {
    const first = steeredCrawl(config, 20, { kind: 'set-ordering', ordering: 'backlink' });
    await first.run();
    const settings = { ...config.crawl, budget: 50, ordering: 'breadth-first' } as const;
    const again = paperCrawl(paperWeb(), exactConfig({ crawl: settings }), { journal: first.journal });
    expect((await again.run()).status.ordering).toBe('breadth-first');
  });
});
